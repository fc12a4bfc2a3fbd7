"""SciPy's labels of a picture, cached for all algorithms and schedules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from scipy import ndimage

import ccl_viewer as ccl
from ccl_viewer.devices.registry import DeviceName
from support.segments import segment_reference

Labels: TypeAlias = npt.NDArray[np.int32]
Parents: TypeAlias = npt.NDArray[np.int64]

_MAX_CELLS = 20_000
"""Larger pictures are not cached."""


def scipy_labels(image: npt.NDArray[Any], connectivity: int) -> tuple[Labels, int]:
    """Labels of all foreground, read-only, and the number of components."""
    return _remembered(np.ascontiguousarray(image != 0), connectivity, by_value=False)


def scipy_segments(image: npt.NDArray[np.uint8], connectivity: int) -> tuple[Labels, int]:
    """Labels of equal values other than 0, read-only, and the number of segments."""
    return _remembered(np.ascontiguousarray(image), connectivity, by_value=True)


def check_labels(actual: Labels, expected: Labels, note: str) -> None:
    """Use NumPy's assertion, which says more but takes long, only if the arrays differ."""
    if actual.dtype != expected.dtype or not np.array_equal(actual, expected):
        np.testing.assert_array_equal(actual, expected, err_msg=note, strict=True)


def check_labelling(
    image: npt.NDArray[Any],
    algorithm: str,
    connectivity: int,
    place: tuple[str, str],
    note: str = "",
    /,
    **options: Any,
) -> None:
    """Label on a device, under a schedule, and compare numbers and count with SciPy's."""
    device, schedule = place
    labels, count = ccl.label(
        image,
        algorithm,
        connectivity=connectivity,
        device=cast("DeviceName", device),
        schedule=schedule,
        **options,
    )
    reference = scipy_segments if options.get("multivalued") else scipy_labels
    expected, components = reference(image, connectivity)
    assert count == components, note
    check_labels(labels, expected, note)


def first_cells(image: npt.NDArray[np.uint8], connectivity: int) -> Parents:
    """For each cell, the first cell of its component in raster order; -1 for background."""
    labels, count = scipy_labels(image, connectivity)
    first = np.full(count + 1, -1, np.int64)
    cells = np.flatnonzero(labels)[::-1]
    first[labels.ravel()[cells]] = cells  # the last one written stays
    return first[labels]


def _remembered(
    image: npt.NDArray[Any], connectivity: int, *, by_value: bool
) -> tuple[Labels, int]:
    if image.size > _MAX_CELLS:
        return _label(image, connectivity, by_value)
    return _label_bytes(image.tobytes(), image.dtype.char, image.shape, connectivity, by_value)


@lru_cache(maxsize=4096)
def _label_bytes(
    data: bytes, dtype: str, shape: tuple[int, ...], connectivity: int, by_value: bool
) -> tuple[Labels, int]:
    return _label(np.frombuffer(data, dtype).reshape(shape), connectivity, by_value)


def _label(image: npt.NDArray[Any], connectivity: int, by_value: bool) -> tuple[Labels, int]:
    labels: Labels
    if by_value:
        labels, count = segment_reference(image, connectivity)
    else:
        components, count = ndimage.label(image, np.ones((3, 3)) if connectivity == 8 else None)
        labels = components.astype(np.int32)
    labels.flags.writeable = False
    return labels, count
