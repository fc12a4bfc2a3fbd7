"""Which devices there are, and which one a name stands for."""

from __future__ import annotations

import os
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from ccl_viewer.devices.emulator.compiler import compiler
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.schedules import Schedule, auto_schedule
from ccl_viewer.devices.emulator.stream import emulator_stream
from ccl_viewer.errors import DeviceUnavailableError, InputError
from ccl_viewer.execution.device import Device, DeviceReport, Stream

DeviceName: TypeAlias = Literal["auto", "cuda", "emulator"]
"""Where to run: a GPU if there is one and else the emulator, a GPU, or the emulator."""

DEVICE_NAMES: Final = get_args(DeviceName)


def open_device(
    name: str = "auto", schedule: str = "auto", *, cells: int, ledger: bool = False
) -> Device:
    """Return the device that a name stands for.

    Parameters
    ----------
    name : str
        ``"auto"`` (a GPU where there is one, else the emulator), ``"cuda"`` or ``"emulator"``. A
        schedule other than ``"auto"`` makes ``"auto"`` mean the emulator, since a GPU has its own.
    schedule : str
        Schedule of the emulator; ``"auto"`` lets the size of the grid decide.
    cells : int
        Number of cells of the grid.
    ledger : bool
        Whether to count what launches do to memory; ``"auto"`` then means the emulator, since a
        GPU does not count.

    Raises
    ------
    InputError
        If the name or the schedule means nothing, or a schedule or counts are asked of a GPU.
    DeviceUnavailableError
        If the device cannot be used here.
    """
    if name not in DEVICE_NAMES:
        raise InputError(f"There is no device {name!r}: choose {', '.join(DEVICE_NAMES)}.")
    chosen = auto_schedule(cells) if schedule == "auto" else Schedule.parse(schedule)
    if name == "cuda" and schedule != "auto":
        raise InputError(
            f"A GPU runs threads in its own order: the schedule {schedule} needs the emulator "
            "(--device emulator)."
        )
    if name == "cuda" and ledger:
        raise InputError(
            "A GPU does not count what launches do to memory: use the emulator (--device emulator)."
        )
    if name == "emulator" or schedule != "auto" or ledger:
        return EmulatorDevice(chosen, ledger=ledger)
    try:
        return open_gpu()
    except DeviceUnavailableError:
        if name == "cuda":
            raise
        return EmulatorDevice(chosen)


def device_reports() -> tuple[DeviceReport, ...]:
    """Return what can be said of each device, the preferred one first."""
    return (_cuda_report(), EmulatorDevice.report())


def open_gpu(index: int = 0) -> Device:
    """Return a GPU; one object for the process, which keeps what it has compiled.

    Parameters
    ----------
    index : int
        Which one, as CUDA counts them.

    Raises
    ------
    DeviceUnavailableError
        If it cannot be used here.
    """
    from ccl_viewer.devices.cuda import forked_error

    process, device = _opened_gpu(index)
    if process != os.getpid():
        # Kept all the same: to free what it holds would be a call of CUDA, too.
        raise forked_error()
    return device


@cache
def _opened_gpu(index: int) -> tuple[int, Device]:
    """Return a GPU, and the process that opened it."""
    from ccl_viewer.devices.cuda import CudaDevice

    return os.getpid(), CudaDevice(index)


def spare_stream() -> Stream:
    """Return a stream for arrays that lie on no device yet.

    It is that of the GPU if that was opened already, or if kernels cannot be compiled for the CPU.

    Raises
    ------
    DeviceUnavailableError
        If there is neither a GPU nor a compiler.
    """
    if _opened_gpu.cache_info().currsize:
        return open_gpu().stream()
    try:
        compiler()
    except DeviceUnavailableError:
        return open_gpu().stream()
    return emulator_stream()


def _cuda_report() -> DeviceReport:
    try:
        device = open_gpu()
    except DeviceUnavailableError as error:
        return DeviceReport("cuda", "NVIDIA GPU", available=False, detail=str(error))
    return DeviceReport("cuda", device.title, available=True, detail=device.title)
