"""The actions of the menu Playback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.transport.widget import CURVES
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions, always

_BEFORE: Final = "Go to the start of this iteration or level, or of the previous one"
_NEXT: Final = "Go to the start of the next iteration or level"
_IN_LESSONS: Final = {"previous_group", "next_group"}
"""Actions whose keys move between scenes while a lesson is open."""


def ask_for_step(playback: Playback, parent: QWidget) -> None:
    """Ask for the number of a step, and go to it."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle("Go to step")
    dialog.setLabelText(f"Step (1 to {playback.count:,})")
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(1, max(playback.count, 1))
    dialog.setIntValue(playback.position + 1)
    dialog.intValueSelected.connect(partial(_go_to_number, playback))
    dialog.open()


def _go_to_number(playback: Playback, number: int) -> None:
    playback.pause()
    playback.go_to(number - 1)


def transport_actions(
    playback: Playback,
    analysis: RunAnalysis,
    settings: Settings,
    when: Conditions,
    parent: QWidget,
    toggle_curves: Callable[[], object],
) -> tuple[ActionSpec, ...]:
    """Return the rows that step, play and find steps."""

    def not_first() -> bool:
        return when.has_recording() and not playback.at_start

    def not_last() -> bool:
        return when.has_recording() and not playback.at_end

    def first_wrong() -> int | None:
        """Return the first step with a wrong label; None if there is none, or it is hidden."""
        return next((one.step for one in analysis.milestones if one.name == "first wrong"), None)

    def go_to_first_wrong() -> None:
        step = first_wrong()
        if step is not None:
            playback.pause()
            analysis.display.go_to(step)

    playback_rows = (
        # Name, text, method of the playback, keys, icon, when, tip, group.
        ("play", "&Play", "toggle", ("Space",), "play", when.has_recording, "Play or pause", 0),
        ("back", "Step &back", "back", ("Left", ","), "back", not_first, "One step back", 0),
        (
            "forward",
            "Step &forward",
            "forward",
            ("Right", "."),
            "forward",
            not_last,
            "One step on",
            0,
        ),
        ("first", "F&irst step", "first", ("Home",), "first", not_first, "Show the first step", 0),
        ("last", "&Last step", "last", ("End",), "last", not_last, "Show the last step", 0),
        (
            "previous_group",
            "Pre&vious iteration",
            "previous_group",
            ("PgUp",),
            "",
            when.has_recording,
            _BEFORE,
            1,
        ),
        (
            "next_group",
            "&Next iteration",
            "next_group",
            ("PgDown",),
            "",
            when.has_recording,
            _NEXT,
            1,
        ),
        ("slower", "Slo&wer", "slower", ("[",), "", always, "Play slower", 2),
        ("faster", "F&aster", "faster", ("]",), "", always, "Play faster", 2),
        (
            "normal_speed",
            "Normal &speed",
            "reset_speed",
            ("Backspace",),
            "",
            always,
            "Play at 1x",
            2,
        ),
    )
    return (
        *(
            ActionSpec(
                name,
                text,
                "Playback",
                getattr(playback, method),
                keys,
                icon,
                when,
                tip=tip,
                group=group,
                lesson_keys=() if name in _IN_LESSONS else None,
            )
            for name, text, method, keys, icon, when, tip, group in playback_rows
        ),
        ActionSpec(
            "go_to",
            "&Go to step…",
            "Playback",
            lambda: ask_for_step(playback, parent),
            enabled=when.has_recording,
            tip="Go to a step by its number",
            group=1,
        ),
        ActionSpec(
            "go_first_wrong",
            "First w&rong step",
            "Playback",
            go_to_first_wrong,
            group=1,
            enabled=lambda: first_wrong() is not None,
            tip="Go to the first step with a label that names a cell of another component",
        ),
        ActionSpec(
            "loop",
            "L&oop",
            "Playback",
            lambda: playback.set_looping(not playback.looping),
            icon="loop",
            checked=lambda: playback.looping,
            group=3,
            tip="Start again at the end",
        ),
        ActionSpec(
            "curves",
            "Cur&ves under the steps",
            "View",
            toggle_curves,
            checked=lambda: settings.value(CURVES) is True,
            group=1,
            tip="Show roots, changed and wrong cells over the steps, under the canvas",
        ),
    )
