"""Times of repeated runs, on a device with scripted times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from support.fakes import NAIVE, FakeDevice, FakeKernel, FakeRun, picture, recorded

import ccl_viewer as ccl
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.execution.device import Elapsed
from ccl_viewer.execution.plan import Array, Buffer, Launch
from ccl_viewer.recording import time_plan
from ccl_viewer.recording.data import Spread
from ccl_viewer.recording.timing import RunTiming
from ccl_viewer.support.cancellation import CancelToken

GRID = picture("##.# .#.#")


class PacedRun(FakeRun):
    """Takes a time for each launch, and tells it only while the run is open."""

    def __init__(self, kernels: Mapping[str, FakeKernel], pace: float) -> None:
        super().__init__(kernels, timed=True)
        self._pace = pace

    def launch(self, launch: Launch) -> Elapsed:
        super().launch(launch)
        milliseconds = self._pace * len(self.launches)

        def elapsed() -> float:
            assert not self.closed
            return milliseconds

        return elapsed


class PacedDevice(FakeDevice):
    """Each run takes its own time, and as many passes as the script says.

    Parameters
    ----------
    script : sequence of (float, int)
        Of each run, the one that warms up included: milliseconds of the first launch, of which
        each launch takes one more; and passes until nothing changes.
    """

    def __init__(self, script: Sequence[tuple[float, int]]) -> None:
        super().__init__({"naive_propagate": self._pass})
        self._script = script
        self._passes = 0

    @contextmanager
    def open(
        self,
        image: Buffer,
        pixels: Any,
        *,
        timed: bool = True,
        cancel: CancelToken | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> Iterator[FakeRun]:
        assert timed
        pace, self._passes = self._script[len(self.runs)]
        run = PacedRun(self.kernels, pace)
        self.runs.append(run)
        run.arrays[image] = np.array(pixels)
        yield run
        run.close()

    def _pass(self, labels: Array, changed: Array, connectivity: int) -> None:
        self._passes -= 1
        changed[...] = self._passes > 0


def timed(script: Sequence[tuple[float, int]], **parameters: int | None) -> RunTiming:
    device = PacedDevice(script)
    found = time_plan(GRID, NAIVE, device, 4, parameters, repeats=len(script) - 1)
    assert len(device.runs) == len(script)
    assert all(run.closed for run in device.runs)
    return found


def test_steps_have_the_spread_of_all_runs_but_the_first() -> None:
    found = timed([(100.0, 2), (4.0, 2), (1.0, 2), (3.0, 2), (2.0, 2), (5.0, 2)])
    assert [step.place.kernel for step in found.steps] == [
        "naive_init", "naive_propagate", "naive_propagate"
    ]  # fmt: skip
    assert found.steps[0].spread == Spread(median=3, minimum=1, maximum=5, lower=2, upper=4)
    assert found.steps[2].spread == Spread(median=9, minimum=3, maximum=15, lower=6, upper=12)
    assert found.total == Spread(median=18, minimum=6, maximum=30, lower=12, upper=24)
    assert [step.runs for step in found.steps] == [5, 5, 5]
    assert found.same_steps
    assert found.sentence == "5 runs of 3 steps, not recorded."


def test_one_run_has_no_spread() -> None:
    found = timed([(1.0, 1), (2.0, 1)])
    assert found.steps[0].spread == Spread(2, 2, 2, 2, 2)
    assert found.sentence == "1 run of 2 steps, not recorded."


def test_runs_of_different_length_are_told_apart_and_said() -> None:
    found = timed([(1.0, 1), (1.0, 2), (2.0, 4), (3.0, 1)])
    assert [step.place.iteration for step in found.steps] == [None, 1, 2, 3, 4]
    assert [step.runs for step in found.steps] == [3, 3, 2, 1, 1]
    assert found.steps[2].spread == Spread(4.5, 3, 6, 3.75, 5.25)
    assert (found.fewest, found.most) == (2, 5)
    assert not found.same_steps
    assert found.sentence == (
        "3 runs of 2 to 5 steps, not recorded: how many depends on the order of the threads."
    )


def test_steps_that_only_some_runs_have_stand_where_they_were() -> None:
    found = timed([(1.0, 1), (1.0, 1), (1.0, 3)], measure=1)
    kernels = [step.place.kernel.removeprefix("naive_") for step in found.steps]
    assert kernels == ["measure", "init", "propagate", "propagate", "propagate"]


def test_times_lie_beside_the_steps_of_a_recording() -> None:
    recording = recorded(GRID)
    assert len(recording) == 4
    beside = timed([(1.0, 1), (2.0, 2)]).match_steps(recording)
    assert [None if step is None else step.spread.median for step in beside] == [2, 4, 6, None]


def test_a_finished_numbering_is_timed_too() -> None:
    found = ccl.time_run(GRID, "ha4", device="emulator", repeats=1, consecutive=True)
    recording = ccl.record(GRID, "ha4", device="emulator", consecutive=True)
    assert len(found.steps) == len(recording)
    assert None not in found.match_steps(recording)
    for step in found.steps:
        assert 0 <= step.spread.minimum <= step.spread.median <= step.spread.maximum


@pytest.mark.parametrize("schedule", ["sequential", "synchronous", "random:4"])
def test_real_runs_have_the_steps_of_their_recording(schedule: str) -> None:
    recording = ccl.record(GRID, "label_equivalence", device="emulator", schedule=schedule)
    found = ccl.time_run(GRID, "label_equivalence", device="emulator", schedule=schedule, repeats=3)
    assert None not in found.match_steps(recording)
    assert found.same_steps
    assert math.isfinite(found.total.upper)


def test_progress_is_told_and_cancelling_stops_between_runs() -> None:
    cancel = CancelToken()
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if text.startswith("Timing: run 2"):
            cancel.cancel()

    device = PacedDevice([(1.0, 1)] * 9)
    with pytest.raises(CancelledError):
        time_plan(GRID, NAIVE, device, 4, repeats=8, cancel=cancel, progress=tell)
    assert told == ["Timing: warming up", "Timing: run 1 of 8", "Timing: run 2 of 8"]
    assert len(device.runs) == 3


@pytest.mark.parametrize("repeats", [0, -1, 10_001, True])
def test_repeats_have_bounds(repeats: int) -> None:
    with pytest.raises(InputError, match="Choose 1 to 10,000 repeats"):
        time_plan(GRID, NAIVE, FakeDevice(), 4, repeats=repeats)


def test_what_the_algorithm_cannot_do_is_refused_before_anything_runs() -> None:
    device = FakeDevice()
    with pytest.raises(InputError, match="no parameter"):
        time_plan(GRID, NAIVE, device, 4, {"speed": 1})
    with pytest.raises(InputError, match="cannot tell values apart"):
        time_plan(GRID, NAIVE, device, 4, multivalued=True)
    assert device.runs == []
