"""Lessons: scenes, playing between them, answers, and the user's own things untouched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.grids import noise
from support.models import HeldExecutor, inline_session
from support.qt_window import model_of
from support.small_lesson import LESSON, write_lesson

from ccl_viewer.lessons import QuestionKind
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.messages import MessageKind
from ccl_viewer.window.core.questions import AskedQuestion
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.lessons.model import LessonPlayer


def player_of(session: Session) -> LessonPlayer:
    return model_of(session, LessonPlayer)


GRID = noise(12, 16, 0.6)


@pytest.fixture
def session() -> Iterator[Session]:
    """A session with a run of a small grid."""
    session = inline_session()
    session.document.load_grid(GRID, "noise")
    yield session
    session.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(write_lesson(tmp_path))


@pytest.fixture
def opened(session: Session, file: str) -> Session:
    """The same session at the first scene of the small lesson."""
    player_of(session).open(file)
    assert is_open(session)
    return session


def asked(session: Session) -> AskedQuestion:
    question = player_of(session).question
    assert question is not None
    return question


def is_open(session: Session) -> bool:
    return player_of(session).is_open


def is_arriving(session: Session) -> bool:
    return player_of(session).arriving


def own_things(session: Session) -> dict[str, Any]:
    """What must come back exactly."""
    document, view, playback = session.document, session.view, session.playback
    return {
        "grid": None if document.grid is None else document.grid.tolist(),
        "undo": (document.undo_title, document.redo_title, document.dirty),
        "source": document.source,
        "selection": document.selection.state,
        "settings": session.runs.settings,
        "run": (session.display.recording, session.display.index, session.display.stale),
        "way": (playback.section, playback.looping),
        "view": (view.layers, view.pin, view.mode, view.marks),
        "place": (view.viewport.fitted, view.viewport.centre, view.viewport.scale),
        "comparing": session.comparison.open,
    }


# Scenes


def test_the_first_scene_is_shown_with_its_step_layers_and_marks(opened: Session) -> None:
    player = player_of(opened)
    assert player.scene is not None
    assert player.scene.scene.title == "Before"
    assert opened.display.index == 0
    assert opened.runs.settings.schedule == "synchronous"
    assert opened.view.layers.arrows
    assert opened.view.pin is not None
    assert opened.view.pin.cell == (1, 0)
    assert opened.view.marks.highlight == ((0, 0), (1, 0))
    assert [scene.seen for scene in player.scenes] == [True, False, False, False]
    assert player.scene is not None
    assert "5 roots" in player.scene.caption
    assert not player.off_scene


def test_next_plays_the_steps_of_the_same_run(opened: Session) -> None:
    player = player_of(opened)
    last = opened.display.count - 1
    assert last > 1
    player.next()
    assert is_arriving(opened)
    assert player.question is None, "it is about a step that is not shown yet"
    assert opened.playback.position < last
    now = 0.0
    while is_arriving(opened):
        now += opened.playback.tick(now)
    assert opened.display.index == last
    assert not opened.playback.playing
    assert asked(opened).question.kind is QuestionKind.COMPONENTS
    player.replay()
    assert opened.display.index < last
    opened.playback.pause()
    assert not is_arriving(opened)
    assert player.off_scene
    player.reset()
    assert opened.display.index == last


def test_the_next_scene_is_made_ready_ahead(file: str) -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    player_of(session).open(file)
    executor.work()
    player_of(session).plays = False
    player_of(session).next()
    assert player_of(session).index == 1, "nothing had to be waited for"
    session.close()


# The user's own things


def test_own_things_come_back_exactly(session: Session, file: str) -> None:
    session.document.invert()
    session.document.flip_left_right()
    session.document.undo()
    session.runs.configure(algorithm="shibata_fast")
    session.view.show_layers(arrows=True)
    session.view.pin_cell((1, 1), component=True)
    session.view.set_mode(Mode.DRAW)
    session.view.viewport.look_at((3.0, 4.0), 20.0)
    session.document.selection.select_all()
    session.playback.go_to(1)
    session.playback.set_section(range(2))
    session.comparison.set_open(True)
    before = own_things(session)
    player_of(session).open(file)
    assert own_things(session) != before
    assert not session.comparison.open
    session.document.invert()
    session.runs.configure(connectivity=8)
    session.view.show_layers(arrows=False)
    player_of(session).go_to(2)
    player_of(session).close_lesson()
    assert own_things(session) == before
    session.document.redo()
    assert session.document.can_undo


def test_a_run_that_was_stopped_begins_again(file: str) -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    session.document.load_grid(GRID, "noise")
    player_of(session).open(file)
    executor.work()
    player_of(session).close_lesson()
    executor.work()
    recording = session.display.recording
    assert recording is not None
    assert recording.complete
    assert np.array_equal(recording.image, GRID)
    session.close()


def test_without_a_grid_there_is_none_again(file: str) -> None:
    session = inline_session()
    player_of(session).open(file)
    player_of(session).close_lesson()
    assert session.document.grid is None
    assert session.display.recording is None
    assert session.view.marks == Marks()
    session.close()


def test_what_was_drawn_can_be_kept_as_an_edit(opened: Session) -> None:
    opened.document.invert()
    grid = opened.document.grid
    assert grid is not None
    grid = grid.copy()
    player_of(opened).keep_grid()
    assert not is_open(opened)
    assert opened.document.grid is not None
    assert np.array_equal(opened.document.grid, grid)
    opened.document.undo()
    assert np.array_equal(opened.document.grid, GRID)


def test_another_lesson_takes_the_place_of_the_first(session: Session, tmp_path: Path) -> None:
    before = own_things(session)
    player_of(session).open(str(write_lesson(tmp_path)))
    other = write_lesson(tmp_path, "other", LESSON.replace("A small one", "Another"))
    player_of(session).open(str(other))
    lesson = player_of(session).lesson
    assert lesson is not None
    assert lesson.title == "Another"
    player_of(session).close_lesson()
    assert own_things(session) == before


# Faults


def test_faults_are_told_and_change_nothing(session: Session, tmp_path: Path) -> None:
    before = own_things(session)
    path = tmp_path / "bad.toml"
    path.write_text('title = "x"\nwrong = 1\n', "utf-8")
    for name in ("nothing-of-this-name", str(path), str(tmp_path / "none.toml")):
        player_of(session).open(name)
        message = session.messages.message
        assert message is not None
        assert message.kind is MessageKind.ERROR
        assert not is_open(session)
        assert own_things(session) == before


def test_a_scene_that_cannot_be_run_leaves_the_one_before(session: Session, tmp_path: Path) -> None:
    text = LESSON.replace("step = 0\nschedule", "step = 99\nschedule")
    player_of(session).open(str(write_lesson(tmp_path, "bad", text)))
    player_of(session).go_to(2)
    assert player_of(session).index == 0
    assert session.messages.message is not None
    assert session.messages.message.kind is MessageKind.ERROR


def test_a_first_scene_that_was_cancelled_opens_nothing(file: str) -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    player_of(session).open(file)
    session.tasks.cancel()
    executor.work()
    assert not is_open(session)
    assert player_of(session).scene is None
    player_of(session).open(file)
    executor.work()
    assert is_open(session)
    session.close()


# Questions


def test_scenes_without_trees_hide_words_on_roots(opened: Session) -> None:
    course = player_of(opened).lesson
    assert course is not None
    shown = [scene.picture_shows_trees for scene in course.scenes]
    assert all(shown), "as colours are those of trees"
    by_label = [replace(scene, show={"colours": "label"}) for scene in course.scenes]
    assert not any(scene.picture_shows_trees for scene in by_label)
    assert replace(by_label[0], show={"colours": "label", "arrows": True}).picture_shows_trees
    assert replace(by_label[0], follow=((0, 0),)).picture_shows_trees


# Bookmarks


def test_damaged_bookmarks_are_left_out(session: Session) -> None:
    player_of(session).restore_bookmarks({"a": 3, "b": -1, "c": "x", "d": True})
    assert player_of(session).bookmarks == {"a": 3}
    player_of(session).restore_bookmarks([1])
    assert player_of(session).bookmarks == {"a": 3}


def resume_index(player: LessonPlayer) -> int | None:
    return player.resume_index


def test_a_lesson_goes_on_where_it_was_left(opened: Session, file: str) -> None:
    player = player_of(opened)
    player.plays = False
    assert resume_index(player) is None
    player.next()
    player.next()
    player.close_lesson()
    player.open(file)
    assert resume_index(player) == 2
    player.resume()
    assert player.index == 2
    player.next()
    player.close_lesson()
    player.open(file)
    assert resume_index(player) is None, "the last scene ends a lesson"


# Comparisons, and files that change

COMPARED = """
title = "Beside each other"
aims = ["Compare."]
[defaults]
grid = "pattern:shibata"
[[scene]]
title = "Two"
caption = "Look at both."
compare = ["label_equivalence", "playne"]
[[scene]]
title = "Alone"
caption = "Look at one."
algorithm = "playne"
"""


def compares(session: Session) -> bool:
    return session.comparison.open


def arrives(session: Session) -> bool:
    return player_of(session).arriving


def test_a_comparison_has_the_runs_of_its_scene(session: Session, tmp_path: Path) -> None:
    chosen = session.comparison.rival_settings
    player_of(session).open(str(write_lesson(tmp_path, "compared", COMPARED)))
    assert [pane.settings.algorithm for pane in session.comparison.panes] == [
        "label_equivalence",
        "playne",
    ]
    assert all(pane.shows_result for pane in session.comparison.panes), "all show their last step"
    played = player_of(session).scene
    assert played is not None
    assert played.table is not None
    assert not player_of(session).off_scene
    player_of(session).next()
    assert not compares(session)
    player_of(session).back()
    assert compares(session)
    player_of(session).close_lesson()
    assert not compares(session)
    assert session.comparison.rival_settings == chosen


def test_a_changed_file_is_read_again_at_the_same_scene(session: Session, tmp_path: Path) -> None:
    path = write_lesson(tmp_path)
    player = player_of(session)
    player.open(str(path))
    player.go_to(1)
    question = asked(session)
    question.set_number(7)
    question.check()
    path.write_text(LESSON.replace('caption = "Count."', 'caption = "Count them."'), "utf-8")
    player.reload()
    assert player.index == 1
    assert player.scene is not None
    assert player.scene.caption == "Count them."
    assert asked(session) is question, "answers stay"
    path.write_text("title = 3", "utf-8")
    player.reload()
    assert player.scene.caption == "Count them."
    message = session.messages.message
    assert message is not None
    assert "A lesson has aims" in message.text


def test_a_scene_is_read_before_its_steps_are_played(session: Session, tmp_path: Path) -> None:
    text = LESSON.replace("step = -1", "step = 2")
    player_of(session).plays = True
    player_of(session).open(str(write_lesson(tmp_path, "paced", text)))
    player_of(session).next()
    assert arrives(session)
    playback = session.playback
    wait = playback.tick(100.0)
    assert wait > playback.seconds_per_step, "there is time to read the caption first"
    playback.tick(100.0 + wait - 0.01)
    assert session.display.index == 0
    playback.tick(100.0 + wait + 0.01)
    assert session.display.index == 1
    playback.tick(200.0)
    assert session.display.index == 2
    assert not arrives(session)
    assert player_of(session).question is not None
