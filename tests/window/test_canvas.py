"""The canvas: what it paints, and what the mouse and the keyboard do on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from support.models import inline_session
from support.qt_window import MakeWindow, wait_idle

from ccl_viewer.grids import open_grid
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.render.layers import CellColours, Numbers
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.canvas.header import QtCanvasHeader
from ccl_viewer.window.core.cell_info import inspect_cell
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.tools import Tool
from ccl_viewer.window.core.view_state import Mode, Pin
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas, make_menu
from ccl_viewer.window.widgets.canvas.cell_navigation import (
    go_to_next_change_of,
    show_next_changed_cell,
)
from ccl_viewer.window.widgets.style import TIMES

LEFT, RIGHT, MIDDLE = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.MouseButton.MiddleButton,
)
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NOTHING = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def session() -> Iterator[Session]:
    """A session with Shibata's ten by ten cells, labelled, that works immediately."""
    made = inline_session()
    made.document.load_grid(open_grid("pattern:shibata").grid, "pattern:shibata")
    made.runs.run()
    made.view.set_mode(Mode.EXPLORE)
    yield made
    made.close()


@pytest.fixture
def canvas(session: Session, qtbot: QtBot) -> QtCanvas:
    """The canvas of 440 x 320 pixels: a cell has 31 pixels."""
    made = QtCanvas(session)
    qtbot.addWidget(made)
    made.resize(440, 320)
    made.show()
    qtbot.waitExposed(made)
    return made


def at(canvas: QtCanvas, cell: Cell) -> QPoint:
    return canvas.centre_of(cell).toPoint()


def drag(canvas: QtCanvas, button: Qt.MouseButton, *stops: QPoint) -> None:
    """Press at the first place, go to the others, and release at the last."""
    QTest.mousePress(canvas, button, NOTHING, stops[0])
    for stop in stops[1:]:
        # QTest's moves tell of no buttons.
        move = _mouse(QEvent.Type.MouseMove, canvas, stop, Qt.MouseButton.NoButton, button)
        QApplication.sendEvent(canvas, move)
    QTest.mouseRelease(canvas, button, NOTHING, stops[-1])


def _mouse(
    kind: QEvent.Type,
    canvas: QtCanvas,
    place: QPoint,
    button: Qt.MouseButton,
    held: Qt.MouseButton,
) -> QEvent:
    where = QPointF(place)
    return QMouseEvent(kind, where, QPointF(canvas.mapToGlobal(place)), button, held, NOTHING)


def colour(canvas: QtCanvas, cell: Cell) -> QColor:
    """Return the colour near the lower left corner of a cell, away from its number."""
    half = canvas.placement.scale / 2
    place = canvas.centre_of(cell) + QPointF(-half + 4, half - 4)
    return canvas.grab().toImage().pixelColor(place.toPoint())


def foreground(session: Session) -> list[Cell]:
    grid = session.document.grid
    assert grid is not None
    return [(x, y) for y, x in np.argwhere(grid).tolist()]


# Painting


def test_cells_of_a_component_have_one_colour_in_the_end(
    session: Session, canvas: QtCanvas
) -> None:
    session.display.go_to(session.display.count - 1)
    session.view.show_layers(changed=False, numbers=Numbers.NONE)
    table = session.display.component_table
    assert table is not None
    by_component: dict[int, set[str]] = {}
    for cell in foreground(session):
        number = table.numbers[cell[1], cell[0]]
        by_component.setdefault(number, set()).add(colour(canvas, cell).name())
    assert all(len(colours) == 1 for colours in by_component.values())


def test_a_step_is_painted_when_it_is_gone_to(
    session: Session, canvas: QtCanvas, qtbot: QtBot
) -> None:
    session.view.show_layers(colours=CellColours.LABEL)
    session.display.go_to(0)
    with qtbot.waitSignal(canvas.painted):
        session.display.go_to(1)
    before = canvas.grab().toImage()
    with qtbot.waitSignal(canvas.painted):
        session.display.go_to(session.display.count - 1)
    assert canvas.grab().toImage() != before


