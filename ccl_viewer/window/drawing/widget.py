"""The slim bar of drawing tools beside the canvas, shown only in Draw mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QToolBar,
    QToolButton,
)

from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.tools import BRUSHES, Tool, Tools
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.widgets.buttons import make_action_button
from ccl_viewer.window.widgets.labels import name_widget
from ccl_viewer.window.widgets.style import scaled, theme

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.view_state import ViewState

_SIDE: Final = 16  # pixels of a swatch


class QtTools(QToolBar):
    """The tools, the brush, and the values that the buttons draw; shown in the mode Draw."""

    def __init__(
        self,
        tools: Tools,
        document: Document,
        view: ViewState,
        actions: Mapping[str, QAction],
    ) -> None:
        super().__init__("Tools")
        self.setObjectName("tools")
        self.setOrientation(Qt.Orientation.Vertical)
        self.setMovable(False)
        self._tools, self._document, self._view = tools, document, view
        for tool in Tool:
            self.addAction(actions[f"tool_{tool}"])
        self.addSeparator()
        self.brush = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.brush.setMenu(self._brush_menu())
        self.addWidget(self.brush)
        self.addAction(actions["filled"])
        self.swap = QToolButton()
        self.swap.setIconSize(QSize(scaled(22), scaled(22)))
        self.swap.clicked.connect(tools.swap)
        self.addWidget(self.swap)
        self.addSeparator()
        self.addAction(actions["multivalued"])
        self.values = ValuePalette(tools)
        self._values_action = self.addWidget(self.values)
        self._add_action = self.addWidget(make_action_button(actions["add_value"]))
        for button in self.findChildren(QToolButton):
            if not self.values.isAncestorOf(button):
                button.setProperty("flat", "true")
                button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        watch(
            self._refresh,
            tools.brush_changed,
            tools.front_changed,
            tools.back_changed,
            tools.value_count_changed,
            tools.tool_changed,
            document.multivalued_changed,
        )
        view.mode_changed.connect(self._show_mode)
        self._refresh()
        if view.mode is not Mode.DRAW:
            self.hide()  # hidden first: without a parent, it would be a window

    def _brush_menu(self) -> QMenu:
        menu = QMenu(self)
        for width in BRUSHES:
            menu.addAction(counted(width, "cell")).setData(width)
        menu.triggered.connect(lambda action: self._tools.set_brush(action.data()))
        return menu

    def _show_mode(self) -> None:
        self.setVisible(self._view.mode is Mode.DRAW)

    def _refresh(self) -> None:
        tools, multivalued = self._tools, self._document.multivalued
        self.brush.setText(str(tools.brush))
        words = f"Brush: {counted(tools.brush, 'cell')}"
        name_widget(self.brush, words, words)
        self._values_action.setVisible(multivalued)
        self._add_action.setVisible(multivalued)
        words = f"Left button draws {tools.front}, right button draws {tools.back}"
        self.swap.setIcon(_pair_icon(tools.front, tools.back, multivalued=multivalued))
        name_widget(self.swap, words, f"{words}; click to exchange them")


class ValuePalette(QListWidget):
    """Swatches of the values of a multi-valued grid; a click chooses the one to draw with."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._tools = tools
        self.setAccessibleName("Values")
        self.setViewMode(QListWidget.ViewMode.IconMode)
        self.setMovement(QListWidget.Movement.Static)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIconSize(QSize(_SIDE, _SIDE))
        self.setGridSize(QSize(_SIDE + 6, _SIDE + 6))
        self.setFixedWidth(2 * (_SIDE + 6) + 4)
        self.itemClicked.connect(lambda _item: tools.choose_value(self.currentRow() + 1))
        watch(self._refresh, tools.front_changed, tools.value_count_changed)
        self._refresh()

    def _refresh(self) -> None:
        for value in range(self.count() + 1, self._tools.value_count + 1):
            swatch = QPixmap(_SIDE, _SIDE)
            swatch.fill(QColor(*segment_colours()[value].tolist()))
            item = QListWidgetItem(QIcon(swatch), "", self)
            item.setToolTip(f"Draw with value {value}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Value {value}")
        self.setCurrentRow(self._tools.front - 1)


def _pair_icon(front: int, back: int, *, multivalued: bool) -> QIcon:
    """Return two squares: the left button's value over the right button's."""
    side, scale = 22, 2
    colours = ["#000000", "#ffffff"]
    if multivalued:
        colours = [QColor(*colour).name() for colour in segment_colours().tolist()]
    pixmap = QPixmap(side * scale, side * scale)
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("dim"), 1.5))
        for value, at in ((back, 8.0), (front, 1.0)):
            painter.setBrush(QColor(colours[value]))
            painter.drawRoundedRect(QRectF(at, at, 12, 12), 2, 2)
    return QIcon(pixmap)
