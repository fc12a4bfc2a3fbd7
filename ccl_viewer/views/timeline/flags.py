"""Where the flags of a timeline lie, which name its milestones; without Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_ROOM_FOR_KNOB = 5.0
"""Pixels under the top that are left to the knob of the position, where there are so many."""

_BESIDE_LINE = 3.0
"""Pixels to the left of a line that stay free, so that flags on both sides are told apart."""


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels.

    Parameters
    ----------
    left, top, right, bottom : float
        Its sides.
    """

    left: float
    top: float
    right: float
    bottom: float


def flag_boxes(
    flags: Sequence[tuple[float, float]], room: Box, line: float
) -> tuple[Box | None, ...]:
    """Return a place for each flag, beside its line; None where it would lie over another.

    Where two share a line and there is one row, the first lies to the left, so that they are read
    in their order.

    Parameters
    ----------
    flags : sequence of tuple of float
        Where the line of each is, and how wide the flag is; the first have the first choice.
    room : Box
        Where they may lie: in as many rows as it is high for, one at least.
    line : float
        Height of a flag.
    """
    height = room.bottom - room.top
    rows = max(int((height + 1) // (line + 1)), 1)
    first = room.top + min(max(height - rows * (line + 1) + 1, 0.0), _ROOM_FOR_KNOB)
    taken: list[Box] = []
    placed: list[Box | None] = []
    for place, (x, width) in enumerate(flags):
        sides = [x, x - width - _BESIDE_LINE]
        if rows == 1 and any(other == x for other, _ in flags[place + 1 :]):
            sides.reverse()
        choices = (
            Box(left, top, left + width, top + line)
            for left in sides
            for top in (first + row * (line + 1) for row in range(rows))
        )
        free = (
            box
            for box in choices
            if room.left <= box.left
            and box.right <= room.right
            and not any(_overlap(box, other) for other in taken)
        )
        found = next(free, None)
        placed.append(found)
        if found is not None:
            taken.append(found)
    return tuple(placed)


def pieces_between(
    x: float, extent: tuple[float, float], boxes: Sequence[Box | None]
) -> Iterator[tuple[float, float]]:
    """Return the pieces of an upright line that lie in no box, from top to bottom.

    Parameters
    ----------
    x : float
        Where the line is.
    extent : tuple of float
        From where to where it goes.
    boxes : sequence of Box or None
        What it goes behind.
    """
    top, bottom = extent
    crossed = (box for box in boxes if box is not None and box.left <= x <= box.right)
    for box in sorted(crossed, key=lambda box: box.top):
        if box.top > top:
            yield top, min(box.top, bottom)
        top = max(top, box.bottom)
    if top < bottom:
        yield top, bottom


def _overlap(one: Box, other: Box) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom
