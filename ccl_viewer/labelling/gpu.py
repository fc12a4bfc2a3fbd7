"""Labels pictures on a GPU by launches that are cached for their shape."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import Algorithm, default_algorithm
from ccl_viewer.algorithms.base import Tabulator
from ccl_viewer.devices.registry import open_gpu
from ccl_viewer.execution.device import Device, DeviceRun, Progress
from ccl_viewer.execution.driver import collect_requests, execute
from ccl_viewer.execution.plan import Buffer, NumberingRequests, ParameterValue, Task
from ccl_viewer.support.cancellation import CancelToken


def keeps_launches(algorithm: Algorithm, device: Device) -> bool:
    """Whether the launches of an algorithm are cached for pictures of the same shape."""
    return device.many_threads and algorithm is default_algorithm(many_threads=True)


def number_on_gpu(
    gpu: Any, algorithm: Algorithm, task: Task, pixels: Any, *, synchronize: bool
) -> tuple[Any, Any]:
    """Label a picture; return the numbers as a CuPy array, and the count."""

    def prepare(buffer: Buffer) -> NumberingRequests:
        if algorithm.numberer is None:
            raise TypeError(f"{algorithm.key} has no plan that numbers")
        return collect_requests(algorithm.numberer(replace(task, image=buffer)), buffer)

    key = _make_key(algorithm, task.connectivity, task.parameters, multivalued=task.multivalued)
    numbers: tuple[Any, Any] = gpu.number(key, prepare, pixels, synchronize=synchronize)
    return numbers


def label_again(
    image: Any, connectivity: int | None, device: str, *, synchronize: bool
) -> tuple[Any, Any] | None:
    """Label a CuPy array of a shape that was labelled before; otherwise return None.

    A small picture takes a few microseconds on a GPU, so this path does only what is necessary.
    """
    if type(image).__module__ != "cupy" or device == "emulator":
        return None
    neighbours = 4 if connectivity is None else connectivity
    if type(neighbours) is not int:
        return None
    gpu: Any = open_gpu(image.device.id)
    labelled: tuple[Any, Any] | None = gpu.number_again(
        _default_key(neighbours), image, synchronize=synchronize
    )
    return labelled


@cache
def _default_key(connectivity: int) -> Hashable:
    algorithm = default_algorithm(many_threads=True)
    return _make_key(algorithm, connectivity, algorithm.complete({}), multivalued=False)


def _make_key(
    algorithm: Algorithm,
    connectivity: int,
    parameters: Mapping[str, ParameterValue],
    *,
    multivalued: bool,
) -> Hashable:
    """Return what identifies the launches for a shape."""
    return algorithm.key, connectivity, *parameters.items(), multivalued


def tabulate_on_gpu(
    tabulator: Tabulator,
    task: Task,
    pixels: Any,
    gpu: Any,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> npt.NDArray[np.void]:
    """Find components on a GPU; the launches that count them are cached for the shape."""

    def prepare(buffer: Buffer) -> NumberingRequests:
        return collect_requests(tabulator.count(replace(task, image=buffer)), buffer)

    def follow(run: DeviceRun, buffers: dict[str, Buffer], count: int) -> npt.NDArray[np.void]:
        return execute(tabulator.measure(task, buffers, count), run, cancel=cancel)

    key = ("components", task.connectivity, *task.parameters.items())
    table: npt.NDArray[np.void] = gpu.number_then(
        key, prepare, pixels, follow, cancel=cancel, progress=progress
    )
    return table