def test_the_legend_explains_what_is_marked_and_is_remembered_closed(
    session: Session, canvas: QtCanvas, qtbot: QtBot
) -> None:
    canvas.resize(900, 320)
    session.view.show_layers(arrows=True)
    qtbot.waitUntil(canvas.legend.isVisible)
    assert "parent" in canvas.legend.accessibleDescription()
    wide = canvas.legend.width()
    canvas.legend.button.click()
    assert canvas.legend.width() < wide
    assert session.settings.value("view/legend") is False


def test_without_room_beside_the_grid_the_legend_is_a_button(
    session: Session, canvas: QtCanvas, qtbot: QtBot
) -> None:
    canvas.resize(330, 320)
    session.view.show_layers(arrows=True)
    qtbot.waitUntil(canvas.legend.isVisible)
    assert canvas.legend.size() == canvas.legend.button.size()


def test_the_legend_keeps_to_its_corner_at_any_size(
    session: Session, canvas: QtCanvas, qtbot: QtBot
) -> None:
    session.view.show_layers(arrows=True)
    qtbot.waitUntil(canvas.legend.isVisible)
    font, button = canvas.font(), canvas.legend.button
    font.setPointSizeF(2 * font.pointSizeF())
    canvas.setFont(font)
    qtbot.waitUntil(lambda: button.width() >= button.sizeHint().width())
    for size in (QSize(1280, 640), QSize(330, 320)):
        canvas.resize(size)
        away = canvas.rect().bottomRight() - canvas.legend.geometry().bottomRight()
        assert max(away.x(), away.y()) < 12


# Zooming and panning


def test_a_grid_is_fitted_until_it_is_zoomed(canvas: QtCanvas) -> None:
    assert canvas.placement.scale == pytest.approx(31.2)
    canvas.resize(240, 220)
    assert canvas.placement.scale == pytest.approx(21.2)
    canvas.zoom(1.25)
    canvas.resize(440, 320)
    assert canvas.placement.scale == 27
    canvas.fit()
    assert canvas.placement.scale == pytest.approx(31.2)


def test_the_wheel_zooms_at_the_mouse(canvas: QtCanvas) -> None:
    place = QPointF(at(canvas, (2, 7)))
    for turn in (60, 60, -30):  # a notch in small turns
        wheel = QWheelEvent(
            place,
            QPointF(canvas.mapToGlobal(place.toPoint())),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            NOTHING,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas, wheel)
    assert canvas.placement.scale == 39
    assert canvas.cell_at(place) == (2, 7)


def test_dragging_pans_while_exploring_and_pins_nothing(session: Session, canvas: QtCanvas) -> None:
    start = at(canvas, (5, 5))
    drag(canvas, LEFT, start, start + QPoint(20, 0), start + QPoint(40, 10))
    assert at(canvas, (5, 5)) == start + QPoint(40, 10)
    assert session.view.pin is None


def test_canvases_show_the_same_part(session: Session, canvas: QtCanvas, qtbot: QtBot) -> None:
    other = QtCanvas(session, session.display)
    qtbot.addWidget(other)
    other.resize(240, 220)
    canvas.zoom(2.0)
    canvas.pan(13, 7)
    assert other.placement.scale == canvas.placement.scale
    assert other.cell_at(QPointF(120, 110)) == canvas.cell_at(QPointF(220, 160))


def test_another_size_of_grid_is_fitted(session: Session, canvas: QtCanvas) -> None:
    canvas.zoom(2.0)
    session.document.resize(20, 20)
    assert canvas.placement.scale == pytest.approx(15.6)


# Exploring


def test_a_click_pins_the_cell_and_a_double_click_the_component(
    session: Session, canvas: QtCanvas
) -> None:
    cell = foreground(session)[0]
    QTest.mouseClick(canvas, LEFT, NOTHING, at(canvas, cell))
    assert session.view.pin == Pin(cell)
    QTest.mouseDClick(canvas, LEFT, NOTHING, at(canvas, cell))
    assert session.view.pin == Pin(cell, component=True)
    QTest.mouseClick(canvas, LEFT, NOTHING, QPoint(2, 2))
    assert session.view.pin is None


def test_exploring_changes_no_cell(session: Session, canvas: QtCanvas) -> None:
    QTest.mouseClick(canvas, RIGHT, NOTHING, at(canvas, (4, 4)))
    QTest.mouseClick(canvas, LEFT, NOTHING, at(canvas, (4, 4)))
    assert not session.document.can_undo


