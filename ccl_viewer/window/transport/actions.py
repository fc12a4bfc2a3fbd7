"""The actions of the menu Playback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.transport.widget import CURVES
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions


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
    curves = ActionSpec(
        "curves",
        "Cur&ves under the steps",
        "View",
        toggle_curves,
        checked=lambda: settings.value(CURVES) is True,
        group=1,
        tip="Show roots, changed and wrong cells over the steps, under the canvas",
    )
    return (
        *_step_actions(playback, when),
        *_search_actions(playback, analysis, when, parent),
        *_speed_actions(playback),
        curves,
    )


def _step_actions(playback: Playback, when: Conditions) -> tuple[ActionSpec, ...]:
    def not_first() -> bool:
        return when.has_recording() and not playback.at_start

    def not_last() -> bool:
        return when.has_recording() and not playback.at_end

    return (
        ActionSpec(
            "play",
            "&Play",
            "Playback",
            playback.toggle,
            keys=("Space",),
            icon="play",
            enabled=when.has_recording,
            tip="Play or pause",
        ),
        ActionSpec(
            "back",
            "Step &back",
            "Playback",
            playback.back,
            keys=("Left", ","),
            icon="back",
            enabled=not_first,
            tip="One step back",
        ),
        ActionSpec(
            "forward",
            "Step &forward",
            "Playback",
            playback.forward,
            keys=("Right", "."),
            icon="forward",
            enabled=not_last,
            tip="One step forward",
        ),
        ActionSpec(
            "first",
            "F&irst step",
            "Playback",
            playback.go_to_first,
            keys=("Home",),
            icon="first",
            enabled=not_first,
            tip="Show the first step",
        ),
        ActionSpec(
            "last",
            "&Last step",
            "Playback",
            playback.go_to_last,
            keys=("End",),
            icon="last",
            enabled=not_last,
            tip="Show the last step",
        ),
    )


def _search_actions(
    playback: Playback, analysis: RunAnalysis, when: Conditions, parent: QWidget
) -> tuple[ActionSpec, ...]:
    def first_wrong() -> int | None:
        """Return the first step with a wrong label; None if there is none, or it is hidden."""
        return next((one.step for one in analysis.milestones if one.name == "first wrong"), None)

    def go_to_first_wrong() -> None:
        step = first_wrong()
        if step is not None:
            playback.pause()
            analysis.display.go_to(step)

    return (
        ActionSpec(
            "previous_group",
            "Pre&vious iteration",
            "Playback",
            playback.go_to_previous_group,
            keys=("PgUp",),
            enabled=when.has_recording,
            tip="Go to the start of this iteration or level, or of the previous one",
            group=1,
            lesson_keys=(),  # they move between scenes then
        ),
        ActionSpec(
            "next_group",
            "&Next iteration",
            "Playback",
            playback.go_to_next_group,
            keys=("PgDown",),
            enabled=when.has_recording,
            tip="Go to the start of the next iteration or level",
            group=1,
            lesson_keys=(),  # they move between scenes then
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
    )


def _speed_actions(playback: Playback) -> tuple[ActionSpec, ...]:
    return (
        ActionSpec(
            "slower",
            "Slo&wer",
            "Playback",
            playback.slower,
            keys=("[",),
            tip="Play slower",
            group=2,
        ),
        ActionSpec(
            "faster",
            "F&aster",
            "Playback",
            playback.faster,
            keys=("]",),
            tip="Play faster",
            group=2,
        ),
        ActionSpec(
            "normal_speed",
            "Normal &speed",
            "Playback",
            playback.reset_speed,
            keys=("Backspace",),
            tip="Play at 1x",
            group=2,
        ),
        ActionSpec(
            "loop",
            "L&oop",
            "Playback",
            lambda: playback.set_looping(not playback.looping),
            icon="loop",
            checked=lambda: playback.looping,
            group=3,
            tip="Start again after the last step",
        ),
    )
