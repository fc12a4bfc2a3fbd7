"""One palette for whole frames: cells, what is drawn over them, and text, all in 256 colours.

A frame is an array of palette indices, which suits GIF and PNG as it is and takes a third of the
memory. Text is antialiased in eight steps from its paper to its ink; lines over cells are mixed,
and take the nearest colours that there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.colours import Rgb
from ccl_viewer.render.cell_table import DIMMED, LIT, cell_table
from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH
from ccl_viewer.render.layers import CellColours
from ccl_viewer.render.themes import (
    BACKGROUND,
    FIRST_COLOUR,
    LABEL_COLOURS,
    UNLABELLED,
    CanvasTheme,
)

LEVELS: Final = 8
"""Steps from paper to ink."""

COLOURS: Final = 255
"""Indices that frames use; the last one is left for what writers need it for."""

_CUBE: Final = 5


class Ink(IntEnum):
    """What text and bars on the canvas are drawn with."""

    TEXT = 0
    DIM = 1
    ACCENT = 2
    ERROR = 3


class FramePalette:
    """The colours of frames.

    Parameters
    ----------
    theme : CanvasTheme
        Gives the colours.
    kind : CellColours
        What the colour of a cell says, which decides how many kinds of paper there are.
    strength : float
        How strongly cells are coloured, 0 to 1.

    Attributes
    ----------
    rgb : ndarray of uint8, shape (256, 3)
        Colour of each index.
    slots : ndarray of uint8, shape (256,)
        Index of each paper by its place in :func:`~ccl_viewer.render.cell_table.cell_table`; text
        on one that is neither dimmed nor lit takes the indices that follow.
    canvas, accent, bold, halo, padding, hatch : int
        Indices of the canvas, of what is led to, of lines over cells and what sets them off, and
        of the cells around the grid.
    """

    def __init__(
        self, theme: CanvasTheme, kind: CellColours = CellColours.LABEL, strength: float = 1.0
    ) -> None:
        table = cell_table(theme, theme.canvas, strength)
        papers = _papers(kind)
        self._used = 0
        self._table = table
        self.rgb = np.empty((256, 3), np.uint8)
        self.rgb[:] = theme.canvas
        self.slots = np.zeros(256, np.uint8)
        for paper in papers:
            colour = _rgb(table[paper])
            self.slots[paper] = self._add(_ramp(colour, ink_over(colour)))
        inks = (theme.text, theme.dim, theme.accent, theme.error)
        self._inks = [self._add(_ramp(theme.canvas, colour)) for colour in inks]
        self.canvas = self._inks[0]
        self.accent = self.ink(Ink.ACCENT) + LEVELS - 1
        for paper in papers:
            for shift in (DIMMED, LIT):
                self.slots[paper + shift] = self._add(table[paper + shift, :3])
        dark = theme.name == "dark"
        bold, halo = ((255, 255, 255), (10, 12, 16)) if dark else ((17, 19, 24), (255, 255, 255))
        self.bold, self.halo = self._add(bold), self._add(halo)
        self.padding = self._add(mixed(theme.canvas, theme.background, 0.55))
        self.hatch = self._add(mixed(theme.canvas, theme.dim, 0.4))
        self._arrows = {
            int(self.slots[paper]): self._add(_arrow(_rgb(table[paper]), dark=dark))
            for paper in papers
        }
        for mix in self._mixes(papers, bold, halo):
            if self._used < COLOURS:
                self._add(mix)

    def ink(self, ink: Ink) -> int:
        """Return the index from which an ink's steps over the canvas begin."""
        return self._inks[ink]

    def number_ink(self, paper: int) -> int:
        """Return the index of text on a paper, given as an index itself."""
        return paper + LEVELS - 1

    def arrow(self, paper: int) -> int:
        """Return the index of an arrow that begins on a paper, given as an index itself."""
        return self._arrows.get(paper, self.ink(Ink.DIM) + LEVELS - 1)

    def nearest(self, colours: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
        """Return the indices of the nearest colours.

        Parameters
        ----------
        colours : ndarray of float32, shape (colours, 3)
            Red, green and blue, 0 to 255.
        """
        cells = colours.astype(np.int64) >> (8 - _CUBE)
        flat = (cells[:, 0] << 2 * _CUBE) + (cells[:, 1] << _CUBE) + cells[:, 2]
        found: npt.NDArray[np.uint8] = self._cube[flat]
        return found

    @cached_property
    def _cube(self) -> npt.NDArray[np.uint8]:
        side = 1 << _CUBE
        middles = (np.indices((side, side, side)).reshape(3, -1).T + 0.5) * (256 / side)
        known = self.rgb[: self._used].astype(np.float64)
        # |a - b|^2 = |a|^2 - 2ab + |b|^2, and |a|^2 is the same for all b.
        apart = (known**2).sum(axis=1) - 2 * middles @ known.T
        nearest: npt.NDArray[np.uint8] = apart.argmin(axis=1).astype(np.uint8)
        return nearest

    def _add(self, colours: Rgb | npt.NDArray[np.uint8]) -> int:
        rows = np.array(colours, np.uint8).reshape(-1, 3)
        first = self._used
        self._used += len(rows)
        self.rgb[first : self._used] = rows
        return first

    def _mixes(self, papers: tuple[int, ...], bold: Rgb, halo: Rgb) -> Iterator[Rgb]:
        """Yield the colours that the rims of lines have, those that are needed most first."""
        for share in (0.5, 0.25, 0.75):
            yield mixed(halo, bold, share)
        for share in (0.6, 0.3):
            for paper in papers:
                yield mixed(_rgb(self._table[paper]), halo, share)
            for index in self._arrows.values():
                yield mixed(_rgb(self.rgb[index]), halo, share)


def ink_over(paper: Rgb) -> Rgb:
    """Return black or white, whichever contrasts more with a colour.

    The measure is the relative luminance of WCAG 2, whose two contrasts are equal at 0.179.
    """
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in paper)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (12, 14, 18) if luminance > 0.179 else (244, 246, 249)


def mixed(first: Rgb, second: Rgb, share: float) -> Rgb:
    """Return a colour between two, `share` of the way from the first to the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def _papers(kind: CellColours) -> tuple[int, ...]:
    if kind is CellColours.DEPTH:
        return (BACKGROUND, UNLABELLED, *range(FIRST_DEPTH, FIRST_DEPTH + DEEPEST + 1))
    return tuple(range(FIRST_COLOUR + len(LABEL_COLOURS)))


def _arrow(paper: Rgb, *, dark: bool) -> Rgb:
    """Return the colour of arrows from cells of a colour: somewhat away from it."""
    return mixed(paper, (255, 255, 255), 0.35) if dark else mixed(paper, (0, 0, 0), 0.3)


def _rgb(row: npt.NDArray[np.uint8]) -> Rgb:
    red, green, blue = row[:3].tolist()
    return red, green, blue


def _ramp(paper: Rgb, ink: Rgb) -> npt.NDArray[np.uint8]:
    share = np.linspace(0.0, 1.0, LEVELS)[:, None]
    ramp = np.array(paper) * (1 - share) + np.array(ink) * share
    return np.rint(ramp).astype(np.uint8)
