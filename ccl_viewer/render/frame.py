"""Whole frames for export: the grid, and a caption under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.render.captions import Caption, caption_of
from ccl_viewer.render.inks import CANVAS, LEVELS, Ink, canvas_index, frame_palette
from ccl_viewer.render.numbers import number_masks, number_size
from ccl_viewer.render.palette import Colouring, colouring_of, label_indices
from ccl_viewer.render.text import ascent, line, line_height, width_of, wrapped
from ccl_viewer.render.themes import theme as find_theme

LINES_FROM: Final = 8
"""Pixels a cell from which lines are drawn between cells."""

_TARGET: Final = 640
_LARGEST_CELL: Final = 56
_NARROWEST: Final = 440  # so that captions of the usual length fit without being broken
_PAD: Final = 20
_BAR: Final = 3
_GAP: Final = 12
_LEADING: Final = 3
_BETWEEN: Final = 3
_TITLE: Final = 19
_BODY: Final = 15
_SMALL: Final = 13


def auto_scale(height: int, width: int) -> int:
    """Return the pixels a cell that make the longer side about 640 pixels."""
    return min(_LARGEST_CELL, max(1, _TARGET // max(height, width)))


def render_frame(
    recording: Recording,
    index: int,
    scale: int | None = None,
    theme: str = "dark",
    *,
    caption: bool = True,
    numbers: bool = True,
) -> npt.NDArray[np.uint8]:
    """Paint one step.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        The step; negative ones count from the end.
    scale : int or None
        Pixels a cell; None for about 640 pixels on the longer side.
    theme : str
        ``"dark"`` or ``"light"``.
    caption : bool
        Whether to add the caption.
    numbers : bool
        Whether to write labels into the cells, where they can be read.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)
        The frame.

    Raises
    ------
    InputError
        If there is no such step or theme, or the scale is below 1.
    """
    step = recording.step(index).index
    renderer = FrameRenderer(recording, [step], scale, theme, caption=caption, numbers=numbers)
    return renderer.palette[renderer.indices(step)]


class FrameRenderer:
    """Paints the steps of a recording as frames of one size and one palette.

    Parameters
    ----------
    recording : Recording
        The run.
    steps : sequence of int
        The steps that will be painted, from 0; the caption is made high enough for each of them.
    scale, theme, caption, numbers
        As for :func:`render_frame`.

    Raises
    ------
    InputError
        As for :func:`render_frame`.
    """

    def __init__(
        self,
        recording: Recording,
        steps: Sequence[int],
        scale: int | None = None,
        theme: str = "dark",
        *,
        caption: bool = True,
        numbers: bool = True,
    ) -> None:
        height, width = recording.image.shape
        if scale is None:
            scale = auto_scale(height, width)
        if scale < 1:
            raise InputError(f"A cell takes at least 1 pixel, not {scale}.")
        self._recording = recording
        self._scale = scale
        self._number_size = number_size(scale, recording.layout) if numbers else None
        edge = 1 if scale >= LINES_FROM else 0
        self._grid = (height * scale + edge, width * scale + edge)
        self._captions = {step: caption_of(recording, step) for step in steps} if caption else {}
        self._palette = frame_palette(find_theme(theme))
        self._text_width = max(self._grid[1], _NARROWEST)
        self._size = self._measure() if caption else self._grid

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames, in pixels."""
        return self._size[1], self._size[0]

    @property
    def palette(self) -> npt.NDArray[np.uint8]:
        """Colours of the indices, ``uint8`` of shape (256, 3)."""
        return self._palette

    def indices(self, step: int) -> npt.NDArray[np.uint8]:
        """Paint a step.

        Parameters
        ----------
        step : int
            One of those given.

        Returns
        -------
        ndarray of uint8, shape (height, width)
            Indices into :attr:`palette`.
        """
        grid = self._paint_grid(step)
        if not self._captions:
            return grid
        frame = np.full(self._size, CANVAS, np.uint8)
        left = _PAD + (self._text_width - self._grid[1]) // 2
        frame[_PAD : _PAD + grid.shape[0], left : left + grid.shape[1]] = grid
        self._paint_progress(frame, step)
        top = _PAD + self._grid[0] + 2 * _GAP + _BAR
        for row in _rows(self._captions[step], self._text_width):
            _put(frame, row, top, self._text_width)
            top += row.height
        return frame

    @cached_property
    def _colouring(self) -> Colouring:
        return colouring_of(self._recording)

    def _measure(self) -> tuple[int, int]:
        captions = self._captions.values()
        text = max(sum(row.height for row in _rows(c, self._text_width)) for c in captions)
        height = _PAD + self._grid[0] + 2 * _GAP + _BAR + text - _BETWEEN + _PAD - _LEADING
        return height, self._text_width + 2 * _PAD

    def _paint_grid(self, step: int) -> npt.NDArray[np.uint8]:
        labels = self._recording.labels(step)
        scale = self._scale
        paper = label_indices(labels, self._colouring) * np.uint8(LEVELS)
        cells = paper.repeat(scale, axis=0).repeat(scale, axis=1)
        if self._number_size is not None:
            self._write_numbers(cells, labels, self._number_size)
        if scale < LINES_FROM:
            return cells
        grid = np.full(self._grid, CANVAS, np.uint8)
        grid[:-1, :-1] = cells
        grid[::scale] = CANVAS
        grid[:, ::scale] = CANVAS
        return grid

    def _write_numbers(
        self, cells: npt.NDArray[np.uint8], labels: npt.NDArray[np.int32], size: int
    ) -> None:
        foreground = self._recording.image != 0
        if not foreground.any():
            return
        masks, which = number_masks(labels[foreground], self._scale, size)
        height, width = labels.shape
        blocks = cells.reshape(height, self._scale, width, self._scale).swapaxes(1, 2)
        blocks[foreground] += masks[which]

    def _paint_progress(self, frame: npt.NDArray[np.uint8], step: int) -> None:
        top = _PAD + self._grid[0] + _GAP
        bar = frame[top : top + _BAR, _PAD : _PAD + self._text_width]
        bar[:] = canvas_index(Ink.DIM) + LEVELS // 4
        done = round(self._text_width * (step + 1) / len(self._recording))
        bar[:, :done] = canvas_index(Ink.ACCENT) + LEVELS - 1


