"""The devices on which the conformance suite runs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support.stand import Bench, Stand, find_source

from ccl_viewer.devices.base import Device
from ccl_viewer.devices.emulator.build import CACHE_VARIABLE
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.schedules import Schedule

SCHEDULES = ("sequential", "synchronous", "reverse", "random:1", "random:2", "random:3")


@pytest.fixture(scope="session", autouse=True)
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled kernels lie in one folder for the whole run, apart from the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        if CACHE_VARIABLE not in os.environ:
            folder = tmp_path_factory.getbasetemp()
            if "PYTEST_XDIST_WORKER" in os.environ:
                folder = folder.parent  # of all workers
            patch.setenv(CACHE_VARIABLE, str(folder / "compiled-kernels"))
        yield


@pytest.fixture(
    params=[*SCHEDULES, pytest.param("cuda", marks=pytest.mark.gpu)],
)
def device(request: pytest.FixtureRequest) -> Device:
    """The emulator under each schedule, and a GPU."""
    if request.param == "cuda":
        from ccl_viewer.devices.cuda import CudaDevice

        return CudaDevice(find_source=find_source)
    return EmulatorDevice(Schedule.parse(request.param), find_source)


@pytest.fixture
def bench(device: Device) -> Bench:
    """Makes a stand for a module of kernels, on the device under test."""
    return lambda module: Stand(device, module)
