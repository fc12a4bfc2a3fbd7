"""A run is never shown as that of a grid or of settings that it is not of."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import HeldRunner, draw, is_stale

from ccl_viewer.session import AUTOMATIC_CELLS, Session

SIDE = int(AUTOMATIC_CELLS**0.5) + 1
LARGE = f"pattern:empty?width={SIDE}&height={SIDE}"
"""No run of it begins by itself."""


def algorithm_on_display(session: Session) -> str | None:
    return None if session.recording is None else session.recording.algorithm


def test_steps_that_arrive_after_other_settings_were_chosen_are_of_the_old_ones(
    session: Session, runner: HeldRunner
) -> None:
    session.open(LARGE)
    runner.work(runner.jobs[0])
    run = runner.jobs.pop()
    run.execute()
    session.configure(algorithm_key="ha4")
    session.poll()
    assert algorithm_on_display(session) == "label_equivalence"
    assert is_stale(session)
    run.deliver()
    assert not session.running
    assert is_stale(session)


def test_a_run_that_live_mode_did_not_begin_is_not_taken_for_its_own(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    labelled.live.switch(True)
    runner.work_all()
    draw(labelled.tools, (0, 0))
    labelled.configure(algorithm_key="shibata_fast")
    labelled.run()
    while labelled.job is not None and algorithm_on_display(labelled) != "shibata_fast":
        runner.work(runner.jobs[0])
    labelled.open(str(tmp_path / "missing.png"))
    runner.work_all()
    labelled.configure(algorithm_key="label_equivalence")
    assert labelled.running
    assert is_stale(labelled)
    runner.work_all()
    assert algorithm_on_display(labelled) == "label_equivalence"
    assert not is_stale(labelled)


def test_settings_that_are_chosen_back_make_the_run_that_of_the_grid_again(
    session: Session, runner: HeldRunner
) -> None:
    session.open(LARGE)
    runner.work_all()
    session.configure(algorithm_key="ha4")
    assert is_stale(session)
    session.configure(algorithm_key="label_equivalence")
    assert not is_stale(session)


@pytest.mark.parametrize("changed", [False, True])
def test_a_run_put_away_for_a_lesson_comes_back_as_stale_as_it_was(
    session: Session, runner: HeldRunner, changed: bool
) -> None:
    session.open(LARGE)
    runner.work_all()
    if changed:
        session.configure(algorithm_key="ha4")
    session.lesson.open("shibata")
    runner.work_all()
    assert session.lesson.is_open
    assert not is_stale(session)
    session.lesson.close()
    assert is_stale(session) is changed
