"""The strip of line numbers beside a text."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.painting_guard import guarded

_ROOM = 18
_BAR = 3


class LineNumbers(QWidget):
    """Numbers the lines of a text that are in sight, and runs a bar along the marked ones.

    Parameters
    ----------
    text : NumberedText
        The text, which is also the parent.
    """

    def __init__(self, text: NumberedText) -> None:
        super().__init__(text)
        self._text = text
        self.theme = DARK
        self.marked: tuple[int, int] | None = None
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def wanted_width(self) -> int:
        """Return how wide the longest number is, with room around it."""
        digits = max(3, len(str(self._text.blockCount())))
        return self._text.fontMetrics().horizontalAdvance("9" * digits) + _ROOM

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width that the numbers need."""
        return QSize(self.wanted_width(), 0)

    def follow(self, rect: QRect, dy: int) -> None:
        """Scroll with the text."""
        if dy:
            self.scroll(0, dy)
        else:
            self.update(0, rect.y(), self.width(), rect.height())

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers of the lines in sight."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self.theme.surface))
        painter.setFont(self._text.font())
        marked = range(0) if self.marked is None else range(self.marked[0], self.marked[1] + 1)
        # A document that is empty may still show a hint, which is no line.
        empty = self._text.document().isEmpty()
        lines = [] if empty else self._text.lines_in_sight(event.rect().bottom())
        for number, top, height in lines:
            inside = number in marked
            if inside:
                painter.fillRect(
                    self.width() - _BAR - 1, top, _BAR, height, QColor(self.theme.accent)
                )
            painter.setPen(QColor(self.theme.text if inside else self.theme.comment))
            first = QRect(0, top, self.width() - 8, self._text.fontMetrics().height())
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            painter.drawText(first, flags, str(number + 1))
        painter.end()


class NumberedText(QPlainTextEdit):
    """A read-only text with line numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.numbers = LineNumbers(self)
        self.blockCountChanged.connect(self.make_room)
        self.updateRequest.connect(self.numbers.follow)
        self.make_room()

    def make_room(self) -> None:
        """Give the numbers the room that they need."""
        self.setViewportMargins(self.numbers.wanted_width(), 0, 0, 0)
        area = self.contentsRect()
        self.numbers.setGeometry(
            area.left(), area.top(), self.numbers.wanted_width(), area.height()
        )

    def lines_in_sight(self, bottom: int) -> list[tuple[int, int, int]]:
        """Return number from 0, top and height in pixels of the lines down to a position."""
        lines = []
        block: QTextBlock = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            height = self.blockBoundingRect(block).height()
            lines.append((block.blockNumber(), round(top), round(height)))
            block, top = block.next(), top + height
        return lines
