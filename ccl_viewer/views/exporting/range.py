"""A slider with two handles, over the stages of a run: from which step to which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ccl_viewer.plan import Stage
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.views.looks.theme import Theme, mixed
from ccl_viewer.views.widgets.painting_guard import guarded

_HANDLE: Final = 7
_HEIGHT: Final = 34
_BAND: Final = 8
_MOVES: Final = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageDown: -10,
    Qt.Key.Key_PageUp: 10,
}


class RangeSlider(QWidget):
    """Chooses a first and a last step; the handle moved last is the one that keys move.

    Parameters
    ----------
    theme : Theme
        The colours.
    stages : sequence of Stage
        That of each step.
    """

    changed = Signal(int, int)

    def __init__(self, theme: Theme, stages: Sequence[Stage]) -> None:
        super().__init__()
        self.start, self.end = 0, len(stages) - 1
        self._theme = theme
        self._bands = _bands(stages)
        self._last = len(stages) - 1
        self._at_end = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Range of steps")
        self.setToolTip(
            "Drag the ends. Keys: Left and Right move an end, Space goes to the other one"
        )

    def sizeHint(self) -> QSize:
        """Return a size that suits a column of settings."""
        return QSize(220, _HEIGHT)

    def show_range(self, start: int, end: int) -> None:
        """Show which steps are chosen, from 0."""
        self.start, self.end = start, end
        self.setAccessibleDescription(f"From step {start + 1} to step {end + 1}")
        self.update()

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the stages, faint where they are left out, and the handles."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        for first, last, stage in self._bands:
            left, right = self._place(first - 0.5), self._place(last + 0.5)
            painter.setBrush(QColor(mixed(STAGE_COLORS[stage], self._theme.surface, 0.7)))
            painter.drawRect(QRectF(left, middle - _BAND / 2, right - left, _BAND))
            left, right = max(left, self._place(self.start)), min(right, self._place(self.end))
            if left < right:
                painter.setBrush(QColor(STAGE_COLORS[stage]))
                painter.drawRect(QRectF(left, middle - _BAND / 2, right - left, _BAND))
        for place, active in ((self.start, not self._at_end), (self.end, self._at_end)):
            lit = active and self.hasFocus()
            painter.setBrush(QColor(self._theme.accent if lit else self._theme.text))
            painter.setPen(QPen(QColor(self._theme.text if lit else self._theme.surface), 2))
            painter.drawEllipse(QPointF(self._place(place), middle), _HANDLE, _HANDLE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the nearer handle."""
        step = self._step(event.position().x())
        near_start, near_end = abs(step - self.start), abs(step - self.end)
        self._at_end = near_end < near_start or (near_end == near_start and step > self.start)
        self._move_to(step)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the handle with the mouse."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(self._step(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move a handle, or go to the other one."""
        key = Qt.Key(event.key())
        here = self.end if self._at_end else self.start
        if key in _MOVES:
            self._move_to(here + _MOVES[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._move_to(0 if key is Qt.Key.Key_Home else self._last)
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._at_end = not self._at_end
            self.update()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which handle keys move."""
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that keys move none."""
        self.update()
        super().focusOutEvent(event)

    def _move_to(self, step: int) -> None:
        """Move the active handle, no further than the other one."""
        before = (self.start, self.end)
        if self._at_end:
            after = (self.start, min(max(step, self.start), self._last))
        else:
            after = (min(max(step, 0), self.end), self.end)
        self.show_range(*after)
        if after != before:
            self.changed.emit(*after)

    def _place(self, step: float) -> float:
        room = self.width() - 2 * (_HANDLE + 2)
        share = step / self._last if self._last else 0.5
        return _HANDLE + 2 + min(max(share, 0.0), 1.0) * room

    def _step(self, x: float) -> int:
        room = max(self.width() - 2 * (_HANDLE + 2), 1)
        return round(min(max((x - _HANDLE - 2) / room, 0.0), 1.0) * self._last)


def _bands(stages: Sequence[Stage]) -> list[tuple[int, int, Stage]]:
    """Return first and last step of each row of steps of one stage."""
    bands: list[tuple[int, int, Stage]] = []
    for step, stage in enumerate(stages):
        if bands and bands[-1][2] is stage:
            bands[-1] = (bands[-1][0], step, stage)
        else:
            bands.append((step, step, stage))
    return bands
