"""Runs: settings, runs after changes, live mode, partial runs and faults."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.grids import noise
from support.models import HeldExecutor, inline_session, pump, threaded_session

from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import DeviceUnavailableError, InputError
from ccl_viewer.grids import open_grid
from ccl_viewer.window.core.analysis import ANALYSIS
from ccl_viewer.window.core.messages import MessageKind
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.core.run_settings import RunSettings
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.step_table import MEASURING, row_at, times_text

SMALL, LARGE = noise(12, 16, 0.5), noise(260, 260, 0.5)


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    yield session
    session.close()


@pytest.fixture
def held() -> Iterator[tuple[Session, HeldExecutor]]:
    executor = HeldExecutor()
    session = inline_session(executor)
    yield session, executor
    session.close()


def brief(session: Session) -> str:
    return session.display.status.brief


def told(session: Session) -> str:
    return "" if session.messages.message is None else session.messages.message.text


# Settings


def test_a_chosen_connectivity_comes_back_when_an_algorithm_has_it(session: Session) -> None:
    runs = session.runs
    for chosen, other, own in ((4, "ha8", 8), (8, "ha4", 4)):
        runs.configure(algorithm="label_equivalence", connectivity=chosen)
        for _ in range(2):
            runs.configure(algorithm=other)
            assert runs.settings.connectivity == own
            runs.configure(algorithm="playne")
            assert runs.settings.connectivity == chosen
    runs.configure(algorithm="bke")
    session.runs.configure(algorithm="label_equivalence", connectivity=8)
    runs.configure(algorithm="ha4")
    runs.configure(algorithm="stava_benes")
    assert runs.settings.connectivity == 8


def test_a_connectivity_that_nobody_chose_follows_the_algorithm(session: Session) -> None:
    runs = session.runs
    runs.replace_settings(RunSettings())
    runs.configure(algorithm="ha8")
    runs.configure(algorithm="label_equivalence")
    assert runs.settings.connectivity == 8
    assert runs.settings.chosen is None


def test_settings_follow_the_algorithm(session: Session) -> None:
    session.runs.configure(connectivity=4, algorithm="ha4")
    session.runs.configure(algorithm="bke")
    assert session.runs.settings.connectivity == 8
    session.runs.configure(algorithm="ha4", connectivity=4)
    with pytest.raises(InputError, match="algorithm"):
        session.runs.configure(algorithm="none")
    with pytest.raises(InputError, match="parameter"):
        session.runs.configure(parameters={"wings": 2})
    assert session.runs.settings == RunSettings("ha4", 4)


def test_parameters_of_an_algorithm_come_back(session: Session) -> None:
    session.runs.configure(algorithm="stava_benes", parameters={"tile": 8})
    session.runs.configure(algorithm="bke")
    assert session.runs.settings.parameters == {}
    session.runs.configure(algorithm="stava_benes")
    assert session.runs.settings.parameters == {"tile": 8}


def test_components_are_numbered_in_steps_of_their_own(session: Session) -> None:
    session.document.load_grid(SMALL, "")
    plain = session.display.recording
    session.runs.configure(consecutive=True)
    recording = session.display.recording
    assert plain is not None
    assert recording is not None
    assert len(recording) == len(plain) + 4
    assert recording.layer("numbers", -1).max() == recording.verdict.found  # type: ignore[union-attr]
    assert session.runs.settings.non_default == ("Numbered",)
    session.runs.configure(algorithm="ha4")
    assert session.runs.settings.consecutive
    assert RunSettings().of_recording(recording).consecutive
    session.runs.configure(algorithm="row_col_unify", parameters={"variant": "printed_checks"})
    assert "only roots are numbered" in told(session)
    assert session.display.recording is not None  # its steps can be watched all the same


def test_what_differs_from_the_defaults_is_said(session: Session) -> None:
    assert list(session.runs.settings.non_default) == []
    session.runs.configure(
        algorithm="stava_benes", device="emulator", schedule="random:7", parameters={"tile": 8}
    )
    assert session.runs.settings.non_default == ("Emulator", "Random order 7", "Tile 8")


def test_another_algorithm_stands_in_for_several_values(session: Session) -> None:
    session.runs.configure(algorithm="ha4")
    session.document.load_grid(SMALL * 3, "values", multivalued=True)
    assert session.runs.settings.algorithm == "label_equivalence"
    assert session.display.recording is not None
    assert session.display.recording.multivalued
    with pytest.raises(InputError):
        session.runs.configure(algorithm="ha4")
    session.runs.set_multivalued(False)
    assert session.runs.settings.algorithm == "ha4"
    assert not session.document.multivalued
    assert session.document.grid is not None
    assert session.document.grid.max() == 1
    session.document.undo()
    assert session.runs.settings == RunSettings(multivalued=True)


# Runs after changes


def test_small_grids_are_run_after_each_change(session: Session) -> None:
    session.document.load_grid(SMALL, "noise")
    first = session.display.recording
    assert first is not None
    assert session.display.index == len(first) - 1
    assert session.display.status.kind is StatusKind.OK
    session.runs.configure(connectivity=8)
    second = session.display.recording
    assert second is not None
    assert (second.connectivity, session.display.stale) == (8, False)
    session.document.invert()
    assert session.display.recording is not second


def test_larger_grids_are_run_again_if_that_was_quick(
    session: Session,
) -> None:
    session.document.load_grid(LARGE, "noise")
    before = session.display.recording
    assert before is None  # the time is not known yet
    session.runs.run()
    first = session.display.recording
    session.document.invert()
    second = session.display.recording
    assert second is not first
    assert brief(session) == ""
    session.runs.configure(algorithm="playne")  # of which that is not known
    assert session.display.recording is second
    assert brief(session) == "Out of date"
    session.document.undo()
    assert brief(session) == "Out of date"
    session.document.redo()
    session.runs.configure(algorithm="label_equivalence")
    assert brief(session) == ""
    assert session.display.status.kind is StatusKind.OK
    session.document.load_grid(np.vstack([LARGE, LARGE]), "larger")
    assert session.display.count == 0


def test_the_step_stays_though_a_shorter_run_came_between(session: Session) -> None:
    session.document.load_grid(SMALL, "noise")
    recording = session.display.recording
    assert recording is not None
    index = next(step.index for step in recording.steps if step.iteration == 2)
    session.display.go_to(index)
    session.document.clear()
    assert session.display.index < index
    session.document.undo()
    assert session.display.index == index
    session.display.go_to(1)
    session.document.invert()
    assert session.display.index == 1


def test_another_shape_has_no_run_of_the_old_one(session: Session) -> None:
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    session.document.load_grid(noise(270, 260, 0.5), "other")
    assert session.display.recording is None
    assert session.runs.can_run


def test_no_run_begins_within_a_change_that_asks_for_none(session: Session) -> None:
    with session.runs.without_runs():
        session.document.load_grid(SMALL, "noise")
        session.runs.run(step=0)
        recording = session.display.recording
    assert session.display.recording is recording
    assert session.display.index == 0


def test_a_run_that_is_brought_back_is_as_stale_as_it_was(session: Session) -> None:
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    session.display.go_to(2)
    session.runs.configure(algorithm="playne")
    shown, settings = session.display.shown, session.runs.settings
    with session.runs.without_runs():
        session.document.set_aside()
        session.document.load_grid(SMALL, "lesson")
        session.runs.configure(algorithm="ha4")
    assert session.display.recording is None
    with session.runs.without_runs():
        session.document.bring_back_user_grid()
        session.runs.replace_settings(settings)
        session.display.show(shown, index=2)
    assert session.display.stale
    assert session.display.index == 2
    assert not session.runs.running


def test_without_a_grid_a_run_says_so(session: Session) -> None:
    session.runs.run()
    assert not session.runs.can_run
    assert session.messages.message is not None
    assert "no grid yet" in session.messages.message.text


# Progress and partial runs


def test_steps_are_shown_while_they_are_recorded() -> None:
    session = threaded_session()
    seen: list[tuple[int, int, bool]] = []

    def note() -> None:
        display = session.display
        seen.append((display.count, display.index, display.growing))

    session.display.changed.connect(note)
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    assert session.runs.running
    pump(session, lambda: not session.runs.running)
    count = session.display.count
    assert seen[-1] == (count, count - 1, False)
    assert all(index == steps - 1 for steps, index, _ in seen)
    session.close()


def test_a_cancelled_run_keeps_its_steps_and_has_components() -> None:
    session = threaded_session()
    display = session.display
    with session.runs.without_runs():
        session.document.load_grid(open_grid("pattern:spiral?size=201").grid, "spiral")
        session.runs.configure(algorithm="shibata_naive")
    session.runs.run()
    pump(session, lambda: display.count > 2)
    session.runs.cancel()
    pump(session, lambda: not session.runs.running)
    assert display.index == display.count - 1
    assert display.status.text == f"Stopped after {display.count} steps."
    assert display.status.kind is StatusKind.WARNING
    assert session.messages.message is None
    assert display.recording is not None
    assert display.recording.cancelled
    assert not display.stale
    pump(session, lambda: display.component_table is not None)
    assert display.component_table is not None
    assert display.colouring is not None
    session.close()


def test_a_fault_that_is_a_race_gives_no_advice_about_indices(session: Session) -> None:
    session.runs.configure(algorithm="ha4", schedule="random:1", parameters={"variant": "printed"})
    session.document.load_grid(noise(4, 96, 0.6), "noise")
    fault = session.display.fault
    assert fault is not None
    assert session.display.count > 0
    assert session.display.status.kind is StatusKind.ERROR
    assert session.messages.message is None
    assert fault.text.endswith("before the start of labels: check its indices.")
    for text in (
        session.display.status.text,
        session.analysis.describe_step(session.display.index),
    ):
        assert "before the start of labels." in text
        assert "indices" not in text


def has_gpu() -> bool:
    try:
        open_device("cuda", cells=1)
    except DeviceUnavailableError:
        return False
    return True


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_the_emulator_is_offered(session: Session) -> None:
    session.runs.configure(device="cuda")
    session.document.load_grid(SMALL, "noise")
    message = session.messages.message
    assert message is not None
    assert (message.kind, session.display.recording) == (MessageKind.ERROR, None)
    assert message.action is not None
    message.action.run()
    assert session.display.status.kind is StatusKind.OK


def test_an_older_run_never_replaces_a_newer_one(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(SMALL, "noise")
    session.document.invert()
    assert session.runs.running
    executor.work()
    assert session.display.recording is not None
    np.testing.assert_array_equal(session.display.recording.image, 1 - SMALL)
    assert not session.runs.running


def test_an_edit_of_a_large_grid_stops_the_run(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    session.document.invert()
    executor.work()
    assert not session.runs.running
    assert session.display.recording is None


def test_a_run_of_another_shape_is_dropped(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(noise(260, 280, 0.5), "noise")
    session.runs.run()
    session.document.rotate_right()
    assert not session.runs.running
    executor.work()
    assert session.display.recording is None


# Live mode


def test_live_mode_runs_while_the_user_draws(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(LARGE, "noise")
    session.runs.set_live(True)
    executor.work()
    session.document.begin_stroke((0, 0), 1, 3)
    executor.work()
    session.document.extend_stroke((60, 60))
    session.document.extend_stroke((60, 90))
    assert session.runs.running
    executor.work()
    recording = session.display.recording
    assert recording is not None
    assert session.document.grid is not None
    np.testing.assert_array_equal(recording.image, session.document.grid)
    session.document.end_stroke()
    executor.work()
    assert session.display.recording is recording
    assert not session.display.stale


def test_a_new_run_ends_the_analysis_of_the_one_before(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(LARGE, "noise")
    session.runs.run()
    executor.waiting.pop(0)()
    assert session.tasks.busy(ANALYSIS)
    session.runs.run()
    assert not session.tasks.busy(ANALYSIS)
    executor.work()
    assert session.analysis.analysed


def test_live_mode_is_not_begun_again_by_a_cancelled_run(
    held: tuple[Session, HeldExecutor],
) -> None:
    session, executor = held
    session.document.load_grid(LARGE, "noise")
    session.runs.set_live(True)
    session.runs.cancel()
    executor.work()
    assert session.display.recording is None
    assert not session.runs.running


def test_a_closed_session_begins_no_run(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    session.document.load_grid(SMALL, "noise")
    session.close()
    executor.work()
    assert session.display.recording is None


# Large runs, and the times of a GPU


@pytest.mark.gpu
def test_times_of_a_gpu_are_measured_behind_the_users_back(
    held: tuple[Session, HeldExecutor],
) -> None:
    session, executor = held
    session.runs.configure(device="cuda")
    session.document.load_grid(SMALL, "noise")
    session.runs.run()
    while session.runs.running:
        executor.waiting.pop(0)()
    analysis, recording = session.analysis, session.display.recording
    assert recording is not None
    assert row_at(analysis, 0).time == MEASURING
    assert times_text(analysis) == "Times are being measured"
    executor.work()
    assert not analysis.measuring_times
    assert all(step.spread is not None for step in recording.steps)
    assert row_at(analysis, 0).time[0].isdigit()
    assert recording.milliseconds > 0


def test_a_form_that_the_next_algorithm_lacks_is_left_behind(session: Session) -> None:
    runs = session.runs
    runs.configure(algorithm="ha4", parameters={"variant": "printed"})
    runs.configure(algorithm="playne")
    assert "variant" not in runs.settings.parameters
    runs.configure(algorithm="bke", parameters={"variant": "project"})
    runs.configure(algorithm="komura")
    assert runs.settings.parameters["variant"] == "project"
