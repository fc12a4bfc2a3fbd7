"""What of the grid is in a file, and when something of it would be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.sessions import HeldRunner, is_stale

from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.recording import open_recording
from ccl_viewer.session import Session
from ccl_viewer.session.state import Cell


def draw(session: Session, cell: tuple[int, int] = (0, 0)) -> None:
    session.drawing.press(cell, 1)
    session.drawing.release()


def save(session: Session, runner: HeldRunner, path: Path) -> None:
    session.save(path)
    runner.work_all()


def at_risk(session: Session) -> bool:
    return session.keeping.at_risk


@pytest.fixture
def saved(labelled: Session, runner: HeldRunner, tmp_path: Path) -> Session:
    """A session with one edit, which is in a file."""
    draw(labelled)
    save(labelled, runner, tmp_path / "mine.txt")
    return labelled


def test_a_computed_grid_is_safe_until_it_is_drawn_on(labelled: Session) -> None:
    assert not at_risk(labelled)
    labelled.drawing.press((0, 0), 1)
    assert at_risk(labelled)  # with the pencil still down
    labelled.drawing.release()
    assert at_risk(labelled)
    labelled.drawing.undo()
    assert not at_risk(labelled)
    labelled.drawing.redo()
    assert at_risk(labelled)


def test_what_was_saved_is_safe_and_undo_leads_away_from_it_and_back(
    saved: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    assert not at_risk(saved)
    assert saved.title == "mine.txt"
    draw(saved, (2, 0))
    save(saved, runner, tmp_path / "mine.txt")
    saved.drawing.undo()
    assert at_risk(saved)
    saved.drawing.redo()
    assert not at_risk(saved)


def test_undo_back_to_what_was_computed_loses_nothing(saved: Session) -> None:
    saved.drawing.undo()
    assert not at_risk(saved)


def test_a_new_edit_after_undo_loses_what_was_saved(saved: Session) -> None:
    saved.drawing.undo()
    draw(saved, (2, 0))
    assert at_risk(saved)
    draw(saved, (4, 0))
    saved.drawing.undo()
    assert at_risk(saved)  # the file has the first edit, which cannot be made again


def test_what_is_drawn_while_it_is_being_saved_is_not_in_the_file(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    runner.work_all()
    labelled.save(tmp_path / "mine.txt")
    labelled.drawing.press((0, 0), 1)
    while runner.jobs:
        runner.work(runner.jobs[0])
    labelled.drawing.release()
    assert at_risk(labelled)


def test_a_recording_holds_the_grid_that_it_was_made_of(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    draw(labelled)
    save(labelled, runner, tmp_path / "early.cclrec")  # before the grid was labelled again
    assert at_risk(labelled)
    labelled.run()
    runner.work_all()
    save(labelled, runner, tmp_path / "run.cclrec")
    assert not at_risk(labelled)


def test_a_save_that_failed_saves_nothing(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    went_on: list[bool] = []
    draw(labelled)
    labelled.save(tmp_path / "no" / "folder" / "mine.txt", lambda: went_on.append(True))
    runner.work_all()
    assert at_risk(labelled)
    assert went_on == []


@pytest.mark.parametrize("drawn", [False, True])
def test_an_empty_grid_is_no_work_but_hides_none(labelled: Session, drawn: bool) -> None:
    if drawn:
        draw(labelled)
    labelled.drawing.new(5, 5)
    assert at_risk(labelled) is drawn


def test_telling_values_apart_changes_no_cell(labelled: Session) -> None:
    labelled.configure(multivalued=True)
    assert labelled.drawing.can_undo
    assert not at_risk(labelled)


def test_another_grid_is_safe_again(labelled: Session, runner: HeldRunner) -> None:
    draw(labelled)
    labelled.open("pattern:spiral?size=7")
    runner.work_all()
    assert not at_risk(labelled)
    assert labelled.title == "Spiral"


def test_the_own_grid_is_at_risk_also_while_a_lesson_shows_others(
    labelled: Session, runner: HeldRunner
) -> None:
    draw(labelled)
    labelled.lesson.open("what-is-a-component")
    runner.work_all()
    assert labelled.lesson.is_open
    assert at_risk(labelled)
    labelled.keeping.give_up()
    assert not at_risk(labelled)
    draw(labelled)  # on the lesson's
    assert not at_risk(labelled)


def test_edits_that_were_taken_back_and_made_again_end_where_they_began() -> None:
    editor = GridEditor([[0, 0, 0, 0]])
    for x in range(3):
        editor.begin_stroke(0, x, 1)
        editor.end_stroke()
    editor.undo()
    editor.keep(editor.point)
    for deed, risk in ((editor.undo, True), (editor.undo, False), (editor.redo, True)):
        deed()
        assert editor.at_risk is risk
    editor.redo()
    assert not editor.at_risk
    editor.redo()
    assert editor.at_risk


def paste(session: Session, at: Cell = (1, 1)) -> None:
    """Let three by three cells float over a grid."""
    session.edits.paste(np.ones((3, 3), np.uint8), at)
    assert session.tools.selection.patch is not None


def move(session: Session) -> None:
    session.edits.select_all()
    session.edits.nudge(3, 0)


@pytest.fixture
def bare(labelled: Session, runner: HeldRunner) -> Session:
    """A session on an empty grid, labelled."""
    labelled.open("pattern:empty?width=8&height=8")
    runner.work_all()
    return labelled


@pytest.mark.parametrize("let_float", [paste, move])
def test_what_floats_is_at_risk_until_it_is_dropped(
    labelled: Session, let_float: Callable[[Session], None]
) -> None:
    let_float(labelled)
    assert at_risk(labelled)
    labelled.edits.undo()
    assert not at_risk(labelled)


def test_what_floats_can_be_given_up_also_behind_a_lesson(
    labelled: Session, runner: HeldRunner
) -> None:
    paste(labelled)
    labelled.lesson.open("what-is-a-component")
    runner.work_all()
    assert at_risk(labelled)
    labelled.keeping.give_up()
    assert not at_risk(labelled)


def test_a_stroke_under_way_can_be_given_up(labelled: Session) -> None:
    labelled.drawing.press((0, 0), 1)
    labelled.keeping.give_up()
    assert not at_risk(labelled)


def test_what_floats_is_in_the_file_and_the_run_goes_on(
    bare: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    paste(bare)
    save(bare, runner, tmp_path / "mine.npy")
    assert np.load(tmp_path / "mine.npy").sum() == 9
    assert not at_risk(bare)
    assert not is_stale(bare)


def test_what_was_moved_is_in_the_file_where_it_is_seen(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    assert labelled.grid is not None
    before = labelled.grid.copy()
    move(labelled)
    save(labelled, runner, tmp_path / "mine.npy")
    saved = np.load(tmp_path / "mine.npy") != 0
    np.testing.assert_array_equal(saved[:, 3:], before[:, :-3] != 0)
    assert not saved[:, :3].any()


def test_what_floats_is_in_the_recording_that_is_saved(
    bare: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    paste(bare)
    save(bare, runner, tmp_path / "mine.cclrec")
    assert open_recording(tmp_path / "mine.cclrec").image.sum() == 9
    assert not at_risk(bare)


@pytest.mark.parametrize("size", [3, 290])
def test_what_floats_over_a_large_grid_is_placed_before_the_grid_is_saved(
    bare: Session, runner: HeldRunner, tmp_path: Path, size: int
) -> None:
    bare.drawing.new(300, 300)
    runner.work_all()
    bare.edits.paste(np.ones((size, size), np.uint8))
    save(bare, runner, tmp_path / "mine.npy")
    assert np.load(tmp_path / "mine.npy").sum() == size**2


def test_what_floats_is_labelled_and_measured(bare: Session, runner: HeldRunner) -> None:
    for count, act in enumerate((bare.run, bare.measuring.measure)):
        paste(bare, (1 + 4 * count, 1))
        act()
        runner.work_all()
        assert bare.recording is not None
        assert bare.recording.image.sum() == 9 * (count + 1)
        assert not is_stale(bare)
    assert bare.measuring.timing is not None


def test_saving_that_was_overtaken_is_said_and_does_not_save_another_grid(
    bare: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    paste(bare)
    bare.save(tmp_path / "mine.npy")
    bare.open("pattern:spiral?size=7")
    assert bare.message is not None
    assert bare.message.text.startswith("Saving mine.npy: stopped")
    runner.work_all()
    assert not (tmp_path / "mine.npy").exists()


def test_saving_that_was_cancelled_saves_nothing(
    bare: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    paste(bare)
    bare.save(tmp_path / "mine.npy")
    bare.cancel()
    runner.work_all()
    bare.run()
    runner.work_all()
    assert not (tmp_path / "mine.npy").exists()
