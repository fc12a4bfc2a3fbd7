"""A picture that grows downwards: lines of text, rows of boxes, each with a sentence about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.render.display_list import Colour, DisplayList, Item, Layer, Texts
from ccl_viewer.render.themes import CanvasTheme, canvas_colours, pack_colour

NO_LANE: Final = -1
GUTTER: Final = 46.0  # pixels left of the boxes, for the names of rows
BIT: Final = 14.0  # height of a bit's box, which shows its 1 or 0 if it is as wide
SIZE: Final = 11.0  # of text
SMALLEST: Final = 8.0
DIGIT: Final = 0.6  # width of a digit, in font sizes

Area: TypeAlias = tuple[tuple[float, float, float, float], str, int]
"""Left, top, right and bottom of a part; a sentence about it; its lane, or :data:`NO_LANE`."""


@dataclass(frozen=True, eq=False)
class AnnotatedPicture:
    """A display list, with its sentences and lanes by place."""

    display: DisplayList
    areas: tuple[Area, ...]

    def tip_and_lane_at(self, x: float, y: float) -> tuple[str, int] | None:
        """Return the sentence and lane at a place, in pixels of the picture."""
        for (left, top, right, bottom), tip, lane in self.areas:
            if left <= x < right and top <= y < bottom:
                return tip, lane
        return None


class PictureBuilder:
    """A picture that grows downwards.

    `px`, the device pixels per pixel, scales lines and text; `y` is where the next line starts.
    """

    def __init__(self, width: int, theme: CanvasTheme, px: float) -> None:
        self.width, self.theme, self.px = width, theme, px
        self.colours = canvas_colours(theme)
        self.text, self.dim = pack_colour(theme.text), pack_colour(theme.dim)
        self.accent = pack_colour(theme.accent)
        self.y = 6 * px
        self.gutter = GUTTER * px
        self.items: list[Item] = []
        self.areas: list[Area] = []

    def build(self, name: str) -> AnnotatedPicture:
        """Return what was drawn, as a layer of this name."""
        layer, height = Layer(name, tuple(self.items)), round(self.y + 6 * self.px)
        display = DisplayList(self.width, height, pack_colour(self.theme.canvas), (layer,))
        return AnnotatedPicture(display, tuple(self.areas))

    def draw_text(self, words: str, *, dim: bool = False) -> None:
        """Write a text in as many lines as it needs, bold unless it is dim."""
        size, left = SIZE * self.px, 4 * self.px
        lines = wrap(words, max(int((self.width - 2 * left) / (0.62 * size)), 1))
        places = [[left, self.y + size * (0.7 + 1.4 * row)] for row in range(len(lines))]
        colour = self.dim if dim else self.text
        if lines:
            self.items.append(
                Texts(tuple(lines), np.array(places), size, colour, "left", bold=not dim)
            )
            self.y += (0.3 + 1.4 * len(lines)) * size

    def draw_row_name(self, name: str, height: float) -> None:
        """Write the name of a row of this height to its left."""
        position = np.array([[self.gutter - 5 * self.px, self.y + height * self.px / 2]])
        self.items.append(Texts((name,), position, 10 * self.px, self.dim, "right"))

    def draw_texts(
        self,
        texts: Sequence[str],
        columns: Sequence[int],
        column: float,
        colour: Colour,
        size: float,
        height: float,
    ) -> None:
        """Write texts in the middle of columns; long texts are cut off."""
        most = max(int(column / (DIGIT * size)), 2)
        middle = self.y + height / 2
        shown = [
            (text if len(text) <= most else f"{text[: most - 1]}…", index)
            for text, index in zip(texts, columns, strict=True)
            if text
        ]
        if shown:
            positions = [[self.gutter + (index + 0.5) * column, middle] for _, index in shown]
            words = tuple(text for text, _ in shown)
            self.items.append(Texts(words, np.array(positions), size, colour))
