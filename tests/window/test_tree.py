"""The panel of the tree: its scene, mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.tree.model import TreeDiagram
from ccl_viewer.window.tree.widget import NodeItem, QtTreeDiagram

NO_KEY = Qt.KeyboardModifier.NoModifier
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def session(make_session: object) -> Session:
    found = make_session("pattern:spiral?size=15")  # type: ignore[operator]
    assert isinstance(found, Session)
    found.display.go_to(found.display.count - 1)
    return found


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtTreeDiagram:
    panel = QtTreeDiagram(
        TreeDiagram(session.analysis, session.view, session.labels), session.playback
    )
    qtbot.addWidget(panel)
    panel.resize(600, 400)
    panel.show()
    qtbot.waitExposed(panel)
    panel.largest.click()
    return panel


def place(panel: QtTreeDiagram, item: NodeItem) -> QPointF:
    return QPointF(panel.view.mapFromScene(item.scenePos()))


def send(panel: QtTreeDiagram, kind: QEvent.Type, where: QPointF, buttons: Qt.MouseButton) -> None:
    view = panel.view.viewport()
    button = NONE if kind is QEvent.Type.MouseMove else LEFT
    there = QPointF(view.mapToGlobal(where.toPoint()))
    QApplication.sendEvent(view, QMouseEvent(kind, where, there, button, buttons, NO_KEY))


def click(panel: QtTreeDiagram, where: QPointF) -> None:
    send(panel, QEvent.Type.MouseButtonPress, where, LEFT)
    send(panel, QEvent.Type.MouseButtonRelease, where, NONE)


def fold_of(panel: QtTreeDiagram) -> NodeItem:
    return next(item for item in panel.view.nodes if item.node.folded)


def test_without_a_pin_it_says_what_to_do(session: Session, qtbot: QtBot) -> None:
    panel = QtTreeDiagram(
        TreeDiagram(session.analysis, session.view, session.labels), session.playback
    )
    qtbot.addWidget(panel)
    panel.show()
    assert "Pin" in panel.hint.text()
    assert panel.largest.isVisible()
    panel.largest.click()
    assert not panel.hint.isVisible()
    assert panel.summary.text().endswith("changed")


def test_the_whole_tree_is_in_sight(panel: QtTreeDiagram) -> None:
    forest = panel.tree.forest
    assert forest is not None
    assert len(panel.view.nodes) == len(forest.nodes)
    room = panel.view.viewport().rect()
    assert all(room.contains(place(panel, item).toPoint()) for item in panel.view.nodes)


def test_it_follows_the_steps(panel: QtTreeDiagram, session: Session) -> None:
    before = panel.summary.text()
    session.display.go_to(0)
    assert panel.summary.text() != before
    roots = [item for item in panel.view.nodes if item.node.parent < 0]
    assert len(roots) > 1


def test_a_click_pins_and_hovering_shows_the_cell(panel: QtTreeDiagram, session: Session) -> None:
    item = next(i for i in panel.view.nodes if i.node.parent >= 0 and not i.node.folded)
    cell = panel.tree.cell_of(item.node)
    where = place(panel, item)
    send(panel, QEvent.Type.MouseMove, where, NONE)
    assert session.view.hover == cell
    click(panel, where)
    assert session.view.pin is not None
    assert session.view.pin.cell == cell
    assert session.view.pin.component
    send(panel, QEvent.Type.MouseMove, QPointF(1, 1), NONE)
    assert session.view.hover is None


def test_a_click_on_a_fold_unfolds(panel: QtTreeDiagram) -> None:
    before = len(panel.view.nodes)
    click(panel, place(panel, fold_of(panel)))
    assert len(panel.view.nodes) > before
    assert panel.fold.isVisible()
    panel.fold.click()
    assert len(panel.view.nodes) == before


def test_dragging_pans_and_does_not_pin(panel: QtTreeDiagram, session: Session) -> None:
    panel.view.zoom(3)
    item = next(i for i in panel.view.nodes if not i.node.folded)
    pin, before = session.view.pin, place(panel, item)
    send(panel, QEvent.Type.MouseButtonPress, before, LEFT)
    send(panel, QEvent.Type.MouseMove, before - QPointF(30, 0), LEFT)
    send(panel, QEvent.Type.MouseButtonRelease, before - QPointF(30, 0), NONE)
    assert session.view.pin == pin
    assert place(panel, item).x() < before.x()


def test_the_wheel_zooms_and_a_double_click_fits(panel: QtTreeDiagram) -> None:
    fitted = panel.view.transform().m11()
    where = QPointF(100, 100)
    event = QWheelEvent(
        where,
        where,
        QPoint(),
        QPoint(0, 240),
        NONE,
        NO_KEY,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(panel.view.viewport(), event)
    assert panel.view.transform().m11() == pytest.approx(fitted * 1.25**2)
    send(panel, QEvent.Type.MouseButtonDblClick, QPointF(2, 2), LEFT)
    assert panel.view.transform().m11() == pytest.approx(fitted)


def test_the_cell_under_the_mouse_is_ringed(panel: QtTreeDiagram, session: Session) -> None:
    assert any(item.ring for item in panel.view.nodes)  # the pinned one
    item = panel.view.nodes[1]
    session.view.hover_at(panel.tree.cell_of(item.node))
    assert item.ring
    assert item.toolTip() == panel.tree.describe(item.node)


def test_a_hidden_panel_follows_when_it_is_shown(panel: QtTreeDiagram, session: Session) -> None:
    before = panel.summary.text()
    panel.hide()
    session.display.go_to(0)
    assert panel.summary.text() == before
    panel.show()
    assert panel.summary.text() != before
