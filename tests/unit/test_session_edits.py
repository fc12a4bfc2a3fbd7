"""Edits of the grid, and the runs that follow them."""

from __future__ import annotations

import numpy as np
from support.sessions import HeldRunner, is_stale

from ccl_viewer.session import AUTOMATIC_CELLS, Session


def test_a_stroke_runs_again_and_stays_at_its_step(labelled: Session, runner: HeldRunner) -> None:
    labelled.playback.go_to(1)
    before = labelled.recording
    labelled.drawing.press((0, 0), 1)
    assert is_stale(labelled)
    assert not runner.jobs
    labelled.drawing.drag((4, 0))
    labelled.drawing.release()
    runner.work_all()
    recording = labelled.recording
    assert recording is not None
    assert recording is not before
    assert recording.image[0, :5].all()
    assert labelled.playback.position == 1
    assert not is_stale(labelled)


def test_at_the_end_an_edit_stays_at_the_end(labelled: Session, runner: HeldRunner) -> None:
    labelled.drawing.clear()
    runner.work_all()
    assert labelled.playback.position == labelled.playback.count - 1


def test_a_large_grid_waits_to_be_run(session: Session, runner: HeldRunner) -> None:
    side = int(AUTOMATIC_CELLS**0.5) + 1
    session.open(f"pattern:empty?width={side}&height={side}")
    runner.work_all()
    session.drawing.press((3, 3), 1)
    session.drawing.release()
    assert is_stale(session)
    assert not runner.jobs
    session.run()
    runner.work_all()
    assert not is_stale(session)
    assert session.recording is not None
    assert session.recording.image[3, 3]


def test_undo_and_redo_run_again(labelled: Session, runner: HeldRunner) -> None:
    assert labelled.grid is not None
    original = labelled.grid.copy()
    labelled.drawing.press((0, 0), 1)
    labelled.drawing.release()
    runner.work_all()
    labelled.drawing.undo()
    runner.work_all()
    assert np.array_equal(labelled.grid, original)
    assert labelled.recording is not None
    assert np.array_equal(labelled.recording.image, original)
    labelled.drawing.redo()
    runner.work_all()
    assert labelled.recording.image[0, 0] == 1
