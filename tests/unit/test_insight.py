"""What is found out about a run after it was recorded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.counts import first_settled, wrong_after_each
from support.sessions import HeldRunner
from support.tapes import played

from ccl_viewer import record
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.render.explanation import explain
from ccl_viewer.render.facts import facts_at
from ccl_viewer.session import Session
from ccl_viewer.session.facts import inquiry
from ccl_viewer.session.facts import insight as insight_module
from ccl_viewer.session.facts.course import course_of
from ccl_viewer.session.facts.insight import Insight

WRONG = np.array([[1, 0, 1, 1]], np.uint8)
"""Two components, which a faulty run unites."""


def noise(seed: int = 3) -> npt.NDArray[np.uint8]:
    return (np.random.default_rng(seed).random((24, 31)) < 0.6).astype(np.uint8)


def looked_at(recording: Recording, runner: HeldRunner) -> Insight:
    insight = Insight(runner)
    insight.look_at(recording)
    runner.work_all()
    return insight


@pytest.mark.parametrize("key", list(ALGORITHMS))
def test_it_finds_what_the_metrics_find(key: str, runner: HeldRunner) -> None:
    row = ALGORITHMS[key]
    run = record(noise(), algorithm=key, connectivity=row.connectivities[0])
    insight = looked_at(run, runner)
    expected = wrong_after_each(run)
    assert insight.wrong.tolist() == expected.tolist()
    assert insight.settled == first_settled(expected)
    assert insight.first_wrong is None
    assert insight.limits == ""
    for index in range(len(run)):
        assert insight.facts(index) == facts_at(run, index)
        assert insight.wrong_at(index) == expected[index]
        assert insight.merged_at(index) == facts_at(run, index).hooked
    assert insight.wrong_at(len(run)) is None


def test_the_first_mistake_is_found(runner: HeldRunner) -> None:
    run = played(WRONG, [[0, -1, 2, 3], [0, -1, 2, 2], [0, -1, 0, 2], [0, -1, 0, 0]])
    insight = looked_at(run, runner)
    assert insight.first_wrong == 2
    assert insight.settled is None
    assert course_of(run, len(run), insight).converged is None
    last = insight.facts(3)
    assert last is not None
    assert "final root" not in explain(last)


def test_a_run_that_broke_off_has_facts_and_no_wrong_cells(runner: HeldRunner) -> None:
    run = played(WRONG, [[0, -1, 2, 3], [0, -1, 2, 2]], finished=False)
    insight = looked_at(run, runner)
    assert insight.wrong.tolist() == [-1, -1]
    assert insight.merged_at(1) == 1
    assert insight.settled is None


def test_large_runs_are_sampled_and_that_is_said(
    runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(noise(), algorithm="shibata_naive")
    exact = wrong_after_each(run)
    monkeypatch.setattr(inquiry, "BUDGET", 4 * run.image.size)
    monkeypatch.setattr(insight_module, "AT_ONCE", 0)
    insight = looked_at(run, runner)
    assert insight.stride > 1
    assert "large" in insight.limits
    known = insight.wrong >= 0
    assert 0 < np.count_nonzero(known) < len(run)
    assert insight.wrong[known].tolist() == exact[known].tolist()
    # Between two steps of the sample, it is looked for.
    assert insight.settled == first_settled(exact)
    missing = int(np.flatnonzero(~known)[0])
    assert insight.facts(missing) is None
    runner.work_all()
    assert insight.facts(missing) == facts_at(run, missing)


def test_large_grids_are_counted_where_trees_are_flat(
    runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record(noise(), algorithm="label_equivalence")
    monkeypatch.setattr(inquiry, "LARGE", 1)
    monkeypatch.setattr(insight_module, "LARGE", 1)
    insight = looked_at(run, runner)
    exact = wrong_after_each(run)
    flat = [facts_at(run, index).indirect == 0 for index in range(len(run))]
    for index, is_flat in enumerate(flat):
        assert insight.wrong[index] == (exact[index] if is_flat else -1)
    assert "flat" in insight.limits


def test_the_latest_run_wins(runner: HeldRunner) -> None:
    first, second = record(noise(1), algorithm="ha4"), record(noise(2), algorithm="ha4")
    insight = Insight(runner)
    told: list[int] = []
    insight.changed.connect(lambda: told.append(1))
    insight.look_at(first)
    insight.look_at(second)
    old, new = runner.jobs
    assert old.cancel.cancelled
    runner.work(new)
    told.clear()
    runner.work(old)
    assert told == []
    assert insight.wrong.tolist() == wrong_after_each(second).tolist()
    assert not insight.working


def test_the_step_on_display_comes_first(
    runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insight_module, "AT_ONCE", 0)
    run = record(noise(), algorithm="shibata_naive")
    insight = Insight(runner)
    insight.look_at(run)
    last = len(run) - 1
    assert insight.facts(last) is None
    seen: list[bool] = []

    def wake() -> None:
        insight.poll()
        seen.append(insight.facts(last) is not None)

    (job,) = runner.jobs
    job.wake = wake
    runner.work(job)
    assert all(seen)


def test_a_failure_is_not_tried_again_and_disturbs_nobody(
    runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(insight_module, "AT_ONCE", 0)

    def fail(recording: Recording) -> None:
        raise InputError("No.")

    monkeypatch.setattr(inquiry, "final_roots", fail)
    insight = looked_at(record(noise(), algorithm="ha4"), runner)
    assert insight.facts(0) is None
    assert not runner.jobs
    assert not insight.working


def test_a_session_looks_into_the_runs_that_have_ended(runner: HeldRunner) -> None:
    aside = HeldRunner()
    session = Session(runner, aside)
    session.open("pattern:shibata")
    runner.work_all()
    assert len(aside.jobs) == 1
    aside.work_all()
    assert session.insight.settled is not None
    session.open("pattern:spiral?size=15")
    runner.work(runner.jobs[0])
    assert session.recording is None
    assert session.insight.wrong.size == 0
    runner.work_all()
    session.close()
    assert aside.jobs[0].cancel.cancelled


def test_the_course_of_a_run(runner: HeldRunner) -> None:
    run = record(noise(), algorithm="label_equivalence")
    insight = looked_at(run, runner)
    course = course_of(run, len(run), insight)
    assert [course.stage(index) for index in range(len(run))] == [s.stage for s in run.steps]
    assert course.roots.tolist() == [step.roots for step in run.steps]
    assert course.wrong.tolist() == wrong_after_each(run).tolist()
    changing = [step.index for step in run.steps if step.changed]
    assert course.converged == changing[-1]
    assert [group.start for group in course.groups] == [0, *range(1, len(run), 2)]
    part = course_of(run, 3, insight)
    assert (len(part), len(part.wrong)) == (3, 3)
    assert len(course_of(None, 0, insight)) == 0
