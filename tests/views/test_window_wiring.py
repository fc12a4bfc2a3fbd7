"""Actions of the menus do what they say: each acts on what it names, and in the right direction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from support.windows import position

from ccl_viewer.grids.shapes import Box
from ccl_viewer.views.dialogs.step import StepDialog
from ccl_viewer.views.main_window import MainWindow

Array = npt.NDArray[np.uint8]

CHANGES: dict[str, Callable[[Array], Array]] = {
    "clear": np.zeros_like,
    "invert": lambda grid: np.where(grid == 0, np.uint8(1), np.uint8(0)),
    "flip_across": np.fliplr,
    "flip_down": np.flipud,
    "rotate_right": lambda grid: np.rot90(grid, -1),
    "rotate_left": np.rot90,
}


def lopsided() -> Array:
    """A grid that looks different from every side."""
    grid = np.zeros((4, 6), np.uint8)
    grid[0, :3] = grid[1, 0] = grid[3, 5] = 1
    return grid


def test_an_action_changes_the_whole_grid(window: MainWindow) -> None:
    for name, change in CHANGES.items():
        window.session.drawing.put(lopsided(), "Grid")
        window.actions_table[name].trigger()
        grid = window.session.grid
        assert grid is not None
        assert np.array_equal(grid, change(lopsided())), name


def test_an_action_moves_the_selection(window: MainWindow) -> None:
    window.session.drawing.put(lopsided(), "Grid")
    selection = window.session.tools.selection
    for name, place in {
        "move_left": (1, 1),
        "move_right": (1, 3),
        "move_up": (0, 2),
        "move_down": (2, 2),
    }.items():
        selection.select(Box(1, 2, 3, 4))
        window.actions_table[name].trigger()
        assert selection.box is not None
        assert (selection.box.top, selection.box.left) == place, name


def test_previous_value_goes_back(window: MainWindow) -> None:
    window.session.configure(multivalued=True)
    tools = window.session.tools
    tools.choose(3)
    window.actions_table["previous_value"].trigger()
    assert tools.hand.front == 2


@pytest.mark.parametrize(("name", "larger"), [("zoom_in", True), ("zoom_out", False)])
def test_zoom_keeps_the_middle(window: MainWindow, name: str, larger: bool) -> None:
    before = window.canvas.view.scale
    window.actions_table[name].trigger()
    assert (window.canvas.view.scale > before) is larger
    assert window.canvas.view.scale != before


def test_a_step_is_gone_to_by_its_number(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int, int]] = []

    def answer(dialog: StepDialog) -> int:
        field = dialog.number
        asked.append((field.value(), field.minimum(), field.maximum()))
        field.setValue(2)
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(StepDialog, "exec", answer)
    QTest.keySequence(window.canvas, QKeySequence("Alt+G"))
    count = window.session.playback.count
    assert asked == [(count, 1, count)]
    assert position(window) == 1


def test_quit_closes_the_window(window: MainWindow) -> None:
    window.actions_table["quit"].trigger()
    assert not window.isVisible()
