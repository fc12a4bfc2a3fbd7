"""A column that scrolls where it is too low for its content, and is never cut at the sides."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from ccl_viewer.views.looks.appearance import the_application

_MARGIN = 4


class ScrollingColumn(QScrollArea):
    """Shows a widget as wide as it must be, and as high as there is room.

    Parameters
    ----------
    content : QWidget
        What is shown.
    least : int
        Pixels of height that it takes at least.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, content: QWidget, least: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setWidgetResizable(True)
        self.setWidget(content)
        the_application().focusChanged.connect(self._follow)

    def sizeHint(self) -> QSize:
        """Return the size of the content, with the bar beside it where one is needed."""
        needed = self._content.minimumSizeHint()
        high = needed.height() > self.height()
        bar = self.verticalScrollBar().sizeHint().width() if high else 0
        return QSize(needed.width() + bar, needed.height())

    def minimumSizeHint(self) -> QSize:
        """Return the same width, and little height."""
        hint = self.sizeHint()
        return QSize(hint.width(), min(self._least, hint.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the bar, which comes and goes with the height."""
        super().resizeEvent(event)
        if event.size().height() != event.oldSize().height():
            self.updateGeometry()

    def _follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Bring what has the focus into sight."""
        if new is not None and self._content.isAncestorOf(new):
            self.ensureWidgetVisible(new, _MARGIN, _MARGIN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Be as wide as the content, which grows with the text."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def scrolled(content: QWidget, name: str) -> QScrollArea:
    """Return an area in which something to read scrolls, and which Tab reaches.

    Parameters
    ----------
    content : QWidget
        What is read.
    name : str
        What it is called.
    """
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(content)
    area.setAccessibleName(name)
    area.setProperty("stop", "true")
    return area
