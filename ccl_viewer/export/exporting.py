"""Exports a recording to a file or folder, in the format that its name asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.errors import InputError
from ccl_viewer.export.film import Film, FrameIndices
from ccl_viewer.export.formats import ExportFormat, export_format
from ccl_viewer.files import replacing, replacing_folder
from ccl_viewer.recording import Recording
from ccl_viewer.render.frame import FrameRenderer, auto_scale
from ccl_viewer.render.numbers import number_size, readable_scale

OnFrame: TypeAlias = Callable[[int, int], None]
"""Is told how many frames are written, and of how many."""

Numbers: TypeAlias = Literal["auto", "on", "off"]

LARGEST_FRAME: Final = 4096
"""Pixels that a side of a frame may have."""

_MOST_SECONDS: Final = 600.0
_TICK: Final = 10


def export(
    recording: Recording,
    path: str | Path,
    *,
    fps: float = 10.0,
    scale: int | None = None,
    theme: str = "dark",
    caption: bool = True,
    numbers: Numbers = "auto",
    steps: slice | range | None = None,
    hold: float = 2.0,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
) -> int:
    """Export the steps of a recording as an animation or as pictures.

    Parameters
    ----------
    recording : Recording
        The run.
    path : str or Path
        Where to; the suffix chooses the format, a name that ends with ``/`` or has no suffix is a
        folder. An existing file is replaced at the end; a folder must be new or empty.
    fps : float
        Steps a second, rounded so that each is shown for a multiple of 10 ms.
    scale : int or None
        Pixels a cell; None for about 640 pixels on the longer side.
    theme : str
        ``"dark"`` or ``"light"``.
    caption : bool
        Whether to add a caption under the grid.
    numbers : str
        ``"auto"`` writes labels into cells that are large enough, ``"on"`` makes them so.
    steps : slice, range or None
        Which steps; None for all.
    hold : float
        Seconds that the last frame is shown.
    progress : callable or None
        Told of each frame.
    cancel : CancelToken or None
        Stops the work.

    Returns
    -------
    int
        Number of frames.

    Raises
    ------
    InputError
        If an argument cannot be used as given, or the file cannot be written.
    CancelledError
        If the work was cancelled; nothing is left behind.
    """
    row = export_format(path)
    chosen = _chosen(recording, steps)
    renderer = FrameRenderer(
        recording,
        chosen,
        _scale(recording, scale, numbers),
        theme,
        caption=caption,
        numbers=numbers != "off",
    )
    width, height = renderer.size
    _check_size(recording, width, height)

    def frames() -> Iterator[FrameIndices]:
        for done, step in enumerate(chosen):
            if cancel is not None:
                cancel.check()
            yield renderer.indices(step)
            if progress is not None:
                progress(done + 1, len(chosen))

    durations = _durations(row, len(chosen), fps, hold)
    film = Film(width, height, renderer.palette, durations, frames)
    with (replacing_folder if row.is_folder else replacing)(Path(path)) as beside:
        row.write(film, beside)
    return len(chosen)


def _chosen(recording: Recording, steps: slice | range | None) -> tuple[int, ...]:
    every = range(len(recording))
    if isinstance(steps, range):
        chosen = tuple(recording.step(index).index for index in steps)
    else:
        chosen = tuple(every if steps is None else every[steps])
    if not chosen:
        raise InputError(
            f"There is no step to export: the recording has {len(recording)}, counted from 0."
        )
    return chosen


def _scale(recording: Recording, scale: int | None, numbers: Numbers) -> int:
    height, width = recording.image.shape
    if numbers != "on":
        return auto_scale(height, width) if scale is None else scale
    least = readable_scale(recording.layout)
    if scale is None:
        return max(least, auto_scale(height, width))
    if number_size(scale, recording.layout) is None:
        raise InputError(
            f"Numbers cannot be read in cells of {scale} pixels: choose a scale of {least} or "
            "more, or leave the numbers out."
        )
    return scale


def _check_size(recording: Recording, width: int, height: int) -> None:
    if max(width, height) > LARGEST_FRAME:
        rows, columns = recording.image.shape
        raise InputError(
            f"Frames of {width} x {height} pixels are too large, the longest side is "
            f"{LARGEST_FRAME}: choose a smaller scale, or export a smaller grid than "
            f"{columns} x {rows}."
        )


def _durations(row: ExportFormat, count: int, fps: float, hold: float) -> tuple[int, ...]:
    if not (math.isfinite(fps) and 0 < fps <= 1000 / row.shortest):
        raise InputError(
            f"An export as {row.suffix} shows more than 0 and at most {1000 // row.shortest} steps "
            f"a second, not {fps:g}."
        )
    if not (math.isfinite(hold) and 0 <= hold <= _MOST_SECONDS):
        raise InputError(
            f"The last frame is held for 0 to {_MOST_SECONDS:g} seconds, not {hold:g}."
        )
    frame = _ticks(min(1000 / fps, _MOST_SECONDS * 1000))
    return (*[frame] * (count - 1), max(frame, _ticks(hold * 1000)))


def _ticks(milliseconds: float) -> int:
    return max(1, round(milliseconds / _TICK)) * _TICK
