"""Runs: late results, cancelling, failures, settings, verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.sessions import HeldRunner

from ccl_viewer import reference
from ccl_viewer.errors import InputError
from ccl_viewer.export import ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.reference import label_reference
from ccl_viewer.render import palette
from ccl_viewer.render.neighbours import colour_components
from ccl_viewer.session import MessageKind, Session, Standing
from ccl_viewer.session.facts.condition import Condition


def test_opening_runs_and_shows_the_last_step(labelled: Session) -> None:
    recording = labelled.recording
    assert recording is not None
    assert recording.complete
    assert labelled.playback.position == len(recording) - 1
    assert labelled.verdict.standing is Standing.OK
    assert not labelled.busy
    assert labelled.title == "Shibata's Figure 2"


def test_an_older_run_never_replaces_a_newer_one(labelled: Session, runner: HeldRunner) -> None:
    labelled.configure(connectivity=8)
    older = runner.jobs[0]
    labelled.configure(algorithm_key="shibata_fast")
    newer = runner.jobs[1]
    assert older.cancel.cancelled
    runner.work(newer)
    shown = labelled.recording
    runner.work(older)
    assert labelled.recording is shown
    assert shown is not None
    assert shown.algorithm == "shibata_fast"
    assert labelled.message is None


@pytest.fixture
def asked(labelled: Session, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the session said to be doing each time that colours were chosen."""
    seen: list[str] = []

    def noted(*given: Any, **named: Any) -> Any:
        seen.append("" if labelled.job is None else labelled.job.detail)
        return colour_components(*given, **named)

    monkeypatch.setattr(palette, "colour_components", noted)
    return seen


def test_colours_are_chosen_once_a_run_and_that_is_said(
    labelled: Session, runner: HeldRunner, asked: list[str]
) -> None:
    labelled.run()
    runner.work_all()
    assert asked == ["Choosing colours"]


def test_a_run_says_what_it_does_in_turn(labelled: Session, runner: HeldRunner) -> None:
    labelled.run()
    job = runner.jobs[0]
    said = []
    job.wake = lambda: said.append(job.detail)
    runner.work(job)
    assert said[:4] == [
        "Opening the device",
        "Working on the first step",
        "Choosing colours",
        "Step 1: label_equivalence_init",
    ]
    assert said[-2:] == ["Checking the result", "Choosing colours"]


def test_a_run_is_cancelled_while_its_colours_are_chosen(
    labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, chosen = labelled.recording, []

    def cancelled(*given: Any, **named: Any) -> Any:
        found = label_reference(*given, **named)
        labelled.cancel()
        job.report("Too late to be of interest")
        return found

    monkeypatch.setattr("ccl_viewer.recording.recording.label_reference", cancelled)
    monkeypatch.setattr(palette, "colour_components", lambda *_given: chosen.append(_given))
    labelled.run()
    job = runner.jobs[0]
    runner.work(job)
    assert chosen == []
    assert job.detail == "Stopping"
    assert labelled.recording is good
    assert labelled.message is not None
    assert "stopped" in labelled.message.text


def test_cancel_keeps_the_last_good_recording(labelled: Session, runner: HeldRunner) -> None:
    good = labelled.recording
    labelled.run()
    job = runner.jobs[0]

    def wake() -> None:
        labelled.poll()
        if labelled.playback.count == 2:
            labelled.cancel()

    job.wake = wake
    runner.work(job)
    assert labelled.recording is good
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.INFO
    assert not labelled.busy


def test_cancel_without_a_good_recording_keeps_the_part(
    session: Session, runner: HeldRunner
) -> None:
    session.open("pattern:shibata")
    runner.work(runner.jobs[0])

    def wake() -> None:
        session.poll()
        if session.playback.count == 2:
            session.cancel()

    runner.jobs[0].wake = wake
    runner.work(runner.jobs[0])
    assert session.playback.count == 2
    assert session.verdict.standing is Standing.WARNING
    assert session.report.text == "Stopped before the end, as asked. 2 steps kept."
    assert session.message is None  # all was said


def test_what_else_is_stopped_beside_a_part_of_a_run_is_said(
    session: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    test_cancel_without_a_good_recording_keeps_the_part(session, runner)
    session.save(tmp_path / "run.cclrec")
    session.cancel()
    runner.work_all()
    assert session.message is not None
    assert session.message.text.startswith("Saving run.cclrec: stopped. The part of the run")


def test_a_failed_run_keeps_the_last_good_recording(labelled: Session, runner: HeldRunner) -> None:
    good = labelled.recording
    labelled.configure(device="cuda", schedule="reverse")
    runner.work_all()
    assert labelled.recording is good
    assert labelled.stale
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR


def test_a_crash_is_reported_and_ends_the_work(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    runner.jobs.pop().deliver(ZeroDivisionError("division by zero"))
    assert not session.busy
    assert session.message is not None
    assert "report it" in session.message.text


def test_settings_are_checked_and_follow_the_algorithm(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.configure(connectivity=8)
    labelled.configure(algorithm_key="ha4")
    assert labelled.settings.connectivity == 4
    labelled.configure(algorithm_key="shibata_slow", parameters={"jumps": 6})
    labelled.configure(algorithm_key="shibata_fast")
    assert labelled.settings.parameters == {"jumps": 6}
    labelled.configure(algorithm_key="label_equivalence")
    assert labelled.settings.parameters == {}
    with pytest.raises(InputError):
        labelled.configure(algorithm_key="none")
    runner.work_all()
    assert labelled.recording is not None
    assert labelled.recording.algorithm == "label_equivalence"


@pytest.mark.parametrize(
    ("passes", "standing"), [(1, Standing.ERROR), (4, Standing.WARNING), (None, Standing.OK)]
)
def test_stopping_short_is_said_without_a_message(
    labelled: Session, runner: HeldRunner, passes: int | None, standing: Standing
) -> None:
    labelled.configure(algorithm_key="shibata_fast", connectivity=8, parameters={"passes": passes})
    runner.work_all()
    assert labelled.verdict.standing is standing
    assert ("before convergence" in labelled.verdict.text) == (passes is not None)
    assert labelled.message is None


def test_wrong_labels_are_an_error_that_is_said_once(
    labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recording, "verdict", reference.Verdict(False, 2, 3, 1, (4, 5)))
    labelled.run()
    runner.work_all()
    assert labelled.verdict.standing is Standing.ERROR
    assert labelled.report.condition is Condition.WRONG
    assert labelled.message is None  # the banner says it, for as long as it is so


def test_nothing_happens_without_a_grid(session: Session, runner: HeldRunner) -> None:
    session.run()
    session.save(Path("nowhere.cclrec"))
    session.output.export(Path("nowhere.gif"), ExportOptions())
    session.playback.toggle()
    session.playback.forward()
    session.playback.next_group()
    session.drawing.press((0, 0), 1)
    session.drawing.drag((1, 1))
    session.drawing.release()
    session.drawing.undo()
    assert not runner.jobs
    assert session.grid is None


def test_close_cancels_and_delivers_nothing(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    told: list[int] = []
    session.grid_changed.connect(lambda: told.append(1))
    job = runner.jobs[0]
    session.close()
    assert job.cancel.cancelled
    runner.work(job)
    assert told == []
    assert session.grid is None
