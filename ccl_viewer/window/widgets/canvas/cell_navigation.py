"""Going to cells: the next that changed or is wrong, the next step that changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QGuiApplication

from ccl_viewer.window.core.cell_info import (
    inspect_cell,
    next_in_raster_order,
    next_step_that_changes,
)

if TYPE_CHECKING:
    from ccl_viewer.grids.shapes import Cell
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.comparison import Comparison
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.labels import LabelCache
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.tasks import TaskQueue
    from ccl_viewer.window.core.view_state import ViewState


def show_next_changed_cell(display: RunDisplay, view: ViewState, messages: Messages) -> None:
    """Reveal and flash the next cell that the step on display changed."""
    recording, index = display.recording, display.index
    if recording is None or not index:
        messages.tell("This is the first step: nothing has changed yet.")
        return
    width = recording.image.shape[1]
    changed = recording.changed_cells(index)
    cell = next_in_raster_order(changed, width, view.cursor or view.inspected)
    if cell is None:
        messages.tell("This step changes no cell.")
    else:
        go_to_cell(view, cell)


def has_wrong_cells(comparison: Comparison, analysis: RunAnalysis) -> bool:
    """Return whether a run ended with wrong cells that may be shown."""
    shown = comparison.active_display.shown
    return shown is not None and shown.wrong is not None and not analysis.hidden_answers


def show_next_wrong_cell(display: RunDisplay, view: ViewState, playback: Playback) -> None:
    """Reveal and flash the next cell that is wrong at the end of the run, in its last step."""
    shown = display.shown
    if shown is None or shown.wrong is None:
        return
    playback.pause()
    display.go_to(display.count - 1)
    after = view.cursor or view.inspected
    cell = next_in_raster_order(np.flatnonzero(shown.wrong), shown.wrong.shape[1], after)
    if cell is not None:
        go_to_cell(view, cell)


def go_to_next_change_of(
    cell: Cell, display: RunDisplay, playback: Playback, tasks: TaskQueue, messages: Messages
) -> None:
    """Go to the next step that changes the label of a cell."""
    recording, index = display.recording, display.index
    if recording is None:
        return

    def done(step: int | None) -> None:
        if step is None:
            messages.tell("This cell does not change any more.")
        elif display.recording is recording:
            playback.go_to(step)

    tasks.start(
        "Looking for the next change",
        lambda task: next_step_that_changes(recording, index, cell, check=task.check),
        done,
    )


def copy_value(
    display: RunDisplay,
    document: Document,
    view: ViewState,
    labels: LabelCache,
    messages: Messages,
) -> None:
    """Copy the label of the inspected cell; without a run, its value."""
    cell = view.inspected
    if cell is not None:
        info = inspect_cell(cell, document.grid, display, labels)
        value = info.value if info.label is None else info.label
        QGuiApplication.clipboard().setText(str(value))
        text = f"Copied {value} from the cell at x {cell[0]}, y {cell[1]}."
        messages.tell(text)


def go_to_cell(view: ViewState, cell: Cell) -> None:
    view.put_cursor(cell)
    view.reveal(cell, flash=True)
