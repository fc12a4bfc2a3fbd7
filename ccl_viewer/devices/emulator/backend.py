"""Arrays in the host's memory and kernels on them, independent of the emulator's runs."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any, Final

import numpy as np

from ccl_viewer.devices.emulator.binding import Binding
from ccl_viewer.devices.emulator.kernels import KernelCache
from ccl_viewer.devices.emulator.library import LaunchStatus
from ccl_viewer.devices.emulator.workers import Workers
from ccl_viewer.errors import DeviceUnavailableError, KernelFaultError
from ccl_viewer.execution.plan import Array, Kernel, LabelLayout, Launch, Stage
from ccl_viewer.execution.schedule import SEQUENTIAL
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.cores import core_count

_THREADS: Final = 256
_WARP: Final = 32
_COUNTING_WARPS: Final = 8  # per core, to balance the load if one is delayed
_SMALL: Final = 16_384  # threads or cells; fewer are not worth waking other cores
_TURNS: Final = 2**40
_LEAST_ROOM: Final = 1 << 28
_MOST_ROOM: Final = 1 << 31


class EmulatorArrayBackend:
    """Arrays in the host's memory and kernels on them.

    See :class:`ccl_viewer.execution.device.ArrayBackend`.

    Kernels run on all cores, in sequential order, and with separate workers, so they never wait for
    a long launch of a run.
    """

    on_host = True

    def __init__(self) -> None:
        self.memory_budget = _limit_memory()
        self._kernels = KernelCache(kernel_path, traced=False)
        self._workers = Workers(signals=False)
        self._lock = threading.Lock()
        self._bindings: dict[Kernel, Binding] = {}

    def empty(self, shape: int | tuple[int, ...], dtype: Any, fill: int | None = None) -> Array:
        """Return a new array, filled with `fill` if that is given."""
        try:
            array: Array = np.empty(shape, dtype)
        except MemoryError as error:
            raise DeviceUnavailableError(
                f"There is not enough memory ({error}): take a smaller grid."
            ) from error
        if fill is not None:
            array[...] = fill
        return array

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Array:
        """Return a copy of a run's buffer, without padding and converted to `dtype`."""
        inner = array if layout is None else layout.inner(array)
        cropped = self.empty(inner.shape, dtype)
        np.copyto(cropped, inner, casting="unsafe")
        return cropped

    def to_device(self, array: Array) -> Array:
        """Return the array, or a copy if it is not contiguous."""
        return np.ascontiguousarray(array)

    def to_host(self, array: Array) -> Array:
        """Return the array."""
        return array

    def launch(self, kernel: Kernel, threads: int, *arguments: Any) -> None:
        """Run a kernel with `threads` threads or a few more."""
        self._launch(kernel, -(-threads // _THREADS), _THREADS, threads, arguments)

    def launch_reduction(
        self, kernel: Kernel, cells: int, arguments: tuple[Any, ...], more: tuple[Any, ...] = ()
    ) -> None:
        """Run a kernel that counts; each thread counts some of the cells."""
        # Threads of a warp wait for each other at the end, so use few threads with more work each.
        warps = 1 if cells < _SMALL else _COUNTING_WARPS * core_count()
        share = -(-cells // (warps * _WARP))
        arguments = (*arguments, np.int32(cells), np.int32(share), *more)
        self._launch(kernel, warps, _WARP, cells, arguments)

    def _launch(
        self, kernel: Kernel, blocks: int, threads: int, work: int, arguments: tuple[Any, ...]
    ) -> None:
        loaded = self._kernels.get(kernel, None)
        launch = Launch(kernel, (blocks, 1, 1), (threads, 1, 1), (), Stage.LABEL, "")
        with self._lock:
            binding = self._bindings.get(kernel)
            if binding is None or binding.kernel is not loaded:
                binding = self._bindings[kernel] = Binding(loaded, SEQUENTIAL)
                binding.request.turn_limit = _TURNS
            binding.bind_arrays(launch, arguments)
            team = min(core_count(), blocks) if work >= _SMALL else 1
            report = self._workers.launch(loaded.module, binding.request, team)
        if report.status != LaunchStatus.FINISHED:
            raise KernelFaultError(f"The kernel {kernel.name} of this program failed: report it.")


_FIRST: Final = threading.Lock()


def emulator_backend() -> EmulatorArrayBackend:
    """Return the array backend of this process: only one, since its workers share the modules."""
    with _FIRST:
        return _make_emulator_backend()


@cache
def _make_emulator_backend() -> EmulatorArrayBackend:
    return EmulatorArrayBackend()


def _limit_memory() -> int:
    """Return an eighth of the machine's memory, within bounds."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return _LEAST_ROOM
    return min(max(memory // 8, _LEAST_ROOM), _MOST_ROOM)
