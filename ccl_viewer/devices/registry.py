"""The available devices, by name."""

from __future__ import annotations

import os
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from ccl_viewer.devices.emulator.backend import emulator_backend
from ccl_viewer.devices.emulator.compiler import find_compiler
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import DeviceUnavailableError, InputError
from ccl_viewer.execution.device import ArrayBackend, Device, DeviceReport
from ccl_viewer.execution.schedule import choose_schedule

DeviceName: TypeAlias = Literal["auto", "cuda", "emulator"]
"""Names of devices; ``"auto"`` is a GPU if there is one, otherwise the emulator."""

DEVICE_NAMES: Final = get_args(DeviceName)


def open_device(
    name: str = "auto",
    schedule: str = "auto",
    *,
    cells: int,
    ledger: bool = False,
    usual_schedule: str = "auto",
) -> Device:
    """Return the device with a name.

    Parameters
    ----------
    name : str
        ``"auto"`` (a GPU if there is one, otherwise the emulator), ``"cuda"`` or ``"emulator"``.
        With a schedule other than ``"auto"``, ``"auto"`` means the emulator, since a GPU has its
        own order.
    schedule : str
        Schedule of the emulator; ``"auto"`` chooses one by the size of the grid.
    cells : int
        Number of cells of the grid.
    ledger : bool
        Whether to count memory accesses of launches; ``"auto"`` then means the emulator, since a
        GPU does not count.
    usual_schedule : str
        Schedule of the emulator where none is asked for.

    Raises
    ------
    InputError
        If the name or the schedule is unknown, or a schedule or counts are requested of a GPU.
    DeviceUnavailableError
        If the device cannot be used here.
    """
    if name not in DEVICE_NAMES:
        raise InputError(f"There is no device {name!r}: choose {', '.join(DEVICE_NAMES)}.")
    chosen = choose_schedule(usual_schedule if schedule == "auto" else schedule, cells)
    if name == "cuda" and schedule != "auto":
        raise InputError(
            f"A GPU runs threads in its own order: the schedule {schedule} needs the emulator "
            "(device emulator)."
        )
    if name == "cuda" and ledger:
        raise InputError(
            "A GPU does not count memory accesses: use the emulator (device emulator)."
        )
    if name == "emulator" or schedule != "auto" or ledger:
        return EmulatorDevice(chosen, ledger=ledger)
    try:
        return open_gpu()
    except DeviceUnavailableError:
        if name == "cuda":
            raise
        return EmulatorDevice(chosen)


def report_devices() -> tuple[DeviceReport, ...]:
    """Return the report of each device, the preferred one first."""
    return (_report_cuda(), EmulatorDevice.report_availability())


def open_gpu(index: int = 0) -> Device:
    """Return a GPU, always the same object in a process, which keeps its compiled kernels.

    Parameters
    ----------
    index : int
        CUDA's index of the GPU.

    Raises
    ------
    DeviceUnavailableError
        If it cannot be used here.
    """
    from ccl_viewer.devices.cuda.library import forked_error

    process, device = _open_gpu(index)
    if process != os.getpid():
        # Kept, since freeing its memory would also call CUDA.
        raise forked_error()
    return device


@cache
def _open_gpu(index: int) -> tuple[int, Device]:
    """Return the process's id and its GPU."""
    from ccl_viewer.devices.cuda.device import CudaDevice

    return os.getpid(), CudaDevice(index)


def default_backend() -> ArrayBackend:
    """Return an array backend for arrays that are not on a device yet.

    It is the GPU's if the GPU is already open, or if kernels cannot be compiled for the CPU.

    Raises
    ------
    DeviceUnavailableError
        If there is neither a GPU nor a compiler.
    """
    if _open_gpu.cache_info().currsize:
        return open_gpu().array_backend()
    try:
        find_compiler()
    except DeviceUnavailableError:
        return open_gpu().array_backend()
    return emulator_backend()


def _report_cuda() -> DeviceReport:
    try:
        device = open_gpu()
    except DeviceUnavailableError as error:
        return DeviceReport("cuda", "NVIDIA GPU", available=False, detail=str(error))
    return DeviceReport("cuda", device.title, available=True, detail=device.title)
