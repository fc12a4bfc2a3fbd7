"""The comparison as a model: lanes, their runs, keeping in step, differences, baseline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import RunSettings, Session
from ccl_viewer.session.comparison.comparison import MOST_LANES, Comparison
from ccl_viewer.session.comparison.heading import NOT_EQUAL, heading_of
from ccl_viewer.session.comparison.lane import Lane, LaneState
from ccl_viewer.session.comparison.table import NOT_COUNTED, cells_of, csv_of, notes_of
from ccl_viewer.session.exporting.subject import subject_of
from ccl_viewer.session.playback.transport import Section


@pytest.fixture
def compared(labelled: Session, runner: HeldRunner) -> Comparison:
    """Label Equivalence and Row-Col Unify on Shibata's cells."""
    labelled.comparison.remember([RunSettings("row_col_unify")])
    labelled.comparison.show(on=True)
    runner.work_all()
    return labelled.comparison


def is_stale(lane: Lane) -> bool:
    return lane.stale


def state_of(lane: Lane) -> str:
    return str(lane.state)


def steps(session: Session) -> list[int]:
    lanes = session.comparison.lanes
    return [session.playback.position, *(lane.playback.position for lane in lanes)]


def counts(session: Session) -> list[int]:
    return [len(recording) for recording in session.comparison.recordings]


def look(comparison: Comparison, sync: Sync) -> None:
    comparison.look(replace(comparison.view, sync=sync))


# Lanes


def test_the_first_lane_is_a_rival_of_the_run(labelled: Session, runner: HeldRunner) -> None:
    comparison = labelled.comparison
    comparison.show(on=True)
    (lane,) = comparison.lanes
    assert lane.settings.algorithm != labelled.settings.algorithm
    assert state_of(lane) == "recording"
    runner.work_all()
    assert state_of(lane) == "ready"
    assert lane.recording is not None
    assert lane.recording.verdict is not None
    assert lane.recording.verdict.correct


def test_at_most_four_runs_are_side_by_side(compared: Comparison, runner: HeldRunner) -> None:
    assert compared.add() is not None
    assert compared.add() is not None
    assert compared.full
    assert compared.add() is None
    runner.work_all()
    algorithms = {recording.algorithm for recording in compared.recordings}
    assert len(algorithms) == MOST_LANES


def test_the_latest_choice_of_a_lane_wins(compared: Comparison, runner: HeldRunner) -> None:
    (lane,) = compared.lanes
    compared.change(lane, RunSettings("ha4"))
    compared.change(lane, RunSettings("shibata_slow"))
    runner.work_all()
    assert lane.recording is not None
    assert lane.recording.algorithm == "shibata_slow"


def test_a_lane_can_be_cancelled_and_run_again(compared: Comparison, runner: HeldRunner) -> None:
    (lane,) = compared.lanes
    compared.change(lane, RunSettings("ha4"))
    compared.cancel()
    assert (lane.state, lane.recording) == (LaneState.FAILED, None)
    assert "Stopped" in lane.failure
    runner.work_all()
    assert lane.recording is None
    compared.retry(lane)
    runner.work_all()
    assert lane.state is LaneState.READY


def test_a_failure_is_named_in_the_lane(compared: Comparison, runner: HeldRunner) -> None:
    (lane,) = compared.lanes
    compared.change(lane, RunSettings("ha4", schedule="sideways"))
    runner.work_all()
    assert lane.state is LaneState.FAILED
    assert "sideways" in lane.failure
    assert not runner.jobs


