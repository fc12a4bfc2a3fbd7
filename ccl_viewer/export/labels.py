"""Labels of a picture as a file: NPY, 16-bit PNG or 32-bit TIFF."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.export.job import ExportJob, Writer
from ccl_viewer.reference import number_trees

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True)
class LabelFormat:
    """A kind of file that holds the labels of one picture.

    Parameters
    ----------
    save : callable
        Writes labels, ``int32`` of shape (height, width), to a path.
    largest : int or None
        The largest label that it can hold; the smallest is then 0.
    """

    save: Callable[[Path, Labels], None]
    largest: int | None = None


def step_labels(job: ExportJob, step: int) -> Labels:
    """Return the labels after a step, in the form that the options request.

    Returns
    -------
    ndarray of int32, shape (height, width)
        Raw, or the number of each cell's component, from 1; components as the trees are then.
    """
    recording = job.first_recording
    if job.options.labels == "component":
        return number_trees(recording.parents(step), recording.image)
    return recording.labels(step)


def label_writer(file: LabelFormat) -> Writer:
    """Return a writer of the labels after the last of the chosen steps.

    It raises :class:`~ccl_viewer.errors.InputError` if they do not fit the file.
    """

    def write(job: ExportJob, path: Path) -> int:
        labels = step_labels(job, job.steps[-1])
        if file.largest is not None and not 0 <= labels.min() <= labels.max() <= file.largest:
            raise InputError(
                f"Labels from {labels.min()} to {labels.max()} do not fit the "
                f"{file.largest.bit_length()} bits of a {path.suffix[1:].upper()}: export them as "
                ".npy or .tif, or the components instead of the raw labels."
            )
        file.save(path, labels)
        return 1

    return write


def _save_npy(path: Path, labels: Labels) -> None:
    with path.open("wb") as file:
        np.save(file, labels, allow_pickle=False)


def _save_png(path: Path, labels: Labels) -> None:
    from PIL import Image

    Image.fromarray(labels.astype(np.uint16)).save(path, format="PNG")


def _save_tiff(path: Path, labels: Labels) -> None:
    from PIL import Image

    # Pillow writes TIFF files outside Python, and does not notice a full disk.
    file = io.BytesIO()
    Image.fromarray(labels).save(file, format="TIFF")
    path.write_bytes(file.getbuffer())


NPY: Final = LabelFormat(_save_npy)
PNG: Final = LabelFormat(_save_png, largest=65_535)
TIFF: Final = LabelFormat(_save_tiff)
