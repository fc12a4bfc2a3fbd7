"""The lesson player without a window: scenes, answers, and the user's own things untouched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lessons import LESSON, is_altered, is_open, outcome_of, write_lesson
from support.sessions import HeldRunner, draw

from ccl_viewer import lessons
from ccl_viewer.lessons import QuestionKind
from ccl_viewer.session import Asking, Marks, MessageKind, QuestionOutcome, Session


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(write_lesson(tmp_path))


@pytest.fixture
def opened(session: Session, runner: HeldRunner, file: str) -> Session:
    """A session without a grid of its own, at the first scene of the lesson."""
    session.lesson.open(file)
    runner.work_all()
    assert is_open(session)
    return session


def at_scene(session: Session, runner: HeldRunner, index: int) -> None:
    session.lesson.go_to(index)
    runner.work_all()
    assert session.lesson.index == index


def own_things(session: Session) -> dict[str, Any]:
    """What must come back exactly."""
    grid = session.grid
    return {
        "grid": None if grid is None else grid.tolist(),
        "undo": (session.drawing.undo_title, session.drawing.redo_title),
        "settings": session.settings,
        "layers": session.look.layers,
        "pin": session.look.pin_of,
        "recording": session.recording,
        "stale": session.stale,
        "way": session.playback.way,
        "selection": session.tools.selection.held,
        "title": session.source,
    }


def test_the_first_scene_is_shown_with_its_step_and_layers(opened: Session) -> None:
    lesson, scene = opened.lesson, opened.lesson.scene
    assert scene is not None
    assert scene.title == "Before"
    assert opened.playback.position == 0
    assert opened.settings.algorithm == "label_equivalence"
    assert opened.settings.schedule == "synchronous"
    assert opened.look.layers.arrows
    assert opened.look.pinned == (1, 0)
    assert opened.pointing.marks.highlight == ((0, 0), (1, 0))
    assert [chapter.seen for chapter in lesson.chapters] == [True, False, False, False]
    assert lesson.played is not None
    assert "5 roots" in lesson.played.caption


def test_next_and_back(opened: Session, runner: HeldRunner) -> None:
    lesson = opened.lesson
    assert not lesson.can_go_back
    lesson.back()
    assert lesson.index == 0
    for index in range(1, 4):
        lesson.next()
        runner.work_all()
        assert lesson.index == index
    assert not lesson.can_go_on
    lesson.next()
    runner.work_all()
    assert lesson.index == 3
    lesson.back()
    assert not runner.jobs, "a scene that was shown is ready"
    assert lesson.index == 2


def test_scenes_of_one_run_share_its_recording(opened: Session, runner: HeldRunner) -> None:
    before = opened.recording
    at_scene(opened, runner, 1)
    assert opened.recording is before
    assert opened.playback.at_end


def test_the_next_scene_is_made_ready_ahead(file: str) -> None:
    runner, aside = HeldRunner(), HeldRunner()
    session = Session(runner, aside)
    session.lesson.open(file)
    runner.work_all()
    aside.work_all()
    session.lesson.next()
    assert not runner.jobs
    assert session.lesson.index == 1
    aside.work_all()
    session.close()


def test_own_things_come_back_exactly(labelled: Session, runner: HeldRunner, file: str) -> None:
    session = labelled
    draw(session.tools, (0, 0))
    runner.work_all()
    draw(session.tools, (2, 0))
    runner.work_all()
    session.drawing.undo()
    runner.work_all()
    session.configure(algorithm_key="shibata_fast")
    runner.work_all()
    session.look.show(arrows=True, numbers="root")
    session.look.pin((1, 1), component=True)
    session.tools.selection.select_all()
    session.playback.go_to(1)
    session.playback.start_here()
    before = own_things(session)
    session.lesson.open(file)
    runner.work_all()
    assert own_things(session) != before
    draw(session.tools, (2, 0))
    runner.work_all()
    session.configure(connectivity=8)
    runner.work_all()
    session.look.show(arrows=False)
    at_scene(session, runner, 2)
    session.lesson.close()
    assert own_things(session) == before
    assert not runner.jobs
    session.drawing.redo()
    assert session.grid is not None
    assert session.grid[0, 2] == 1


def test_a_run_that_was_stopped_begins_again(
    labelled: Session, runner: HeldRunner, file: str
) -> None:
    labelled.run()
    labelled.lesson.open(file)
    runner.work_all()
    before = labelled.recording
    labelled.lesson.close()
    assert labelled.running or labelled.recording is not before
    runner.work_all()
    assert labelled.recording is not None
    assert labelled.recording.complete


def test_without_a_grid_there_is_none_again(opened: Session) -> None:
    opened.lesson.close()
    assert opened.grid is None
    assert opened.recording is None
    assert not is_open(opened)
    assert opened.pointing.marks == Marks()


def test_scenes_may_be_drawn_on_and_reset(opened: Session, runner: HeldRunner) -> None:
    lesson = opened.lesson
    original = opened.recording
    assert opened.grid is not None
    before = opened.grid.copy()
    draw(opened.tools, (2, 0))
    runner.work_all()
    assert is_altered(opened)
    assert opened.recording is not original
    assert opened.pointing.marks == Marks(), "marks are about the scene as it was"
    lesson.reset()
    assert not is_altered(opened)
    assert np.array_equal(opened.grid, before)
    assert opened.recording is original
    assert opened.pointing.marks.highlight


def test_another_step_is_no_alteration(opened: Session) -> None:
    opened.playback.forward()
    assert opened.lesson.away
    assert not opened.lesson.altered
    opened.lesson.reset()
    assert opened.playback.position == 0


def test_opening_something_else_ends_the_lesson(opened: Session, runner: HeldRunner) -> None:
    opened.open("pattern:spiral?size=9")
    runner.work_all()
    assert not is_open(opened)
    assert opened.grid is not None
    assert opened.grid.shape == (9, 9)


def test_another_lesson_replaces_the_first(
    labelled: Session, runner: HeldRunner, file: str, tmp_path: Path
) -> None:
    before = own_things(labelled)
    labelled.lesson.open(file)
    runner.work_all()
    other = write_lesson(tmp_path, "other", LESSON.replace("A small one", "Another"))
    labelled.lesson.open(str(other))
    runner.work_all()
    assert labelled.lesson.lesson is not None
    assert labelled.lesson.lesson.title == "Another"
    labelled.lesson.close()
    assert own_things(labelled) == before


def test_faults_are_said_and_change_nothing(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    before = own_things(labelled)
    path = tmp_path / "bad.toml"
    path.write_text('title = "x"\nwrong = 1\n', "utf-8")
    for name in ("nothing-of-this-name", str(path), str(tmp_path / "none.toml")):
        labelled.lesson.open(name)
        runner.work_all()
        assert labelled.message is not None
        assert labelled.message.kind is MessageKind.ERROR
        assert not is_open(labelled)
        assert own_things(labelled) == before


def test_a_scene_that_cannot_be_run_leaves_the_one_before(
    session: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    text = LESSON.replace("step = 0\nschedule", "step = 99\nschedule")
    session.lesson.open(str(write_lesson(tmp_path, "bad", text)))
    runner.work_all()
    session.lesson.go_to(2)
    runner.work_all()
    assert session.lesson.index == 0
    assert session.message is not None
    assert session.message.kind is MessageKind.ERROR


def test_a_first_scene_that_was_cancelled_opens_nothing(
    labelled: Session, runner: HeldRunner, file: str
) -> None:
    before = own_things(labelled)
    labelled.lesson.open(file)
    labelled.cancel()
    runner.work_all()
    assert not is_open(labelled)
    assert own_things(labelled) == before
    labelled.lesson.open(file)
    runner.work_all()
    assert is_open(labelled)


def conceals(asking: Asking) -> bool:
    return asking.conceals_count


def test_a_number_is_judged(opened: Session, runner: HeldRunner) -> None:
    at_scene(opened, runner, 1)
    lesson, asking = opened.lesson, opened.lesson.asking
    assert asking is not None
    assert asking.question.kind is QuestionKind.COMPONENTS
    assert conceals(asking)
    lesson.check()
    assert asking.pending, "nothing was typed"
    asking.type(7)
    lesson.check()
    assert outcome_of(asking) is QuestionOutcome.WRONG
    assert "Not 7" in asking.words
    assert lesson.score == (0, 1)
    assert not conceals(asking)
    at_scene(opened, runner, 0)
    at_scene(opened, runner, 1)
    assert lesson.asking is asking, "answers stay"
    assert lesson.chapters[1].outcome is QuestionOutcome.WRONG


def test_cells_are_clicked(opened: Session, runner: HeldRunner) -> None:
    at_scene(opened, runner, 2)
    lesson, asking = opened.lesson, opened.lesson.asking
    assert asking is not None
    assert opened.pointing.picks
    for cell in (*asking.right.cells, (0, 0), (0, 0)):
        assert opened.pointing.pick(cell)
    assert set(asking.chosen) == set(asking.right.cells)
    lesson.check()
    assert outcome_of(asking) is QuestionOutcome.RIGHT
    assert lesson.score == (1, 1)
    assert opened.pointing.marks.judged
    assert set(opened.pointing.marks.right) == set(asking.right.cells)
    assert not opened.pointing.picks


def test_questions_can_be_skipped_and_told(opened: Session, runner: HeldRunner) -> None:
    at_scene(opened, runner, 3)
    lesson, asking = opened.lesson, opened.lesson.asking
    assert asking is not None
    assert asking.question.kind is QuestionKind.NEXT_LABEL
    assert opened.pointing.marks.asked == asking.question.cell
    lesson.skip()
    assert outcome_of(asking) is QuestionOutcome.SKIPPED
    assert asking.words == ""
    lesson.explain()
    assert outcome_of(asking) is QuestionOutcome.TOLD
    assert str(asking.right.number) in asking.words
    assert asking.next_step == opened.playback.position
    assert lesson.score == (0, 0)
    lesson.check()
    assert outcome_of(asking) is QuestionOutcome.TOLD


@pytest.mark.parametrize("name", lessons.names())
def test_every_lesson_plays_to_its_end(session: Session, runner: HeldRunner, name: str) -> None:
    player = session.lesson
    player.open(name)
    runner.work_all()
    assert player.lesson == lessons.lesson(name)
    while True:
        assert session.message is None
        asking = player.asking
        if asking is not None:
            for cell in asking.right.cells:
                assert session.pointing.pick(cell)
            asking.type(asking.right.number)
            player.check()
            assert outcome_of(asking) is QuestionOutcome.RIGHT
            player.explain()
        if not player.can_go_on:
            break
        player.next()
        runner.work_all()
    assert all(chapter.seen for chapter in player.chapters)
    asked = sum(chapter.asks for chapter in player.chapters)
    assert player.score == (asked, asked)
    keys = lessons.names()
    following = keys[keys.index(name) + 1] if name != keys[-1] else None
    assert player.following == following
    player.close()
    assert session.grid is None


def test_titles_in_the_menu_are_those_of_the_lessons() -> None:
    for name in lessons.names():
        whole = lessons.lesson(name)
        assert lessons.title_and_aims(name) == (whole.title, whole.aims)
