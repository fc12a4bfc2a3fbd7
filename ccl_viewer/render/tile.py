"""One grid of a frame: its cells, and the layers over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.plan import Structure
from ccl_viewer.recording.together import NOT_BEGUN
from ccl_viewer.render import marks
from ccl_viewer.render.cell_table import LIT
from ccl_viewer.render.cells import Cells
from ccl_viewer.render.inks import FramePalette, Ink
from ccl_viewer.render.layers import Layers, Numbers
from ccl_viewer.render.marks import LINES_FROM, MARKS_FROM
from ccl_viewer.render.numbers import number_masks, number_size
from ccl_viewer.render.overlay import Frame, Overlay, Stencil
from ccl_viewer.render.structure import is_padded, padded_window

Blocks: TypeAlias = npt.NDArray[np.uint8]
"""The pixels of each cell, shape (height, width, scale, scale)."""

_RING: Final = 0.16
_HATCH: Final = 6


class Tile:
    """Paints one grid, step by step, always in the same size.

    Parameters
    ----------
    cells : Cells
        What the cells show.
    layers : Layers
        What is drawn of them and over them.
    scale : int
        Pixels a cell.
    palette : FramePalette
        Of the frame.
    numbers : bool
        Whether numbers are written where they can be read.

    Attributes
    ----------
    size : tuple of int
        Height and width in pixels.
    placing : Placing
        Where the cells lie.
    lines : bool
        Whether there are lines between cells.
    digits : int or None
        Size of the numbers; None without.
    """

    def __init__(
        self, cells: Cells, layers: Layers, scale: int, palette: FramePalette, *, numbers: bool
    ) -> None:
        recording = cells.recording
        self.cells = cells
        self.layers = layers
        self.scale = scale
        self.palette = palette
        shown = numbers and layers.numbers != Numbers.NONE
        self.digits = number_size(scale, recording.layout) if shown else None
        self.lines = layers.lines and scale >= LINES_FROM
        rows, columns = recording.image.shape
        window = (0, 0, columns, rows)
        if layers.structure and is_padded(recording.layout):
            window = padded_window(recording.layout)
        self.placing = marks.Placing(scale, -window[0] * scale, -window[1] * scale)
        edge = int(self.lines)
        self.size = (
            (window[3] - window[1]) * scale + edge,
            (window[2] - window[0]) * scale + edge,
        )
        self._divisions: Callable[[tuple[Structure, ...]], Stencil] = lru_cache(maxsize=8)(
            self._draw_structures
        )

    def paint(self, step: int) -> Frame:
        """Paint a step.

        Parameters
        ----------
        step : int
            The step; :data:`~ccl_viewer.recording.together.NOT_BEGUN` before the first.

        Returns
        -------
        ndarray of uint8, shape :attr:`size`
            Palette indices.
        """
        papers = self.papers(step)
        frame = self._put_cells(papers)
        blocks = self._blocks(frame)
        if self.layers.onion and step > 0 and self.scale >= LINES_FROM:
            self._put_rings(blocks, papers, self.papers(step - 1))
        if self.lines:
            self._put_lines(frame)
        if self.layers.contours or self.cells.pinned:
            self._contours.lay_over(frame, self.palette)
        if structures := self.structures(step):
            self._divisions(structures).lay_over(frame, self.palette)
        if self.has_arrows:
            self._draw_arrows(step, papers).lay_over(frame, self.palette)
        if self.digits is not None:
            self._put_numbers(blocks, papers, step, self.digits)
        if self.layers.changed and self.scale >= MARKS_FROM:
            self._put_marks(blocks, self.marked(step))
        return frame

    def marked(self, step: int) -> npt.NDArray[np.bool_]:
        """Return the cells with a mark: what changed is the number, if one is shown."""
        return self.cells.changed(step) if self.digits is None else self.cells.rewritten(step)

    @property
    def written(self) -> npt.NDArray[np.bool_]:
        """Which cells have numbers, where these are shown."""
        cells = self.cells
        written: npt.NDArray[np.bool_] = cells.recording.image != 0
        if cells.pinned and self.layers.only:
            written &= cells.colouring.components == cells.pinned
        return written

    @property
    def has_arrows(self) -> bool:
        """Whether arrows are drawn."""
        return self.cells.has_arrows and self.scale >= marks.ARROW_CELL

    def papers(self, step: int) -> Frame:
        """Return the palette index of each cell, ``uint8`` of shape (height, width)."""
        indices = self.cells.indices(step)
        if self.layers.changed and self.scale < MARKS_FROM:
            lit = self.cells.changed(step) & (indices < LIT // 2)
            indices = indices + np.uint8(LIT) * lit
        return self.palette.slots.take(indices)

    def structures(self, step: int) -> tuple[Structure, ...]:
        """Return how the launch of a step divides the grid; nothing where that is not shown."""
        if not self.layers.structure or step == NOT_BEGUN:
            return ()
        return self.cells.recording.step(step).structures

    def _put_cells(self, papers: Frame) -> Frame:
        """Return a frame of plain cells, with room for lines and padding around them."""
        scale, rows, columns = self.scale, *papers.shape
        left, top = self.placing.left, self.placing.top
        frame = np.empty(self.size, np.uint8)
        frame[:top] = frame[top + rows * scale :] = self.palette.canvas
        frame[:, :left] = frame[:, left + columns * scale :] = self.palette.canvas
        if (rows * scale, columns * scale) != self.size and (left or top):
            self._put_padding(frame)
        inner = frame[top : top + rows * scale, left : left + columns * scale]
        wide = papers.repeat(scale, axis=1) if scale > 1 else papers
        # Row by row: each is written once, in order, which is what memory likes best.
        for offset in range(scale):
            inner[offset::scale] = wide
        return frame

    def _blocks(self, frame: Frame) -> Blocks:
        """Return a view of the frame, cell by cell."""
        rows, columns = self.cells.recording.image.shape
        scale, left, top = self.scale, self.placing.left, self.placing.top
        inner = frame[top : top + rows * scale, left : left + columns * scale]
        down, across = inner.strides
        return np.lib.stride_tricks.as_strided(
            inner, (rows, columns, scale, scale), (down * scale, across * scale, down, across)
        )

    def _put_padding(self, frame: Frame) -> None:
        y, x = np.indices(self.size, sparse=True)
        hatched = (x + y) % _HATCH == 0
        frame[:] = np.where(hatched, self.palette.hatch, self.palette.padding)
        raw = self.layers.numbers == Numbers.RAW
        if self.digits is None or not raw:
            return
        value = np.array([self.cells.recording.layout.background], np.int32)
        masks, _ = number_masks(value, self.scale, self.digits)
        rows, columns = (side // self.scale for side in self.size)
        ink = np.tile(masks[0], (rows, columns))
        part = frame[: ink.shape[0], : ink.shape[1]]
        dim = self.palette.ink(Ink.DIM)
        part[ink > 0] = ink[ink > 0] + np.uint8(dim)

    def _put_lines(self, frame: Frame) -> None:
        frame[:: self.scale] = self.palette.canvas
        frame[:, :: self.scale] = self.palette.canvas

    def _put_rings(self, blocks: Blocks, now: Frame, before: Frame) -> None:
        width = ring_width(self.scale)
        inside = slice(width, self.scale - width + 1)
        changed = now != before
        ring = np.ones((self.scale, self.scale), np.bool_)
        ring[inside, inside] = False
        blocks[changed] = np.where(
            ring, before[changed][:, None, None], now[changed][:, None, None]
        )

    def _put_numbers(self, blocks: Blocks, papers: Frame, step: int, size: int) -> None:
        cells = self.cells
        written = self.written
        if not written.any():
            return
        masks, which = number_masks(cells.numbers(step)[written], self.scale, size)
        if not self.has_arrows:
            places = np.argwhere(written)
            self._stamp(blocks, places, papers[written], masks, which)
            return
        ink = masks[which]
        around = _widened(masks)[which]
        text = papers[written][:, None, None] + ink
        blocks[written] = np.where(around, text, blocks[written])

    def _stamp(
        self,
        blocks: Blocks,
        places: npt.NDArray[np.int64],
        papers: Frame,
        masks: Frame,
        which: npt.NDArray[np.int64],
    ) -> None:
        """Write numbers over plain cells; only the part of them that has digits is touched."""
        used = (masks != 0).any(axis=0)
        if not used.any():
            return
        rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
        part = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        small = np.ascontiguousarray(masks[:, part[0], part[1]])[which]
        drawn = small != 0
        y, x = places[:, 0], places[:, 1]
        own = blocks[y, x, part[0], part[1]]
        blocks[y, x, part[0], part[1]] = np.where(drawn, papers[:, None, None] + small, own)

    def _put_marks(self, blocks: Blocks, changed: npt.NDArray[np.bool_]) -> None:
        scale = self.scale
        side, inset = marks.corner_of(scale)
        right = scale - inset + 1
        y, x = np.nonzero(changed)
        around = (slice(inset - 1, inset + side + 1), slice(right - side - 1, right + 1))
        blocks[y, x, around[0], around[1]] = self.palette.halo
        blocks[y, x, inset : inset + side, right - side : right] = self.palette.bold

    @cached_property
    def _contours(self) -> Stencil:
        """The lines around components, which are the same in all steps."""
        cells, layers, palette = self.cells, self.layers, self.palette
        overlay = Overlay(*self.size, smooth=self.scale >= LINES_FROM)
        if layers.contours and not (cells.pinned and layers.only):
            ids = cells.colouring.components
            marks.draw_contours(overlay, self.placing, ids, palette, palette.bold)
        if cells.pinned:
            ids = (cells.colouring.components == cells.pinned).astype(np.int32)
            accent = palette.accent
            marks.draw_contours(overlay, self.placing, ids, palette, accent)
        return overlay.stencil(palette, marks.contour_strength(self.scale))

    def _draw_structures(self, structures: tuple[Structure, ...]) -> Stencil:
        overlay = Overlay(*self.size, smooth=self.scale >= LINES_FROM)
        recording, palette = self.cells.recording, self.palette
        marks.draw_structures(
            overlay, self.placing, recording.image, structures, recording.layout, palette
        )
        return overlay.stencil(palette)

    def _draw_arrows(self, step: int, papers: Frame) -> Stencil:
        overlay = Overlay(*self.size)
        marks.draw_arrows(overlay, self.placing, self.cells.arrows(step), papers, self.palette)
        return overlay.stencil(self.palette)


def ring_width(scale: int) -> int:
    """Return the width of the ring that shows the colour of the step before."""
    return max(2, round(scale * _RING))


def _widened(masks: Frame) -> npt.NDArray[np.bool_]:
    """Return where a pixel or its neighbours have ink: the room that a number takes."""
    ink = np.pad(masks != 0, ((0, 0), (1, 1), (1, 1)))
    height, width = masks.shape[1:]
    around = np.zeros(masks.shape, np.bool_)
    for top in range(3):
        for left in range(3):
            around |= ink[:, top : top + height, left : left + width]
    return around
