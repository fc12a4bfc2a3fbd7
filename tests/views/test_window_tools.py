"""The tools in the window: keys, the palette, the mouse on the canvas, previews, the clipboard."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, cell_at, color_at, press, wait_idle

from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid, parse
from ccl_viewer.session import Cell
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.views.dialogs.random import RandomDialog
from ccl_viewer.views.main_window import MainWindow

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def blank(make_window: MakeWindow) -> MainWindow:
    """A window on 8 x 6 background cells."""
    return make_window("pattern:empty?width=8&height=6")


def shown(window: MainWindow) -> str:
    assert window.session.grid is not None
    return format_grid(window.session.grid).strip()


def drag(
    window: MainWindow,
    start: Cell,
    *cells: Cell,
    button: Qt.MouseButton = LEFT,
    modifiers: Qt.KeyboardModifier = NONE,
    release: bool = True,
) -> None:
    """Drag the mouse over the middles of cells."""
    canvas = window.canvas
    QTest.mousePress(canvas, button, modifiers, cell_at(window, start))
    for cell in cells:
        QTest.mouseMove(canvas, cell_at(window, cell))
    if release:
        QTest.mouseRelease(canvas, button, modifiers, cell_at(window, (cells or (start,))[-1]))


def menu_text(window: MainWindow, name: str) -> str:
    return window.actions_table[name].text().replace("&", "")


KEYS = {
    "e": Tool.ERASER,
    "l": Tool.LINE,
    "r": Tool.RECTANGLE,
    "o": Tool.ELLIPSE,
    "f": Tool.FILL,
    "i": Tool.PICK,
    "m": Tool.SELECT,
    "p": Tool.PENCIL,
}


def test_keys_and_buttons_take_tools(blank: MainWindow) -> None:
    buttons = blank.canvas_panel.tools.buttons
    for key, tool in KEYS.items():
        other = Tool.LINE if tool is not Tool.LINE else Tool.FILL
        blank.session.tools.take(other)
        press(blank.canvas, key)
        assert blank.session.tools.hand.tool is tool
        assert buttons[f"tool_{tool}"].isChecked()
        assert not buttons[f"tool_{other}"].isChecked()
        assert key.upper() in buttons[f"tool_{tool}"].toolTip()
        QTest.mouseClick(buttons[f"tool_{other}"], LEFT)
        assert blank.session.tools.hand.tool is other


@pytest.mark.parametrize(
    ("key", "picture"),
    [
        ("p", "........\n.####...\n....#..."),
        ("l", "........\n.##.....\n...##..."),
        ("r", "........\n.####...\n.####..."),
        ("o", "........\n.####...\n.####..."),
    ],
)
def test_the_mouse_draws(blank: MainWindow, qtbot: QtBot, key: str, picture: str) -> None:
    press(blank.canvas, key)
    drag(blank, (1, 1), (4, 1), (4, 2))
    assert "\n".join(shown(blank).splitlines()[:3]) == picture
    wait_idle(qtbot, blank)
    assert blank.session.recording is not None
    assert blank.session.grid is not None
    assert np.array_equal(blank.session.recording.image, blank.session.grid)
    title = blank.session.drawing.undo_title
    assert title is not None
    assert menu_text(blank, "undo") == f"Undo {title.lower()}"
    press(blank.canvas, "x")
    drag(blank, (0, 1), (7, 1), button=RIGHT)
    assert menu_text(blank, "undo") != "Undo"
    QTest.keyClick(blank, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(blank, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert blank.session.grid is not None
    assert not blank.session.grid.any()
    assert menu_text(blank, "redo") == f"Redo {title.lower()}"
    wait_idle(qtbot, blank)


def test_shift_makes_a_square(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "r")
    press(blank.canvas, Qt.Key.Key_F)
    press(blank.canvas, "r")
    QTest.keyClick(blank.canvas, Qt.Key.Key_F, SHIFT)
    assert blank.session.tools.hand.filled
    QTest.mousePress(blank.canvas, LEFT, SHIFT, cell_at(blank, (0, 0)))
    QTest.mouseRelease(blank.canvas, LEFT, SHIFT, cell_at(blank, (0, 0)))
    blank.session.edits.undo()
    drag(blank, (2, 1), (4, 1), modifiers=SHIFT)
    assert blank.session.grid is not None
    assert blank.session.grid.any()
    wait_idle(qtbot, blank)


def test_a_shape_is_painted_before_it_is_drawn_and_escape_drops_it(blank: MainWindow) -> None:
    press(blank.canvas, "l")
    background = color_at(blank, (3, 2))
    drag(blank, (1, 2), (5, 2), release=False)
    assert color_at(blank, (3, 2)) != background
    assert blank.session.grid is not None
    assert not blank.session.grid.any()
    press(blank.canvas, Qt.Key.Key_Escape)
    assert color_at(blank, (3, 2)) == background
    QTest.mouseRelease(blank.canvas, LEFT, NONE, cell_at(blank, (5, 2)))
    assert not blank.session.grid.any()
    assert not blank.session.drawing.can_undo


def test_escape_takes_a_stroke_back(blank: MainWindow, qtbot: QtBot) -> None:
    drag(blank, (1, 2), (5, 2), release=False)
    assert blank.session.grid is not None
    assert blank.session.grid.any()
    press(blank.canvas, Qt.Key.Key_Escape)
    QTest.mouseMove(blank.canvas, cell_at(blank, (5, 5)))
    QTest.mouseRelease(blank.canvas, LEFT, NONE, cell_at(blank, (5, 5)))
    assert not blank.session.grid.any()
    wait_idle(qtbot, blank)


def test_filling_and_picking(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "r")
    drag(blank, (1, 1), (5, 4))
    press(blank.canvas, "f")
    drag(blank, (3, 3))
    assert shown(blank).splitlines()[2] == ".#####.."
    press(blank.canvas, "i")
    drag(blank, (7, 5))
    assert blank.session.tools.hand.front == 0
    assert blank.session.look.pinned == (7, 5)
    wait_idle(qtbot, blank)


def test_selecting_moving_and_placing_with_the_mouse(blank: MainWindow, qtbot: QtBot) -> None:
    drag(blank, (1, 1), (2, 1))
    press(blank.canvas, "m")
    drag(blank, (0, 0), (3, 2))
    assert blank.session.tools.selection.box == Box(0, 0, 3, 4)
    old, new = color_at(blank, (1, 1)), color_at(blank, (5, 3))
    drag(blank, (1, 1), (3, 2), (5, 3))
    assert color_at(blank, (5, 3)) != new
    assert color_at(blank, (1, 1)) != old
    QTest.keyClick(blank.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    press(blank.canvas, "p")
    assert shown(blank).splitlines()[3] == "....##.."
    assert blank.session.grid is not None
    assert blank.session.grid.sum() == 2
    wait_idle(qtbot, blank)


def test_the_brush_and_the_buttons_keys(blank: MainWindow) -> None:
    palette = blank.canvas_panel.tools
    press(blank.canvas, "b")
    press(blank.canvas, "b")
    assert palette.brush.text() == "3"
    QTest.keyClick(blank.canvas, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert palette.brush.text() == "2"
    QTest.mouseClick(palette.buttons["wider"], LEFT)
    assert blank.session.tools.hand.brush == 3
    press(blank.canvas, "x")
    assert blank.session.tools.hand.front == 0
    QTest.mouseClick(palette.buttons["swap"], LEFT)
    assert blank.session.tools.hand.front == 1


def test_a_wide_brush_is_seen_under_the_mouse(blank: MainWindow) -> None:
    background = color_at(blank, (4, 2))
    for _ in range(2):
        blank.session.tools.wider()
    QTest.mouseMove(blank.canvas, cell_at(blank, (3, 2)))
    blank.session.look.hover_at((3, 2))
    assert color_at(blank, (4, 2)) != background


def test_undo_can_be_chosen_while_a_shape_is_drawn_and_no_longer(blank: MainWindow) -> None:
    undo = blank.actions_table["undo"]
    blank.session.tools.take(Tool.LINE)
    drag(blank, (1, 1), (3, 1), release=False)
    assert undo.isEnabled()
    QTest.keyClick(blank.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not undo.isEnabled()
    assert not blank.session.tools.busy
    drag(blank, (1, 1), button=RIGHT)  # erases background: no edit
    assert not undo.isEnabled()


def test_drawing_with_the_keyboard(blank: MainWindow, qtbot: QtBot) -> None:
    press(blank.canvas, "z")
    assert blank.session.look.cursor is not None
    x, y = blank.session.look.cursor
    assert blank.session.grid is not None
    assert not blank.session.grid.any()
    press(blank.canvas, "z")
    assert blank.session.grid[y, x] == 1
    press(blank.canvas, "l")
    QTest.keyClick(blank.canvas, Qt.Key.Key_Z)
    for _ in range(2):
        QTest.keyClick(blank.canvas, Qt.Key.Key_Left, SHIFT)
    QTest.keyClick(blank.canvas, Qt.Key.Key_Z)
    assert blank.session.grid[y, x - 2 : x + 1].all()
    press(blank.canvas, "p")
    QTest.keyClick(blank.canvas, Qt.Key.Key_Z, SHIFT)
    assert not blank.session.grid[y, x - 2]
    wait_idle(qtbot, blank)


def test_copy_and_paste_by_keys(blank: MainWindow, qtbot: QtBot) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    drag(blank, (1, 1), (2, 1))
    wait_idle(qtbot, blank)
    press(blank.canvas, "m")
    drag(blank, (1, 1), (2, 1))
    QTest.keyClick(blank.canvas, Qt.Key.Key_X, control)
    assert QGuiApplication.clipboard().text().strip() == "##"
    assert blank.session.grid is not None
    assert not blank.session.grid.any()
    QTest.keyClick(blank.canvas, Qt.Key.Key_V, control)
    QTest.keyClick(blank.canvas, Qt.Key.Key_D, control)
    assert shown(blank).splitlines()[1] == ".##....."
    QTest.keyClick(blank.canvas, Qt.Key.Key_A, control)
    QTest.keyClick(blank.canvas, Qt.Key.Key_C, control)
    assert parse(QGuiApplication.clipboard().text()).shape == (6, 8)
    QTest.keyClick(blank.canvas, Qt.Key.Key_Delete)
    assert not blank.session.grid.any()
    wait_idle(qtbot, blank)


def test_text_art_from_elsewhere_floats(blank: MainWindow, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setText("#.#\n.#.\n")
    QGuiApplication.clipboard().setMimeData(data)
    blank.actions_table["paste"].trigger()
    patch = blank.session.tools.selection.patch
    assert patch is not None
    assert patch.cells.tolist() == [[1, 0, 1], [0, 1, 0]]
    press(blank.canvas, Qt.Key.Key_Escape)
    assert blank.session.tools.selection.patch is None
    QGuiApplication.clipboard().setText("no grid at all")
    blank.actions_table["paste"].trigger()
    assert blank.session.message is not None
    wait_idle(qtbot, blank)


def test_several_values(blank: MainWindow, qtbot: QtBot) -> None:
    palette = blank.canvas_panel.tools
    assert not palette.values.isVisible()
    QTest.keyClick(blank.canvas, Qt.Key.Key_W, SHIFT)
    wait_idle(qtbot, blank)
    assert blank.session.settings.multivalued
    assert palette.values.isVisible()
    QTest.mouseClick(palette.values, LEFT, NONE, palette.values.rect_of(3).center())
    assert blank.session.tools.hand.front == 3
    palette.values.setFocus()
    press(palette.values, Qt.Key.Key_Left)
    assert blank.session.tools.hand.front == 2
    QTest.mouseClick(palette.buttons["add_value"], LEFT)
    assert palette.values.count == 5
    drag(blank, (1, 1))
    press(blank.canvas, "w")
    drag(blank, (2, 1))
    assert blank.session.grid is not None
    assert blank.session.grid[1, 1:3].tolist() == [5, 1]
    wait_idle(qtbot, blank)


def test_where_the_algorithm_cannot_tell_values_apart_another_takes_over(
    blank: MainWindow, qtbot: QtBot
) -> None:
    blank.session.configure(algorithm_key="ha4", connectivity=4)
    wait_idle(qtbot, blank)
    blank.actions_table["multivalued"].trigger()
    wait_idle(qtbot, blank)
    assert blank.actions_table["multivalued"].isChecked()
    assert blank.source_bar.algorithm.currentData() == "label_equivalence"
    assert blank.session.message is not None
    told = "HA4 does not tell values apart: Label Equivalence took over."
    assert blank.session.message.text == told
    blank.actions_table["multivalued"].trigger()
    assert not blank.session.settings.multivalued
    assert blank.source_bar.algorithm.currentData() == "ha4"


def test_choosing_an_algorithm_that_cannot_tell_values_apart_is_refused(
    blank: MainWindow, qtbot: QtBot
) -> None:
    blank.actions_table["multivalued"].trigger()
    wait_idle(qtbot, blank)
    combo = blank.source_bar.algorithm
    combo.activated.emit(combo.findData("ha4"))
    assert blank.session.settings.algorithm == "label_equivalence"
    assert combo.currentData() == "label_equivalence"
    assert blank.session.message is not None
    told = "HA4 does not tell values apart: switch Several values off first (Shift+W)."
    assert blank.session.message.text == told


def test_drawn_values_have_their_colours(blank: MainWindow, qtbot: QtBot) -> None:
    blank.actions_table["multivalued"].trigger()
    wait_idle(qtbot, blank)
    blank.session.tools.choose(2)
    drag(blank, (1, 1), release=False)
    assert color_at(blank, (1, 1)) == QColor(86, 180, 233)
    QTest.mouseRelease(blank.canvas, LEFT, NONE, cell_at(blank, (1, 1)))
    wait_idle(qtbot, blank)


def test_random_fill_asks(blank: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(dialog: RandomDialog) -> int:
        dialog.density.setValue(1.0)
        return 1

    monkeypatch.setattr(RandomDialog, "exec", answer)
    blank.actions_table["random_fill"].trigger()
    assert blank.session.grid is not None
    assert blank.session.grid.all()
    wait_idle(qtbot, blank)


def test_live_mode_is_remembered(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:empty?width=8&height=6")
    press(window.canvas, "v")
    assert window.session.live.on
    assert window.canvas_panel.tools.buttons["live"].isChecked()
    wait_idle(qtbot, window)
    drag(window, (1, 1), (4, 1), release=False)
    recording = window.session.recording
    qtbot.waitUntil(
        lambda: (
            window.session.recording is not None
            and window.session.recording is not recording
            and bool(window.session.recording.image[1, 1:5].all())
        )
    )
    assert window.session.drawing.drawing
    QTest.mouseRelease(window.canvas, LEFT, NONE, cell_at(window, (4, 1)))
    wait_idle(qtbot, window)
    window.session.keeping.give_up()
    window.close()
    assert make_window().session.live.on


def test_the_button_that_swaps_shows_what_both_buttons_draw(window: MainWindow) -> None:
    button = window.canvas_panel.tools.buttons["swap"]
    for theme in ("dark", "light", "light"):  # the icon of the action comes with each
        window.set_theme(theme)
        window.appearance.settle()
        assert button.icon().cacheKey() != window.actions_table["swap"].icon().cacheKey()
