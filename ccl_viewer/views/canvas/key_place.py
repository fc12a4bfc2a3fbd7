"""Where the key stands on a canvas, for what lies over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.canvas.card import column_of
from ccl_viewer.views.canvas.key import key_items, split_key


def key_place(canvas: Canvas, columns: int) -> QRectF:
    """Return where the key stands at the right of a grid; empty where it has no room there.

    Parameters
    ----------
    canvas : Canvas
        Says what its marks mean.
    columns : int
        Of the grid.
    """
    _, marks = split_key(canvas.key)
    size = float(canvas.width()), float(canvas.height())
    place = column_of(size, key_items(marks), QFontMetricsF(canvas.font()))
    return place if marks and place.left() >= canvas.view.corner(columns, 0)[0] else QRectF()