def test_marks_that_ask_are_answered_by_a_click_in_any_mode(
    session: Session, canvas: QtCanvas
) -> None:
    picked: list[Cell] = []
    session.view.set_marks(Marks(asked=(1, 1)), picked.append)
    QTest.mouseClick(canvas, LEFT, NOTHING, at(canvas, (1, 1)))
    session.view.set_mode(Mode.DRAW)
    QTest.mouseClick(canvas, LEFT, NOTHING, at(canvas, (2, 2)))
    assert picked == [(1, 1), (2, 2)]
    assert session.view.pin is None
    assert not session.document.can_undo


def test_the_menu_says_what_can_be_done_with_the_cell(window: MainWindow, qtbot: QtBot) -> None:
    session, canvas = window.session, window.canvas
    session.display.go_to(session.display.count - 1)
    cell = next(c for c in foreground(session) if _root_of(session, c) != c)
    session.view.hover_at(cell)
    menu = make_menu(canvas)
    actions = {
        action.text().replace("&", "").partition("\t")[0]: action for action in menu.actions()
    }
    qtbot.waitUntil(actions["Copy label of the cell"].isEnabled)
    actions["Pin cell alone"].trigger()
    assert session.view.pin == Pin(cell)
    actions["Copy label of the cell"].trigger()
    assert QGuiApplication.clipboard().text().isdigit()
    actions["Go to root"].trigger()
    assert session.view.cursor == _root_of(session, cell)
    assert "Unpin" not in actions
    menu.deleteLater()
    menu = make_menu(canvas)
    next(action for action in menu.actions() if action.text() == "Unpin").trigger()
    qtbot.waitUntil(lambda: session.view.pin is None)
    menu.deleteLater()