def test_closing_forgets_the_runs_and_opening_brings_the_lanes_back(
    compared: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    position = labelled.playback.position
    compared.show(on=False)
    assert not compared.lanes
    assert all(lane.recording is None for lane in compared.slots)
    assert labelled.playback.lead is None
    assert labelled.playback.position == position
    compared.show(on=True)
    runner.work_all()
    assert [settings.algorithm for settings in compared.chosen] == ["row_col_unify"]


def test_the_last_lane_removed_ends_the_comparison(compared: Comparison) -> None:
    compared.remove(compared.lanes[0])
    assert not compared.open


def test_every_algorithm_can_be_a_rival() -> None:
    session = Session(HeldRunner())
    for row in ALGORITHMS.values():
        session.configure(algorithm_key=row.key)
        rival = session.comparison.rival()
        assert rival.algorithm != row.key
        assert rival.connectivity in ALGORITHMS[rival.algorithm].connectivities


# Drawing


def test_lanes_run_again_after_the_run_of_the_session(
    compared: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    (lane,) = compared.lanes
    labelled.tools.press((0, 0), second=False)
    labelled.tools.release()
    assert is_stale(lane)
    titles = [job.title for job in runner.jobs]
    assert titles == ["Running Label Equivalence"]
    runner.work_all()
    assert not is_stale(lane)
    assert lane.recording is not None
    assert labelled.grid is not None
    np.testing.assert_array_equal(lane.recording.image, labelled.grid)


def test_lanes_give_way_to_work_of_the_session(
    compared: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    (lane,) = compared.lanes
    compared.change(lane, RunSettings("ha4"))
    waiting = runner.jobs[0]
    labelled.run()
    assert waiting.cancel.cancelled
    assert state_of(lane) == "waiting"
    runner.work_all()
    assert state_of(lane) == "ready"


def test_a_run_with_other_settings_leaves_the_lanes_alone(
    compared: Comparison, labelled: Session, runner: HeldRunner
) -> None:
    (lane,) = compared.lanes
    before = lane.recording
    labelled.configure(algorithm_key="ha4")
    runner.work_all()
    assert lane.recording is before
    assert labelled.comparison.recordings[0].algorithm == "ha4"


# Keeping in step


@pytest.mark.parametrize("sync", list(Sync))
def test_playing_to_the_end_brings_all_runs_to_theirs(
    compared: Comparison, labelled: Session, sync: Sync
) -> None:
    look(compared, sync)
    labelled.playback.first()
    assert steps(labelled)[0] == 0
    labelled.playback.toggle()
    now, before = 0.0, steps(labelled)
    while labelled.playback.playing:
        now += 0.1
        labelled.playback.tick(now)
        after = steps(labelled)
        assert all(a <= b for a, b in zip(before, after, strict=True))
        before = after
    assert before == [count - 1 for count in counts(labelled)]
    assert labelled.playback.at_end


def test_by_step_all_go_on_by_one(compared: Comparison, labelled: Session) -> None:
    labelled.playback.first()
    labelled.playback.forward()
    assert steps(labelled) == [1, 1]
    labelled.playback.last()
    assert steps(labelled) == [count - 1 for count in counts(labelled)]


def test_lanes_follow_where_the_run_is_scrubbed_to(compared: Comparison, labelled: Session) -> None:
    labelled.playback.first()
    labelled.playback.go_to(3)
    assert steps(labelled) == [3, 3]


def test_a_race_takes_as_many_seconds_as_were_chosen(
    compared: Comparison, labelled: Session
) -> None:
    compared.look(replace(compared.view, sync=Sync.TIME, seconds=3.0))
    labelled.playback.first()
    labelled.playback.toggle()
    ticks = 0
    while labelled.playback.playing:
        labelled.playback.tick(ticks * 0.05)
        ticks += 1
    assert ticks == pytest.approx(60, abs=2)
    slowest = max(recording.milliseconds for recording in compared.recordings)
    assert compared.moments.clock == pytest.approx(slowest)


def test_the_speed_has_no_say_in_a_race(compared: Comparison, labelled: Session) -> None:
    look(compared, Sync.TIME)
    rate = compared.moments.rate
    labelled.playback.set_speed(8.0)
    assert compared.moments.rate == rate


def test_a_section_of_the_run_is_played_in_all_lanes(
    compared: Comparison, labelled: Session
) -> None:
    labelled.playback.set_section(Section(1, 3))
    assert compared.moments.span(labelled.playback.section) == Section(1, 3)
    assert compared.moments.span(None) == Section(0, compared.moments.count - 1)


# Differences


def test_differences_are_counted_and_vanish_at_the_end(
    compared: Comparison, labelled: Session
) -> None:
    compared.look(replace(compared.view, difference=True))
    (lane,) = compared.lanes
    labelled.playback.last()
    assert compared.count_of(None) == compared.count_of(lane) == 0
    labelled.playback.first()
    labelled.playback.forward()
    mask = compared.mask(lane)
    assert mask is not None
    assert compared.count_of(lane) == np.count_nonzero(mask) > 0
    heading = heading_of(compared, labelled, lane)
    assert heading.differing == f"{NOT_EQUAL} {np.count_nonzero(mask)}"


def test_without_the_layer_nothing_is_compared(compared: Comparison) -> None:
    assert compared.mask(None) is None
    assert compared.count_of(compared.lanes[0]) is None


def test_large_grids_are_compared_away_from_the_session(
    session: Session, runner: HeldRunner
) -> None:
    session.open("pattern:spiral?size=200")
    runner.work_all()
    session.comparison.remember([RunSettings("ha4")])
    session.comparison.show(on=True)
    runner.work_all()
    comparison = session.comparison
    comparison.look(replace(comparison.view, difference=True))
    session.playback.first()
    assert comparison.mask(None) is None
    session.playback.forward()  # asked for while the first is being counted
    runner.work_all()
    mask = comparison.mask(None)
    assert mask is not None
    assert comparison.count_of(None) == np.count_nonzero(mask) > 0


# Baseline


def test_a_baseline_survives_runs_on_its_grid_and_says_when_the_grid_differs(
    labelled: Session, runner: HeldRunner
) -> None:
    comparison = labelled.comparison
    comparison.remember([RunSettings("ha4")])
    comparison.pin_baseline()
    comparison.show(on=True)
    comparison.look(replace(comparison.view, difference=True))
    labelled.configure(algorithm_key="row_col_unify")
    runner.work_all()
    baseline = comparison.baseline_row
    assert baseline is not None
    assert baseline.name == "Label Equivalence"
    assert comparison.note == ""
    row = comparison.rows[0]
    assert f"{row.launches - baseline.launches:+}" in cells_of(row, baseline)[1]
    labelled.playback.first()
    assert comparison.count_of(None) is not None
    labelled.tools.press((0, 0), second=False)
    labelled.tools.release()
    runner.work_all()
    assert comparison.baseline is not None
    assert comparison.baseline_row is None
    assert "grid" in comparison.note
    comparison.drop_baseline()
    assert comparison.note == ""


def test_a_baseline_alone_can_be_compared_with(labelled: Session, runner: HeldRunner) -> None:
    comparison = labelled.comparison
    comparison.show(on=True)
    runner.work_all()
    comparison.pin_baseline()
    comparison.remove(comparison.lanes[0])
    assert comparison.open
    comparison.look(replace(comparison.view, difference=True))
    assert comparison.count_of(None) == 0


# Table


def test_the_table_tells_of_each_run(compared: Comparison, labelled: Session) -> None:
    rows = compared.rows
    for row, recording in zip(rows, compared.recordings, strict=True):
        cells = cells_of(row)
        assert cells[1] == str(len(recording))
        assert cells[2] == str(recording.iterations)
        assert "emulated" in cells[3]
        assert cells[4] == f"{recording.atomics:,}"
        assert cells[7] == "right"
        assert row.changed == sum(step.changed for step in recording.steps)
        assert row.settled is not None
        assert not any(step.changed for step in recording.steps[row.settled :])
    assert "emulator" in notes_of(rows)
    lines = csv_of(rows).splitlines()
    assert len(lines) == 1 + len(rows)
    assert lines[1].startswith("Label Equivalence,")
    row = replace(rows[0], name="+1", device="=1")  # names from elsewhere, and no formulas
    assert csv_of([row]).splitlines()[1].startswith("'+1,'=1,")


def test_what_was_not_counted_is_said_to_be_so(compared: Comparison) -> None:
    row = replace(compared.rows[0], atomics=None, emulated=False)
    assert cells_of(row)[4] == NOT_COUNTED
    assert cells_of(compared.rows[0], baseline=row)[4] == "0"
    assert "GPU does not count" in notes_of((row,))
    assert "GPU does not count" not in notes_of(compared.rows)
    line = dict(zip(*(text.split(",") for text in csv_of((row,)).splitlines()), strict=False))
    assert line["atomics"] == ""


def test_the_runs_are_offered_for_export_side_by_side(
    compared: Comparison, labelled: Session
) -> None:
    look(compared, Sync.SHARE)
    subject = subject_of(labelled)
    assert subject is not None
    assert subject.lanes == compared.recordings
    assert subject.sync is Sync.SHARE
    compared.show(on=False)
    subject = subject_of(labelled)
    assert subject is not None
    assert subject.lanes == ()


def test_headings_say_where_each_run_is(compared: Comparison, labelled: Session) -> None:
    labelled.playback.first()
    lanes: tuple[Lane | None, ...] = (None, compared.lanes[0])
    for lane in lanes:
        heading = heading_of(compared, labelled, lane)
        assert heading.place.startswith("1 / ")
        assert heading.stage is not None
        assert not heading.ended
    labelled.playback.last()
    heading = heading_of(compared, labelled, compared.lanes[0])
    assert heading.ended
    assert heading.fraction == 1.0
