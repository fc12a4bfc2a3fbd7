"""Lessons: their menu, and the column with the scene's text."""

from __future__ import annotations

from ccl_viewer.window.lessons.actions import lesson_actions
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.lessons.widget import QtLessonPlayer
from ccl_viewer.window.widgets.feature import Context, Feature, GuideSpec


def build(context: Context) -> Feature:
    """Return what lessons add to the window."""
    session, settings, appearance = context.session, context.session.settings, context.appearance
    player = LessonPlayer(
        session.workspace,
        session.analysis,
        session.user_algorithms,
        session.tasks,
        session.messages,
    )
    session.quizzes.insert(0, player)
    session.files.replacing.connect(player.close_lesson)

    def follow_motion() -> None:
        player.plays = not appearance.reduced_motion

    def restore() -> None:
        player.restore_bookmarks(settings.value("lessons/left"))
        player.set_notes_shown(settings.value("lessons/notes") is True)

    appearance.reduced_motion_changed.connect(follow_motion)
    follow_motion()
    guide = GuideSpec(
        lambda: QtLessonPlayer(session.display, player, context.actions),
        lambda: player.is_open,
        player,
    )
    return Feature(
        models=(player,),
        actions=lesson_actions(player, context.parent),
        guides=(guide,),
        restore=restore,
        save=lambda: {"lessons/left": player.bookmarks, "lessons/notes": player.notes},
        close=player.close_lesson,
    )
