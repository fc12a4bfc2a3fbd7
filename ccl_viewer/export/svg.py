"""A step as vectors: cells, numbers, arrows and boundaries for papers and slides."""

from __future__ import annotations

from pathlib import Path

from ccl_viewer.export.job import ExportJob
from ccl_viewer.render.painters.svg import paint_svg


def write_svg(job: ExportJob, path: Path) -> int:
    """Write the last of the chosen steps.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    write_svg_frame(job, len(job.frames) - 1, path)
    return 1


def write_svg_frame(job: ExportJob, number: int, path: Path) -> None:
    """Write one of the frames, by its number from 0.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    steps = zip(job.recordings, job.frames[number], strict=True)
    title = "; ".join(f"{run.algorithm}, step {step + 1}" for run, step in steps)
    path.write_text(paint_svg(job.renderer.display_list(number), title), encoding="utf-8")
