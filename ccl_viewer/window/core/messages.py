"""The window's message, and the details for a bug report."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from psygnal import Signal

import ccl_viewer
from ccl_viewer.errors import CancelledError, CCLViewerError, as_viewer_error, sanitise_message
from ccl_viewer.window.core.model import Model


class MessageKind(StrEnum):
    """How much a message matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class MessageAction:
    """A button beside a message: its label and its function."""

    text: str
    run: Callable[[], object]


@dataclass(frozen=True)
class Message:
    """A sentence for the user, shown until it is dismissed or replaced.

    Details are for a bug report. All text is plain.
    """

    kind: MessageKind
    text: str
    details: str = ""
    action: MessageAction | None = None


class Messages(Model):
    """Holds the last news, and the last error or warning, which news does not replace.

    `facts` returns facts about the session for a bug report, by name.
    """

    message_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.facts: Callable[[], Mapping[str, object]] = dict
        self.news: Message | None = None
        self.problem: Message | None = None

    @property
    def message(self) -> Message | None:
        """The newest message."""
        return self.news or self.problem

    def show(
        self, kind: MessageKind, text: str, details: str = "", action: MessageAction | None = None
    ) -> None:
        message = Message(kind, sanitise_message(text), details, action)
        if kind is MessageKind.INFO:
            self.news = message
        else:
            self.news, self.problem = None, message
        self._announce(self.message_changed)

    def tell(self, text: str) -> None:
        """Show news."""
        self.show(MessageKind.INFO, text)

    def show_error(
        self, title: str, error: BaseException, action: MessageAction | None = None
    ) -> None:
        """Show why something failed; a cancellation is only a note.

        The title names the task: "Running Label Equivalence".
        """
        if isinstance(error, CancelledError):
            self.show(MessageKind.INFO, f"{title}: stopped.")
            return
        viewer_error = as_viewer_error(error)
        details = failure_details(title, viewer_error, self.facts())
        self.show(MessageKind.ERROR, str(viewer_error), details, action)

    @contextmanager
    def catch_errors(self, title: str) -> Iterator[None]:
        """Show an error raised within the block; the error ends the block."""
        try:
            yield
        except CCLViewerError as error:
            self.show_error(title, error)

    def dismiss(self, message: Message | None = None) -> None:
        """Dismiss a message, or all."""
        if message in {None, self.news}:
            self.news = None
        if message in {None, self.problem}:
            self.problem = None
        self._announce(self.message_changed)

    def dismiss_error(self) -> None:
        """Dismiss an earlier failure, if one is shown, because something else has succeeded."""
        if self.problem is not None and self.problem.kind is MessageKind.ERROR:
            self.dismiss(self.problem)


def versions() -> dict[str, str]:
    """Return the versions of the program, its libraries and the system, by name."""
    return {
        "CCL Viewer": ccl_viewer.__version__,
        "Python": sys.version.split()[0],
        "NumPy": np.__version__,
        "System": platform.platform(),
    }


def failure_details(title: str, error: BaseException, facts: Mapping[str, object]) -> str:
    """Return title, error, facts, versions and traceback as lines of text."""
    lines = [title, str(error), ""]
    lines += [f"{name}: {value}" for name, value in {**facts, **versions()}.items()]
    lines += ["", *traceback.format_exception(error)]
    return "\n".join(line.rstrip("\n") for line in lines)
