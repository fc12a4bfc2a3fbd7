"""Exercises: kernels with gaps, beside the editor of copies."""

from __future__ import annotations

from ccl_viewer.window.exercises.actions import exercise_actions
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.exercises.widget import QtExercisePlayer
from ccl_viewer.window.widgets.feature import Context, Feature, GuideSpec


def build(context: Context) -> Feature:
    """Return what exercises add to the window."""
    player = ExercisePlayer(
        tasks=context.session.tasks,
        messages=context.session.messages,
        document=context.session.document,
        runs=context.session.runs,
        view=context.session.view,
        files=context.session.files,
        copies=context.session.copies,
    )
    guide = GuideSpec(
        lambda: QtExercisePlayer(player), lambda: player.is_open, player, needs_room=False
    )
    return Feature(
        models=(player,),
        actions=exercise_actions(player, context.files.replace, context.show_panel),
        guides=(guide,),
    )
