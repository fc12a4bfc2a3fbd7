"""How runs keep in step: properties of the mapping from moments to steps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.recording.alignment import StepCosts, Sync
from ccl_viewer.window.core.moments import MOMENTS_PER_SECOND, RACE_SECONDS, Moments


@st.composite
def costs(draw: st.DrawFn) -> StepCosts:
    """A run of a few steps, with rounds that rise by 0 or 1 and times of any size."""
    drawn = np.frombuffer(draw(st.binary(min_size=1, max_size=41)), np.uint8)
    rounds = np.cumsum(drawn & 1) - (drawn[0] & 1)
    return StepCosts(rounds.astype(np.int64), 10.0 ** (drawn / 36.0 - 4))


several = st.lists(costs(), min_size=1, max_size=4)
syncs = st.sampled_from(list(Sync))


def made(runs: list[StepCosts], sync: Sync) -> Moments:
    moments = Moments()
    moments.align(runs, sync, step=0)
    return moments


@given(several, syncs)
def test_steps_never_go_back_and_all_runs_end_at_the_last_moment(
    runs: list[StepCosts], sync: Sync
) -> None:
    together = made(runs, sync)
    for run, own in zip(runs, together.shown, strict=True):
        assert len(own) == together.count
        assert (np.diff(own) >= 0).all()
        assert own[0] >= 0
        assert own[-1] == len(run) - 1


@given(several)
def test_by_step_each_shows_the_moment_until_its_end(runs: list[StepCosts]) -> None:
    together = made(runs, Sync.STEP)
    assert together.count == max(len(run) for run in runs)
    for moment in range(together.count):
        assert together.steps_at(moment) == tuple(min(moment, len(run) - 1) for run in runs)


@given(several)
def test_by_iteration_no_run_is_ahead_of_the_round(runs: list[StepCosts]) -> None:
    together = made(runs, Sync.ITERATION)
    for moment in range(together.count):
        for run, step in zip(runs, together.steps_at(moment), strict=True):
            assert run.rounds[step] == min(moment, int(run.rounds[-1]))
            assert step == len(run) - 1 or run.rounds[step + 1] > moment


@given(several)
def test_by_share_runs_end_at_the_same_moment_and_not_before(runs: list[StepCosts]) -> None:
    together = made(runs, Sync.SHARE)
    for run, own in zip(runs, together.shown, strict=True):
        assert len(run) == 1 or own[-2] < len(run) - 1


@given(several)
def test_a_race_is_in_the_order_of_time(runs: list[StepCosts]) -> None:
    together = made(runs, Sync.TIME)
    assert together.count == RACE_SECONDS * MOMENTS_PER_SECOND + 1
    totals = [float(run.milliseconds.sum()) for run in runs]
    arrivals = [together.first_moment_of(place, len(run) - 1) for place, run in enumerate(runs)]
    for first in range(len(runs)):
        for second in range(len(runs)):
            if totals[first] < totals[second] and len(runs[first]) > 1 and len(runs[second]) > 1:
                assert arrivals[first] <= arrivals[second]
    assert together.times[-1] == pytest.approx(max(totals))
    slowest = int(np.argmax(totals))
    assert len(runs[slowest]) == 1 or arrivals[slowest] == together.count - 1


@given(several)
def test_in_a_race_the_steps_shown_have_ended(runs: list[StepCosts]) -> None:
    together = made(runs, Sync.TIME)
    for run, own in zip(runs, together.shown, strict=True):
        ends = np.cumsum(run.milliseconds)
        late = own > 0
        assert (ends[own[late]] <= together.times[late] * (1 + 1e-6)).all()


@given(several, syncs, st.data())
def test_stepping_visits_every_change_in_both_directions(
    runs: list[StepCosts], sync: Sync, data: st.DataObject
) -> None:
    together = made(runs, sync)
    moment = data.draw(st.integers(0, together.count - 1))
    together.go_to(moment)
    forward = together.nearest_change(forward=True)
    assert forward > moment or together.steps_at(moment) == together.steps_at(together.count - 1)
    assert all(together.steps_at(m) == together.steps_at(moment) for m in range(moment, forward))
    back = together.nearest_change(forward=False)
    assert back < moment or moment == 0
    assert all(together.steps_at(m) == together.steps_at(back) for m in range(back, max(moment, 1)))


@given(several, syncs, st.data())
def test_a_step_is_found_at_its_first_moment(
    runs: list[StepCosts], sync: Sync, data: st.DataObject
) -> None:
    together = made(runs, sync)
    run = data.draw(st.integers(0, len(runs) - 1))
    step = data.draw(st.integers(0, len(runs[run]) - 1))
    moment = together.first_moment_of(run, step)
    assert together.shown[run][moment] >= step
    assert moment == 0 or together.shown[run][moment - 1] < step


def test_a_race_without_times_goes_by_share() -> None:
    timed = StepCosts(np.arange(4), np.ones(4))
    untimed = StepCosts(np.arange(8), np.full(8, np.nan))
    assert made([timed], Sync.TIME).sync is Sync.TIME
    together = made([timed, untimed], Sync.TIME)
    assert together.sync is Sync.SHARE
    assert np.isnan(together.clock)
    assert together.count == 8


@pytest.mark.parametrize("sync", Sync)
def test_without_runs_there_is_no_moment(sync: Sync) -> None:
    together = made([], sync)
    assert (together.count, together.current_steps) == (0, ())


def arranged(*lengths: int, sync: Sync = Sync.STEP, step: int = 0) -> Moments:
    moments = Moments()
    costs = [StepCosts(np.arange(length), np.ones(length)) for length in lengths]
    moments.align(costs, sync, step=step)
    return moments


def test_moments_stay_inside_and_keep_to_the_first_run() -> None:
    moments = arranged(4, 8, step=2)
    assert moments.current_steps == (2, 2)
    moments.go_to(99)
    assert (moments.position, moments.current_steps) == (7, (3, 7))
    costs = [StepCosts(np.arange(length), np.ones(length)) for length in (4, 12)]
    moments.align(costs, Sync.STEP, step=3)
    assert moments.current_steps == (3, 11), "who was at the end stays there"
    moments.align((), Sync.STEP, step=0)
    assert (moments.count, moments.position, len(moments.current_steps)) == (0, 0, 0)


def test_a_race_has_its_own_pace_and_says_whose_times_it_goes_by() -> None:
    moments = arranged(3, 6, sync=Sync.TIME)
    assert moments.seconds_per_moment == pytest.approx(1 / MOMENTS_PER_SECOND)
    moments.go_to(moments.count - 1)
    assert moments.clock == pytest.approx(6.0)
    assert not moments.uses_emulator_times
    assert arranged(3).seconds_per_moment is None


def test_by_bytes_each_has_moved_as_much() -> None:
    rounds, times = np.arange(3), np.ones(3)
    runs = [StepCosts(rounds, times, np.array(moved)) for moved in ([1.0, 1, 2], [4.0, 2, 2])]
    together = made(runs, Sync.BYTES)
    assert together.sync is Sync.BYTES
    assert together.seconds_per_moment == 1 / MOMENTS_PER_SECOND
    for moment, reached in enumerate(together.times):
        steps = together.steps_at(moment)
        for run, step in zip(runs, steps, strict=True):
            moved = np.cumsum(run.nbytes)
            assert step == 0 or moved[step] <= reached * (1 + 1e-9)
            assert step == 2 or moved[step + 1] > reached * (1 - 1e-9)


def test_without_counts_runs_end_together() -> None:
    counted = StepCosts(np.arange(2), np.ones(2), np.ones(2))
    assert made([counted, StepCosts(np.arange(2), np.ones(2))], Sync.BYTES).sync is Sync.SHARE
