"""The rows of the menu Lessons."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from ccl_viewer import lessons
from ccl_viewer.errors import LessonFileError
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.file_dialogs import ask_to_open


def lesson_actions(player: LessonPlayer, parent: QWidget) -> tuple[ActionSpec, ...]:
    """Return a row for each lesson, and those that lead through one."""

    def open_file() -> None:
        ask_to_open(parent, "Open lesson", "", "Lessons (*.toml);;All files (*)", player.open)

    def lesson_row(number: int, key: str) -> ActionSpec:
        try:
            title, aims = lessons.title_and_aims(key)
        except LessonFileError as error:  # opening it says the same
            title, aims = key, (str(error),)
        digits = f"&{number}" if number < 10 else f"{number}"
        text, tip = (
            f"{digits}  {title.replace('&', '&&')}",
            " ".join(to_plain_text(aim) for aim in aims),
        )
        run = partial(player.open, key)
        return ActionSpec(f"lesson_{number}", text, "Lessons", run, icon="lesson", tip=tip)

    return (
        *(lesson_row(number, key) for number, key in enumerate(lessons.lesson_names(), 1)),
        ActionSpec(
            "open_lesson",
            "&Open lesson\N{HORIZONTAL ELLIPSIS}",
            "Lessons",
            open_file,
            icon="open",
            tip="Open a lesson from a file",
        ),
        ActionSpec(
            "next_scene",
            "&Next",
            "Lessons",
            player.next,
            keys=("Ctrl+Right",),
            lesson_keys=("Ctrl+Right", "PgDown"),
            enabled=lambda: player.can_go_on,
            group=1,
            tip="Show the next scene of the lesson",
        ),
        ActionSpec(
            "previous_scene",
            "&Back",
            "Lessons",
            player.back,
            keys=("Ctrl+Left",),
            lesson_keys=("Ctrl+Left", "PgUp"),
            enabled=lambda: player.can_go_back,
            group=1,
            tip="Show the previous scene",
        ),
        ActionSpec(
            "reset_scene",
            "&Reset scene",
            "Lessons",
            player.reset,
            enabled=lambda: player.off_scene,
            group=1,
            tip="Show the scene as it was at first",
        ),
        ActionSpec(
            "presenter_notes",
            "&Presenter's notes",
            "Lessons",
            lambda: player.set_notes_shown(not player.notes),
            icon="notes",
            checked=lambda: player.notes,
            group=1,
            tip="Show the presenter's notes in a separate window during lessons",
        ),
        ActionSpec(
            "close_lesson",
            "&Close lesson",
            "Lessons",
            player.close_lesson,
            icon="close",
            enabled=lambda: player.is_open,
            group=1,
            tip="Close the lesson; your own grid comes back as it was",
        ),
    )
