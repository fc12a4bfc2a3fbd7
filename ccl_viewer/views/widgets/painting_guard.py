"""Lets the painting of a widget fail without taking the window with it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import TypeVar

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

_W = TypeVar("_W", bound=QWidget)


def guarded(paint: Callable[[_W, QPaintEvent], None]) -> Callable[[_W, QPaintEvent], None]:
    """Return a ``paintEvent`` that leaves its widget plain where the one given fails.

    An error that leaves a ``paintEvent`` keeps the painter alive, as part of its traceback, and Qt
    ends the program when it finds a painter at work on what it wants to show. So the error goes to
    :data:`sys.excepthook` from here, once the painters have ended.

    Parameters
    ----------
    paint : callable
        The method.
    """

    @wraps(paint)
    def paint_or_tell(widget: _W, event: QPaintEvent) -> None:
        try:
            paint(widget, event)
        except Exception as error:  # noqa: BLE001  (it is passed on)
            _end_painters(error.__traceback__)
            _leave_plain(widget)
            sys.excepthook(type(error), error, error.__traceback__)

    return paint_or_tell


def paint_ahead(paint: Callable[[], bool]) -> bool:
    """Paint what is shown later; where that fails, it fails again then, and is told of.

    Parameters
    ----------
    paint : callable
        Paints into pictures; returns whether that is all.

    Returns
    -------
    bool
        What it returned; true where it failed.
    """
    try:
        return paint()
    except Exception as error:  # noqa: BLE001  (it comes again)
        _end_painters(error.__traceback__)
        return True


def _end_painters(trace: TracebackType | None) -> None:
    """End all painters that were at work where an error passed."""
    for frame, _line in traceback.walk_tb(trace):
        for value in frame.f_locals.values():
            if isinstance(value, QPainter) and value.isActive():
                value.end()


def _leave_plain(widget: QWidget) -> None:
    painter = QPainter(widget)
    painter.fillRect(widget.rect(), widget.palette().window())
    painter.end()
