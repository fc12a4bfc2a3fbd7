"""Choosing a threshold: a histogram to drag on, a slider, a number, and Otsu's method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.views.looks.theme import Theme, mixed
from ccl_viewer.views.widgets.painting_guard import guarded

_FINE = 1000  # positions of the slider where values are no whole numbers
_MOST_POSITIONS = 65535


class HistogramView(QWidget):
    """Bars and a line at the threshold, which follows the mouse.

    Parameters
    ----------
    theme : Theme
        The colours.
    """

    picked = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(86)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setAccessibleName("Histogram")
        self.setToolTip("How often each value occurs; drag to move the threshold")
        self._theme = theme
        self._bars: npt.NDArray[np.float64] = np.zeros(1)
        self._scale = (0.0, 255.0)
        self._level: float | None = None

    def sizeHint(self) -> QSize:
        """Return a size that suits a column of settings."""
        return QSize(280, 86)

    def show_bars(
        self,
        bars: npt.NDArray[np.float64] | None,
        scale: tuple[float, float],
        level: float | None,
    ) -> None:
        """Show how often values occur, and the threshold."""
        if bars is not None:
            self._bars = bars
        self._scale, self._level = scale, level
        self.update()

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bars: foreground in the accent, background faint."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, room = self._theme, QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.canvas))
        painter.drawRoundedRect(room, 6, 6)
        # Roots let rare values be seen beside a background that fills the picture.
        heights = np.sqrt(self._bars / max(float(self._bars.max()), 1.0))
        step = room.width() / heights.size
        edge = self._place(self._level)
        bright, faint = QColor(theme.accent), QColor(mixed(theme.dim, theme.canvas, 0.35))
        for index, share in enumerate(heights.tolist()):
            left = index * step
            painter.setBrush(bright if left + step / 2 > edge else faint)
            tall = share * (room.height() - 8)
            painter.drawRect(QRectF(left, room.height() - tall, max(step - 0.4, 0.6), tall))
        if self._level is not None:
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawLine(QPointF(edge, 2), QPointF(edge, room.height() - 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the threshold to the mouse."""
        self._pick(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the threshold with the mouse."""
        self._pick(event)

    def _pick(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            low, high = self._scale
            share = min(max(event.position().x() / max(self.width(), 1), 0.0), 1.0)
            self.picked.emit(low + share * (high - low))

    def _place(self, level: float | None) -> float:
        low, high = self._scale
        if level is None or high <= low:
            return -1.0
        return (level - low) / (high - low) * self.width()


class ThresholdPicker(QWidget):
    """Histogram, slider, number and Otsu's button; they agree.

    Parameters
    ----------
    theme : Theme
        The colours.
    """

    picked = Signal(object)
    """A threshold, or None for Otsu's method."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.histogram = HistogramView(theme)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Threshold")
        self.slider.setToolTip("Values above it are foreground")
        self.box = QDoubleSpinBox()
        self.box.setAccessibleName("Threshold")
        self.box.setKeyboardTracking(False)
        self.box.setMinimumWidth(84)
        self.otsu = QPushButton("Otsu")
        self.otsu.setCheckable(True)
        self.otsu.setToolTip("Find the threshold that parts the values best (Otsu's method)")
        self._scale = (0.0, 255.0)
        self._whole = True
        self._showing = False
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.box, 1)
        row.addWidget(self.otsu, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.histogram)
        layout.addWidget(self.slider)  # as wide, so that its handle stands below the line
        layout.addLayout(row)
        self.histogram.picked.connect(self._pick)
        self.slider.valueChanged.connect(self._slide)
        self.box.valueChanged.connect(self._pick)
        self.otsu.clicked.connect(self._find)

    def show_level(
        self,
        bars: npt.NDArray[np.float64] | None,
        scale: tuple[float, float],
        threshold: float | None,
        otsu: float | None,
    ) -> None:
        """Show a threshold; None shows the one that Otsu's method found."""
        self._showing = True
        self._scale = scale
        self._whole = all(float(end).is_integer() for end in scale) and scale[1] - scale[0] > 1
        level = otsu if threshold is None else threshold
        self.histogram.show_bars(bars, scale, level)
        self.box.setDecimals(0 if self._whole else 4)
        self.box.setRange(*scale)
        self.box.setSingleStep(1 if self._whole else (scale[1] - scale[0]) / 100)
        self.slider.setRange(0, self._positions)
        self.slider.setPageStep(max(self._positions // 16, 1))
        if level is not None:
            self.box.setValue(level)
            self.slider.setValue(self._position(level))
        self.otsu.setText("Otsu" if otsu is None else f"Otsu {otsu:g}")
        self.otsu.setChecked(threshold is None)
        self._showing = False

    @property
    def _positions(self) -> int:
        low, high = self._scale
        return min(round(high - low), _MOST_POSITIONS) if self._whole else _FINE

    def _position(self, level: float) -> int:
        low, high = self._scale
        return round((level - low) / (high - low) * self._positions)

    def _slide(self, position: int) -> None:
        low, high = self._scale
        self._pick(low + position / self._positions * (high - low))

    def _pick(self, level: float) -> None:
        if not self._showing:
            self.picked.emit(round(level) if self._whole else level)

    def _find(self, on: bool) -> None:
        self.picked.emit(None if on else self.box.value())
