"""Times in a comparison: those recorded, and medians once all lanes have been measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import RunSettings, Session
from ccl_viewer.session.comparison.comparison import Comparison
from ccl_viewer.session.comparison.heading import heading_of
from ccl_viewer.session.comparison.lockstep import timed_by, track_of
from ccl_viewer.session.comparison.table import (
    CSV_COLUMNS,
    alike,
    cells_of,
    csv_of,
    notes_of,
)
from ccl_viewer.session.facts import measuring

REPEATS = 3


@pytest.fixture
def raced(labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """A race of two runs on Shibata's cells."""
    monkeypatch.setattr(measuring, "REPEATS", REPEATS)
    comparison = labelled.comparison
    comparison.remember([RunSettings("row_col_unify")])
    comparison.look(replace(comparison.view, sync=Sync.TIME, table=True))
    comparison.show(on=True)
    runner.work_all()
    return comparison


def medians(session: Session, recording: Recording) -> list[float]:
    timing = session.measuring.timing_of(recording)
    assert timing is not None
    return [step.spread.median for step in timing.of(recording) if step is not None]


def test_a_race_goes_by_the_recorded_times_at_first(raced: Comparison, labelled: Session) -> None:
    longest = max(recording.milliseconds for recording in raced.recordings)
    labelled.playback.last()
    assert raced.moments.clock == pytest.approx(longest)
    assert heading_of(raced, labelled, None).timed == "one run"
    assert raced.note == "One run each"


def test_all_lanes_are_measured_in_one_go(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    raced.measure()
    assert len(runner.jobs) == 1
    runner.work_all()
    sums = []
    for recording in raced.recordings:
        own = medians(labelled, recording)
        assert len(own) == len(recording)
        assert raced.moments.time_of(recording, 1) == pytest.approx(sum(own[:2]))
        sums.append(sum(own))
    labelled.playback.last()
    assert raced.moments.clock == pytest.approx(max(sums))
    for lane in (None, *raced.lanes):
        assert heading_of(raced, labelled, lane).timed == f"median of {REPEATS}"
    assert f"{REPEATS} runs" in raced.note
    assert f"medians of {REPEATS} runs" in notes_of(raced.rows)


def test_a_race_between_medians_and_one_run_is_not_held(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    labelled.measuring.measure()
    runner.work_all()
    assert labelled.measuring.timing is not None
    assert raced.moments.repeats == 0
    assert heading_of(raced, labelled, None).timed == "one run"
    assert "measure all" in notes_of(raced.rows)


def test_a_lane_that_is_run_anew_takes_the_race_back_to_recorded_times(
    raced: Comparison, runner: HeldRunner
) -> None:
    raced.measure()
    runner.work_all()
    assert raced.moments.repeats == REPEATS
    raced.change(raced.lanes[0], RunSettings("ha4"))
    runner.work_all()
    assert raced.moments.repeats == 0


def test_measuring_lanes_can_be_cancelled(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    before = raced.recordings
    raced.measure()
    labelled.cancel()
    runner.work_all()
    assert raced.moments.repeats == 0
    assert all(labelled.measuring.timing_of(recording) is None for recording in before)
    assert raced.recordings == before


def test_nothing_is_measured_while_a_lane_is_recorded(raced: Comparison, labelled: Session) -> None:
    raced.change(raced.lanes[0], RunSettings("ha4"))
    raced.measure()
    assert raced.working
    assert not labelled.busy


def test_what_floats_is_placed_before_all_lanes_are_measured(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    before = raced.recordings
    labelled.edits.paste(np.ones((2, 2), np.uint8), (0, 0))
    raced.measure()
    assert labelled.tools.selection.patch is None
    runner.work_all()
    assert labelled.grid is not None
    for recording, old in zip(raced.recordings, before, strict=True):
        assert np.array_equal(recording.image, labelled.grid)
        assert not np.array_equal(recording.image, old.image)
        assert medians(labelled, recording)


def test_lanes_that_are_stopped_are_not_measured_later(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    labelled.edits.paste(np.ones((2, 2), np.uint8), (0, 0))
    raced.measure()
    runner.work(runner.jobs[0])
    assert raced.working
    raced.cancel()
    runner.work_all()
    assert labelled.measuring.timing is None


def test_the_baseline_is_measured_with_the_lanes(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    raced.pin_baseline()
    labelled.run()
    runner.work_all()
    raced.measure()
    runner.work_all()
    assert raced.moments.repeats == REPEATS
    assert raced.baseline_row is not None
    assert raced.baseline_row.repeats == REPEATS


def test_the_table_tells_medians_and_their_spread(raced: Comparison, runner: HeldRunner) -> None:
    assert "median" not in cells_of(raced.rows[0])[3]
    raced.measure()
    runner.work_all()
    for row in raced.rows:
        assert row.spread is not None
        assert cells_of(row)[3].endswith(f"(median of {REPEATS}, emulated)")
        line = dict(zip(CSV_COLUMNS, csv_of([row]).splitlines()[1].split(","), strict=False))
        assert float(line["median_ms"]) == pytest.approx(row.spread.median, rel=1e-5)
        assert line["timed_runs"] == str(REPEATS)
    alone = replace(raced.rows[0], spread=None, repeats=0)
    assert alike(raced.rows)
    assert not alike([alone, *raced.rows])
    assert "(" not in cells_of(raced.rows[0], plain=True)[3]
    assert "%" not in cells_of(alone, baseline=raced.rows[1])[3]
    assert "%" in cells_of(raced.rows[0], baseline=raced.rows[1])[3]


def test_a_step_that_no_measured_run_came_to_leaves_the_recorded_times(
    raced: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    raced.measure()
    runner.work_all()
    recording = raced.recordings[0]
    timing = labelled.measuring.timing_of(recording)
    assert timing is not None
    track, known = track_of(recording), timing.of(recording)
    found = timed_by(track, known)
    assert found is not None
    np.testing.assert_array_equal(found.rounds, track.rounds)
    assert timed_by(track, (None, *known[1:])) is None
