"""The tree as it is drawn: mouse, keys, hover, empty states, themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, press, wait_in_sight

from ccl_viewer.session.tree import pinned_tree
from ccl_viewer.session.tree.forest import Forest
from ccl_viewer.views.looks.theme import LIGHT
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.tree.view import TreeView

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> TreeView:
    """The tree of the largest component after the first scan."""
    window.docks.show("tree", on=True)
    view = window.panel(TreeView)
    wait_in_sight(qtbot, view)
    view.tree.pin_largest()
    window.session.playback.go_to(1)
    QApplication.processEvents()
    return view


def forest_of(view: TreeView) -> Forest:
    assert view.canvas.drawing is not None
    return view.canvas.drawing.forest


def beside_nodes(view: TreeView) -> QPoint:
    canvas = view.canvas
    places = (QPoint(x, y) for x in range(5, canvas.width(), 7) for y in (20, canvas.height() - 25))
    return next(place for place in places if canvas.node_at(QPointF(place)) is None)


def test_without_a_pin_the_panel_says_what_to_do(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.show("tree", on=True)
    view = window.panel(TreeView)
    wait_in_sight(qtbot, view)
    assert view.tree.hint == pinned_tree.NO_PIN
    assert view.canvas.drawing is None
    qtbot.waitUntil(view.largest.isVisible, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not view.fit.isEnabled(), timeout=PATIENCE)


def test_a_drawing_behind_other_panels_stays_whole(window: MainWindow, view: TreeView) -> None:
    nodes = forest_of(view).nodes
    window.docks.show("source", on=True)
    window.session.look.pin(None)
    QApplication.processEvents()
    assert view.tree.forest is None
    assert forest_of(view).nodes is nodes
    window.set_theme("light")
    window.appearance.settle()
    assert len(view.canvas._shades) == len(nodes)
    view.canvas._point(len(nodes) - 1)
    assert window.session.look.hover == view.tree.place(nodes[-1])


def test_the_button_pins_the_largest_component(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.show("tree", on=True)
    view = window.panel(TreeView)
    wait_in_sight(qtbot, view)
    qtbot.waitUntil(view.largest.isVisible, timeout=PATIENCE)
    QTest.mouseClick(view.largest, LEFT)
    assert window.session.look.pinned is not None
    qtbot.waitUntil(lambda: not view.largest.isVisible(), timeout=PATIENCE)
    assert view.canvas.drawing is not None
    assert view.fit.isEnabled()


def test_without_a_run_the_panel_says_so(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    window.docks.show("tree", on=True)
    view = window.panel(TreeView)
    wait_in_sight(qtbot, view)
    qtbot.waitUntil(lambda: not view.fit.isEnabled(), timeout=PATIENCE)
    assert view.tree.hint == pinned_tree.NO_RUN
    assert not view.largest.isVisible()
    assert not view.grab().isNull()


def test_the_whole_tree_fits(view: TreeView) -> None:
    canvas = view.canvas
    for index in range(len(forest_of(view).nodes)):
        assert canvas.rect().contains(canvas.centre_of(index))


def test_the_tree_follows_the_steps(view: TreeView, window: MainWindow, qtbot: QtBot) -> None:
    first = view.summary.text()
    assert "6 trees" in first
    window.session.playback.last()
    qtbot.waitUntil(lambda: view.summary.text().startswith("32 cells in 1 tree"), timeout=PATIENCE)
    assert len(forest_of(view).roots) == 1


def test_a_click_pins_and_hover_shows_the_cell(view: TreeView, window: MainWindow) -> None:
    canvas, look = view.canvas, window.session.look
    cell = view.tree.place(forest_of(view).nodes[4])
    QTest.mouseMove(canvas, canvas.centre_of(4))
    assert look.hover == cell
    QTest.mouseMove(canvas, beside_nodes(view))
    assert look.hover is None
    QTest.mouseClick(canvas, LEFT, pos=canvas.centre_of(4))
    assert look.pinned == cell
    assert view.canvas.drawing is not None


def test_a_click_on_a_fold_unfolds(view: TreeView, window: MainWindow, qtbot: QtBot) -> None:
    window.session.playback.last()
    qtbot.waitUntil(lambda: view.summary.text().startswith("32 cells in 1"), timeout=PATIENCE)
    canvas = view.canvas
    before = len(forest_of(view).nodes)
    fold = next(i for i, node in enumerate(forest_of(view).nodes) if node.folded)
    assert not view.fold.isVisible()
    QTest.mouseClick(canvas, LEFT, pos=canvas.centre_of(fold))
    qtbot.waitUntil(lambda: len(forest_of(view).nodes) > before, timeout=PATIENCE)
    qtbot.waitUntil(view.fold.isVisible, timeout=PATIENCE)
    QTest.mouseClick(view.fold, LEFT)
    qtbot.waitUntil(lambda: len(forest_of(view).nodes) == before, timeout=PATIENCE)


def test_dragging_pans_and_does_not_pin(view: TreeView, window: MainWindow) -> None:
    canvas, pinned = view.canvas, window.session.look.pinned
    start = canvas.centre_of(3)
    QTest.mousePress(canvas, LEFT, pos=start)
    QTest.mouseMove(canvas, start + QPoint(20, 6))
    QTest.mouseMove(canvas, start + QPoint(40, 10))
    QTest.mouseRelease(canvas, LEFT, pos=start + QPoint(40, 10))
    assert canvas.centre_of(3) == start + QPoint(40, 10)
    assert window.session.look.pinned == pinned
    QTest.mouseDClick(canvas, LEFT, pos=beside_nodes(view))
    assert canvas.centre_of(3) == start


def test_the_wheel_zooms_at_the_mouse(view: TreeView) -> None:
    canvas = view.canvas
    where, before = canvas.centre_of(2), canvas.scale
    canvas.wheelEvent(
        QWheelEvent(
            QPointF(where),
            QPointF(canvas.mapToGlobal(where)),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
    )
    assert canvas.scale == pytest.approx(before * 1.25)
    assert (canvas.centre_of(2) - where).manhattanLength() <= 2


def test_keys_zoom_and_fit(view: TreeView, qtbot: QtBot) -> None:
    canvas = view.canvas
    view.window().activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus, timeout=PATIENCE)
    whole = canvas.scale
    press(canvas, Qt.Key.Key_Plus)
    assert canvas.scale == pytest.approx(whole * 1.25)
    press(canvas, Qt.Key.Key_Minus)
    press(canvas, Qt.Key.Key_Minus)
    assert canvas.scale == pytest.approx(whole / 1.25)
    press(canvas, Qt.Key.Key_0)
    assert canvas.scale == pytest.approx(whole)
    QTest.mouseClick(view.zoom_in, LEFT)
    QTest.mouseClick(view.zoom_out, LEFT)
    QTest.mouseClick(view.fit, LEFT)
    assert canvas.scale == pytest.approx(whole)


def test_keys_go_from_node_to_node(view: TreeView, window: MainWindow, qtbot: QtBot) -> None:
    canvas, position = view.canvas, window.session.playback.position
    view.window().activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus, timeout=PATIENCE)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        QTest.keyClick(canvas, key, SHIFT)
    node = forest_of(view).nodes[canvas.current or 0]
    assert node.parent == forest_of(view).roots[0]
    assert window.session.look.hover == view.tree.place(node)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert window.session.look.pinned == view.tree.place(node)
    assert window.session.playback.position == position
    press(canvas, Qt.Key.Key_Right)
    assert window.session.playback.position == position + 1


def test_keys_bring_nodes_into_sight(view: TreeView, qtbot: QtBot) -> None:
    canvas = view.canvas
    view.window().activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus, timeout=PATIENCE)
    canvas.zoom(6.0)
    for _ in range(12):
        QTest.keyClick(canvas, Qt.Key.Key_Down, SHIFT)
        assert canvas.rect().contains(canvas.centre_of(canvas.current or 0))


def test_tooltips_say_what_a_node_is(view: TreeView, qtbot: QtBot) -> None:
    canvas = view.canvas
    where = canvas.centre_of(1)
    tip = QHelpEvent(QHelpEvent.Type.ToolTip, where, canvas.mapToGlobal(where))
    QApplication.sendEvent(canvas, tip)
    qtbot.waitUntil(lambda: "cell (" in QToolTip.text(), timeout=PATIENCE)
    QToolTip.hideText()


def test_the_cell_under_the_mouse_is_marked(view: TreeView, window: MainWindow) -> None:
    plain = view.canvas.grab().toImage()
    cell = view.tree.place(forest_of(view).nodes[5])
    window.session.look.hover_at(cell)
    assert view.canvas.grab().toImage() != plain
    window.session.look.hover_at(None)
    assert view.canvas.grab().toImage() == plain


def test_the_theme_is_used(view: TreeView) -> None:
    view.set_theme(LIGHT)
    image = view.canvas.grab().toImage()
    where = beside_nodes(view)
    assert image.pixelColor(where).name() == LIGHT.surface


def test_a_panel_behind_others_does_no_work(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.show("source", on=True)
    view = window.panel(TreeView)
    qtbot.waitUntil(lambda: view.visibleRegion().isEmpty(), timeout=PATIENCE)
    view.tree.pin_largest()
    assert view.summary.text() == ""
    window.docks.show("tree", on=True)
    qtbot.waitUntil(lambda: view.summary.text() != "", timeout=PATIENCE)
