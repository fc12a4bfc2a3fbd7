"""Another program on the screen: its window is dragged by, and it owns the clipboard."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

PLACE = (1440, 20, 120, 60)
"""Left, top, width and height of its window."""


class Source(QLabel):
    """Hands over a file when it is dragged.

    Parameters
    ----------
    path : str
        The file.
    """

    def __init__(self, path: str) -> None:
        super().__init__("drag me")
        self._path = path

    def mousePressEvent(self, _event: QMouseEvent) -> None:  # noqa: N802
        """Begin to drag."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(self._path)])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


def _picture() -> QImage:
    image = QImage(7, 5, QImage.Format.Format_RGB32)
    image.fill(0)
    image.setPixel(3, 2, 0xFFFFFFFF)
    return image


def say(what: str) -> None:
    """Tell who started it."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    application = QApplication(["other"])
    clipboard = application.clipboard()
    clipboard.setImage(_picture())
    source = Source(sys.argv[1])
    source.setGeometry(*PLACE)
    source.show()
    # Once the clipboard is another's, what lies there is told.
    clipboard.dataChanged.connect(
        lambda: None if clipboard.ownsClipboard() else say(f"took {clipboard.text()}")
    )
    say("ready")
    application.exec()