@dataclass(frozen=True)
class _Row:
    text: str
    size: int
    ink: Ink
    height: int
    right: tuple[str, int] | None = None


def _rows(caption: Caption, width: int) -> list[_Row]:
    """Return the lines of a caption, broken to a width."""
    place = (caption.place, _BODY)
    beside = width - width_of(*place) - _PAD
    title, *more = _block(caption.title, _TITLE, Ink.TEXT, beside)
    rows = [replace(title, right=place), *more]
    rows += _block(caption.step, _BODY, Ink.TEXT, width)
    rows += _block(caption.counts, _BODY, Ink.TEXT, width)
    rows += _block(caption.setting, _SMALL, Ink.DIM, width)
    if caption.error is not None:
        rows += _block(caption.error, _BODY, Ink.ERROR, width)
    return rows


def _block(text: str, size: int, ink: Ink, width: int) -> list[_Row]:
    height = line_height(size) + _LEADING
    rows = [_Row(part, fitted, ink, height) for part, fitted in wrapped(text, size, width)]
    return [*rows[:-1], replace(rows[-1], height=height + _BETWEEN)]


def _put(frame: npt.NDArray[np.uint8], row: _Row, top: int, width: int) -> None:
    base = top + ascent(row.size)
    _draw(frame, (row.text, row.size), row.ink, base, _PAD)
    if row.right is not None:
        left = _PAD + width - width_of(*row.right)
        _draw(frame, row.right, Ink.DIM, base, left)


def _draw(
    frame: npt.NDArray[np.uint8], text: tuple[str, int], ink: Ink, base: int, left: int
) -> None:
    levels = line(*text)
    height, width = levels.shape
    top = base - ascent(text[1])
    frame[top : top + height, left : left + width] = levels + np.uint8(canvas_index(ink))
