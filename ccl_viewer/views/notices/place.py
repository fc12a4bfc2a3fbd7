"""Where notices lie: over the top of the grid, and over nothing that explains it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

_EDGE = 16
"""Pixels between notices and the sides of what they lie over."""
_BESIDE = 8
"""Pixels between notices and the key."""
_NARROWEST = 200


@dataclass(frozen=True)
class Place:
    """The place of notices.

    Parameters
    ----------
    left, top, width : int
        In pixels; they are as high as what they say.
    """

    left: int
    top: int
    width: int


def place_of(room: int, top: int, wanted: int, least: int, key: QRect) -> Place:
    """Return where notices lie: in the middle, or else beside the key, or below it.

    Parameters
    ----------
    room : int
        Width of what they lie over.
    top : int
        Where they begin.
    wanted : int
        Width in which all is said in one line.
    least : int
        Width without which they are hard to read.
    key : QRect
        Where the key stands; empty if it is elsewhere.
    """
    width = max(min(wanted, room - 2 * _EDGE), _NARROWEST)
    left, right = (room - width) // 2, key.left() - _BESIDE
    if key.isEmpty() or left + width <= right:
        return Place(left, top, width)
    free = right - _EDGE
    if free < min(least, width):
        return Place(left, max(top, key.bottom() + 1 + _BESIDE), width)
    return Place(right - min(width, free), top, min(width, free))
