"""The picture that is being imported, with the grid that it becomes, and the crop."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ccl_viewer.grids.import_settings import Crop
from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.painting_guard import guarded

_HANDLE = 8
_MARGIN = 6
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class ImportCanvas(QWidget):
    """Shows a picture; dragging chooses the part that is used.

    Dragging inside a chosen part moves it; anywhere else begins another. Arrow keys move it by a
    pixel, with Shift they move its lower right corner.

    Parameters
    ----------
    size : tuple of int
        Width and height of the picture in pixels.
    theme : Theme
        The colours.
    parent : QWidget or None
        Parent.
    """

    cropped = Signal(object)

    def __init__(self, size: tuple[int, int], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(360, 300))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Picture: drag or use arrow keys to crop")
        self._size = size
        self._theme = theme
        self._thumbnail: QImage | None = None
        self._cells: QImage | None = None
        self._box = Crop(0, 0, *size)
        self._show_result = True
        self._grip: tuple[QPointF, Crop | None] | None = None

    def set_picture(self, thumbnail: npt.NDArray[np.uint8] | None) -> None:
        """Show the picture, uint8 of shape (h, w, 3)."""
        if thumbnail is not None:
            self._thumbnail = _color_image(thumbnail)
        self.update()

    def set_result(
        self, cells: npt.NDArray[np.uint8] | None, box: Crop, *, multivalued: bool
    ) -> None:
        """Show the grid, uint8 of shape (h, w), in the part of the picture that it is made of."""
        self._cells = (
            None if cells is None else cell_image(cells, self._theme, multivalued=multivalued)
        )
        self._box = box
        self.update()

    def show_result(self, on: bool) -> None:
        """Show the grid over the picture, or the picture alone."""
        self._show_result = on
        self.update()

    def frame(self) -> QRectF:
        """Return where the picture lies in the widget."""
        room = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        scale = min(room.width() / self._size[0], room.height() / self._size[1])
        width, height = self._size[0] * scale, self._size[1] * scale
        return QRectF(room.center().x() - width / 2, room.center().y() - height / 2, width, height)

    def place_of(self, box: Crop) -> QRectF:
        """Return where a part of the picture lies in the widget."""
        frame = self.frame()
        scale = frame.width() / self._size[0]
        return QRectF(
            frame.x() + box.x * scale,
            frame.y() + box.y * scale,
            box.width * scale,
            box.height * scale,
        )

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the picture, the grid in its part of it, and the part's edge."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        frame, part = self.frame(), self.place_of(self._box)
        if self._thumbnail is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(frame, self._thumbnail)
        if self._cropped:
            shade = QColor(self._theme.canvas)
            shade.setAlphaF(0.72)
            for outside in _around(frame, part):
                painter.fillRect(outside, shade)
        if self._show_result and self._cells is not None:
            smooth = self._cells.width() > part.width() * self.devicePixelRatioF()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(part, self._cells)
        painter.setPen(QPen(QColor(self._theme.accent if self._cropped else self._theme.border), 1))
        painter.drawRect(part)
        if self._cropped:
            painter.setBrush(QColor(self._theme.accent))
            half = _HANDLE / 2
            for corner in (part.topLeft(), part.topRight(), part.bottomLeft(), part.bottomRight()):
                painter.drawRect(QRectF(corner.x() - half, corner.y() - half, _HANDLE, _HANDLE))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a corner or of the part, or begin another part."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        corner = self._opposite(event.position())
        if corner is not None:
            self._grip = self._pixel_of(corner), None
        elif self._cropped and self.place_of(self._box).contains(event.position()):
            self._grip = self._pixel_of(event.position()), self._box
        else:
            self._grip = self._pixel_of(event.position()), None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what was taken hold of."""
        if self._grip is None:
            self._show_grip(event.position())
            return
        start, moved = self._grip
        here = self._pixel_of(event.position())
        if moved is None:
            left, right = sorted((round(start.x()), round(here.x())))
            top, bottom = sorted((round(start.y()), round(here.y())))
            if right > left and bottom > top:
                self._crop(Crop(left, top, right - left, bottom - top))
        else:
            self._move(moved, round(here.x() - start.x()), round(here.y() - start.y()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let go."""
        self._grip = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the part, or with Shift its lower right corner."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            box = self._box
            grown = Crop(box.x, box.y, box.width + step[0], box.height + step[1])
            self._crop(grown.within(self._size))
        else:
            self._move(self._box, *step)

    @property
    def _cropped(self) -> bool:
        return self._box != Crop(0, 0, *self._size)

    def _crop(self, box: Crop) -> None:
        if box != self._box:
            self._box = box
            self._cells = None
            self.update()
            self.cropped.emit(box)

    def _move(self, box: Crop, right: int, down: int) -> None:
        x = min(max(box.x + right, 0), self._size[0] - box.width)
        y = min(max(box.y + down, 0), self._size[1] - box.height)
        self._crop(Crop(x, y, box.width, box.height))

    def _pixel_of(self, position: QPointF) -> QPointF:
        frame = self.frame()
        scale = frame.width() / self._size[0]
        x = (position.x() - frame.x()) / scale
        y = (position.y() - frame.y()) / scale
        return QPointF(min(max(x, 0), self._size[0]), min(max(y, 0), self._size[1]))

    def _opposite(self, position: QPointF) -> QPointF | None:
        """Return the corner across from the one at a position; None if there is none."""
        part = self.place_of(self._box)
        corners = (
            (part.topLeft(), part.bottomRight()),
            (part.topRight(), part.bottomLeft()),
            (part.bottomLeft(), part.topRight()),
            (part.bottomRight(), part.topLeft()),
        )
        for corner, opposite in corners:
            if (corner - position).manhattanLength() <= 2 * _HANDLE:
                return opposite
        return None

    def _show_grip(self, position: QPointF) -> None:
        shape = Qt.CursorShape.CrossCursor
        if self._opposite(position) is not None:
            shape = Qt.CursorShape.SizeFDiagCursor
        elif self._cropped and self.place_of(self._box).contains(position):
            shape = Qt.CursorShape.SizeAllCursor
        self.setCursor(shape)


def cell_image(cells: npt.NDArray[np.uint8], theme: Theme, *, multivalued: bool) -> QImage:
    """Return a picture of a grid, a pixel a cell.

    Parameters
    ----------
    cells : ndarray of uint8, shape (height, width)
        The grid.
    theme : Theme
        Colours of foreground and background.
    multivalued : bool
        Whether each value gets a colour of its own.
    """
    height, width = cells.shape
    shown = np.ascontiguousarray(cells if multivalued else cells != 0, dtype=np.uint8)
    image = QImage(shown.data, width, height, width, QImage.Format.Format_Indexed8)
    background = QColor(*canvas_theme(theme.name).background)
    colours = [background.rgb(), QColor(theme.accent).rgb()]
    if multivalued:
        colours[1:] = [QColor(*color).rgb() for color in segment_colours()[1:].tolist()]
    image.setColorTable(colours)
    return image.convertToFormat(QImage.Format.Format_RGB32)


def _color_image(pixels: npt.NDArray[np.uint8]) -> QImage:
    height, width = pixels.shape[:2]
    return QImage(
        pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888
    ).convertToFormat(QImage.Format.Format_RGB32)


def _around(frame: QRectF, part: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
    """Return what lies in a frame above, below, left and right of a part."""
    return (
        QRectF(frame.left(), frame.top(), frame.width(), part.top() - frame.top()),
        QRectF(frame.left(), part.bottom(), frame.width(), frame.bottom() - part.bottom()),
        QRectF(frame.left(), part.top(), part.left() - frame.left(), part.height()),
        QRectF(part.right(), part.top(), frame.right() - part.right(), part.height()),
    )
