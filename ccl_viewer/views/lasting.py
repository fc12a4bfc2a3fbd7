"""What is the same when the window is opened again: its place, its panels, and choices."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, Protocol, runtime_checkable

from PySide6.QtWidgets import QMainWindow

from ccl_viewer.errors import InputError
from ccl_viewer.session.settings import Settings
from ccl_viewer.views.memory.parts import Memory, from_text, recall, remember, to_text
from ccl_viewer.views.widgets.room import first_size

_GEOMETRY: Final = "window/geometry"
_READING: Final = 20_000
"""Milliseconds for which the status bar shows a sentence."""


@runtime_checkable
class Remembering(Protocol):
    """A part that remembers something."""

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered."""


class Lasting:
    """Puts back what was remembered, and notes it down again.

    Parameters
    ----------
    window : QMainWindow
        The window.
    settings : Settings
        What is remembered.
    """

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        self._window = window
        self._settings = settings

    def recall(self, parts: Iterable[object]) -> None:
        """Let those parts that remember something be as they were."""
        recall(self._settings, _memories(parts))

    def recall_place(self) -> None:
        """Put the window where it lay; at first, give it a size that suits the screen."""
        geometry = from_text(self._settings.text(_GEOMETRY))
        if not self._window.restoreGeometry(geometry):
            self._window.resize(first_size(self._window.screen().availableSize()))

    def remember(self, parts: Iterable[object]) -> None:
        """Note down the window's place, and what parts remember.

        If that fails, as on a full disk, what was remembered before stays, and the terminal is
        told, as the window is about to go.
        """
        self._settings.set_value(_GEOMETRY, to_text(self._window.saveGeometry()))
        remember(self._settings, _memories(parts))
        try:
            self._settings.save()
        except InputError as error:
            if sys.stderr is not None:
                with suppress(OSError):
                    sys.stderr.write(f"ccl-viewer: Nothing was remembered: {error}\n")

    def warn(self) -> None:
        """Say once what is wrong with the settings, if anything is."""
        if self._settings.problem:
            self._window.statusBar().showMessage(self._settings.problem, _READING)


def _memories(parts: Iterable[object]) -> Iterator[Memory]:
    for part in parts:
        if isinstance(part, Remembering):
            yield from part.memories()
