"""What is found out about a run after it was recorded, and what of it may be seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.grids import noise
from support.models import HeldExecutor, inline_session
from support.recordings import played
from support.wrong_counts import first_settled, wrong_after_each

from ccl_viewer import record
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.execution.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import explain, facts_at
from ccl_viewer.window.core.analysis import RunAnalysis, RunTimeline
from ccl_viewer.window.core.run_display import RunDisplay, ShownRun
from ccl_viewer.window.core.session import Session

WRONG = np.array([[1, 0, 1, 1]], np.uint8)
"""Two components, which a faulty run unites."""

GRID = noise(24, 31, 0.6)


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


def step_of(analysis: RunAnalysis, name: str) -> int | None:
    """The step of a milestone."""
    return next((one.step for one in analysis.milestones if one.name == name), None)


def analysed(session: Session, run: Recording, index: int = 0) -> RunAnalysis:
    session.display.show(ShownRun.prepare(run), index=index)
    return session.analysis


@pytest.mark.parametrize("key", list(ALGORITHMS))
def test_it_finds_what_the_metrics_find(session: Session, key: str) -> None:
    run = record(GRID, algorithm=key, connectivity=ALGORITHMS[key].connectivities[0])
    analysis = analysed(session, run)
    expected = wrong_after_each(run)
    assert analysis.wrong_counts.tolist() == expected.tolist()
    assert step_of(analysis, "roots right") == first_settled(expected)
    assert step_of(analysis, "first wrong") is None
    assert analysis.limitation_text == ""
    for index in range(len(run)):
        assert analysis.facts_at(index) == facts_at(run, index)
        assert analysis.wrong_count_at(index) == expected[index]
        assert analysis.merged_count_at(index) == facts_at(run, index).hooked
    assert analysis.wrong_count_at(len(run)) is None


def test_the_first_mistake_is_found(session: Session) -> None:
    run = played(WRONG, [[0, -1, 2, 3], [0, -1, 2, 2], [0, -1, 0, 2], [0, -1, 0, 0]])
    analysis = analysed(session, run)
    assert step_of(analysis, "first wrong") == 2
    assert step_of(analysis, "roots right") is None
    assert step_of(analysis, "converged") is None
    assert [(stone.name, stone.step) for stone in analysis.milestones] == [("first wrong", 2)]
    last = analysis.facts_at(3)
    assert last is not None
    assert "final root" not in explain(last)


def test_trees_left_apart_are_told_from_the_step_on(session: Session) -> None:
    run = played(np.ones((1, 3), np.uint8), [[0, 1, 2], [0, 0, 2], [0, 0, 2]])
    analysis = analysed(session, run)
    (stone,) = (one for one in analysis.milestones if one.name == "left apart")
    assert stone.step == 1
    assert "1 tree too many" in analysis.describe_step(1)
    assert "too many" not in analysis.describe_step(0)


def test_a_run_that_broke_off_has_facts_and_no_wrong_cells(session: Session) -> None:
    run = played(WRONG, [[0, -1, 2, 3], [0, -1, 2, 2]], finished=False)
    analysis = analysed(session, run)
    assert np.isnan(analysis.wrong_counts).tolist() == [True, True]
    assert analysis.merged_count_at(1) == 1
    assert step_of(analysis, "roots right") is None


def test_the_newest_run_wins(held: tuple[Session, HeldExecutor]) -> None:
    session, executor = held
    first, second = record(noise(9, 9, 0.5), algorithm="ha4"), record(GRID, algorithm="ha4")
    analysis = analysed(session, first)
    analysed(session, second)
    executor.work()
    assert analysis.wrong_counts.tolist() == wrong_after_each(second).tolist()
    analysed(session, first)
    assert np.isnan(analysis.wrong_counts).all()
    executor.work()
    assert analysis.wrong_counts.tolist() == wrong_after_each(first).tolist()


def stages(timeline: RunTimeline) -> list[Stage]:
    return [timeline.stages[code].stage for code in timeline.codes]


def test_the_course_of_a_run(session: Session) -> None:
    run = record(GRID, algorithm="label_equivalence")
    timeline = analysed(session, run).timeline()
    assert stages(timeline) == [step.stage for step in run.steps]
    assert timeline.wrong.tolist() == wrong_after_each(run).tolist()
    stones = {stone.name: stone.step for stone in timeline.milestones}
    assert stones["converged"] == [step.index for step in run.steps if step.changed][-1]
    assert len(RunAnalysis(session.tasks, RunDisplay()).timeline()) == 0


def test_the_course_at_the_moments_of_a_comparison(session: Session) -> None:
    run = record(GRID, algorithm="label_equivalence")
    timeline = analysed(session, run).timeline()
    shown = np.repeat(np.arange(len(run)), 3)[2:]
    moments = timeline.at_moments(shown)
    assert len(moments) == len(shown)
    assert stages(moments) == [stages(timeline)[step] for step in shown]
    for stone, moment in zip(timeline.milestones, moments.milestones, strict=True):
        assert shown[moment.step] == stone.step
        assert not moment.step or shown[moment.step - 1] < stone.step


def test_a_grid_without_foreground_has_converged_at_once(session: Session) -> None:
    analysis = analysed(session, record(np.zeros((5, 5), np.uint8), algorithm="ha4"))
    assert step_of(analysis, "converged") == 0


def test_an_open_question_hides_what_it_asks(session: Session) -> None:
    run = record(GRID, algorithm="label_equivalence")
    analysis = analysed(session, run)
    last = len(run) - 1
    told = analysis.describe_step(last)
    assert "final root" in told
    analysis.set_hidden_answers(["course"])
    assert "final root" not in analysis.describe_step(last)
    assert not analysis.milestones
    assert np.isnan(analysis.timeline().wrong).all()
    analysis.set_hidden_answers(["counts"])
    assert analysis.describe_step(last) == ""
    analysis.set_hidden_answers([])
    assert analysis.describe_step(last) == told
