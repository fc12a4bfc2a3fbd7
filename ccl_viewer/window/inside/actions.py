"""The actions for the phases of a launch."""

from __future__ import annotations

from functools import partial

from ccl_viewer.window.inside.widget import BUTTONS, write_shown_phase
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context
from ccl_viewer.window.widgets.file_dialogs import ask_and_save

_MENU = "Playback/Inside the la&unch"


def inside_actions(context: Context) -> tuple[ActionSpec, ...]:
    """Return the rows of the menu Playback for phases, and the row that exports a phase."""
    phases = context.session.phases

    def look() -> None:
        context.show_panel("inside")
        phases.look_inside()

    def export() -> None:
        write = partial(write_shown_phase, phases, context.appearance.theme)
        kinds = "Vectors (*.svg);;Picture (*.png)"
        title = "Export the phase"
        ask_and_save(context.parent, context.session.messages, title, "phase.svg", kinds, write)

    def is_inside() -> bool:
        return phases.shown is not None

    def move(name: str, text: str, keys: tuple[str, ...]) -> ActionSpec:
        tip, method, by = BUTTONS[name]
        run = partial(getattr(phases, method), by)
        tip = tip.partition(" (")[0]
        return ActionSpec(
            f"phase_{name}",
            text,
            _MENU,
            run,
            keys=keys,
            icon=name,
            enabled=is_inside,
            tip=tip,
            group=4,
        )

    return (
        ActionSpec(
            "look_inside",
            "Look &inside",
            _MENU,
            look,
            icon="inside",
            enabled=lambda: phases.can_look_inside,
            group=4,
            tip="Step through this launch: barriers, warp operations, rounds",
        ),
        move("back", "Phase &back", ("<", "Alt+,")),
        move("forward", "Phase &forward", (">", "Alt+.")),
        move("first", "Fi&rst phase", ("Alt+Home",)),
        move("last", "&Last phase", ("Alt+End",)),
        ActionSpec(
            "leave_phases",
            "Lea&ve",
            _MENU,
            phases.leave,
            enabled=is_inside,
            group=4,
            tip="Return to the step",
        ),
        ActionSpec(
            "export_phase",
            "&Export the phase…",
            "File",
            export,
            icon="export",
            enabled=is_inside,
            group=3,
            tip="Save lanes and shared memory of the phase as vectors or a picture",
        ),
    )
