"""The actions of the source, and the action that shows a fault."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions


def source_actions(session: Session, panel: Callable[[], QtSource]) -> tuple[ActionSpec, ...]:
    """Return the rows of the source; `panel` brings it forward."""
    when = Conditions(session.document, session.display)

    def go_to_fault() -> None:
        """Show the last step, and the cell and the source line of the fault.

        If it has neither, show the first step that differs: from the original of a copy, or from
        the right labels.
        """
        fault, display = session.display.fault, session.display
        session.playback.pause()
        session.playback.go_to_last()
        if fault is None:
            return
        if fault.cell is not None:
            session.view.pin_cell(fault.cell)
            session.view.reveal(fault.cell, flash=True)
        elif fault.line is None:
            marks = (one.step for one in session.analysis.milestones if one.name == "first wrong")
            step = session.copies.first_differing_step(display.recording)
            step = next(marks, None) if step is None else step
            if step is not None:
                display.go_to(step)
        panel()

    return (
        ActionSpec(
            "edit_copy",
            "Edit a copy of t&he kernel",
            "Edit",
            lambda: panel().edit_copy(),
            icon="pencil",
            enabled=when.has_recording,
            group=5,
            tip="Change a copy of the step's kernel and run it in a separate process",
        ),
        ActionSpec(
            "find",
            "Find in the &source",
            "Edit",
            lambda: panel().open_find_bar(),
            keys=("Ctrl+F",),
            icon="find",
            enabled=when.has_recording,
            tip="Look for a phrase in the source",
            group=5,
        ),
        ActionSpec(
            "back_to_kernel",
            "Bac&k to the kernel",
            "Edit",
            lambda: panel().show_kernel(),
            icon="kernel",
            enabled=when.has_recording,
            tip="Return to the step's kernel from another place",
            group=5,
        ),
        ActionSpec(
            "copy_kernel",
            "Copy the &whole kernel",
            "Edit",
            lambda: panel().copy_kernel_to_clipboard(),
            enabled=when.has_recording,
            tip="Copy the source of the step's kernel, with the comment above it",
            group=5,
        ),
        ActionSpec(
            "go_fault",
            "Show the &fault",
            "Run",
            go_to_fault,
            icon="error",
            enabled=lambda: session.display.fault is not None,
            group=1,
            tip="Show the step, the cell and the source line of what failed",
        ),
    )
