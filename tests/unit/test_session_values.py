"""Grids of several values: switched on and off, drawn, undone, refused and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.errors import InputError
from ccl_viewer.session import Session, Standing
from ccl_viewer.session.editing import drawing
from ccl_viewer.session.values import tell_values_apart


@pytest.fixture
def several(session: Session, runner: HeldRunner) -> Session:
    """A session on a grid of 6 x 4 background cells that may hold several values."""
    session.drawing.new(6, 4)
    session.configure(multivalued=True)
    runner.work_all()
    return session


def dot(session: Session, x: int, y: int) -> None:
    session.tools.press((x, y))
    session.tools.release()


def test_values_are_kept_and_told_apart(several: Session, runner: HeldRunner) -> None:
    several.tools.choose(3)
    dot(several, 0, 0)
    several.tools.next_value()
    dot(several, 1, 0)
    assert several.grid is not None
    assert several.grid[0, :2].tolist() == [3, 4]
    runner.work_all()
    assert several.recording is not None
    assert several.recording.multivalued
    assert several.verdict.standing is Standing.OK
    assert several.recording.verdict is not None
    assert several.recording.verdict.expected == 2
    several.edits.undo()
    several.edits.undo()
    several.edits.redo()
    assert several.grid[0, :2].tolist() == [3, 0]


def test_the_palette_of_values(several: Session) -> None:
    tools = several.tools
    assert tools.hand.values == 4
    tools.choose(4)
    tools.next_value()
    assert tools.hand.front == 1
    tools.previous_value()
    assert tools.hand.front == 4
    tools.add_value()
    assert (tools.hand.front, tools.hand.values) == (5, 5)
    tools.choose(999)
    assert tools.hand.front == 255
    tools.choose(0)
    assert (tools.hand.front, tools.hand.back) == (0, 255)


def test_switching_off_makes_all_values_one_and_can_be_undone(several: Session) -> None:
    several.tools.choose(7)
    dot(several, 2, 2)
    several.configure(multivalued=False)
    assert several.grid is not None
    assert several.grid[2, 2] == 1
    assert several.tools.hand.front == 1
    assert several.drawing.undo_title == "One value"
    several.edits.undo()
    assert several.grid[2, 2] == 7
    assert several.settings.multivalued
    several.edits.redo()
    assert several.grid[2, 2] == 1
    assert not several.settings.multivalued


@pytest.fixture
def worked(several: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """That session, with a cell of value 7 and edits that are all made by the worker."""
    several.tools.choose(7)
    dot(several, 2, 2)
    monkeypatch.setattr(drawing, "AT_ONCE_CELLS", 0)
    return several


def test_values_of_a_large_grid_are_made_one_by_the_worker(
    worked: Session, runner: HeldRunner
) -> None:
    runner.work_all()
    worked.configure(multivalued=False)
    assert worked.grid is not None
    assert (worked.grid[2, 2], worked.settings.multivalued) == (7, True)
    worked.configure(connectivity=8)  # meanwhile
    worked.configure(multivalued=False)
    runner.work_all()
    assert (worked.grid[2, 2], worked.settings.multivalued) == (1, False)
    assert worked.settings.connectivity == 8
    assert worked.drawing.undo_title == "One value"


def test_values_stay_where_making_them_one_is_stopped(worked: Session, runner: HeldRunner) -> None:
    runner.work_all()
    worked.configure(multivalued=False)
    worked.cancel()
    runner.work_all()
    assert worked.grid is not None
    assert (worked.grid[2, 2], worked.settings.multivalued) == (7, True)
    assert worked.drawing.multivalued


def test_undo_back_to_before_switches_off(several: Session) -> None:
    several.edits.undo()
    assert not several.settings.multivalued
    several.edits.redo()
    assert several.settings.multivalued


def test_undo_and_redo_bring_back_the_algorithm_in_use_then(
    session: Session, runner: HeldRunner
) -> None:
    session.drawing.new(6, 4)
    session.configure(algorithm_key="ha4", connectivity=4, parameters={"barriers": 1})
    own = session.settings
    tell_values_apart(session, on=True)
    assert session.settings.algorithm == "label_equivalence"
    dot(session, 0, 0)
    for _ in range(2):
        session.edits.undo()
    assert session.settings == own
    for _ in range(2):
        session.edits.redo()
    assert session.settings.algorithm == "label_equivalence"
    tell_values_apart(session, on=False)
    assert session.settings == own
    session.edits.undo()
    session.configure(connectivity=8)  # which HA4 does not have
    session.edits.redo()
    assert session.settings.algorithm == "label_equivalence"
    runner.work_all()


def test_an_algorithm_that_was_chosen_meanwhile_stays(session: Session) -> None:
    session.drawing.new(6, 4)
    session.configure(algorithm_key="ha4")
    tell_values_apart(session, on=True)
    session.configure(algorithm_key="komura")
    session.configure(algorithm_key="label_equivalence")
    session.edits.undo()
    assert session.settings.algorithm == "label_equivalence"
    session.edits.redo()
    session.edits.undo()
    assert session.settings.algorithm == "label_equivalence"


def test_one_value_has_zero_and_one_alone(session: Session) -> None:
    session.drawing.new(3, 3)
    session.tools.choose(9)
    dot(session, 1, 1)
    session.edits.paste(np.full((1, 1), 5, np.uint8), (0, 0))
    session.edits.deselect()
    assert session.grid is not None
    assert session.grid.max() == 1


def test_algorithms_that_cannot_are_refused_with_those_that_can(several: Session) -> None:
    unable = next(row for row in ALGORITHMS.values() if not row.multivalued)
    able = next(row for row in ALGORITHMS.values() if row.multivalued)
    with pytest.raises(InputError, match=able.key):
        several.configure(algorithm_key=unable.key)
    several.configure(multivalued=False)
    several.configure(algorithm_key=unable.key)
    with pytest.raises(InputError, match=able.key):
        several.configure(multivalued=True)
    assert not several.settings.multivalued


def test_a_recording_brings_its_values_back(
    several: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    several.tools.choose(6)
    dot(several, 3, 3)
    runner.work_all()
    path = tmp_path / "values.cclrec"
    several.save(path)
    runner.work_all()
    other = Session(runner)
    other.open(str(path))
    runner.work_all()
    assert other.settings.multivalued
    assert other.drawing.multivalued
    assert other.grid is not None
    assert other.grid[3, 3] == 6
    assert other.tools.hand.values >= 6


def test_a_random_fill_with_all_values(several: Session) -> None:
    several.edits.random_fill(1.0, 1, several=True)
    assert several.grid is not None
    assert set(np.unique(several.grid).tolist()) == {1, 2, 3, 4}
    several.tools.choose(2)
    several.edits.random_fill(1.0, 1)
    assert (several.grid == 2).all()
    several.edits.invert()
    several.edits.invert()
    assert (several.grid == 2).all()
