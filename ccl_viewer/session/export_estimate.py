"""How large an export will be: small ones are written to find out, of others a few parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ccl_viewer.export import ExportFormat, Kind
from ccl_viewer.export.job import Job
from ccl_viewer.session.export_choices import ONE_STEP, WHOLE
from ccl_viewer.session.scratch import scratch

MOST_FRAMES: Final = 48
"""Frames of an animation that is written to know its size."""

_MOST_PIXELS: Final = 60_000_000
_MOST_CELLS: Final = 20_000_000
_PARTS: Final = 4
_PART: Final = 4
_HEAD: Final = 2000
_TEXTS: Final = frozenset({".csv", ".json"})


@dataclass(frozen=True)
class Estimate:
    """What is known of a file before it is written.

    Parameters
    ----------
    size : int
        Bytes.
    exact : bool
        Whether it will be just that many.
    head : str
        How it begins, if it is text.
    """

    size: int
    exact: bool
    head: str = ""


def estimate_of(job: Job, row: ExportFormat) -> Estimate | None:
    """Return how large an export will be.

    Parameters
    ----------
    job : Job
        What would be written.
    row : ExportFormat
        In which format.

    Returns
    -------
    Estimate or None
        None if it would take too long to find out.

    Raises
    ------
    InputError
        If it cannot be exported as asked for.
    CancelledError
        If the job's token says so.
    """
    if _is_small(job, row):
        return _written(job, row)
    if row.suffix in WHOLE or len(job.frames) <= 2 * _PART:
        return None
    return Estimate(_size_by_parts(job, row), exact=False)


def _is_small(job: Job, row: ExportFormat) -> bool:
    if row.suffix in ONE_STEP:
        return True
    if row.kind is Kind.DATA:
        steps = len(job.recording) if row.suffix in WHOLE else len(job.frames)
        return steps * job.recording.image.size <= _MOST_CELLS
    width, height = job.renderer.size
    count = len(job.frames)
    return count <= MOST_FRAMES and count * width * height <= _MOST_PIXELS


def _size_by_parts(job: Job, row: ExportFormat) -> int:
    """Return what the first frame and, on average, each further one takes."""
    count = len(job.frames)
    starts = [(count - _PART) * part // (_PARTS - 1) for part in range(_PARTS)]
    first, more = 0, 0.0
    for start in starts:
        part = job.frames[start : start + _PART]
        alone = _written(replace(job, frames=part[:1], progress=None), row).size
        more += (_written(replace(job, frames=part, progress=None), row).size - alone) / (_PART - 1)
        first = first or alone
    return round(first + (count - 1) * more / _PARTS)


def _written(job: Job, row: ExportFormat) -> Estimate:
    with scratch() as folder:
        path = folder / ("out" if row.suffix == "/" else f"out{row.suffix}")
        if row.is_folder:
            path.mkdir()
        row.write(job, path)
        return Estimate(size_of(path), exact=True, head=_head(path, row))


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def _head(path: Path, row: ExportFormat) -> str:
    if row.suffix not in _TEXTS:
        return ""
    with path.open(encoding="utf-8") as file:
        return file.read(_HEAD)
