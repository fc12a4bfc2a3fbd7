"""What is in hand: the tool, its brush and the values that the two buttons draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from ccl_viewer.grids.grid import MOST_SEGMENTS

BRUSHES = (1, 2, 3, 5, 8, 12, 20, 32, 48, 64)
"""Widths of the brush that the keys go through, in cells."""


class Tool(StrEnum):
    """What can be in hand."""

    PENCIL = "pencil"
    ERASER = "eraser"
    LINE = "line"
    RECTANGLE = "rectangle"
    ELLIPSE = "ellipse"
    FILL = "fill"
    PICK = "pick"
    SELECT = "select"


@dataclass(frozen=True)
class Hand:
    """A tool with its brush and values; each method returns another hand.

    Parameters
    ----------
    tool : Tool
        The tool.
    brush : int
        Width of strokes, lines and borders, in cells.
    filled : bool
        Whether rectangles and ellipses are filled.
    front, back : int
        What the left and the right button draw.
    values : int
        How many values the palette shows, from 1.
    """

    tool: Tool = Tool.PENCIL
    brush: int = 1
    filled: bool = False
    front: int = 1
    back: int = 0
    values: int = 4

    @property
    def ink(self) -> int:
        """The value in hand that is not background."""
        return max(self.front, self.back) if 0 in (self.front, self.back) else self.front

    def value_of(self, *, second: bool) -> int:
        """Return what a button draws; the eraser's first button always erases."""
        if self.tool is Tool.ERASER:
            return self.front if second else 0
        return self.back if second else self.front

    def wider(self) -> Hand:
        """With the next wider brush."""
        return replace(self, brush=min((b for b in BRUSHES if b > self.brush), default=self.brush))

    def narrower(self) -> Hand:
        """With the next narrower brush."""
        return replace(self, brush=max((b for b in BRUSHES if b < self.brush), default=1))

    def swapped(self) -> Hand:
        """With the values of the two buttons exchanged."""
        return replace(self, front=self.back, back=self.front)

    def with_value(self, value: int, *, multivalued: bool) -> Hand:
        """With a value for the left button; of a grid that is not multi-valued, 0 or 1.

        If the right button has it already, the two are exchanged.
        """
        value = min(max(value, 0), MOST_SEGMENTS if multivalued else 1)
        back = self.front if value == self.back else self.back
        if value == self.front:
            return self
        return replace(self, front=value, back=back, values=max(self.values, value))

    def for_values(self, largest: int, *, multivalued: bool) -> Hand:
        """Suited to a grid whose largest value is given."""
        if multivalued:
            return replace(self, values=max(self.values, largest))
        front, back = min(self.front, 1), min(self.back, 1)
        return replace(self, front=front, back=back if front != back else 1 - front)
