"""What the driver asks of a device, whichever it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from ccl_viewer.execution.plan import Array, Buffer, Kernel, LabelLayout, Launch
from ccl_viewer.support.cancellation import CancelToken

Elapsed: TypeAlias = Callable[[], float]
"""Returns the milliseconds that a launch took, waiting for its end if it must."""

Progress: TypeAlias = Callable[[str], None]
"""Told, in a few words, what takes long just now (for example that a kernel is compiling)."""


def untimed() -> float:
    """Return the time of a launch that was not timed: NaN."""
    return math.nan


class DeviceRun(Protocol):
    """The memory and the launches of one run; closing it frees the memory."""

    def allocate(self, buffer: Buffer) -> None:
        """Make room for a buffer, and fill it if it says so.

        Raises
        ------
        DeviceUnavailableError
            If the device has not enough memory.
        """

    def fill(self, buffer: Buffer, value: int) -> None:
        """Set every element of a buffer."""

    def launch(self, launch: Launch) -> Elapsed:
        """Start a kernel.

        Raises
        ------
        KernelBuildError
            If the kernel's module does not compile.
        KernelFaultError
            If the kernel misbehaves; a device may say so only at the next :meth:`read`.
        CancelledError
            If the run was cancelled.
        """

    def fetch(self, buffer: Buffer) -> None:
        """Begin to bring a buffer's contents to the host, for its next :meth:`read`."""

    def read(self, buffer: Buffer) -> Array:
        """Return a buffer's contents as a host array of the buffer's shape.

        They are those of now, or those of the last :meth:`fetch` since the last read.

        The array may be the device's own memory: it is valid until the next launch, and must not
        be written to.
        """

    def take(self, buffer: Buffer) -> Any:
        """Return a buffer as an array of its own, where it lies: NumPy's or CuPy's."""

    def array(self, buffer: Buffer) -> Any:
        """Return a buffer's memory where it lies, for the device's :class:`Stream` to read."""

    def close(self) -> None:
        """Free the memory; the run is of no use afterwards."""


def atomics_of(run: DeviceRun) -> int | None:
    """Return the calls of atomic functions in a run's last launch; None where nobody counts.

    A device that counts them has the property ``atomics``; a GPU does not. Each call by any thread
    counts once, whether on device or on shared memory, and whether or not it changed anything; a
    loop around ``atomicCAS`` counts once for each try.
    """
    # No isinstance of a protocol: that takes longer than a small launch.
    count: int | None = getattr(run, "atomics", None)
    return count


class Stream(Protocol):
    """Arrays on a device and kernels on them, beyond the end of a run.

    An array is NumPy's where kernels run on the CPU, and CuPy's on a GPU. All calls are safe from
    any thread, and are done in the order in which they come.

    Raises
    ------
    DeviceUnavailableError
        All methods, if there is not enough memory or the kernels cannot be built.
    KernelFaultError
        All methods, if the device fails.
    """

    @property
    def on_host(self) -> bool:
        """Whether arrays lie in the host's memory, so that it can look at them itself."""

    @property
    def room(self) -> int:
        """Bytes of memory that arrays may take that are kept for a while, all together."""

    def empty(self, shape: int | tuple[int, ...], dtype: Any, fill: int | None = None) -> Any:
        """Return a new array, each element of which is `fill` if that is given."""

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Any:
        """Return a copy of a buffer of a run, without padding, of another type if need be."""

    def to_device(self, array: Array) -> Any:
        """Return an array of the host as one of the device, which may be the same memory."""

    def to_host(self, array: Any) -> Array:
        """Return an array of the device as one of the host, which may be the same memory."""

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        """Start a kernel with one thread for each piece of the work.

        Parameters
        ----------
        kernel : Kernel
            Which one.
        threads : int
            How many threads it needs; there may be more.
        *arguments : array or numpy scalar
            Of the types of the kernel's parameters.
        """

    def launch_counting(
        self, kernel: Kernel, cells: int, arguments: tuple[Any, ...], more: tuple[Any, ...] = ()
    ) -> None:
        """Start a kernel that counts, each thread some of the cells.

        Between the `arguments` and `more`, the kernel is given the number of cells and each
        thread's share of them, as ``int32``.
        """


class Device(Protocol):
    """A place where kernels run."""

    @property
    def key(self) -> str:
        """``"emulator"`` or ``"cuda"``."""

    @property
    def title(self) -> str:
        """Name for the user, for example that of the GPU."""

    @property
    def schedule(self) -> str:
        """In which order threads run, for example ``"synchronous"`` or ``"random:7"``."""

    def open(
        self,
        image: Buffer,
        pixels: Any,
        *,
        timed: bool = True,
        cancel: CancelToken | None = None,
        progress: Progress | None = None,
    ) -> AbstractContextManager[DeviceRun]:
        """Begin a run: allocate the image and upload it.

        Parameters
        ----------
        image : Buffer
            The buffer that stands for the grid in the plan.
        pixels : array of uint8
            The grid, of the buffer's shape.
        timed : bool
            Whether launches are timed; without it :data:`Elapsed` returns NaN.
        cancel : CancelToken or None
            Polled between and, where the device can, during launches.
        progress : callable or None
            Told what takes long.
        """

    def stream(self) -> Stream:
        """Return the device's stream: always the same one."""


@dataclass(frozen=True)
class DeviceReport:
    """What ``doctor`` and the device menu say of a device.

    Parameters
    ----------
    key, title : str
        As of :class:`Device`.
    available : bool
        Whether it can be used now.
    detail : str
        Where available, what it is; otherwise what is missing and what to do about it.
    """

    key: Literal["cuda", "emulator"]
    title: str
    available: bool
    detail: str
