"""The devices on which the conformance suite runs."""

from __future__ import annotations

import pytest
from support.kernel_runner import KernelRunner, MakeRunner, find_source

from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.device import Device
from ccl_viewer.execution.schedule import Schedule

SCHEDULES = ("sequential", "synchronous", "reverse", "random:1")


@pytest.fixture(
    params=[*SCHEDULES, pytest.param("cuda", marks=pytest.mark.gpu)],
)
def device(request: pytest.FixtureRequest) -> Device:
    """The emulator under each schedule, and a GPU."""
    if request.param == "cuda":
        from ccl_viewer.devices.cuda.device import CudaDevice

        return CudaDevice(find_source=find_source)
    return EmulatorDevice(Schedule.parse(request.param), find_source)


@pytest.fixture
def make_runner(device: Device) -> MakeRunner:
    """Makes a runner for a module of kernels, on the device under test."""
    return lambda module: KernelRunner(device, module)
