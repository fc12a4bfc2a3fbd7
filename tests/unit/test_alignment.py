"""Which steps are shown, and which together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from support.fakes import recorded
from support.grids import noise

from ccl_viewer.api import record
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import (
    NOT_BEGUN,
    Granularity,
    Sync,
    align_steps,
    choose_stops,
    number_rounds,
)


@pytest.fixture(scope="module")
def scan() -> Recording:
    return record(noise(12, 12, 0.6), algorithm="label_equivalence", device="emulator", ledger=True)


@pytest.fixture(scope="module")
def direct() -> Recording:
    return record(noise(12, 12, 0.6), algorithm="ha4", device="emulator", ledger=True)


def test_every_step_is_a_stop(scan: Recording) -> None:
    assert choose_stops(scan) == tuple(range(len(scan)))
    assert choose_stops(scan, steps=slice(-2, None)) == (len(scan) - 2, len(scan) - 1)
    assert choose_stops(scan, steps=range(1, 3)) == (1, 2)


def test_iterations_end_with_their_last_step(scan: Recording) -> None:
    stops = choose_stops(scan, Granularity.ITERATION)
    assert [scan.step(stop).iteration for stop in stops] == [None, *range(1, scan.iterations + 1)]
    for stop in stops[:-1]:
        assert scan.step(stop + 1).iteration != scan.step(stop).iteration


def test_stages_end_with_their_last_step(direct: Recording) -> None:
    stops = choose_stops(direct, Granularity.STAGE)
    stages = [step.stage for step in direct.steps]
    assert [direct.step(stop).stage for stop in stops] == list(dict.fromkeys(stages))


def test_steps_that_are_not_there_are_refused(scan: Recording) -> None:
    with pytest.raises(InputError, match="no step to export"):
        choose_stops(scan, steps=slice(100, None))
    with pytest.raises(InputError, match="no step 100"):
        choose_stops(scan, steps=range(100, 101))


def test_rounds_are_iterations_or_stages(scan: Recording, direct: Recording) -> None:
    assert number_rounds(scan).tolist() == [step.iteration or 0 for step in scan.steps]
    assert number_rounds(direct).tolist() == list(range(len(direct)))


def test_stages_before_iterations_are_rounds_of_their_own() -> None:
    run = recorded(noise(4, 4, 0.6))
    rounds = [(Stage.INIT, None), (Stage.SCAN, None), (Stage.SCAN, 1), (Stage.SCAN, 2)]
    steps = [
        replace(run.step(0), index=index, stage=stage, iteration=iteration)
        for index, (stage, iteration) in enumerate(rounds)
    ]
    run.data.steps[:] = steps
    assert number_rounds(run).tolist() == [0, 1, 2, 3]
    run.data.steps[:] = steps[2:]
    assert number_rounds(run).tolist() == [1, 2]


def test_one_run_alone_shows_its_stops(scan: Recording) -> None:
    for sync in Sync:
        assert align_steps([scan], [(2, 4)], sync) == ((2,), (4,))


@pytest.mark.parametrize("sync", Sync)
def test_all_end_with_their_last_step_and_never_go_back(
    scan: Recording, direct: Recording, sync: Sync
) -> None:
    runs = [scan, direct]
    frames = np.array(align_steps(runs, [choose_stops(run) for run in runs], sync))
    assert frames[-1].tolist() == [len(run) - 1 for run in runs]
    assert (np.diff(frames, axis=0) >= 0).all()


def test_steps_go_together(scan: Recording, direct: Recording) -> None:
    frames = align_steps([scan, direct], [choose_stops(scan), choose_stops(direct)], Sync.STEP)
    assert len(frames) == len(scan)
    assert [frame[0] for frame in frames] == list(range(len(scan)))
    assert frames[1] == (1, 1)


def test_iterations_go_together() -> None:
    few, many = recorded(noise(9, 9, 0.6), passes=2), recorded(noise(9, 9, 0.6), passes=4)
    frames = align_steps([few, many], [choose_stops(few), choose_stops(many)], Sync.ITERATION)
    assert frames == ((0, 0), (1, 1), (2, 2), (2, 3), (2, 4))


def test_shares_go_together() -> None:
    few, many = recorded(noise(9, 9, 0.6), passes=1), recorded(noise(9, 9, 0.6), passes=3)
    frames = align_steps([few, many], [choose_stops(few), choose_stops(many)], Sync.SHARE)
    assert frames == ((NOT_BEGUN, 0), (0, 1), (0, 2), (1, 3))


def test_time_lets_each_be_as_fast_as_its_kernels() -> None:
    short, long = recorded(noise(9, 9, 0.6), passes=1), recorded(noise(9, 9, 0.6), passes=4)
    frames = align_steps([short, long], [choose_stops(short), choose_stops(long)], Sync.TIME)
    ends = np.cumsum([step.milliseconds for step in long.steps])
    for place, (first, second) in enumerate(frames, start=1):
        now = ends[-1] * place / len(frames)
        assert second == np.searchsorted(ends, now * (1 + 1e-9), side="right") - 1
        assert first == (NOT_BEGUN if now < 0.2499 else 0 if now < 0.7499 else 1)


def test_times_that_were_not_taken_are_missed(scan: Recording) -> None:
    untimed = recorded(noise(9, 9, 0.6))
    steps = untimed.data.steps
    steps[0] = replace(steps[0], milliseconds=math.nan)
    with pytest.raises(InputError, match="not timed"):
        align_steps([scan, untimed], [choose_stops(scan), choose_stops(untimed)], Sync.TIME)
