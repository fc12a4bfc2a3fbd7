"""The slider under the canvas: its groove shows the stages, and iterations as gaps."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSlider, QWidget

from ccl_viewer.session import Session
from ccl_viewer.session.transport import group_of
from ccl_viewer.views.theme import DARK, STAGE_COLORS, Theme

_EDGE = 8
_GROOVE = 10
_GAP_FROM = 5.0


class Scrubber(QSlider):
    """Chooses the step on display.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._session = session
        self._theme = DARK
        self._groove: QPixmap | None = None
        self._groove_key: tuple[object, ...] = ()
        self.setAccessibleName("Step")
        self.setToolTip("Drag to any step (Left, Right, Home, End)")
        self.setMinimumHeight(30)
        self.setTracking(True)
        self.valueChanged.connect(self._moved)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._groove = None
        self.update()

    def refresh(self) -> None:
        """Show the steps of the run on display and where it stands."""
        playback = self._session.playback
        self.setEnabled(playback.count > 0)
        if self.maximum() != max(playback.count - 1, 0):
            blocked = self.blockSignals(True)
            self.setRange(0, max(playback.count - 1, 0))
            self.blockSignals(blocked)
        if self.value() != playback.position:
            blocked = self.blockSignals(True)
            self.setValue(playback.position)
            self.blockSignals(blocked)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size that leaves room for the handle."""
        return QSize(300, 30)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._go(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing is left to do."""

    def x_of(self, step: int) -> float:
        """Return where the handle is at a step, in pixels."""
        return _EDGE + (self.width() - 2 * _EDGE) * (step + 0.5) / max(self._count(), 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw groove and handle."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._stages())
        if self.isEnabled():
            self._paint_handle(painter)
        painter.end()

    def _count(self) -> int:
        return self.maximum() + 1

    def _go(self, x: float) -> None:
        share = (x - _EDGE) / max(self.width() - 2 * _EDGE, 1)
        self.setValue(min(max(int(share * self._count()), 0), self.maximum()))

    def _moved(self, value: int) -> None:
        self._session.playback.pause()
        self._session.playback.go_to(value)

    def _stages(self) -> QPixmap:
        recording = self._session.recording
        ratio = self.devicePixelRatioF()
        key = (recording, self._count(), self.size().toTuple(), ratio)
        if self._groove is None or key != self._groove_key:
            self._groove_key = key
            self._groove = QPixmap(self.size() * ratio)
            self._groove.setDevicePixelRatio(ratio)
            self._groove.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._groove)
            self._paint_groove(painter)
            painter.end()
        return self._groove

    def _paint_groove(self, painter: QPainter) -> None:
        width, top = self.width() - 2 * _EDGE, (self.height() - _GROOVE) / 2
        painter.setPen(Qt.PenStyle.NoPen)
        recording = self._session.recording
        if recording is None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(self._theme.raised))
            painter.drawRoundedRect(QRectF(_EDGE, top, width, _GROOVE), 3, 3)
            return
        steps = recording.steps[: self._count()]
        cell = width / len(steps)
        stride = max(1, len(steps) // max(width, 1))
        for index in range(0, len(steps), stride):
            step = steps[index]
            new_group = index > 0 and group_of(step) != group_of(steps[index - 1])
            gap = 0.0 if cell < _GAP_FROM or index == 0 else (3.0 if new_group else 1.0)
            left = _EDGE + index * cell + gap
            painter.setBrush(QColor(STAGE_COLORS[step.stage]))
            painter.drawRect(QRectF(left, top, cell * stride - gap, _GROOVE))

    def _paint_handle(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x, middle = self.x_of(self.value()), self.height() / 2
        painter.setPen(QColor(self._theme.window))
        painter.setBrush(QColor(self._theme.text))
        painter.drawRoundedRect(QRectF(x - 4, middle - 12, 8, 24), 4, 4)
        if self.hasFocus():
            painter.setPen(QColor(self._theme.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
