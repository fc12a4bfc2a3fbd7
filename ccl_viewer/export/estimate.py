"""Estimates of an export before it is written: size and duration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.formats import FOLDER, ExportFormat, export_format
from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.labels import step_labels
from ccl_viewer.export.options import ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken

_FEW: Final = 8
_SAMPLES: Final = 4
_IN_A_ROW: Final = 3

_MAX_LABELS: Final = 1 << 20  # cells of a grid whose labels are previewed
_LINES: Final = 12
_ROWS: Final = 24
_COLUMNS: Final = 12
_WHOLE_RUN: Final = (
    "The whole run: the grid, the settings, and the labels, times and counts of every step. "
    "It opens here without another run."
)


@dataclass(frozen=True)
class Estimate:
    """The estimated properties of an export.

    Parameters
    ----------
    steps : int
        Number of steps in it.
    width, height : int
        Size of the pictures in pixels; 0 for data and pages.
    seconds : float
        Duration of an animation; 0 for everything else.
    nbytes : int
        Size in bytes.
    exact : bool
        Whether the size is known, instead of estimated.
    """

    steps: int
    width: int
    height: int
    seconds: float
    nbytes: int
    exact: bool


def estimate(
    recordings: Recording | Sequence[Recording],
    options: ExportOptions,
    suffix: str,
    cancel: CancelToken | None = None,
) -> Estimate:
    """Estimate an export by encoding a few of its steps.

    Parameters
    ----------
    recordings : Recording or sequence of Recording
        As for :func:`~ccl_viewer.export.export`.
    options : ExportOptions
        As for :func:`~ccl_viewer.export.export`.
    suffix : str
        Suffix of the format, ``"/"`` for a folder.
    cancel : CancelToken or None
        Stops the work.

    Raises
    ------
    InputError
        If it cannot be exported with these options.
    CancelledError
        If the work was cancelled.
    """
    row = export_format(FOLDER if suffix == FOLDER else f"export{suffix}")
    return estimate_job(make_job(recordings, options, row, cancel=cancel), row)


def estimate_job(job: ExportJob, row: ExportFormat) -> Estimate:
    """Estimate a job; see :func:`estimate`."""
    options = job.options
    width = height = 0
    if "scale" in row.used_options(options):
        width, height = job.renderer.size
    seconds = sum(job.animation().durations) / 1000 if row.is_animated else 0.0
    steps = 1 if row.one_step else len(job.frames)
    one_table = options.table == "components"
    exact = row.one_step or row.is_whole_run or one_table or len(job.frames) <= _FEW
    nbytes = _size(job, row) if exact else _estimate_frames(job, row)
    return Estimate(steps, width, height, seconds, nbytes, exact)


def _estimate_frames(job: ExportJob, row: ExportFormat) -> int:
    """Return the size of the first frame, and the mean size of the other encoded frames."""
    count = len(job.frames)
    middles = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    others = 0
    for start in (middles * (count - _IN_A_ROW)).astype(int).tolist():
        alone = _size(_part(job, start, 1), row)
        others += _size(_part(job, start, _IN_A_ROW), row) - alone
    first = _size(_part(job, 0, 1), row)
    return first + others * (count - 1) // (_SAMPLES * (_IN_A_ROW - 1))


def _part(job: ExportJob, start: int, count: int) -> ExportJob:
    options = replace(job.options, fps=job.fps, hold=0.0)
    return replace(job, frames=job.frames[start : start + count], options=options)


def _size(job: ExportJob, row: ExportFormat) -> int:
    """Write an export to a temporary folder, and return its size."""
    with scratch_folder() as folder:
        path = folder / f"export{'' if row.suffix == FOLDER else row.suffix}"
        if row.is_folder:
            path.mkdir()
        row.write(job, path)
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def preview_text(job: ExportJob, row: ExportFormat) -> str:
    """Return the beginning of a file other than a picture, or a description of it, as text."""
    if row.is_whole_run:
        return _WHOLE_RUN
    if row.is_labels:
        return _first_labels(job)
    with scratch_folder() as folder:
        path = folder / f"head{row.suffix}"
        row.write(replace(job, frames=job.frames[:_LINES], progress=None), path)
        lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[: 4 * _LINES])


def _first_labels(job: ExportJob) -> str:
    """Return the labels at the top left of the first written step, in columns."""
    height, width = job.first_recording.image.shape
    if height * width > _MAX_LABELS:
        return f"A number for each of {width:,} \N{MULTIPLICATION SIGN} {height:,} cells."
    corner = step_labels(job, job.steps[0])[:_ROWS, :_COLUMNS]
    digits = max(len(str(label)) for label in (corner.min(), corner.max()))
    more = "" if width <= _COLUMNS else " …"
    lines = [" ".join(f"{label:{digits}}" for label in row) + more for row in corner.tolist()]
    if height > _ROWS:
        lines.append("…")
    return "\n".join([f"Step {job.steps[0] + 1:,}", "", *lines])
