"""Pictures of steps: one, or a folder of numbered ones."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ccl_viewer.export.film import FrameIndices
from ccl_viewer.export.job import Job

_DIGITS: Final = 4


def write_folder(job: Job, folder: Path) -> int:
    """Write ``frame_0000.png`` and so on.

    Parameters
    ----------
    job : Job
        What to show.
    folder : Path
        An empty folder.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    digits = max(_DIGITS, len(str(len(job.frames) - 1)))
    for number, frame in enumerate(job.film().frames()):
        _save(job, frame, folder / f"frame_{number:0{digits}}.png")
    return len(job.frames)


def write_png(job: Job, path: Path) -> int:
    """Write the last of the chosen steps as a picture.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    _save(job, job.renderer.indices(len(job.frames) - 1), path)
    return 1


def _save(job: Job, frame: FrameIndices, path: Path) -> None:
    from PIL import Image

    picture = Image.fromarray(frame)
    picture.putpalette(job.renderer.palette.tobytes())
    picture.save(path, format="PNG")
