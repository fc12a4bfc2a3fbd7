"""Arrays on a GPU: from and to the libraries of callers."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ccl_viewer.devices.cuda.library import import_cupy
from ccl_viewer.grids.grid import as_segments


def as_gpu_segments(image: Any) -> Any:
    """Turn an array on a GPU into a multi-valued grid on the GPU.

    Parameters
    ----------
    image : array with ``__cuda_array_interface__``, shape (height, width)
        0 and NaN are background; at most 255 other values.

    Returns
    -------
    cupy.ndarray of uint8, shape (height, width)
        As :func:`ccl_viewer.grids.as_segments` returns it.

    Raises
    ------
    DeviceUnavailableError
        If CuPy is missing.
    InputError
        If there are more values.
    """
    cupy = import_cupy()
    values = as_cupy(cupy, image)
    if values.dtype == np.uint8:
        return values
    if values.dtype.kind == "f":
        values = cupy.where(cupy.isnan(values), values.dtype.type(0), values)
    bytes_ = values.astype(cupy.uint8)
    if bool((bytes_ == values).all()):
        return bytes_
    # Only the distinct values are copied to the host, which checks them.
    distinct = cupy.unique(values)
    segments = distinct.get()
    numbers = as_segments(segments[None, :])
    return cupy.asarray(numbers[0])[cupy.searchsorted(distinct, values)]


def mark_gpu_foreground(array: Any) -> Any:
    """Return where an array on a GPU is foreground: not 0, and not NaN."""
    mask = array != 0
    return mask & (array == array) if array.dtype.kind == "f" else mask  # NaN differs from itself


def renumber_on_gpu(labels: Any) -> tuple[Any, Any]:
    """Renumber labels on a GPU without gaps, and return them with the label of each number.

    Parameters
    ----------
    labels : array with ``__cuda_array_interface__``, shape (height, width)
        Labels; 0 is background and stays 0.

    Returns
    -------
    numbers : cupy.ndarray of int32, shape (height, width)
        From 1, in the order of the labels.
    names : ndarray, shape (count,)
        The label of each number, on the host.

    Raises
    ------
    DeviceUnavailableError
        If CuPy is missing.
    """
    cupy = import_cupy()
    values = as_cupy(cupy, labels)
    distinct, numbers = cupy.unique(values, return_inverse=True)
    names = distinct.get()
    names = names[names != 0]
    first = 1 - (distinct.size - names.size)
    return (numbers.reshape(values.shape) + first).astype(cupy.int32), names


def zero_gpu_labels(shape: tuple[int, ...]) -> Any:
    """Return the labels of an empty picture on a GPU, as a CuPy array of int32."""
    return import_cupy().zeros(shape, np.int32)


def to_library(image: Any, array: Any) -> Any:
    """Return a result as an array of the picture's library, without a copy.

    Parameters
    ----------
    image : array
        The picture, on a GPU.
    array : cupy.ndarray
        The result.

    Returns
    -------
    array
        A PyTorch tensor or an array of JAX or Numba if the picture is one, otherwise `array`.
    """
    match type(image).__module__.partition(".")[0]:
        case "torch":
            from torch import from_dlpack
        case "jax" | "jaxlib":
            from jax.dlpack import from_dlpack
        case "numba":
            from numba.cuda import as_cuda_array as from_dlpack
        case _:
            return array
    return from_dlpack(array)


def as_cupy(cupy: ModuleType, pixels: Any) -> Any:
    """Return an array of any library as CuPy's, ordered after the stream that made it."""
    if isinstance(pixels, cupy.ndarray):
        return pixels
    if hasattr(pixels, "__dlpack__") and not isinstance(pixels, np.ndarray):
        return cupy.from_dlpack(pixels)
    return cupy.asarray(pixels)


def fill_array(array: Any, value: int) -> None:
    """Set every element of a CuPy array."""
    bytes_ = array.dtype.type(value).tobytes()
    if len(set(bytes_)) == 1:
        array.data.memset_async(bytes_[0], array.nbytes)
    else:
        array.fill(value)
