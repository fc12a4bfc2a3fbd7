"""The job of one export: content, look, progress and cancellation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.export.animation import Animation, FrameIndices
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.export.options import AUTO, MAX_SECONDS, ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import Stops
from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.support.cancellation import CancelToken

LARGEST_FRAME: Final = 4096
"""Largest side of a frame in pixels."""

OnFrame: TypeAlias = Callable[[int, int], None]
"""Called with the number of frames written, and of all frames."""

SHORTEST_FRAME: Final = 20
"""Milliseconds of the shortest frame of a GIF: browsers slow shorter ones down to 100."""

_TICK: Final = 10


@dataclass(frozen=True, eq=False)
class ExportJob:
    """The input of a writer.

    Parameters
    ----------
    recordings : tuple of Recording
        The runs, side by side; only formats that declare it get more than one.
    frames : tuple of tuple of int
        The step of each recording, for each frame.
    options : ExportOptions
        The look.
    progress : callable or None
        Called after each frame.
    cancel : CancelToken or None
        Stops the work.
    """

    recordings: tuple[Recording, ...]
    frames: tuple[Stops, ...]
    options: ExportOptions
    progress: OnFrame | None = None
    cancel: CancelToken | None = None

    @property
    def first_recording(self) -> Recording:
        """The only recording, or the first."""
        return self.recordings[0]

    @property
    def steps(self) -> Stops:
        """The steps of the only recording, or of the first."""
        return tuple(frame[0] for frame in self.frames)

    @cached_property
    def renderer(self) -> FrameRenderer:
        """A renderer for the frames.

        Raises
        ------
        InputError
            If frames are too large, or these options cannot be painted.
        """
        options = self.options
        style = FrameStyle(
            scale=options.scale,
            theme="dark" if options.theme == AUTO else options.theme,
            caption=options.caption,
            numbers=options.numbers,
            layers=options.layers,
            pin=options.pin,
            follow=options.follow,
        )
        renderer = FrameRenderer(self.recordings, self.frames, style, self.check_cancelled)
        _check_size(self.recordings, *renderer.size)
        return renderer

    @property
    def fps(self) -> float:
        """Frames a second: as requested, or the window's pace."""
        return self.options.fps or default_fps(len(self.frames))

    def paint_rgb(self, number: int) -> npt.NDArray[np.uint8]:
        """Return a frame as RGB, shape (height, width, 3)."""
        return self.renderer.palette[self.renderer.indices(number)]

    def animation(self) -> Animation:
        """Return the frames as an animation."""
        width, height = self.renderer.size
        options = self.options
        durations = frame_durations(len(self.frames), self.fps, options.hold)
        return Animation(
            width, height, self.renderer.palette, durations, self.fps, options.hold, self._paint
        )

    def track_progress(self, count: int) -> Iterator[int]:
        """Count to a number; report progress, and stop when cancelled."""
        for done in range(count):
            self.check_cancelled()
            yield done
            if self.progress is not None:
                self.progress(done + 1, count)

    def check_cancelled(self) -> None:
        """Raise if the work was cancelled."""
        if self.cancel is not None:
            self.cancel.check()

    def _paint(self) -> Iterator[FrameIndices]:
        """Paint the frames one ahead of the writer: both take long, and release Python's lock."""
        with ThreadPoolExecutor(1, thread_name_prefix="frames") as painter:
            ahead = painter.submit(self.renderer.indices, 0)
            for done in self.track_progress(len(self.frames)):
                frame = ahead.result()
                if done + 1 < len(self.frames):
                    ahead = painter.submit(self.renderer.indices, done + 1)
                yield frame


Writer: TypeAlias = Callable[[ExportJob, Path], int]
"""Writes a job to a path, a file or an empty folder.

Returns the number of steps in it, or of components in their table.
"""


def default_fps(count: int) -> float:
    """Return the default frames per second for a number of frames."""
    return 1 / max(seconds_per_step(count), SHORTEST_FRAME / 1000)


def frame_durations(count: int, fps: float, hold: float) -> tuple[int, ...]:
    """Return the milliseconds that each frame is shown, in multiples of 10.

    Parameters
    ----------
    count : int
        Number of frames.
    fps : float
        Frames a second.
    hold : float
        Seconds for the last frame.
    """
    frame = _ticks(min(1000 / fps, MAX_SECONDS * 1000))
    return (*[frame] * (count - 1), max(frame, _ticks(hold * 1000)))


def _ticks(milliseconds: float) -> int:
    return max(1, round(milliseconds / _TICK)) * _TICK


def _check_size(recordings: tuple[Recording, ...], width: int, height: int) -> None:
    if max(width, height) > LARGEST_FRAME:
        rows, columns = recordings[0].image.shape
        raise InputError(
            f"Frames of {width} x {height} pixels are too large, the longest side is "
            f"{LARGEST_FRAME}: choose a smaller scale, or export a smaller grid than "
            f"{columns} x {rows}."
        )
