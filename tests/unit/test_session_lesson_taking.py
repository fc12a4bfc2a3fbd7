"""Taking a lesson's grid along as one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.lessons import is_open, write_lesson
from support.sessions import HeldRunner, draw

from ccl_viewer.grids import Grid
from ccl_viewer.session import Session


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(write_lesson(tmp_path))


def test_what_was_drawn_can_be_kept(labelled: Session, runner: HeldRunner, file: str) -> None:
    assert labelled.grid is not None
    own = labelled.grid.copy()
    labelled.lesson.open(file)
    runner.work_all()
    draw(labelled.tools, (2, 0))
    runner.work_all()
    drawn = labelled.grid.copy()
    labelled.lesson.take_along()
    assert not is_open(labelled)
    assert np.array_equal(labelled.grid, drawn)
    labelled.drawing.undo()
    assert np.array_equal(labelled.grid, own)


def test_what_floats_is_placed_before_the_lessons_grid_is_taken(
    labelled: Session, runner: HeldRunner, file: str
) -> None:
    assert labelled.grid is not None
    labelled.edits.clear()
    labelled.edits.paste(np.ones((1, 2), np.uint8), (1, 0))
    labelled.lesson.open(file)
    runner.work_all()
    labelled.edits.clear()
    labelled.edits.paste(np.ones((1, 3), np.uint8), (1, 0))
    labelled.lesson.take_along()
    runner.work_all()
    assert not is_open(labelled)
    assert labelled.tools.selection.patch is None
    assert np.count_nonzero(labelled.grid) == 3
    labelled.drawing.undo()
    assert labelled.drawing.undo_title == "Paste"
    assert np.count_nonzero(labelled.grid) == 2


@pytest.fixture
def taking(session: Session, runner: HeldRunner, file: str) -> Grid:
    """Return a grid drawn in a lesson, which waits for what floats over the own one."""
    session.drawing.reset(np.zeros((300, 310), np.uint8))
    session.edits.paste(np.ones((300, 310), np.uint8))
    session.lesson.open(file)
    runner.work_all()
    draw(session.tools, (2, 0))
    runner.work_all()
    assert session.grid is not None
    drawn = session.grid.copy()
    session.lesson.take_along()
    assert not is_open(session)
    return drawn


@pytest.mark.parametrize(
    ("hinder", "shape", "reason"),
    [
        (Session.cancel, (300, 310), ""),
        (lambda session: session.open("nofile.png"), (300, 310), "nofile.png cannot be opened"),
        (lambda session: session.drawing.resize(310, 301), (301, 310), ""),
    ],
    ids=["cancelled", "overtaken in vain", "overtaken by an edit"],
)
def test_a_grid_that_could_not_be_taken_along_is_in_the_lesson_still(
    session: Session,
    runner: HeldRunner,
    taking: Grid,
    hinder: Callable[[Session], object],
    shape: tuple[int, int],
    reason: str,
) -> None:
    hinder(session)
    assert not is_open(session)
    runner.work_all()
    assert is_open(session)
    assert session.grid is not None
    assert np.array_equal(session.grid, taking)
    assert session.message is not None
    assert session.message.text.startswith(reason)
    assert "was not taken" in session.message.text
    session.lesson.close()
    assert session.tools.selection.patch is not None
    assert session.grid.shape == shape


@pytest.mark.usefixtures("taking")
def test_work_that_overtakes_taking_a_grid_along_stays(
    session: Session, runner: HeldRunner
) -> None:
    session.open("pattern:spiral?size=9")
    runner.work_all()
    assert not is_open(session)
    assert session.grid is not None
    assert session.grid.shape == (9, 9)


@pytest.mark.usefixtures("taking")
def test_another_lesson_that_overtakes_taking_a_grid_along_stays(
    session: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    session.lesson.open(str(write_lesson(tmp_path, "another")))
    runner.work_all()
    assert is_open(session)
    session.lesson.close()
    runner.work_all()
    assert not is_open(session)


@pytest.mark.usefixtures("taking")
def test_a_window_that_closes_goes_back_to_no_lesson(session: Session, runner: HeldRunner) -> None:
    session.close()
    runner.work_all()
    assert not is_open(session)
