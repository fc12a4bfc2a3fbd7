"""The name of a stage on its colour."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ccl_viewer.plan import Stage
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.views.looks.theme import text_on
from ccl_viewer.views.widgets.painting_guard import guarded

_ACROSS = 10
_DOWN = 2
_CORNER = 9


class StageChip(QLabel):
    """Names the stage of the step on display.

    It draws its own ground: a style sheet for each stage would be read, and the layout around it
    made, anew with every step.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = QColor()
        self._ink = QColor()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._embolden()

    def show_stage(self, stage: Stage) -> None:
        """Name a stage."""
        if self.text() != stage:
            self._ground = QColor(STAGE_COLORS[stage])
            self._ink = QColor(text_on(STAGE_COLORS[stage]))
            self.setText(str(stage))

    def sizeHint(self) -> QSize:
        """Return the room of the name, with its ground around it."""
        return QSize(self._width(self.text()), self.fontMetrics().height() + 2 * _DOWN)

    def widest(self) -> int:
        """Return the width with the longest name of any stage."""
        return max(self._width(stage) for stage in Stage)

    def minimumSizeHint(self) -> QSize:
        """Return the room of the name: it is never cut."""
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        """Keep to the size of type around, when that changes."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._embolden()

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, and the name on it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ground)
        painter.drawRoundedRect(self.rect(), _CORNER, _CORNER)
        painter.setPen(self._ink)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _width(self, name: str) -> int:
        return self.fontMetrics().horizontalAdvance(name) + 2 * _ACROSS

    def _embolden(self) -> None:
        font = self.font()
        if font.weight() != font.Weight.DemiBold:
            font.setWeight(font.Weight.DemiBold)
            self.setFont(font)
