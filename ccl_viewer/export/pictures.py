"""Pictures of steps: one, or a folder of numbered ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

from ccl_viewer.export.animation import FrameIndices
from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.labels import PNG, label_writer
from ccl_viewer.export.svg import write_svg_frame

DIGITS: Final = 4
_write_labels: Final = label_writer(PNG)


def write_folder(job: ExportJob, folder: Path) -> int:
    """Write ``frame_0000.png`` and so on, or ``frame_0000.svg`` if the options say so.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    digits = max(DIGITS, len(str(len(job.frames) - 1)))
    names = (f"frame_{number:0{digits}}.{job.options.pictures}" for number in itertools.count())
    if job.options.pictures == "svg":
        for number, name in zip(job.track_progress(len(job.frames)), names, strict=False):
            write_svg_frame(job, number, folder / name)
    else:
        for frame, name in zip(job.animation().frames(), names, strict=False):
            _save(job, frame, folder / name)
    return len(job.frames)


def write_png(job: ExportJob, path: Path) -> int:
    """Write the last of the chosen steps as a picture, or its labels if these were requested.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If labels do not fit its 16 bits.
    OSError
        If the file cannot be written.
    """
    if job.options.labels is not None:
        return _write_labels(job, path)
    _save(job, job.renderer.indices(len(job.frames) - 1), path)
    return 1


def _save(job: ExportJob, frame: FrameIndices, path: Path) -> None:
    from PIL import Image

    picture = Image.fromarray(frame)
    picture.putpalette(job.renderer.palette.tobytes())
    picture.save(path, format="PNG")
