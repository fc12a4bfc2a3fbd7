"""The times of launches are the kernels' own: nothing that goes on around them is counted."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.devices.emulator import device as emulator
from ccl_viewer.devices.emulator import workers as workers_module
from ccl_viewer.devices.emulator.clock import Clock
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.workers import Workers
from ccl_viewer.recording import Recorder, Recording

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its clock is called otherwise")

HOUR = 3_600
MILLISECOND = 1_000_000


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_int64))


_Function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(_Time))


class SlowWorld:
    """A clock by which an hour goes by around each launch; launches take 2 ms, or 5 elsewhere."""

    def __init__(self) -> None:
        self._mine = threading.get_ident()
        self._calls = Counter[int]()
        self._function = _Function(self._tell)
        address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self.clock = Clock(address, number=7, ticks=MILLISECOND)

    def _tell(self, number: int, time: ctypes._Pointer[_Time]) -> int:
        thread = threading.get_ident()
        launch, ends = divmod(self._calls[thread], 2)
        self._calls[thread] += 1
        took = 2 if thread == self._mine else 5
        time.contents.seconds = launch * HOUR
        time.contents.nanoseconds = ends * took * MILLISECOND
        return 0 if number == self.clock.number else -1


@pytest.fixture
def slow_world(monkeypatch: pytest.MonkeyPatch) -> SlowWorld:
    """Launches are timed with the slow world's clock."""
    world = SlowWorld()
    crew = Workers(world.clock)
    monkeypatch.setattr(emulator, "open_workers", lambda: crew)
    return world


def _run(shape: tuple[int, int], cores: int | None = None) -> Recording:
    grid = np.ones(shape, np.uint8)
    return Recorder(grid, find_algorithm("playne"), EmulatorDevice(cores=cores), 4).run()


@pytest.mark.usefixtures("slow_world")
def test_only_the_launches_themselves_are_counted() -> None:
    recording = _run((6, 8))
    assert len(recording) > 1
    assert {step.milliseconds for step in recording.steps} == {2.0}


@pytest.mark.usefixtures("slow_world")
def test_a_launch_on_several_cores_takes_as_long_as_the_core_that_is_at_it_longest() -> None:
    recording = _run((160, 160), cores=2)
    assert max(step.milliseconds for step in recording.steps) == 5.0


def test_the_system_has_a_clock_for_launches() -> None:
    recording = _run((6, 8))
    assert all(0 < step.milliseconds < HOUR for step in recording.steps)


def test_threads_that_begin_at_once_share_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)

    class Slow(Workers):
        def __init__(self) -> None:
            super().__init__()
            with suppress(threading.BrokenBarrierError):
                both.wait(0.2)  # until another thread makes some too, if it does

    monkeypatch.setattr(workers_module, "_workers", cache(Slow))
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: workers_module.open_workers(), range(2))
    assert first is second
