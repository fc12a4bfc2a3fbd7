"""The values that can be drawn, as a palette of colours."""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.session import Session
from ccl_viewer.views.canvas.cell_colours import input_indices
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import DARK, Theme, text_on
from ccl_viewer.views.widgets.painting_guard import guarded

COLUMNS = 3
_SIDE = 20
"""Pixels that a swatch takes with the gap around it, at the usual size of text."""

_GAPS = 8
"""Of these, pixels that do not grow with the text, as those around buttons do not."""

_MOST_DIGITS = 2
_LARGEST_DIGITS = 12
"""Pixels of height at which two digits are still as wide as a swatch."""

_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: -COLUMNS,
    Qt.Key.Key_Down: COLUMNS,
}


@cache
def value_colors(theme: Theme, *, multivalued: bool) -> tuple[str, ...]:
    """Return the colour of each value from 0 to 255, as the canvas shows them without labels."""
    table = canvas_theme(theme.name).table()
    indices = input_indices(np.arange(256, dtype=np.uint8), multivalued=multivalued)
    return tuple(QColor(*table[index, :3].tolist()).name() for index in indices.tolist())


class ValuePalette(QWidget):
    """Swatches of the values from 1 on; a click or the arrows choose the one to draw with.

    Parameters
    ----------
    session : Session
        Holds the tools.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = DARK
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Values")
        session.tools.changed.connect(self.refresh)
        self.refresh()

    @property
    def count(self) -> int:
        """How many values there are."""
        return self._session.tools.hand.values

    @property
    def side(self) -> int:
        """Pixels that a swatch takes with the gap around it."""
        return _GAPS + scaled(_SIDE - _GAPS)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.update()

    def refresh(self) -> None:
        """Show the values there are, and which is in hand."""
        self.setAccessibleDescription(f"Value {self._session.tools.hand.front} is drawn")
        self.setFixedSize(self.sizeHint())
        self.update()

    def rect_of(self, value: int) -> QRect:
        """Return where the swatch of a value is."""
        row, column = divmod(value - 1, COLUMNS)
        side = self.side
        return QRect(column * side, row * side, side, side).adjusted(2, 2, -2, -2)

    def sizeHint(self) -> QSize:
        """Return the room that the swatches take."""
        return QSize(COLUMNS * self.side, -(-self.count // COLUMNS) * self.side)

    def event(self, event: QEvent) -> bool:
        """Name the value under the mouse, and claim the arrows, which the window uses too."""
        if event.type() is QEvent.Type.ShortcutOverride and _step_of(event) is not None:
            event.accept()
            return True
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            value = self._value_at(event.pos())
            text = f"Draw with value {value} (the next: W, the one before: Q)"
            QToolTip.showText(event.globalPos(), "" if value is None else text, self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Be as large as the text, when its size changes."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a value."""
        value = self._value_at(event.position().toPoint())
        if value is not None:
            self._session.tools.choose(value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose another value with the arrows."""
        step = _step_of(event)
        if step is None:
            super().keyPressEvent(event)
            return
        value = self._session.tools.hand.front + step
        if 1 <= value <= self.count:
            self._session.tools.choose(value)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the swatches, with their numbers as long as there is room."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self.font()
        font.setPixelSize(min(round(self.fontInfo().pixelSize() * 0.78), scaled(_LARGEST_DIGITS)))
        painter.setFont(font)
        colors = value_colors(self._theme, multivalued=True)
        chosen = self._session.tools.hand.front
        for value in range(1, self.count + 1):
            self._paint_swatch(painter, value, colors[value], chosen=value == chosen)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def _paint_swatch(self, painter: QPainter, value: int, color: str, *, chosen: bool) -> None:
        rect = self.rect_of(value)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(rect, 3, 3)
        painter.setPen(QColor(text_on(color)))
        if len(str(value)) <= _MOST_DIGITS:
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(value))
        if chosen:
            focused = self.hasFocus()
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent if focused else self._theme.text), 2))
            painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 4, 4)

    def _value_at(self, place: QPoint) -> int | None:
        values = range(1, self.count + 1)
        return next((value for value in values if self.rect_of(value).contains(place)), None)


def _step_of(event: QEvent) -> int | None:
    """Return how far an arrow goes through the values; None for any other key, or a chord."""
    if not isinstance(event, QKeyEvent):
        return None
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return None
    return _STEPS.get(Qt.Key(event.key()))
