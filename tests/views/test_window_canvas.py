"""Drawing, zooming and panning on the canvas, and what it shows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import (
    PATIENCE,
    cell_at,
    color_at,
    press,
    status_of,
    wait_idle,
)

from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.notices.status import hint_of


def test_drawing_and_erasing_join_mouse_positions(window: MainWindow, qtbot: QtBot) -> None:
    canvas = window.canvas_panel.canvas
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    QTest.mouseMove(canvas, cell_at(window, (9, 0)))
    qtbot.waitUntil(lambda: window.session.look.hover == (9, 0), timeout=PATIENCE)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (9, 0)))
    wait_idle(qtbot, window)
    grid = window.session.grid
    assert grid is not None
    recording = window.session.recording
    assert recording is not None
    assert np.array_equal(recording.image, grid)
    QTest.mouseClick(canvas, Qt.MouseButton.RightButton, pos=cell_at(window, (5, 0)))
    wait_idle(qtbot, window)
    assert grid[0, 5] == 0


def test_wheel_zooms_at_the_cursor(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas
    where = canvas.centre_of((2, 7))
    scale = canvas.view.scale

    def turn(delta: int) -> None:
        event = QWheelEvent(
            where,
            QPointF(canvas.mapToGlobal(where.toPoint())),
            QPoint(),
            QPoint(0, delta),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas, event)

    turn(120)
    assert canvas.view.scale > scale
    assert canvas.cell_at(where) == (2, 7)
    turn(-120)
    turn(-120)
    assert canvas.view.scale < scale
    assert canvas.cell_at(where) == (2, 7)
    press(window.canvas_panel.canvas, "g")
    QTest.keyClick(canvas, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.scale == scale


def test_a_touchpad_zooms_no_faster_than_a_wheel(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas
    where, scale, scales = canvas.centre_of((2, 7)), canvas.view.scale, []
    for _ in range(8):
        event = QWheelEvent(
            where,
            QPointF(canvas.mapToGlobal(where.toPoint())),
            QPoint(),
            QPoint(0, 15),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(canvas, event)
        scales.append(canvas.view.scale)
    assert scales[:7] == [scale] * 7
    assert scale < scales[7] < 1.5 * scale


@pytest.mark.parametrize(
    ("button", "modifier"),
    [
        (Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier),
        (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier),
    ],
)
def test_dragging_pans_and_draws_nothing(
    window: MainWindow, button: Qt.MouseButton, modifier: Qt.KeyboardModifier
) -> None:
    canvas = window.canvas_panel.canvas
    start = cell_at(window, (5, 5))
    before = canvas.view
    revision = window.session.drawing.revision
    QTest.mousePress(canvas, button, modifier, start)
    QTest.mouseMove(canvas, start + QPoint(30, -20))
    QApplication.processEvents()
    QTest.mouseRelease(canvas, button, modifier, start + QPoint(30, -20))
    assert (canvas.view.x - before.x, canvas.view.y - before.y) == (30, -20)
    assert canvas.view.scale == before.scale
    assert window.session.drawing.revision == revision


def test_the_status_bar_describes_the_cell_under_the_mouse(
    window: MainWindow, qtbot: QtBot
) -> None:
    canvas = window.canvas_panel.canvas
    status = status_of(window)
    QTest.mouseMove(canvas, cell_at(window, (1, 2)))
    qtbot.waitUntil(lambda: window.session.look.hover == (1, 2), timeout=PATIENCE)
    text = status.cell.text()
    info = window.session.inspect((1, 2))
    assert "x 1, y 2" in text
    assert f"label {info.label}" in text
    assert "root" in text
    window.session.look.hover_at(None)
    assert status.cell.text() == hint_of(window.session.tools.hand)


def test_the_status_bar_follows_steps_after_their_frames(window: MainWindow, qtbot: QtBot) -> None:
    session, status = window.session, status_of(window)
    recording = session.recording
    assert recording is not None
    y, x = np.argwhere(recording.labels(0) != recording.labels(-1))[0].tolist()
    session.playback.first()
    session.look.hover_at((x, y))
    QApplication.processEvents()
    seen = []
    window.canvas.painted.connect(lambda: seen.append(status.cell.text()))
    before, wanted = status.cell.text(), session.playback.count - 1
    session.playback.last()
    assert session.playback.position == wanted
    assert status.cell.text() == before
    qtbot.waitUntil(lambda: status.cell.text() != before, timeout=PATIENCE)
    assert seen[0] == before
    assert f"label {session.inspect((x, y)).label}" in status.cell.text()


def test_the_status_bar_follows_the_run(window: MainWindow, qtbot: QtBot) -> None:
    canvas, session = window.canvas_panel.canvas, window.session
    QTest.mouseMove(canvas, cell_at(window, (0, 0)))
    qtbot.waitUntil(lambda: session.look.hover == (0, 0), timeout=PATIENCE)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=cell_at(window, (0, 0)))
    wait_idle(qtbot, window)
    told = status_of(window).cell.text  # after the frame
    qtbot.waitUntil(lambda: f"label {session.inspect((0, 0)).label}" in told(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: "component" in told(), timeout=PATIENCE)


def test_the_hint_is_about_the_tool_in_hand(window: MainWindow) -> None:
    for tool, begins in (
        (Tool.ERASER, "Left erases, right draws"),
        (Tool.PENCIL, "Left draws, right erases, wheel zooms, middle or Shift + left pans"),
        (Tool.RECTANGLE, "Drag a rectangle, square with Shift, left draws, right erases"),
        (Tool.FILL, "Click to fill"),
        (Tool.SELECT, "Drag to select, then drag the selection, wheel zooms, middle pans"),
    ):
        window.session.tools.take(tool)
        assert status_of(window).cell.text().startswith(begins)


def test_the_hint_follows_an_exchange_of_the_buttons(window: MainWindow) -> None:
    window.actions_table["swap"].trigger()
    assert status_of(window).cell.text().startswith("Left erases, right draws")


def test_numbers_are_drawn_in_cells_that_are_large_enough(window: MainWindow) -> None:
    canvas = window.canvas_panel.canvas

    def cells() -> QImage:
        """Without the key, which tells of numbers that there is no room for."""
        (left, top), (right, bottom) = canvas.view.corner(0, 0), canvas.view.corner(10, 10)
        return canvas.grab(QRectF(left, top, right - left, bottom - top).toRect()).toImage()

    with_numbers = cells()
    window.session.look.switch("numbers", False)
    assert with_numbers != cells()
    for _ in range(5):
        canvas.zoom(0.8)
    small = cells()
    window.session.look.switch("numbers", True)
    assert cells() == small


def test_cells_of_a_component_have_one_colour(window: MainWindow) -> None:
    grid = window.session.grid
    assert grid is not None
    cells = [(x, y) for y, x in np.argwhere(grid).tolist()]
    recording = window.session.recording
    assert recording is not None
    labels = recording.labels(-1)
    colors: dict[int, set[str]] = {}
    for x, y in cells:
        colors.setdefault(int(labels[y, x]), set()).add(color_at(window, (x, y)).name())
    assert all(len(seen) == 1 for seen in colors.values())
    assert color_at(window, (0, 0)).name() not in set.union(*colors.values())


def test_the_picture_follows_the_step(window: MainWindow) -> None:
    pictures = []
    for step in range(window.session.playback.count):
        window.session.playback.go_to(step)
        pictures.append(window.canvas_panel.canvas.grab().toImage())
    assert pictures[0] != pictures[1]
    window.session.playback.go_to(0)
    assert window.canvas_panel.canvas.grab().toImage() == pictures[0]