def test_the_menu_key_opens_the_menu_at_the_cursor(session: Session, canvas: QtCanvas) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(canvas, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert session.view.cursor is not None
    menu.close()


def test_the_next_change_is_brought_into_sight(session: Session, canvas: QtCanvas) -> None:
    session.display.go_to(2)
    canvas.zoom(20.0)
    recording = session.display.recording
    assert recording is not None
    for place in recording.changed_cells(2)[:3].tolist():
        show_next_changed_cell(session.display, session.view, session.messages)
        y, x = divmod(place, 10)
        assert session.view.cursor == (x, y)
        assert canvas.rect().contains(at(canvas, (x, y)))


def test_the_next_step_that_changes_a_cell_is_gone_to(session: Session, canvas: QtCanvas) -> None:
    recording = session.display.recording
    assert recording is not None
    session.display.go_to(1)
    y, x = divmod(int(recording.changed_cells(2)[0]), 10)
    session.view.hover_at((x, y))
    go_to_next_change_of((x, y), session.display, session.playback, session.tasks, session.messages)
    assert session.display.index == 2


def _root_of(session: Session, cell: Cell) -> Cell | None:
    return inspect_cell(cell, session.document.grid, session.display, session.labels).root


# Drawing


def test_the_left_button_draws_and_the_right_one_erases(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    session.document.clear()
    drag(canvas, LEFT, at(canvas, (1, 1)), at(canvas, (4, 1)))
    assert foreground(session) == [(x, 1) for x in (1, 2, 3, 4)]
    drag(canvas, RIGHT, at(canvas, (1, 1)), at(canvas, (3, 1)))
    assert foreground(session) == [(4, 1)]


def test_the_middle_button_pans_while_drawing(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    start = at(canvas, (5, 5))
    drag(canvas, MIDDLE, start, start + QPoint(9, 0))
    assert at(canvas, (5, 5)) == start + QPoint(9, 0)
    assert not session.document.can_undo


def test_enter_places_what_floats(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    session.document.clear()
    session.tools.paste(np.ones((2, 2), np.uint8), (5, 5))
    assert not foreground(session)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert len(foreground(session)) == 4
    assert session.view.pin is None


def test_a_wide_brush_is_shown_under_the_mouse(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    session.document.clear()
    session.view.hover_at((5, 5))
    before = canvas.grab().toImage()
    session.tools.set_brush(5)
    assert canvas.grab().toImage() != before


def test_control_pins_a_component_in_any_mode(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    cell = foreground(session)[0]
    QTest.mouseClick(canvas, LEFT, CONTROL, at(canvas, cell))
    assert session.view.pin == Pin(cell, component=True)
    assert not session.document.can_undo


def test_a_selection_may_begin_beside_the_grid(session: Session, canvas: QtCanvas) -> None:
    session.view.set_mode(Mode.DRAW)
    session.tools.set_tool(Tool.SELECT)
    drag(canvas, LEFT, QPoint(5, 2), at(canvas, (3, 3)))
    box = session.document.selection.box
    assert box is not None
    assert (box.left, box.top, box.right, box.bottom) == (0, 0, 4, 4)


# The keyboard


def test_the_cursor_moves_with_shift_and_stays_in_sight(session: Session, canvas: QtCanvas) -> None:
    canvas.zoom(4.0)
    session.view.put_cursor((5, 5))
    for _ in range(4):
        QTest.keyClick(canvas, Qt.Key.Key_Right, SHIFT)
    assert session.view.cursor == (9, 5)
    assert canvas.rect().contains(at(canvas, (9, 5)))


def test_enter_pins_and_shift_enter_pins_the_cell_alone(session: Session, canvas: QtCanvas) -> None:
    session.view.put_cursor((3, 3))
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert session.view.pin == Pin((3, 3), component=True)
    QTest.keyClick(canvas, Qt.Key.Key_Return, SHIFT)
    assert session.view.pin == Pin((3, 3))


# The header


@pytest.fixture
def header(session: Session, canvas: QtCanvas, qtbot: QtBot) -> QtCanvasHeader:
    """The line above the canvas."""
    made = QtCanvasHeader(session, canvas, {})
    qtbot.addWidget(made)
    return made


def test_the_header_shows_and_switches_the_mode(session: Session, header: QtCanvasHeader) -> None:
    assert header.mode_buttons[Mode.EXPLORE].isChecked()
    header.mode_buttons[Mode.DRAW].click()
    assert session.view.mode is Mode.DRAW
    session.view.set_mode(Mode.EXPLORE)
    assert header.mode_buttons[Mode.EXPLORE].isChecked()


def test_the_header_names_grid_and_zoom(canvas: QtCanvas, header: QtCanvasHeader) -> None:
    assert f"10 {TIMES} 10" in header.title.text()
    canvas.zoom(1.25)
    assert header.zoom_button.text() == "39 px"
    header.zoom_button.click()
    assert header.zoom_button.text() == "31 px"


def test_the_header_chooses_colours_and_layers(session: Session, header: QtCanvasHeader) -> None:
    header.colours.show_value(CellColours.DEPTH)
    header.colours.activated.emit(header.colours.currentIndex())
    assert session.view.layers.colours is CellColours.DEPTH
    session.view.show_layers(colours=CellColours.COMPONENT)
    assert header.colours.value == CellColours.COMPONENT
    header.open_layers_panel()
    panel = header.layers_panel
    assert panel is not None
    panel.switches["arrows"].click()
    panel.strength.setValue(40)
    assert session.view.layers.arrows
    assert session.view.layers.strength == pytest.approx(0.4)
    panel.numbers.show_value(Numbers.ROOT)
    panel.numbers.activated.emit(panel.numbers.currentIndex())
    assert session.view.layers.numbers == Numbers.ROOT
    panel.close()


def test_a_long_run_has_the_colours_of_trees_also_while_it_runs_and_once_it_is_stopped(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    session, canvas = window.session, window.canvas
    session.files.open("pattern:spiral?size=301")
    qtbot.waitUntil(lambda: session.document.grid is not None)
    session.runs.configure(algorithm="shibata_naive")
    seen = set()

    def look() -> None:
        view = canvas._renderer.view
        if view is not None and view.labels is not None:
            seen.add((view.colours, session.display.growing))

    canvas.painted.connect(look)
    session.runs.run()
    qtbot.waitUntil(lambda: session.display.count > 20)
    session.runs.cancel()
    qtbot.waitUntil(lambda: not session.runs.running)
    session.playback.back()
    wait_idle(qtbot, session)
    qtbot.waitUntil(lambda: not canvas.pending)
    assert seen == {(CellColours.TREE, True), (CellColours.TREE, False)}
