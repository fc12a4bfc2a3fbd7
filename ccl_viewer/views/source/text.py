"""One file of kernel source: coloured, numbered, with marked lines, links and found places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QWidget

from ccl_viewer.session.facts.source_code import Link
from ccl_viewer.views.looks.theme import DARK, Theme, fixed_font, mixed
from ccl_viewer.views.source.highlighter import CudaHighlighter
from ccl_viewer.views.source.line_numbers import NumberedText

_LEAD = 2
_SMALL = 0.95
_NOTCH = 120
_FOLLOW_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}

SIZES = (0.6, 2.5)
"""Smallest and largest multiple of the usual size of type."""

LinkFinder = Callable[[int, int], Link | None]


class SourceText(NumberedText):
    """Read-only source with a marked stretch of lines.

    Parameters
    ----------
    find_link : callable
        Returns what the text at a line and a column leads to.
    parent : QWidget or None
        Parent.
    """

    followed = Signal(object)
    """A link was followed; with its :class:`Link`."""

    takes_escape = False
    """Whether Esc leads back from here, instead of being the window's key."""

    left = Signal()
    """Esc was pressed while :attr:`takes_escape`."""

    resized = Signal(float)
    """Another size of type is wanted; with the multiple of the usual size."""

    menu_wanted = Signal(object)
    """A context menu is about to be shown; with the :class:`QMenu`."""

    def __init__(self, find_link: LinkFinder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._find_link = find_link
        self._theme = DARK
        self._scale = 1.0
        self._marked: tuple[int, int] | None = None
        self._main: int | None = None
        self._found: tuple[Sequence[int], int, int] = ((), 0, -1)
        self._link: tuple[int, Link] | None = None
        self._pressed: QPoint | None = None
        self.setAccessibleName("Kernel source")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText("The kernel of the step on display is shown here.")
        self.viewport().setMouseTracking(True)
        self._highlighter = CudaHighlighter(self.document())
        self._size_type()

    @property
    def being_coloured(self) -> bool:
        """Whether colours of the source are still being found."""
        return self._highlighter.working

    @property
    def marked(self) -> tuple[int, int] | None:
        """First and last marked line, from 0."""
        return self._marked

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme, and its size of text."""
        self._theme = theme
        self._size_type()
        self.numbers.set_theme(theme)
        self._highlighter.set_theme(theme)
        self._decorate()

    def set_scale(self, scale: float) -> None:
        """Use a multiple of the usual size of type."""
        self._scale = scale
        self._size_type()

    def set_wrapped(self, on: bool) -> None:
        """Break long lines at the right edge, or let them run on."""
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if on else modes.NoWrap)
        self.numbers.update()

    def show_source(self, text: str, skipped: Iterable[int] = ()) -> None:
        """Show other source, with nothing marked.

        Parameters
        ----------
        text : str
            The source.
        skipped : iterable of int
            Lines that are not compiled, from 0.
        """
        self._found, self._link = ((), 0, -1), None
        if text != self.toPlainText():
            self._highlighter.prepare(text, skipped)
            self.setPlainText(text)
        elif self._highlighter.prepare(text, skipped):
            self._highlighter.rehighlight()
        self.mark(None)

    def mark(self, lines: tuple[int, int] | None, main: int | None = None) -> None:
        """Mark lines.

        Parameters
        ----------
        lines : tuple of int or None
            The first and the last, from 0; None for none.
        main : int or None
            The one that matters most; None for the first.
        """
        self._marked = self.numbers.marked = lines
        self._main = main
        self._decorate()

    def go_to_mark(self) -> None:
        """Bring the marked lines into sight, and the main one of them into the upper third."""
        if self._marked is None:
            return
        first = self._marked[0]
        main = first if self._main is None else self._main
        self.go_to_line(first)
        height = self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1)
        self.verticalScrollBar().setValue(max(first - _LEAD, main - height // 3, 0))

    def go_to_line(self, line: int) -> None:
        """Put the caret at the start of a line, and the line near the top."""
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line)))
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(max(line - _LEAD, 0))

    def show_found(self, places: Sequence[int], length: int, current: int) -> None:
        """Show where a phrase is.

        Parameters
        ----------
        places : sequence of int
            Where it begins, in characters.
        length : int
            Its length in characters.
        current : int
            Which of the places is selected and brought in sight; -1 for none.
        """
        self._found = places, length, current
        if 0 <= current < len(places):
            self.setTextCursor(self._stretch(places[current], length))
            self.ensureCursorVisible()
        self._decorate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the line numbers at the left edge."""
        super().resizeEvent(event)
        self.make_room()

    def event(self, event: QEvent) -> bool:
        """Claim Esc before it becomes a shortcut of the window, if it leads back from here."""
        claimed = (
            self.takes_escape
            and event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        )
        if claimed:
            event.accept()
        return claimed or super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl, change the size of type."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.resized.emit(self._scale * 1.1 ** (event.angleDelta().y() / _NOTCH))
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow the name at the caret with Enter; Esc leads back."""
        if event.key() in _FOLLOW_KEYS:
            cursor = self.textCursor()
            link = self._find_link(cursor.blockNumber(), cursor.positionInBlock())
            if link is not None:
                self.followed.emit(link)
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and self.takes_escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click may begin."""
        super().mousePressEvent(event)
        left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = event.position().toPoint() if left else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Underline a name that leads somewhere."""
        super().mouseMoveEvent(event)
        self._point_at(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow the name that was clicked, unless text was selected."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        if pressed is None or self.textCursor().hasSelection():
            return
        self._point_at(event.position().toPoint())
        if self._link is not None:
            self.followed.emit(self._link[1])

    def leaveEvent(self, event: QEvent) -> None:
        """Underline nothing."""
        super().leaveEvent(event)
        self._show_link(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show what can be done with the text."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_wanted.emit(menu)
        menu.popup(event.globalPos())

    def _size_type(self) -> None:
        font = QFont(fixed_font(self.window().font().pointSizeF() * _SMALL * self._scale))
        self.setFont(font)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.make_room()

    def _point_at(self, position: QPoint) -> None:
        cursor = self.cursorForPosition(position)
        line = cursor.blockNumber()
        link = self._find_link(line, cursor.positionInBlock()) if cursor.block().text() else None
        # Beside a line's end, the nearest place is in the line all the same.
        rect = self.cursorRect(cursor)
        near = abs(position.x() - rect.x()) <= 2 * self.fontMetrics().averageCharWidth()
        self._show_link((line, link) if link is not None and near else None)

    def _show_link(self, link: tuple[int, Link] | None) -> None:
        if link == self._link:
            return
        self._link = link
        shapes = Qt.CursorShape
        shape = shapes.IBeamCursor if link is None else shapes.PointingHandCursor
        self.viewport().setCursor(shape)
        self.viewport().setToolTip("" if link is None else _where(link[1]))
        self._decorate()

    def _decorate(self) -> None:
        """Show marked lines, found places and the link under the mouse over the text."""
        theme = self._theme
        shades = []
        if self._marked is not None:
            back = QTextCharFormat()
            back.setBackground(QColor(mixed(theme.surface, theme.accent, 0.10)))
            back.setProperty(QTextFormat.Property.FullWidthSelection, True)
            for line in range(self._marked[0], self._marked[1] + 1):
                cursor = QTextCursor(self.document().findBlockByNumber(line))
                shades.append(_selection(cursor, back))
        places, length, current = self._found
        for index, place in enumerate(places):
            found = QTextCharFormat()
            share = 0.75 if index == current else 0.3
            found.setBackground(QColor(mixed(theme.surface, theme.warning, share)))
            if index == current:
                found.setForeground(QColor("#101318" if theme.name == "dark" else "#ffffff"))
            shades.append(_selection(self._stretch(place, length), found))
        if self._link is not None:
            line, link = self._link
            start = self.document().findBlockByNumber(line).position() + link.start
            lined = QTextCharFormat()
            lined.setFontUnderline(True)
            lined.setForeground(QColor(theme.accent))
            shades.append(_selection(self._stretch(start, link.end - link.start), lined))
        self.setExtraSelections(shades)
        self.numbers.update()

    def _stretch(self, start: int, length: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _selection(cursor: QTextCursor, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = style
    return selection


def _where(link: Link) -> str:
    return f"Go to {link.target.file}, line {link.target.line + 1} (Enter; Esc leads back)"
