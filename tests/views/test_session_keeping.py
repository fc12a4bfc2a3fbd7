"""What of the grid is in a file, and when something of it would be lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import HeldRunner

from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.session import Session


def draw(session: Session, cell: tuple[int, int] = (0, 0)) -> None:
    session.drawing.press(cell, 1)
    session.drawing.release()


def save(session: Session, runner: HeldRunner, path: Path) -> None:
    session.save(path)
    runner.work_all()


def at_risk(session: Session) -> bool:
    return session.keeping.at_risk


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
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    draw(labelled)
    save(labelled, runner, tmp_path / "mine.txt")
    assert not at_risk(labelled)
    assert labelled.title == "mine.txt"
    labelled.drawing.undo()
    assert at_risk(labelled)
    labelled.drawing.redo()
    assert not at_risk(labelled)


def test_a_new_edit_after_undo_loses_what_was_saved(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    draw(labelled)
    save(labelled, runner, tmp_path / "mine.txt")
    labelled.drawing.undo()
    draw(labelled, (2, 0))
    assert at_risk(labelled)
    labelled.drawing.undo()
    assert at_risk(labelled)  # the file has the first edit, which cannot be made again


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
    for deed, risk in ((editor.undo, True), (editor.undo, True), (editor.redo, True)):
        deed()
        assert editor.at_risk is risk
    editor.redo()
    assert not editor.at_risk
    editor.redo()
    assert editor.at_risk
