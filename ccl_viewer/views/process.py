"""The window's thread: functions that other threads post to it, and errors nobody expected."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal


class Poster(QObject):
    """Calls functions on the thread that made it: a :data:`~ccl_viewer.session.tasks.Post`."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], None]) -> None:
        """Have a function called by the event loop, soon; may be called from any thread."""
        if not self._closed:
            self._posted.emit(function)

    def close(self) -> None:
        """Call nothing more, not even what was posted before."""
        self._closed = True

    def _call(self, function: Callable[[], None]) -> None:
        if not self._closed:
            function()


class ErrorReporter(QObject):
    """Takes the place of :data:`sys.excepthook`, to which Qt brings errors of its slots.

    An error is reported in a later turn of the event loop, and once a place: one in painting comes
    back with every frame.
    """

    _found = Signal(object)

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        super().__init__()
        self._reported: set[tuple[type[BaseException], str, int | None]] = set()
        self._found.connect(report, Qt.ConnectionType.QueuedConnection)

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Print an error as Python does, and report it."""
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        last = traceback.extract_tb(trace)[-1:]
        place = (kind, last[0].filename, last[0].lineno) if last else (kind, "", None)
        if place not in self._reported:
            self._reported.add(place)
            traceback.print_exception(kind, error, trace)
            self._found.emit(error)
