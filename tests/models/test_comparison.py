"""Comparing runs: panes, what they do together, differences, what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.grids import noise
from support.models import HeldExecutor, inline_session

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.copies import Copy, make_copy
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import Sync
from ccl_viewer.window.core.comparison import MAX_PANES, Comparison
from ccl_viewer.window.core.comparison_texts import (
    make_heading,
    make_rows,
    name_run,
    write_clock,
    write_note,
)
from ccl_viewer.window.core.moments import RACE_SECONDS
from ccl_viewer.window.core.panes import Pane, RunDifference, choose_columns
from ccl_viewer.window.core.run_settings import RunSettings
from ccl_viewer.window.core.session import Session

GRID, LARGE = noise(12, 16, 0.6), noise(140, 140, 0.6)


@pytest.fixture
def session() -> Iterator[Session]:
    """A session with a run of a small grid, which shows its first step."""
    session = inline_session()
    session.document.load_grid(GRID, "noise")
    session.playback.go_to_first()
    yield session
    session.close()


@pytest.fixture
def comparison(session: Session) -> Comparison:
    """Label Equivalence beside HA4, which has fewer steps, and Row-Col Unify, which has more."""
    session.comparison.set_rival_settings([RunSettings("ha4"), RunSettings("row_col_unify")])
    session.comparison.set_open(True)
    return session.comparison


def indices(comparison: Comparison) -> list[int]:
    return [pane.display.index for pane in comparison.panes]


def state(comparison: Comparison) -> str:
    """The present state of the second pane."""
    return make_heading(comparison, comparison.panes[1]).state


def hatched(comparison: Comparison, pane: Pane) -> int:
    mask = comparison.difference_mask(pane)
    assert mask is not None
    return int(np.count_nonzero(mask))


def counts(comparison: Comparison) -> list[int]:
    return [pane.display.count for pane in comparison.panes]


# Panes


def test_every_algorithm_has_a_rival_that_can_run(session: Session) -> None:
    for key in ALGORITHMS:
        session.runs.configure(algorithm=key)
        rival = session.comparison.suggest_rival()
        assert rival.algorithm != key
        assert rival.connectivity in ALGORITHMS[rival.algorithm].connectivities


def test_run_again_is_of_the_active_pane_unless_the_grid_is_another(
    comparison: Comparison, session: Session
) -> None:
    def runs() -> list[Recording | None]:
        return [pane.display.recording for pane in comparison.panes]

    own, second, third = runs()
    comparison.set_active(1)
    comparison.run()
    assert [run is before for run, before in zip(runs(), (own, second, third), strict=True)] == [
        True,
        False,
        True,
    ]
    session.document.load_grid(LARGE, "large")
    session.runs.run()
    assert session.display.recording is not None
    session.document.invert()
    comparison.run()
    assert not session.display.stale
    assert not any(pane.display.stale for pane in comparison.panes)


def test_headings_can_be_asked_for_while_a_pane_gets_a_longer_run(
    comparison: Comparison, session: Session
) -> None:
    places: list[str] = []

    def ask() -> None:
        places.extend(make_heading(comparison, pane).place for pane in comparison.panes)

    session.playback.go_to_last()
    session.analysis.recording_changed.connect(ask)
    session.runs.configure(algorithm="row_col_unify")
    assert max(int(place.partition(" ")[0]) for place in places) > 9


@pytest.mark.parametrize("by_task", [False, True])
def test_stopped_panes_run_with_the_first(by_task: bool) -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    session.document.load_grid(GRID, "noise")
    executor.work()
    session.comparison.set_open(True)
    if by_task:  # as Escape does
        session.tasks.cancel("panes")
        executor.work()
    else:
        session.comparison.cancel()
    assert state(session.comparison) == "Stopped."
    session.comparison.run()
    executor.work()
    assert session.comparison.panes[1].ready
    session.close()


def algorithms(comparison: Comparison) -> list[str]:
    return [pane.settings.algorithm for pane in comparison.panes]


def test_four_panes_are_chosen_for_the_grid_on_display(session: Session) -> None:
    """Of an earlier grid, which had values or 4 neighbours, no pane is left."""
    comparison = session.comparison
    comparison.set_rival_settings(
        [RunSettings("ha4"), RunSettings("row_col_unify"), RunSettings("komura")]
    )
    session.runs.configure(connectivity=8)
    comparison.add_rivals_until_full()
    assert all(8 in ALGORITHMS[key].connectivities for key in algorithms(comparison))
    assert [pane.failure for pane in comparison.panes] == [""] * MAX_PANES


def test_a_large_grid_is_not_compared_by_what_goes_cell_by_cell(session: Session) -> None:
    session.document.load_grid(np.ones((257, 257), np.uint8), "large")
    session.comparison.add_rivals_until_full()
    assert not {"row_col_unify", "shibata_fast"} & set(algorithms(session.comparison))


def test_reset_chooses_panes_for_another_grid(session: Session, comparison: Comparison) -> None:
    comparison.set_active(2)
    session.runs.set_multivalued(True)
    comparison.choose_new_rivals()
    assert comparison.active == 0
    assert len(comparison.panes) == 3
    assert all(ALGORITHMS[key].multivalued for key in algorithms(comparison))
    assert all(pane.ready for pane in comparison.panes)
    own = [pane.display.recording for pane in comparison.panes]
    assert comparison.aligned_recordings == tuple(own)


def test_removing_the_last_pane_closes_it(comparison: Comparison, session: Session) -> None:
    comparison.set_active(2)
    comparison.remove(comparison.panes[1])
    assert comparison.active_pane.settings.algorithm == "row_col_unify"
    assert session.analysis.display is comparison.active_display
    comparison.remove(comparison.panes[1])
    assert not comparison.open
    assert comparison.active_display is session.display
    assert session.playback.count == session.display.count


def test_panes_follow_the_grid_and_give_way_to_the_run() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    comparison = session.comparison
    session.document.load_grid(GRID, "noise")
    comparison.set_open(True)
    executor.work()
    assert state(comparison) == ""
    session.document.invert()
    assert state(comparison) == "Waiting to run"
    executor.work()
    recording = comparison.panes[1].display.recording
    assert recording is not None
    assert np.array_equal(recording.image, 1 - GRID)
    assert not comparison.panes[1].display.stale
    comparison.rerun(comparison.panes[1])
    comparison.cancel()
    executor.work()
    assert state(comparison) == "Stopped."
    comparison.rerun(comparison.panes[1])
    executor.work()
    assert comparison.panes[1].ready
    session.close()


def test_other_settings_of_the_run_leave_the_panes_alone(
    comparison: Comparison, session: Session
) -> None:
    before = comparison.panes[1].display.recording
    session.runs.configure(algorithm="playne")
    assert comparison.panes[1].display.recording is before


# Moments


def test_a_step_chosen_in_any_display_moves_the_others(comparison: Comparison) -> None:
    comparison.set_active(2)
    comparison.active_display.go_to(5)
    assert indices(comparison) == [5, 2, 5]
    comparison.panes[0].display.go_to(1)
    assert indices(comparison) == [1, 1, 1]


def test_the_table_and_the_layer_of_differences_move_no_step(comparison: Comparison) -> None:
    comparison.set_active(2)
    step = counts(comparison)[2] - 2
    assert step > counts(comparison)[0]  # which has finished by then
    comparison.active_display.go_to(step)
    before = indices(comparison)
    comparison.set_options(table=True)
    comparison.set_options(difference=True)
    assert indices(comparison) == before


def test_a_race_is_played_in_the_seconds_that_were_chosen(
    comparison: Comparison, session: Session
) -> None:
    comparison.set_options(sync=Sync.TIME)
    session.playback.set_speed(4.0)
    assert write_note(comparison).startswith("Emulator time")
    session.playback.toggle()
    now = 0.0
    while session.playback.playing:
        now += session.playback.tick(now)
    assert now == pytest.approx(RACE_SECONDS / 4, abs=0.1)
    assert all(pane.shows_result for pane in comparison.panes)


def test_the_clock_of_a_race_keeps_its_unit(comparison: Comparison, session: Session) -> None:
    assert write_clock(comparison) == ""
    comparison.set_options(sync=Sync.TIME)
    units = set()
    for moment in (0, 10, session.playback.count - 1):
        session.playback.go_to(moment)
        units.add(write_clock(comparison).split(maxsplit=1)[1])
    assert len(units) == 1


def test_all_of_a_comparison_is_played_whatever_the_section(
    comparison: Comparison, session: Session
) -> None:
    session.playback.set_section(range(1, 3))
    session.playback.set_looping(False)
    session.playback.toggle()
    now = 0.0
    while session.playback.playing:
        now += session.playback.tick(now)
    assert all(pane.shows_result for pane in comparison.panes)


# Differences


def test_it_says_that_runs_of_several_connectivities_differ(comparison: Comparison) -> None:
    assert write_note(comparison) == ""
    comparison.set_active(2)
    comparison.configure(algorithm="bke", connectivity=8)
    assert "different components" in write_note(comparison)


def test_finished_panes_are_not_hatched_before_all_have_finished(
    comparison: Comparison, session: Session
) -> None:
    comparison.set_options(difference=True)
    first, short, long = comparison.panes
    assert comparison.difference_mask(long) is not None
    session.playback.go_to(4)
    assert short.shows_result
    assert comparison.difference_mask(short) is None
    assert make_heading(comparison, short).difference == ""
    assert make_heading(comparison, short).finished
    assert hatched(comparison, first)
    session.playback.go_to_last()
    assert [hatched(comparison, pane) for pane in comparison.panes] == [0, 0, 0]


def test_large_grids_are_compared_away_from_the_window() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    comparison = session.comparison
    comparison.set_options(difference=True)
    comparison.set_open(True)
    executor.work()
    session.playback.go_to(int(session.playback.position == 0))
    pane = comparison.panes[1]
    assert make_heading(comparison, pane).difference.startswith("comparing")
    executor.work()
    mask = comparison.difference_mask(pane)
    assert mask is not None
    assert mask.shape == LARGE.shape
    assert make_heading(comparison, pane).difference == f"{np.count_nonzero(mask):,} differ"
    session.close()


def test_the_first_differs_where_any_other_does(comparison: Comparison) -> None:
    recordings = comparison.aligned_recordings
    sides = tuple((recording, 1) for recording in recordings)
    found = RunDifference.between(sides)
    assert np.array_equal(found.masks[0], np.logical_or(found.masks[1], found.masks[2]))
    again = RunDifference.between(sides[:2], found)
    np.testing.assert_array_equal(again.masks[1], found.masks[1])
    assert again.partitions[0] is found.partitions[0], "what was looked at is not looked at again"


# Headings, names, layout, what is remembered


def test_runs_of_one_algorithm_are_told_apart(session: Session) -> None:
    comparison = session.comparison
    own = session.runs.settings
    comparison.set_rival_settings([own.with_schedule("reverse"), own.with_schedule("random:7")])
    comparison.set_open(True)
    names = [name_run(comparison, pane) for pane in comparison.panes]
    assert len(set(names)) == 3
    assert "reverse" in names[1]


@pytest.mark.parametrize(
    ("panes", "shape", "size", "columns"),
    [
        (1, (10, 10), (800, 600), 1),
        (2, (10, 10), (1000, 500), 2),
        (2, (10, 100), (1000, 500), 1),
        (3, (10, 10), (1000, 400), 3),
        (4, (10, 10), (800, 700), 2),
        (4, (100, 10), (800, 700), 4),
    ],
)
def test_panes_lie_where_cells_are_largest(
    panes: int, shape: tuple[int, int], size: tuple[int, int], columns: int
) -> None:
    assert choose_columns(panes, shape, size, 40, 4) == columns


@pytest.mark.parametrize(
    "state",
    [
        None,
        3,
        [],
        {"runs": 3, "view": {"sync": "never", "seconds": "x", "table": 1}},
        {"runs": [3, {"algorithm": "none"}, {"parameters": {"x": 1}}, {"parameters": 5}]},
    ],
)
def test_damaged_memories_are_left_out(state: object) -> None:
    session = inline_session()
    view = session.comparison.options
    session.comparison.restore(state)
    assert session.comparison.options == view
    assert session.comparison.rival_settings == ()
    session.close()


# Copies


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path))
    return make_copy("mine", "ha4", "ha4")


def compare_with(session: Session, *settings: RunSettings) -> tuple[Pane, ...]:
    session.comparison.set_rival_settings(settings)
    session.comparison.set_open(True)
    return tuple(session.comparison.panes)


def test_a_copy_runs_in_a_pane_beside_its_original(session: Session, mine: Copy) -> None:
    _own, original, copied = compare_with(session, RunSettings("ha4"), RunSettings(mine.key))
    assert copied.ready
    assert copied.display.count == original.display.count
    recording = copied.display.recording
    assert recording is not None
    assert (recording.algorithm, recording.device) == (mine.key, "emulator")
    assert make_heading(session.comparison, copied).title == "mine (copy of HA4)"
    *_, one, other = make_rows(session.comparison)
    assert (other.name, other.verdict) == ("mine (copy of HA4)", one.verdict)
    assert other.nbytes == one.nbytes
    assert not make_heading(session.comparison, copied).failed


def test_after_each_edit_a_component_has_the_same_colour_in_all_panes(
    session: Session, comparison: Comparison
) -> None:
    for x in range(3, 12, 4):
        session.document.begin_stroke((x, 3), x % 2)
        session.document.extend_stroke((x + 2, 4))
        session.document.end_stroke()
        first, *others = [pane.display.colouring for pane in comparison.panes]
        assert first is not None
        for other in others:
            assert other is not None
            np.testing.assert_array_equal(other.component_colours, first.component_colours)
