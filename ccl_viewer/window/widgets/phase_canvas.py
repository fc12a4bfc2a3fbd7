"""Paints the inside of a launch: a phase, or a diagram."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ccl_viewer.render.sheet import NO_LANE, AnnotatedPicture
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.canvas.painter import DisplayListPainter


class PhaseCanvas(QWidget):
    """Paints a phase or a diagram; a click chooses a lane, and tooltips say more."""

    def __init__(
        self,
        draw: Callable[[int, float], AnnotatedPicture | None],
        choose: Callable[[int], object] | None = None,
    ) -> None:
        super().__init__()
        self._draw = draw
        self._choose = choose
        self._painter = DisplayListPainter(style.fixed_font())
        self._text_size = 1.0
        self.picture: AnnotatedPicture | None = None
        self.setAccessibleName("Lanes and shared memory")

    def set_text_size(self, size: float) -> None:
        """Set the size of text and lines, relative to the usual one."""
        if size != self._text_size:
            self._text_size = size
            self.refresh()

    def refresh(self) -> None:
        """Draw the phase on display."""
        ratio = self.devicePixelRatioF()
        px, width = ratio * self._text_size * style.scaled(100) / 100, round(self.width() * ratio)
        self.picture = self._draw(max(width, 1), px)
        height = 0 if self.picture is None else self.picture.display.height
        self.setMinimumHeight(round(height / ratio))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Play the display list."""
        if self.picture is not None:
            ratio = self.devicePixelRatioF()
            with QPainter(self) as painter:
                painter.scale(1 / ratio, 1 / ratio)
                self._painter.paint(painter, self.picture.display)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt to a new size."""
        if event.size().width() != event.oldSize().width():
            self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw in other colours or another text size."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange}:
            self.refresh()

    def event(self, event: QEvent) -> bool:
        """Describe the part under the mouse."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            part = self._at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), "" if part is None else part[0], self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a lane."""
        part = self._at(event.position().x(), event.position().y())
        if self._choose is not None and part is not None and part[1] != NO_LANE:
            self._choose(part[1])

    def _at(self, x: float, y: float) -> tuple[str, int] | None:
        ratio = self.devicePixelRatioF()
        return None if self.picture is None else self.picture.tip_and_lane_at(x * ratio, y * ratio)
