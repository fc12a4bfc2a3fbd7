"""The text of a notice: broken anywhere if a name is long, and scrolled where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit

_LINES = 2
"""Lines that are shown at least."""


class NoticeText(QTextEdit):
    """Text that can be read and copied, as high as it needs.

    Tab leads to it only where it has to be scrolled.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName("Text of the message")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def overflows(self) -> bool:
        """Whether it has to be scrolled to be read to its end."""
        return self.verticalScrollBar().maximum() > 0

    def text(self) -> str:
        """Return the text."""
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        """Show a text from its beginning."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """Return that narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at a width."""
        # Not a clone of the document: of each, Python would keep an object that is never freed.
        copy = QTextDocument(self.toPlainText())
        copy.setDocumentMargin(0)
        copy.setDefaultFont(self.font())
        copy.setDefaultTextOption(self.document().defaultTextOption())
        copy.setTextWidth(width)
        return round(copy.size().height() + 0.5)

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        return QSize(200, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Return the size of a few lines, or of less text."""
        least = _LINES * self.fontMetrics().height()
        return QSize(80, min(least, self.heightForWidth(max(self.width(), 80))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let Tab lead here if the text does not fit any more.

        A bar that is there takes width, so that it would be needed where it need not be.
        """
        room = self.contentsRect()
        fits = self.heightForWidth(room.width()) <= room.height()
        bar = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(bar.ScrollBarAlwaysOff if fits else bar.ScrollBarAsNeeded)
        super().resizeEvent(event)
        way = Qt.FocusPolicy.StrongFocus if self.overflows else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(way)
