"""Pictures on the screen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap


def fit_image(image: QImage, room: QSize, ratio: float, most: int = 1 << 14) -> QPixmap:
    """Return a picture that fits into a size; enlarged only by whole factors, to stay sharp.

    `ratio` is screen pixels per Qt pixel, and `most` the largest factor.
    """
    room = room * ratio
    factor = min(room.width() // image.width(), room.height() // image.height(), most)
    modes = Qt.TransformationMode
    mode = modes.FastTransformation if factor else modes.SmoothTransformation
    size = image.size() * factor if factor else room
    pixmap = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, mode))
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
