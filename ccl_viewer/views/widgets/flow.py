"""A layout that puts widgets beside each other, and goes on below where there is no room."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Lays widgets out as text lays out words.

    Lines are broken at the least widths; what a line has left goes to the widgets that would
    like more, those first that need least.

    Parameters
    ----------
    gap, line_gap : int
        Pixels between widgets of a line, and between lines.
    parent : QWidget or None
        Whose children are laid out.
    """

    def __init__(self, gap: int, line_gap: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._line_gap = line_gap

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item; None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item; None beyond the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return that more room is of no use."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return that narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at a width."""
        heights = [_height(line) for line in self._lines(width)]
        return sum(heights) + self._line_gap * max(len(heights) - 1, 0)

    def setGeometry(self, rect: QRect) -> None:
        """Put every widget in its place."""
        super().setGeometry(rect)
        y = rect.y()
        for line in self._lines(rect.width()):
            x = rect.x()
            for item, width in self._shared(line, rect.width()):
                item.setGeometry(QRect(QPoint(x, y), QSize(width, item.sizeHint().height())))
                x += width + self._gap
            y += _height(line) + self._line_gap

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self._gap * max(len(hints) - 1, 0)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the largest widget."""
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """Return the widgets of each line, at a width."""
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._shown():
            least = item.minimumSize().width()
            if not lines or least > left:
                lines.append([])
                left = width
            lines[-1].append(item)
            left -= least + self._gap
        return lines

    def _shared(self, line: list[QLayoutItem], width: int) -> Iterator[tuple[QLayoutItem, int]]:
        """Return the widgets of a line and their widths, the line's whole width shared out."""
        least = [item.minimumSize().width() for item in line]
        left = width - sum(least) - self._gap * (len(line) - 1)
        wanted = [item.sizeHint().width() - own for item, own in zip(line, least, strict=True)]
        widths = least.copy()
        for index in sorted(range(len(line)), key=wanted.__getitem__):
            more = max(min(wanted[index], left), 0)
            left -= more
            widths[index] += more
        return zip(line, widths, strict=True)


def _height(line: list[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in line), default=0)
