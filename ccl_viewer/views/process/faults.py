"""Tells the user of errors that nothing in the program reckoned with, instead of ending it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TypeAlias

from PySide6.QtCore import QObject, Qt, Signal

_Place: TypeAlias = tuple[type[BaseException], str, int | None]


class Faults(QObject):
    """Takes the place of :data:`sys.excepthook`, to which Qt brings what its slots let through.

    What fails at the same place again is not told again: a fault in what is painted would come
    back with every frame.

    Parameters
    ----------
    tell : callable
        Given the error, in a later turn of the event loop: what failed has come to its end then.
    parent : QObject or None
        Parent.
    """

    _found = Signal(object)

    def __init__(
        self, tell: Callable[[BaseException], object], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tell = tell
        self._told: set[_Place] = set()
        self._found.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Note an error, print it as Python does, and have it told."""
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        place = _place_of(error, trace)
        if place in self._told:
            return
        self._told.add(place)
        traceback.print_exception(kind, error, trace)
        self._found.emit(error)

    def _pass_on(self, error: BaseException) -> None:
        self._tell(error)


def _place_of(error: BaseException, trace: TracebackType | None) -> _Place:
    last = traceback.extract_tb(trace)[-1:]
    return (type(error), last[0].filename, last[0].lineno) if last else (type(error), "", None)
