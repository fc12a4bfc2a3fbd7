"""Measures components that callers labelled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.components import tabulate
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Device, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer
from ccl_viewer.support.cancellation import CancelToken


def renumber_labels(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return labels numbered from 1 without gaps, and the label of each number."""
    if labels.dtype.kind in "bui" and labels.min() >= 0 and labels.max() <= labels.size:
        indices = labels.astype(np.intp, copy=False)
        occurs = np.zeros(int(labels.max()) + 1, np.bool_)
        occurs[indices] = True
        occurs[0] = False
        names = np.flatnonzero(occurs)
        if names.size == occurs.size - 1:
            return labels.astype(np.int32), names
        return np.cumsum(occurs, dtype=np.int32)[indices], names
    distinct, numbers = np.unique(labels, return_inverse=True)
    names = distinct[distinct != 0]
    first = 1 - (distinct.size - names.size)
    return (numbers.reshape(labels.shape) + first).astype(np.int32), names


def check_labels(names: npt.NDArray[Any]) -> None:
    """Refuse labels that are no whole numbers from 0."""
    if names.dtype.kind not in "bui":
        raise InputError(f"Labels are whole numbers, not {names.dtype}: convert them to integers.")
    if names.size and names[0] < 0:
        raise InputError(f"Labels are 0 for background and more, not {names[0]}: change these.")


def measure_numbered_components(
    numbers: Any,
    count: int,
    device: Device,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> npt.NDArray[np.void]:
    """Measure components that are numbered from 1 without gaps."""
    buffer = Buffer("numbers", tuple(numbers.shape), np.dtype(np.int32))
    with device.open(buffer, numbers, timed=False, cancel=cancel, progress=progress) as run:
        return execute(tabulate(buffer, count), run, cancel=cancel)
