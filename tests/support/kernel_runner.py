"""Runs one tiny kernel at a time, on any device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import Device, DeviceRun
from ccl_viewer.execution.plan import Buffer, Dim3, Kernel, Launch, Stage
from ccl_viewer.support.cancellation import CancelToken

CONFORMANCE = Path(__file__).parents[1] / "kernels" / "conformance"

Values: TypeAlias = npt.NDArray[Any]
Scalar: TypeAlias = np.int32 | np.uint32 | np.int64 | np.uint64


def find_source(module: str) -> Path:
    """The source of a conformance kernel."""
    return CONFORMANCE / f"{module}.cu"


def out(size: int, dtype: type = np.int32, fill: int | None = 0, name: str = "out") -> Buffer:
    """A buffer for results."""
    return Buffer(name, (size,), np.dtype(dtype), fill)


def image_of(values: Values) -> tuple[Buffer, npt.NDArray[np.uint8]]:
    """The bytes of an array as the grid of a run, to pass input to a kernel."""
    pixels = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
    return Buffer("image", pixels.shape, np.dtype(np.uint8)), pixels


def launch_of(
    kernel: Kernel,
    grid: Dim3,
    block: Dim3,
    arguments: tuple[Buffer | Scalar, ...],
    shared_bytes: int = 0,
) -> Launch:
    return Launch(kernel, grid, block, arguments, Stage.INIT, "Test.", shared_bytes=shared_bytes)


@dataclass(frozen=True)
class KernelRunner:
    """Runs kernels of one module.

    Parameters
    ----------
    device : Device
        The device to run on.
    module : str
        The file in ``conformance/``.
    """

    device: Device
    module: str

    def run(
        self,
        name: str,
        grid: int | Dim3,
        block: int | Dim3,
        *arguments: Buffer | Scalar,
        shared_bytes: int = 0,
        values: Values | None = None,
        macros: tuple[tuple[str, int], ...] = (),
        cancel: CancelToken | None = None,
        after: Callable[[DeviceRun], object] | None = None,
    ) -> list[Values]:
        """Launch once, and return the contents of the buffers among the arguments.

        With `values`, the kernel gets their bytes as its first argument. The run is given to
        `after` once the launch has ended.
        """
        image, pixels = image_of(np.zeros(1, np.uint8) if values is None else values)
        operands = arguments if values is None else (image, *arguments)
        buffers = [argument for argument in arguments if isinstance(argument, Buffer)]
        launch = launch_of(
            Kernel(self.module, name, macros), _three(grid), _three(block), operands, shared_bytes
        )
        with self.device.open(image, pixels, cancel=cancel) as run:
            for buffer in buffers:
                run.allocate(buffer)
            run.launch(launch)
            if after is not None:
                after(run)
            return [run.read(buffer).copy() for buffer in buffers]

    def run_in_place(
        self,
        name: str,
        grid: int | Dim3,
        block: int | Dim3,
        values: Values,
        macros: tuple[tuple[str, int], ...] = (),
    ) -> Values:
        """Launch a kernel that changes one array, and return the array afterwards."""
        image, pixels = image_of(values)
        kernel = Kernel(self.module, name, macros)
        with self.device.open(image, pixels) as run:
            run.launch(launch_of(kernel, _three(grid), _three(block), (image,)))
            return run.read(image).view(values.dtype).copy()


MakeRunner: TypeAlias = Callable[[str], KernelRunner]
"""Makes a runner for a module, on the device under test."""


def _three(size: int | Dim3) -> Dim3:
    return (size, 1, 1) if isinstance(size, int) else size
