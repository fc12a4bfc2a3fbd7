"""The protocols of devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ccl_viewer.execution.plan import Array, Buffer, Kernel, LabelLayout, Launch
from ccl_viewer.support.cancellation import CancelToken

if TYPE_CHECKING:
    from ccl_viewer.execution.ledger import LaunchLedger

Elapsed: TypeAlias = Callable[[], float]
"""Returns the time of a launch in milliseconds; may wait for its end."""

Progress: TypeAlias = Callable[[str], None]
"""Called with a few words about what currently takes long, such as compiling a kernel."""


class AccessKind(Enum):
    """Kinds of memory accesses; values as in the emulator's ``runtime/memcheck.h``."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2

    @property
    def verb(self) -> str:
        """What a thread does, in sentences."""
        return ("reads", "writes", "updates")[self.value]


def untimed() -> float:
    """Return NaN, the time of an untimed launch."""
    return math.nan


class DeviceRun(Protocol):
    """The memory and launches of one run; closing it frees the memory."""

    @property
    def atomics(self) -> int | None:
        """Calls of atomic functions in the last launch; None if not counted, as on a GPU.

        Each call by any thread counts once, on global or shared memory, even if it changed nothing;
        a loop around ``atomicCAS`` counts each try.
        """

    @property
    def printed(self) -> tuple[str, ...]:
        """Lines that the last launch printed, each with its thread; empty on a GPU."""

    @property
    def ledger(self) -> LaunchLedger | None:
        """Ledger of the last launch; None if nothing is counted, as on a GPU."""

    def allocate(self, buffer: Buffer) -> None:
        """Allocate a buffer, and fill it if it has an initial value.

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
            If the kernel fails; a device may raise this only at the next :meth:`read`.
        CancelledError
            If the run was cancelled.
        """

    def start_read(self, buffer: Buffer) -> None:
        """Start copying a buffer to the host, for its next :meth:`read`."""

    def read(self, buffer: Buffer) -> Array:
        """Return a buffer's contents as a host array of the buffer's shape.

        They are the current contents, or those at the last :meth:`start_read` since the last read.

        The array may be the device's memory: it is valid until the next launch and must not be
        written to.
        """

    def take(self, buffer: Buffer) -> Any:
        """Hand a buffer over as a NumPy or CuPy array; the run cannot use it afterwards."""

    def array(self, buffer: Buffer) -> Any:
        """Return a buffer's memory on the device, for its :class:`ArrayBackend` to read."""

    def close(self) -> None:
        """Free the memory; the run cannot be used afterwards."""


class ArrayBackend(Protocol):
    """Arrays on a device that outlive a run, and kernels on them.

    Arrays are NumPy's if kernels run on the CPU, and CuPy's on a GPU. All methods are thread-safe
    and run in the order of the calls.

    Raises
    ------
    DeviceUnavailableError
        All methods, if memory is insufficient or the kernels cannot be built.
    KernelFaultError
        All methods, if the device fails.
    """

    @property
    def on_host(self) -> bool:
        """Whether arrays are in the host's memory, so that NumPy can read them directly."""

    @property
    def memory_budget(self) -> int:
        """Bytes of memory that all long-lived arrays together may take."""

    def empty(self, shape: int | tuple[int, ...], dtype: Any, fill: int | None = None) -> Any:
        """Return a new array, filled with `fill` if that is given."""

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Any:
        """Return a copy of a run's buffer, without padding and converted to `dtype`."""

    def to_device(self, array: Array) -> Any:
        """Return a host array as a device array; both may share memory."""

    def to_host(self, array: Any) -> Array:
        """Return a device array as a host array; both may share memory."""

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        """Start a kernel with at least a number of threads.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        threads : int
            Threads that it needs; there may be more.
        *arguments : array or numpy scalar
            Arguments, of the types of the kernel's parameters.
        """

    def launch_reduction(
        self, kernel: Kernel, cells: int, arguments: tuple[Any, ...], more: tuple[Any, ...] = ()
    ) -> None:
        """Start a kernel that counts; each thread counts some of the cells.

        Between `arguments` and `more`, the kernel gets the number of cells and the number of cells
        per thread, as ``int32``.
        """


class Device(Protocol):
    """A place where kernels run."""

    @property
    def key(self) -> str:
        """Name by which a person chooses it: ``"emulator"`` or ``"cuda"``."""

    @property
    def title(self) -> str:
        """Name for the user, for example the GPU's."""

    @property
    def schedule(self) -> str:
        """Order in which threads run, for example ``"synchronous"`` or ``"random:7"``."""

    @property
    def on_host(self) -> bool:
        """Whether the memory of runs is the host's, so that NumPy can use it."""

    @property
    def synchronous(self) -> bool:
        """Whether launches return when the kernel has ended.

        The memory can then be read even after a fault.
        """

    @property
    def counts_accesses(self) -> bool:
        """Whether it can count the memory accesses of launches."""

    @property
    def ledger(self) -> bool:
        """Whether it counts them in its runs."""

    @property
    def cold_launches(self) -> bool:
        """Whether a kernel's first launch takes longer, so that times need repeated runs."""

    @property
    def many_threads(self) -> bool:
        """Whether it runs thousands of threads at once, which decides what is fast."""

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
            The buffer of the grid in the plan.
        pixels : array of uint8
            The grid, of the buffer's shape.
        timed : bool
            Whether launches are timed; otherwise :data:`Elapsed` returns NaN.
        cancel : CancelToken or None
            Polled between launches and, if the device can, during launches.
        progress : callable or None
            Called with what currently takes long.
        """

    def delay_launches(self, microseconds: int) -> None:
        """Let the next launches wait, if launches can be queued, so that they run without gaps."""

    def array_backend(self) -> ArrayBackend:
        """Return the device's array backend, always the same object."""


@dataclass(frozen=True)
class DeviceReport:
    """State of a device, as ``doctor`` and the device menu show it.

    Parameters
    ----------
    key, title : str
        As of :class:`Device`.
    available : bool
        Whether it can be used now.
    detail : str
        Description of the device; if it is unavailable, what is missing and what to do.
    """

    key: Literal["cuda", "emulator"]
    title: str
    available: bool
    detail: str
