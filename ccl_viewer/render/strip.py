"""The strip under a grid: how far the run is, and the caption of the step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import NOT_BEGUN
from ccl_viewer.render.captions import Caption, caption_before, caption_of
from ccl_viewer.render.inks import LEVELS, FramePalette, Ink
from ccl_viewer.render.overlay import Frame
from ccl_viewer.render.structure import legend
from ccl_viewer.render.text import SEPARATOR, ascent, line, line_height, width_of, wrapped

PAD: Final = 20
"""Pixels around a grid and its caption."""

BAR: Final = 3
"""Height of the bar that shows how far the run is, in pixels."""

GAP: Final = 12
"""Pixels above and below the bar."""

_LEADING: Final = 3
_BETWEEN: Final = 3
_TITLE: Final = 19
_BODY: Final = 15
_SMALL: Final = 13


@dataclass(frozen=True)
class Row:
    """A line of text.

    Parameters
    ----------
    text : str
        What it says.
    size : int
        Of the typeface, in pixels.
    ink : Ink
        What with.
    height : int
        Pixels to the next line.
    right : tuple of (str, int) or None
        A text at the right end, and its size.
    """

    text: str
    size: int
    ink: Ink
    height: int
    right: tuple[str, int] | None = None


class Strip:
    """Paints captions, always in the same size.

    Parameters
    ----------
    recording : Recording
        The run.
    steps : sequence of int
        The steps that will be painted; there is room for the caption of each.
    width : int
        Pixels that a line may take.
    palette : FramePalette
        Of the frame.
    parts : float or None
        Given where structure is shown, which then has a legend: cells across the smallest parts.
    said : str
        What the colours say, if the legend is to tell that.
    """

    def __init__(
        self,
        recording: Recording,
        steps: Sequence[int],
        width: int,
        palette: FramePalette,
        parts: float | None = None,
        said: str = "",
    ) -> None:
        self.recording = recording
        self.width = width
        self.palette = palette
        self._parts = parts
        self._said = said
        # Not kept: there may be thousands of steps.
        text = max(sum(row.height for row in self.rows(step)) for step in set(steps))
        self.height = 2 * GAP + BAR + text - _BETWEEN - _LEADING

    def put(self, frame: Frame, step: int) -> None:
        """Write the caption of a step.

        Parameters
        ----------
        frame : ndarray of uint8, shape (height, width)
            Plain canvas, changed in place.
        step : int
            One of those given.
        """
        self._put_bar(frame[GAP : GAP + BAR], step)
        top = 2 * GAP + BAR
        for row in self.rows(step):
            base = top + ascent(row.size)
            self._draw(frame, (row.text, row.size), row.ink, base, 0)
            if row.right is not None:
                left = self.width - width_of(*row.right)
                self._draw(frame, row.right, Ink.DIM, base, left)
            top += row.height

    def _put_bar(self, bar: Frame, step: int) -> None:
        done = round(self.width * (step + 1) / len(self.recording))
        bar[:] = self.palette.ink(Ink.DIM) + LEVELS // 4
        bar[:, :done] = self.palette.accent

    def rows(self, step: int) -> list[Row]:
        """Return the lines of the caption of a step."""
        if step == NOT_BEGUN:
            return rows_of(caption_before(self.recording), self.width)
        told = [self._said] if self._said else []
        if self._parts is not None:
            of = self.recording.step(step).structures
            entries = legend(of, self.recording.layout, self._parts)
            told += [entry.text for entry in entries if entry.seen]
        caption = caption_of(self.recording, step)
        return rows_of(replace(caption, legend=SEPARATOR.join(told)), self.width)

    def _draw(self, frame: Frame, text: tuple[str, int], ink: Ink, base: int, left: int) -> None:
        levels = line(*text)
        height, width = levels.shape
        top = base - ascent(text[1])
        levels = levels[:, : frame.shape[1] - left] + self.palette.rgb.dtype.type(
            self.palette.ink(ink)
        )
        frame[top : top + height, left : left + width] = levels


def rows_of(caption: Caption, width: int) -> list[Row]:
    """Return the lines of a caption, broken to a width."""
    place = (caption.place, _BODY)
    beside = width - width_of(*place) - PAD
    title, *more = _block(caption.title, _TITLE, Ink.TEXT, beside)
    rows = [replace(title, right=place), *more]
    rows += _block(caption.step, _BODY, Ink.TEXT, width)
    rows += _block(caption.counts, _BODY, Ink.TEXT, width)
    rows += _block(caption.legend, _SMALL, Ink.TEXT, width)
    rows += _block(caption.setting, _SMALL, Ink.DIM, width)
    if caption.error is not None:
        rows += _block(caption.error, _BODY, Ink.ERROR, width)
    return rows


def _block(text: str, size: int, ink: Ink, width: int) -> list[Row]:
    if not text:
        return []
    height = line_height(size) + _LEADING
    rows = [Row(part, fitted, ink, height) for part, fitted in wrapped(text, size, width)]
    return [*rows[:-1], replace(rows[-1], height=height + _BETWEEN)]
