"""The rows of the exercises, in the menu Lessons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from ccl_viewer import exercises
from ccl_viewer.errors import ExerciseFileError
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.window.exercises.model import ExercisePlayer
from ccl_viewer.window.widgets.action_spec import ActionSpec

_MENU: Final = "Lessons/E&xercises"


def exercise_actions(
    player: ExercisePlayer,
    replace: Callable[[Callable[[], object]], object],
    show_panel: Callable[[str], object],
) -> tuple[ActionSpec, ...]:
    """Return a row for each exercise, and the one that closes it.

    `replace` asks about an unsaved drawing before an exercise is opened.
    """

    def open_exercise(name: str) -> None:
        player.open(name)
        if player.is_open:
            show_panel("source")

    def row(number: int, name: str) -> ActionSpec:
        try:
            found = exercises.load_exercise(name)
            title, tip = found.title, f"{found.minutes} minutes. {to_plain_text(found.task)}"
        except ExerciseFileError as error:  # opening it says the same
            title, tip = name, str(error)
        digits = f"&{number}" if number < 10 else f"{number}"
        text = f"{digits}  {title.replace('&', '&&')}"
        run = partial(replace, partial(open_exercise, name))
        return ActionSpec(f"exercise_{number}", text, _MENU, run, icon="kernel", tip=tip, group=4)

    tip = "Close the exercise; your kernel is kept"
    close = ActionSpec(
        "close_exercise",
        "Close e&xercise",
        _MENU,
        player.close_exercise,
        icon="close",
        enabled=lambda: player.is_open,
        tip=tip,
        group=5,
    )
    return (
        *(row(number, name) for number, name in enumerate(exercises.exercise_names(), 1)),
        close,
    )
