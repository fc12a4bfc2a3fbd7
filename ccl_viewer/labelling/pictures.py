"""Pictures of callers: where they are, and the device for them."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ccl_viewer.devices.registry import open_device, open_gpu
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Device
from ccl_viewer.grids.grid import Grid, as_grid, as_segments, check_size
from ccl_viewer.grids.specs import open_grid, open_segments

_DLPACK_CUDA = 2
"""DLPack's number for NVIDIA GPUs."""


def lies_on_gpu(image: object) -> bool:
    """Return whether a picture is an array on a GPU."""
    if isinstance(image, np.ndarray):
        return False
    if hasattr(image, "__dlpack_device__"):
        return int(image.__dlpack_device__()[0]) == _DLPACK_CUDA
    return hasattr(image, "__cuda_array_interface__")


def has_no_cells(image: Any) -> bool:
    """Return whether a picture has two dimensions and no cells."""
    if isinstance(image, str | os.PathLike):
        return False
    if isinstance(image, np.ndarray):
        return image.size == 0 and image.ndim == 2
    try:
        shape = image.shape if hasattr(image, "shape") else np.shape(image)
    except (TypeError, ValueError):  # as_grid() reports it
        return False
    return isinstance(shape, tuple) and len(shape) == 2 and 0 in shape


def make_empty_labels(image: Any, *, synchronize: bool) -> tuple[Any, Any]:
    """Return the labels of a picture without cells."""
    if not lies_on_gpu(image):
        return np.zeros(np.shape(image), np.int32), 0
    from ccl_viewer.devices.cuda.arrays import zero_gpu_labels

    labels = zero_gpu_labels(image.shape)
    return match_library(labels, image), 0 if synchronize else labels.sum()


def match_library(labels: Any, image: Any) -> Any:
    """Return labels on a GPU as an array of the picture's library."""
    from ccl_viewer.devices.cuda.arrays import to_library

    return to_library(image, labels)


def open_picture(image: Any, *, multivalued: bool) -> Grid:
    """Turn a picture, or the name of a file or pattern, into a grid."""
    if isinstance(image, str | os.PathLike):
        name = os.fsdecode(image)
        return open_segments(name).grid if multivalued else open_grid(name).grid
    return as_segments(image) if multivalued else as_grid(image)


def place_picture(
    image: Any, device: str, schedule: str, *, multivalued: bool
) -> tuple[Any, Device]:
    """Turn a picture into a grid on the device that will label it."""
    if not lies_on_gpu(image):
        grid = open_picture(image, multivalued=multivalued)
        return grid, choose_device(device, schedule, grid.size)
    check_size(image.shape)
    cells = math.prod(image.shape)
    target = choose_gpu(image, device, schedule, cells)
    if multivalued:
        from ccl_viewer.devices.cuda.arrays import as_gpu_segments

        return as_gpu_segments(image), target
    return image, target


def choose_gpu(image: Any, name: str, schedule: str, cells: int) -> Device:
    """Return the GPU of an array."""
    if name == "emulator":
        raise InputError(
            "The image is on the GPU, where the emulator cannot read it: copy it with .get(), or "
            "choose device='cuda'."
        )
    index = image.__dlpack_device__()[1] if hasattr(image, "__dlpack_device__") else 0
    return open_gpu(index) if schedule == "auto" else open_device("cuda", schedule, cells=cells)


def choose_device(name: str, schedule: str, cells: int) -> Device:
    """Return the device to label on; the emulator runs sequentially unless a schedule is given."""
    return open_device(name, schedule, cells=cells, usual_schedule="sequential")
