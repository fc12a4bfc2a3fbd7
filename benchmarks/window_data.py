"""What may be done with the data of a large grid, for ``window_pauses.py``: each by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from ccl_viewer.views.importing.dialog import ImportDialog
from ccl_viewer.views.plots.panel import Plots
from PIL import Image
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from ccl_viewer.grids.import_settings import Kind

if TYPE_CHECKING:
    from ccl_viewer.views.main_window import MainWindow

Action = tuple[str, Callable[[], object]]

STEP_MS: Final = 700
"""Milliseconds from one thing that is done in a dialog to the next."""


def data_actions(window: MainWindow, folder: Path) -> Iterator[Action]:
    """Return what is done, one after the other, in a window on a run of a large grid.

    Parameters
    ----------
    window : MainWindow
        The window.
    folder : Path
        Where files are written.
    """
    session, commands = window.session, window.actions_table.by_name
    grid = session.grid
    if grid is None:
        return
    height, width = grid.shape
    (plots,) = window.findChildren(Plots)
    yield "hover", partial(session.look.hover_at, (width // 2, height // 2))
    yield "zoom in", commands["zoom_in"].trigger
    yield "zoom out", commands["zoom_out"].trigger
    yield "zoom out further", commands["zoom_out"].trigger
    yield "fit", commands["fit"].trigger
    for suffix in (".png", ".svg", ".csv"):
        yield f"save plot {suffix}", partial(plots.save, folder / f"plot{suffix}")
    yield "copy grid", commands["copy_grid"].trigger
    yield "select all", commands["select_all"].trigger
    yield "copy", commands["copy"].trigger
    yield "paste", commands["paste"].trigger
    yield "move what floats", commands["move_right"].trigger
    yield "place", commands["deselect"].trigger
    yield "undo", commands["undo"].trigger
    yield "move selection", partial(_move_all, window)
    yield "cancel move", commands["undo"].trigger
    yield "resize", lambda: session.drawing.resize(width + 64, height)
    yield "undo", commands["undo"].trigger
    yield "new grid", lambda: session.drawing.new(width, height, 1)
    yield "undo", commands["undo"].trigger
    yield "several values", commands["multivalued"].trigger
    yield "one value", commands["multivalued"].trigger
    yield "undo", commands["undo"].trigger
    yield "live", lambda: session.live.switch(True)
    yield "stroke, live", partial(_stroke, window)
    yield "not live", lambda: session.live.switch(False)
    yield "pattern dialog", partial(_in_a_dialog, window, window.intake.choose_pattern, ())
    yield "new grid dialog", partial(_in_a_dialog, window, window.intake.ask_for_new_grid, ())
    yield "resize dialog", partial(_in_a_dialog, window, window.intake.ask_for_size, ())
    picture = folder / "picture.png"
    shades = np.random.default_rng(1).integers(0, 256, (height, width), dtype=np.uint8)
    Image.fromarray(shades).save(picture, compress_level=1)
    opened = partial(window.intake.open, str(picture), always=True)
    session.keeping.give_up()  # or the window asks about it first
    changes: tuple[dict[str, object], ...] = (
        {"threshold": 90.0},
        {"threshold": None},
        {"factor": 2},
        {"kind": Kind.LEVELS},
        {"kind": Kind.BINARY, "factor": 1},
    )
    yield "import, with each setting", partial(_in_a_dialog, window, opened, changes)


def _move_all(window: MainWindow) -> None:
    commands = window.actions_table.by_name
    commands["select_all"].trigger()
    commands["move_right"].trigger()


def _stroke(window: MainWindow) -> None:
    drawing = window.session.drawing
    drawing.press((5, 5), 1)
    drawing.drag((400, 300))
    drawing.release()


def _in_a_dialog(
    window: MainWindow, ask: Callable[[], object], changes: tuple[dict[str, object], ...]
) -> None:
    """Open a dialog, change settings in it, and accept it; one without settings is closed."""
    steps = iter(changes)

    def turn() -> None:
        dialog = window.intake.dialog
        if dialog is None:
            return
        change = next(steps, None)
        if change is not None and isinstance(dialog, ImportDialog):
            dialog.change(**change)
            return
        timer.stop()
        dialog.done(bool(changes))

    timer = QTimer(window, interval=STEP_MS)
    timer.timeout.connect(turn)
    timer.start()
    ask()
    while timer.isActive():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 5)
