"""What parts of the window remember: each names a key, and how it is read and put back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QByteArray

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.session.settings import Settings
from ccl_viewer.settings_text import read_truth, truth_text


@dataclass(frozen=True)
class Memory:
    """One thing that is the same when the window is opened again.

    Parameters
    ----------
    key : str
        Its name in the settings file, as ``"part/name"``.
    read : callable
        Returns it as text.
    write : callable
        Puts it back; raises ``ValueError`` or an error of this program's if the text is no good.
    """

    key: str
    read: Callable[[], str]
    write: Callable[[str], object]


def switch_memory(key: str, read: Callable[[], bool], write: Callable[[bool], object]) -> Memory:
    """Return the memory of something that is on or off."""
    return Memory(key, lambda: truth_text(read()), lambda text: write(read_truth(text)))


def to_text(state: QByteArray) -> str:
    """Return what Qt keeps of a window or its docks, as text."""
    return bytes(state.toBase64().data()).decode("ascii")


def from_text(text: str) -> QByteArray:
    """Return what :func:`to_text` was given; something that Qt refuses if it is another text."""
    return QByteArray.fromBase64(text.encode(errors="replace"))


def recall(settings: Settings, memories: Iterable[Memory]) -> None:
    """Put back what was remembered, and forget what cannot be put back."""
    for memory in memories:
        if settings.value(memory.key) is not None:
            try:
                memory.write(settings.text(memory.key))
            except (CCLViewerError, ValueError):
                settings.set_value(memory.key, None)


def remember(settings: Settings, memories: Iterable[Memory]) -> None:
    """Note everything down."""
    for memory in memories:
        settings.set_value(memory.key, memory.read())
