"""Going to cells: the next that changed or is wrong, the next step that changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QGuiApplication

from ccl_viewer.window.core.cell_info import inspect_cell, next_cell, next_step_that_changes

if TYPE_CHECKING:
    from ccl_viewer.render.step_view import Cell
    from ccl_viewer.window.core.display import RunDisplay
    from ccl_viewer.window.core.session import Session


def show_next_change(session: Session, display: RunDisplay) -> None:
    """Reveal and flash the next cell that the step on display changed."""
    recording, index = display.recording, display.index
    if recording is None or not index:
        session.messages.tell("No step before this one: nothing changed.")
        return
    width = recording.image.shape[1]
    changed = recording.changed_cells(index)
    cell = next_cell(changed, width, session.view.cursor or session.view.inspected)
    if cell is None:
        session.messages.tell("This step changes no cell.")
    else:
        go_to_cell(session, cell)


def has_wrong_cells(session: Session) -> bool:
    """Return whether a run ended with wrong cells that may be shown."""
    shown = session.comparison.active_display.shown
    return shown is not None and shown.wrong is not None and not session.analysis.conceal


def show_next_wrong(session: Session, display: RunDisplay) -> None:
    """Reveal and flash the next cell that is wrong at the end of the run, in its last step."""
    shown = display.shown
    if shown is None or shown.wrong is None:
        return
    session.playback.pause()
    display.go_to(display.count - 1)
    after = session.view.cursor or session.view.inspected
    cell = next_cell(np.flatnonzero(shown.wrong), shown.wrong.shape[1], after)
    if cell is not None:
        go_to_cell(session, cell)


def go_to_next_change_of(session: Session, display: RunDisplay, cell: Cell) -> None:
    """Go to the next step that changes the label of a cell."""
    recording, index = display.recording, display.index
    if recording is None:
        return

    def done(step: int | None) -> None:
        if step is None:
            session.messages.tell("This cell does not change any more.")
        elif display.recording is recording:
            session.playback.go_to(step)

    session.tasks.start(
        "Looking for the next change",
        lambda task: next_step_that_changes(recording, index, cell, check=task.check),
        done,
    )


def copy_value(session: Session, display: RunDisplay) -> None:
    """Copy the label of the inspected cell; without a run, its value."""
    cell = session.view.inspected
    if cell is not None:
        info = inspect_cell(cell, session.document.grid, display, session.labels)
        value = info.value if info.label is None else info.label
        QGuiApplication.clipboard().setText(str(value))
        text = f"Copied {value}, of the cell x {cell[0]}, y {cell[1]}."
        session.messages.tell(text)


def go_to_cell(session: Session, cell: Cell) -> None:
    session.view.put_cursor(cell)
    session.view.reveal(cell, flash=True)
