"""The preview of an export: its frames, played as they will be."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session.exporting.reel import Pixels, Reel
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import Theme, fixed_font
from ccl_viewer.views.widgets.painting_guard import guarded

_SHORTEST: Final = 16
_PAD: Final = 12


class PreviewCanvas(QWidget):
    """Shows one frame as large as fits, or text.

    Parameters
    ----------
    theme : Theme
        The colours.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)
        self.setAccessibleName("Preview")
        self.text = ""
        self.image: QImage | None = None
        self._theme = theme
        self._fitted: QImage | None = None

    def sizeHint(self) -> QSize:
        """Return a size that leaves room for the settings."""
        return QSize(560, 480)

    def show_frame(self, pixels: Pixels) -> None:
        """Show a frame, ``uint8`` of shape (height, width, 3)."""
        height, width, _ = pixels.shape
        self.image = QImage(
            pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888
        ).copy()
        self.text, self._fitted = "", None
        self.update()

    def show_text(self, text: str) -> None:
        """Show text instead of a frame."""
        self.image, self._fitted, self.text = None, None, text
        self.setAccessibleDescription(text)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the frame anew."""
        self._fitted = None
        super().resizeEvent(event)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame in the middle, or the text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.canvas))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        if self.image is not None:
            fitted = self._fit(self.image)
            size = fitted.deviceIndependentSize()
            left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
            painter.drawImage(QRectF(left, top, size.width(), size.height()), fitted)
            return
        room = self.rect().adjusted(_PAD, _PAD, -_PAD, -_PAD)
        painter.setPen(QColor(self._theme.text))
        if "\n" in self.text:
            painter.setFont(fixed_font(self.font().pointSizeF() * 0.9))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft, self.text)
        else:
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(room, words, self.text)

    def _fit(self, image: QImage) -> QImage:
        """Return the frame in the size of the widget; small ones are enlarged by whole numbers."""
        if self._fitted is None:
            ratio = self.devicePixelRatioF()
            room = (self.size() - QSize(2 * _PAD, 2 * _PAD)) * ratio
            times = min(room.width() // image.width(), room.height() // image.height())
            how = Qt.TransformationMode.SmoothTransformation
            if times >= 1:
                room, how = image.size() * min(times, 2), Qt.TransformationMode.FastTransformation
            fitted = image.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, how)
            fitted.setDevicePixelRatio(ratio)
            self._fitted = fitted
        return self._fitted


class PreviewPane(QWidget):
    """The canvas, and under it what plays it.

    Parameters
    ----------
    theme : Theme
        The colours.
    still : bool
        Whether nothing is to move before it is asked to.
    """

    def __init__(self, theme: Theme, *, still: bool) -> None:
        super().__init__()
        self.canvas = PreviewCanvas(theme)
        self.play = QToolButton()
        self.play.setIconSize(QSize(scaled(16), scaled(16)))
        self.play.setCheckable(True)
        self.play.setChecked(not still)
        self.play.setProperty("flat", "true")
        self.play.setAccessibleName("Play the preview")
        self.play.setToolTip("Play or pause the preview")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Frame of the preview")
        self.count = QLabel()
        self.count.setProperty("role", "dim")
        self._icons = {True: icon("pause", theme.text), False: icon("play", theme.text)}
        self._reel: Reel | None = None
        self._fps, self._hold = 4.0, 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._advance)
        self.play.toggled.connect(self._follow)
        self.slider.valueChanged.connect(self._show_frame)
        self._lay_out()
        self._follow()

    @property
    def playing(self) -> bool:
        """Whether frames follow each other by themselves."""
        return self._timer.isActive()

    def set_time(self, fps: float, hold: float) -> None:
        """Play at so many frames a second, and hold the last one for so many seconds."""
        if (fps, hold) != (self._fps, self._hold):
            self._fps, self._hold = fps, hold
            if self._timer.isActive():
                self._timer.start(self._wait())

    def show_reel(self, reel: Reel) -> None:
        """Show the frames that there are so far."""
        fresh = reel is not self._reel
        self._reel = reel
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(len(reel) - 1, 0))
        for widget in (self.play, self.slider, self.count):
            widget.setVisible(reel.count > 1)
        if fresh and len(reel):
            self._show_frame()
        self._show_count()
        self._follow()

    def show_text(self, text: str) -> None:
        """Show text, and nothing to play."""
        self._reel = None
        self.canvas.show_text(text)
        for widget in (self.play, self.slider, self.count):
            widget.setVisible(False)
        self._follow()

    def rest(self, on: bool) -> None:
        """Play nothing for a while, or go on."""
        self.setEnabled(not on)
        self._follow()

    def stop(self) -> None:
        """Play no more, as when the dialog closes."""
        self._timer.stop()
        self._reel = None

    def _follow(self) -> None:
        self.play.setIcon(self._icons[self.play.isChecked()])
        several = self._reel is not None and len(self._reel) > 1
        moving = several and self.play.isChecked() and self.isEnabled()
        if moving and not self._timer.isActive():
            self._timer.start(self._wait())
        elif not moving:
            self._timer.stop()

    def _advance(self) -> None:
        last = self.slider.maximum()
        here = self.slider.value()
        whole = self._reel is not None and self._reel.full
        if here < last or whole:
            self.slider.setValue(here + 1 if here < last else 0)
        self._follow()

    def _wait(self) -> int:
        held = self._reel is not None and self._reel.full
        last = held and self.slider.value() == self.slider.maximum()
        return max(_SHORTEST, round(1000 * max(1 / self._fps, self._hold if last else 0.0)))

    def _show_frame(self) -> None:
        if self._reel is not None and len(self._reel):
            number = min(self.slider.value(), len(self._reel) - 1)
            self.canvas.show_frame(self._reel.frame(number))
        self._show_count()

    def _show_count(self) -> None:
        if self._reel is not None:
            self.count.setText(f"{self.slider.value() + 1:,} of {self._reel.count:,}")

    def _lay_out(self) -> None:
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.play)
        below.addWidget(self.slider, 1)
        below.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.canvas, 1)
        layout.addLayout(below)
