"""Labels of a picture as a file: NPY, 16-bit PNG or 32-bit TIFF."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, cut
from ccl_viewer.export.job import ExportJob
from ccl_viewer.files import replacing
from ccl_viewer.reference import partition_of

Labels = npt.NDArray[np.int32]

_MOST_IN_16_BITS = 65_535


def check_label_path(path: Path) -> None:
    """Raise if labels cannot be saved under a name.

    Raises
    ------
    InputError
        If the suffix is none of those known.
    """
    if path.suffix.lower() not in _WRITERS:
        raise InputError(
            f"Labels are saved as {', '.join(_WRITERS)}, not as {cut(path.name)}: name it so."
        )


def save_labels(path: Path, labels: Labels, count: int) -> None:
    """Save labels; nothing half-written is left under the name.

    Parameters
    ----------
    path : Path
        Where; the suffix decides how: ``.npy`` (int32), ``.png`` (16-bit grey), ``.tif`` or
        ``.tiff`` (32-bit grey).
    labels : ndarray of int32, shape (height, width)
        0 for background, 1 to `count`.
    count : int
        Number of components.

    Raises
    ------
    InputError
        If the suffix is unknown, there are too many components for a PNG, or the file cannot be
        written.
    """
    check_label_path(path)
    suffix = path.suffix.lower()
    if suffix == ".png" and count > _MOST_IN_16_BITS:
        raise InputError(
            f"{count} components do not fit the 16 bits of a PNG: save them as .npy or .tif."
        )
    with replacing(path) as beside:
        _WRITERS[suffix](beside, labels)


def step_labels(job: ExportJob, step: int) -> Labels:
    """Return the labels after a step, as the options ask for them.

    Returns
    -------
    ndarray of int32, shape (height, width)
        Raw, or the number of each cell's component, from 1, among those that the trees form then.
    """
    recording = job.recording
    if job.options.labels == "component":
        return partition_of(recording.parents(step), recording.image)
    return recording.labels(step)


def write_labels(job: ExportJob, path: Path) -> int:
    """Write the labels after the last of the chosen steps; the suffix decides how.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If they do not fit the 16 bits of a PNG.
    OSError
        If the file cannot be written.
    """
    labels = step_labels(job, job.steps[-1])
    suffix = path.suffix.lower()
    if suffix == ".png" and not 0 <= labels.min() <= labels.max() <= _MOST_IN_16_BITS:
        raise InputError(
            f"Labels from {labels.min()} to {labels.max()} do not fit the 16 bits of a PNG: export "
            "them as .npy or .tif, or the components instead of the raw labels."
        )
    _WRITERS[suffix](path, labels)
    return 1


def _save_npy(path: Path, labels: Labels) -> None:
    with path.open("wb") as file:
        np.save(file, labels, allow_pickle=False)


def _save_png(path: Path, labels: Labels) -> None:
    from PIL import Image

    Image.fromarray(labels.astype(np.uint16)).save(path, format="PNG")


def _save_tiff(path: Path, labels: Labels) -> None:
    from PIL import Image

    # Pillow writes a TIFF past Python, and takes no notice when the disk is full.
    file = io.BytesIO()
    Image.fromarray(labels).save(file, format="TIFF")
    path.write_bytes(file.getbuffer())


_WRITERS: dict[str, Callable[[Path, Labels], None]] = {
    ".npy": _save_npy,
    ".png": _save_png,
    ".tif": _save_tiff,
    ".tiff": _save_tiff,
}
