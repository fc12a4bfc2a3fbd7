"""All steps as a Zarr array, which napari and other programs open; zarr is an extra."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ccl_viewer.errors import InputError
from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.labels import step_labels
from ccl_viewer.export.tables import make_recording_fields, make_step_fields

if TYPE_CHECKING:
    import zarr

_CHUNK: Final = 512
_DIMENSIONS: Final = ("step", "y", "x")


def write_zarr(job: ExportJob, folder: Path) -> int:
    """Write the labels of the chosen steps as one array, ``int32`` of (steps, height, width).

    The format is version 2, which all current readers support. Attributes describe the run and each
    step, and name the dimensions as xarray does.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If zarr is not installed.
    OSError
        If a file cannot be written.
    """
    array = _create(job, folder)
    for index in job.track_progress(len(job.steps)):
        array[index] = step_labels(job, job.steps[index])
    return len(job.steps)


def _create(job: ExportJob, folder: Path) -> zarr.Array[Any]:
    try:
        import zarr
    except ImportError:
        raise InputError(
            "Zarr arrays need zarr: install it with pip install 'ccl-viewer[zarr]', or export .npy."
        ) from None
    recording = job.first_recording
    height, width = recording.image.shape
    return zarr.create_array(
        str(folder),
        shape=(len(job.steps), height, width),
        chunks=(1, min(height, _CHUNK), min(width, _CHUNK)),
        dtype="int32",
        fill_value=0,
        zarr_format=2,
        overwrite=True,
        attributes={
            "_ARRAY_DIMENSIONS": [*_DIMENSIONS],
            "labels": job.options.labels or "raw",
            "run": make_recording_fields(recording),
            "steps": [make_step_fields(recording.step(index)) for index in job.steps],
        },
    )
