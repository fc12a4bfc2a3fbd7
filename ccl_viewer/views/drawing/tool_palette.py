"""The strip beside the canvas: tools, brush, what the buttons draw, values, live mode."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import counted
from ccl_viewer.session import Session
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.views.drawing.value_palette import ValuePalette, value_colors
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.flat_button import action_button
from ccl_viewer.views.widgets.scrolling import ScrollingColumn

_ICON = 18
_SWATCH = 30
_LEAST_HEIGHT = 72
_GAP = 3
"""Pixels between the groups: no more, so that all tools are seen under a banner at 1280 x 720."""

_LEAST_ROWS = 2


class ToolPalette(QFrame):
    """All tools at a glance, with the one in hand pressed.

    Parameters
    ----------
    session : Session
        Holds the tools.
    actions : dict of str to QAction
        The window's actions.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, session: Session, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = DARK
        self.setAccessibleName("Tools")
        self.buttons: dict[str, QToolButton] = {}
        self.brush = QLabel()
        self.brush.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.brush.setToolTip("Width of the brush in cells: wider (B), narrower (Ctrl+B)")
        self.values = ValuePalette(session)
        self._value_area = _scrolled(self.values)
        self._swap_shown: tuple[str, str, str] | None = None
        self._lay_out(actions)
        session.tools.changed.connect(self.refresh)
        session.settings_changed.connect(self.refresh)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._swap_shown = None  # the button has the new icon of its action
        self.values.set_theme(theme)
        self.refresh()

    def refresh(self) -> None:
        """Show the brush, what the buttons draw, and the values if there are several."""
        hand, multivalued = self._session.tools.hand, self._session.settings.multivalued
        self.brush.setText(f"{hand.brush}")
        self.brush.setAccessibleName(f"Brush of {counted(hand.brush, 'cell')}")
        self._show_swap(hand.front, hand.back, multivalued=multivalued)
        self._value_area.setVisible(multivalued)
        height = self.values.height()
        self._value_area.setMinimumHeight(min(height, _LEAST_ROWS * self.values.side))
        self._value_area.setMaximumHeight(height)
        self._value_area.ensureVisible(*_middle_of(self.values, hand.front), 0, self.values.side)
        self.buttons["add_value"].setVisible(multivalued)

    def _show_swap(self, front: int, back: int, *, multivalued: bool) -> None:
        colors = value_colors(self._theme, multivalued=multivalued)
        swap, shown = self.buttons["swap"], (colors[front], colors[back], self._theme.text)
        swap.setAccessibleDescription(f"Left draws {front}, right draws {back}")
        if shown != self._swap_shown:  # strokes begin and end without another
            self._swap_shown = shown
            swap.setIcon(_hand_icon(*shown))

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(2, 2, 6, 2)
        column.setSpacing(_GAP)
        column.addLayout(self._pairs(actions, tuple(f"tool_{tool}" for tool in Tool)))
        column.addWidget(_divider())
        brush = QGridLayout()
        brush.setSpacing(0)
        brush.addWidget(self._button(actions["narrower"], 12), 0, 0)
        brush.addWidget(self.brush, 0, 1)
        brush.addWidget(self._button(actions["wider"], 12), 0, 2)
        column.addLayout(brush)
        column.addLayout(self._pairs(actions, ("filled", "swap")))
        self.buttons["swap"].setIconSize(QSize(_SWATCH - 8, _SWATCH - 8))
        column.addWidget(_divider())
        column.addLayout(self._pairs(actions, ("multivalued", "add_value")))
        column.addWidget(self._value_area, 100)
        column.addStretch(1)
        column.addWidget(_divider())
        live = self._button(actions["live"], _ICON)
        actions["live"].setIconText("Live")
        live.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        live.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column.addWidget(live)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(ScrollingColumn(content, _LEAST_HEIGHT))

    def _pairs(self, actions: dict[str, QAction], names: tuple[str, ...]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(2)
        for number, name in enumerate(names):
            grid.addWidget(self._button(actions[name], _ICON), number // 2, number % 2)
        return grid

    def _button(self, action: QAction, side: int) -> QToolButton:
        button = self.buttons[action.objectName()] = action_button(action, side)
        return button


def _scrolled(values: ValuePalette) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(values)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def _middle_of(values: ValuePalette, value: int) -> tuple[int, int]:
    middle = values.rect_of(max(value, 1)).center()
    return middle.x(), middle.y()


def _hand_icon(front: str, back: str, rim: str) -> QIcon:
    """Return two squares, that of the left button over that of the right one."""
    side, scale = _SWATCH, 2
    pixmap = QPixmap(side * scale, side * scale)
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(rim), 1.5))
    for color, at in ((back, 11.0), (front, 2.0)):
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(QRectF(at, at, 16, 16), 2, 2)
    painter.end()
    return QIcon(pixmap)


def _divider() -> QFrame:
    line = QFrame()
    line.setProperty("role", "divider")
    line.setFixedHeight(1)
    return line
