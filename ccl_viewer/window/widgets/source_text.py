"""CUDA source in fixed-width type: line numbers, colours, marked lines, a find bar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QWidget,
)

from ccl_viewer.export.page_source import Line, highlight_source
from ccl_viewer.window.widgets.buttons import make_icon_button
from ccl_viewer.window.widgets.keys import claim_keys
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox
from ccl_viewer.window.widgets.style import fixed_font, mixed, theme

LEAD: Final = 2
"""Lines of context above the target of a jump."""

_SMALL: Final = 0.92
_BAR: Final = 3
_ROOM: Final = 16  # pixels around a line number
_HANGING_COLUMNS: Final = 4  # columns by which a wrapped line is indented further
_COMMENT: Final = re.compile(r" *//\s*(?:- )?")
_MAX_INDENT: Final = 0.3  # share of the width; a wrapped line is not indented beyond it
_KEYS: Final = (
    QKeySequence.StandardKey.Copy,
    QKeySequence.StandardKey.SelectAll,
    QKeySequence.StandardKey.MoveToNextWord,
    QKeySequence.StandardKey.MoveToPreviousWord,
)
_ROLES: Final = {"k": "keyword", "c": "comment", "s": "string", "n": "number", "f": "function"}


class _Highlighter(QSyntaxHighlighter):
    """Colours CUDA source, and dims the lines that are not compiled."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._lines: tuple[Line, ...] = ()
        self._skipped = frozenset[int]()
        self._theme = theme()

    def prepare(self, text: str, skipped: Iterable[int]) -> None:
        """Set the text that the document is about to hold."""
        self._lines, self._skipped = highlight_source(text), frozenset(skipped)

    def follow_theme(self) -> None:
        """Use the colours of the theme, unless they are in use already."""
        if theme() is not self._theme:
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        number, colors = self.currentBlock().blockNumber(), theme()
        self._theme = colors
        if number in self._skipped:
            self.setFormat(0, len(text), QColor(mixed(colors.comment, colors.surface, 0.45)))
            return
        line, column = self._lines[number] if number < len(self._lines) else (), 0
        for kind, part in zip(line[::2], line[1::2], strict=True):
            if kind:
                self.setFormat(column, len(part), QColor(getattr(colors, _ROLES[kind])))
            column += len(part)


class _HangingLines(QPlainTextDocumentLayout):
    """Indents wrapped lines of code further than their beginning, as code is written.

    A comment goes on below its first word, so that a paragraph has one left edge.
    """

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        rect = super().blockBoundingRect(block)  # lays the lines out, all from the left
        if not block.isValid():  # Qt asks about the line after the last, where there is no room
            return rect
        layout, margin = block.layout(), self.document().documentMargin()
        if layout.lineCount() < 2 or layout.lineAt(1).x() > margin:
            return rect
        text, width = block.text(), layout.lineAt(0).width()
        column = QFontMetricsF(self.document().defaultFont()).horizontalAdvance(" ")
        indent, limit = (len(text) - len(text.lstrip())) * column, _MAX_INDENT * width
        # Deeply indented code, such as below a bracket, wraps no further right than this.
        shift = max(indent - limit, 0)
        hanging = indent - shift + _HANGING_COLUMNS * column
        if (words := _COMMENT.match(text)) is not None:  # as a paragraph beside its slashes
            shift, hanging = 0, min(words.end() * column, limit)
        x, height = margin - shift, 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(margin + width - x)
            line.setPosition(QPointF(x, height))
            height += line.height()
            x = margin + hanging
        layout.endLayout()
        block.setLineCount(layout.lineCount())
        return super().blockBoundingRect(block)


class _LineNumbers(QWidget):
    """Numbers the visible lines, and draws a bar along the marked ones."""

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self._text = text

    def sizeHint(self) -> QSize:
        digits = max(3, len(str(self._text.blockCount())))
        return QSize(self._text.fontMetrics().horizontalAdvance("9" * digits) + _ROOM, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, text = theme(), self._text
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(colors.surface))
            painter.setFont(text.font())
            for number, top, height in text.lines_in_sight(event.rect().bottom()):
                severity = text.role if number == text.single else text.notes.get(number, "accent")
                color = getattr(colors, severity)
                if number in text.marked or number == text.single or number in text.notes:
                    painter.fillRect(self.width() - _BAR - 1, top, _BAR, height, QColor(color))
                painter.setPen(QColor(colors.text if number in text.marked else colors.comment))
                rectangle = QRect(0, top, self.width() - 8, text.fontMetrics().height())
                flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
                painter.drawText(rectangle, flags, str(number + 1))


class SourceText(QPlainTextEdit):
    """Read-only source with line numbers and a range of marked lines, counted from 0."""

    def __init__(self, size: float = _SMALL) -> None:
        super().__init__()
        self._size = size  # of the type, relative to other text
        self._height = 0  # in lines; 0 for the available height
        self.marked = range(0)  # lines
        self.single: int | None = None  # a line with a stronger mark
        self.role = "error"  # its colour: "error" for a fault, "warning" for the line of a thread
        self.notes: Mapping[int, str] = {}  # "error" or "warning" of the compiler, by line
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName("Kernel source")
        self.setPlaceholderText("The kernel of the step on display is shown here.")
        self._lines = _HangingLines(self.document())  # Qt keeps no reference to it
        self.document().setDocumentLayout(self._lines)
        self._highlighter = _Highlighter(self.document())
        self.numbers = _LineNumbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self.numbers.update)
        self.use_type()

    def use_type(self) -> None:
        """Use fixed-width type that matches the window's text size."""
        font = fixed_font(QApplication.font().pointSizeF() * self._size)
        if font != self.font():
            self.setFont(font)

    def set_type_size(self, size: float) -> None:
        """Set the size of the type, relative to other text."""
        if size != self._size:
            self._size = size
            self.use_type()

    def set_height_in_lines(self, count: int) -> None:
        """Set the height to a number of lines."""
        self._height = count
        self._fit_height()

    def set_wrapped(self, on: bool) -> None:
        """Wrap long lines at the right edge, or let them run on."""
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if on else modes.NoWrap)
        bars = Qt.ScrollBarPolicy
        self.setHorizontalScrollBarPolicy(bars.ScrollBarAlwaysOff if on else bars.ScrollBarAsNeeded)

    def show_source(self, text: str, skipped: Iterable[int] = ()) -> None:
        """Show new source without marks; lines that are not compiled are dimmed."""
        self.marked, self.single = range(0), None
        self._highlighter.prepare(text, skipped)
        if text != self.toPlainText():
            self.setPlainText(text)
        else:
            self._highlighter.rehighlight()
        self._repaint()

    def mark(self, lines: range, single: int | None = None, role: str = "error") -> None:
        """Mark lines, and a single one in the colour of a role."""
        self.marked, self.single, self.role = lines, single, role
        self._repaint()

    def go_to_line(self, line: int, column: int = 0) -> None:
        """Put the caret before a column of a line, from 0, and the line near the top."""
        block = self.document().findBlockByNumber(line)
        caret = QTextCursor(block)
        caret.setPosition(block.position() + min(max(column, 0), max(block.length() - 1, 0)))
        self.setTextCursor(caret)
        self.horizontalScrollBar().setValue(0)
        block = self.document().firstBlock()
        while block.isValid() and block.blockNumber() < line - LEAD:
            self.blockBoundingRect(block)  # wraps it, so that its lines can be counted
            block = block.next()
        self.verticalScrollBar().setValue(block.firstLineNumber())

    def lines_in_sight(self, bottom: int) -> list[tuple[int, int, int]]:
        """Return number from 0, top and height in pixels of the lines down to a position."""
        lines: list[tuple[int, int, int]] = []
        if self.document().isEmpty():  # a hint is on display, and no line
            return lines
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            height = self.blockBoundingRect(block).height()
            lines.append((block.blockNumber(), round(top), round(height)))
            block, top = block.next(), top + height
        return lines

    # Qt's events

    def event(self, event: QEvent) -> bool:
        """Claim keys that the window uses otherwise, as Qt does in editable text."""
        return claim_keys(event, *_KEYS) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a band behind the marked lines; Qt fills only one line of a wrapped one."""
        colors = theme()
        with QPainter(self.viewport()) as painter:
            for number, top, height in self.lines_in_sight(event.rect().bottom()):
                single = getattr(colors, self.role), 0.3
                role, share = single if number == self.single else (colors.accent, 0.1)
                if number in self.marked or number == self.single:
                    band = QRect(0, top, self.viewport().width(), height)
                    painter.fillRect(band, QColor(mixed(colors.surface, role, share)))
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.follow_theme()
        elif event.type() is QEvent.Type.StyleChange:  # for example at another text size
            self.use_type()
        elif event.type() is QEvent.Type.FontChange:
            self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
            self._make_room()
            self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the first line in sight, which Qt loses where fewer lines wrap than before."""
        first = self.firstVisibleBlock()
        super().resizeEvent(event)
        self._make_room()
        if first.isValid() and event.size().width() != event.oldSize().width():
            self.verticalScrollBar().setValue(first.firstLineNumber())

    def _make_room(self) -> None:
        width, area = self.numbers.sizeHint().width(), self.contentsRect()
        self.setViewportMargins(width, 0, 0, 0)
        self.numbers.setGeometry(area.left(), area.top(), width, area.height())

    def _fit_height(self) -> None:
        if self._height:
            lines = self._height * self.fontMetrics().lineSpacing()
            self.setFixedHeight(lines + 2 * self.frameWidth())

    def _repaint(self) -> None:
        self.viewport().update()
        self.numbers.update()


class FindBar(QFrame):
    """Finds a phrase in a text; Enter goes on, Shift+Enter back, Esc closes."""

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__()
        self._text = text
        find = "Find in the source"
        self.field = name_widget(QLineEdit(placeholderText=find, clearButtonEnabled=True), find)
        self.note = make_label("", "dim")
        parts = (
            (self.field, 1),
            self.note,
            make_icon_button(
                "arrow-up", "Previous (Shift+Enter)", lambda: self.find_next(back=True)
            ),
            make_icon_button("arrow-down", "Next (Enter)", self.find_next),
            make_icon_button("close", "Close (Esc)", self.dismiss),
        )
        self.setLayout(hbox(*parts, margins=(6, 2, 2, 2), spacing=4))
        self.field.textChanged.connect(self._look)
        self.hide()

    def open(self) -> None:
        """Show and focus the bar, with the phrase selected in the text."""
        selected = self._text.textCursor().selectedText()
        self.show()
        if selected and "\N{PARAGRAPH SEPARATOR}" not in selected:
            self.field.setText(selected)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def dismiss(self) -> None:
        """Hide the bar; the phrase stays selected in the text."""
        self.hide()
        self._text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def find_next(self, *, back: bool = False) -> None:
        """Select the next or previous occurrence; after the last comes the first."""
        phrase, flags = self.field.text(), QTextDocument.FindFlag(0)
        if phrase != phrase.lower():
            flags |= QTextDocument.FindFlag.FindCaseSensitively
        if back:
            flags |= QTextDocument.FindFlag.FindBackward
        before = self._text.textCursor()
        matched = self._text.find(phrase, flags)
        if not matched:
            moves = QTextCursor.MoveOperation
            self._text.moveCursor(moves.End if back else moves.Start)
            matched = self._text.find(phrase, flags)
        if not matched:
            self._text.setTextCursor(before)
        self.note.setText("Not found" if phrase and not matched else "")

    def _look(self) -> None:
        """Find what has been typed so far, starting at the selection."""
        cursor = self._text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._text.setTextCursor(cursor)
        self.find_next()

    def event(self, event: QEvent) -> bool:
        """Claim Esc, which the window also uses."""
        return claim_keys(event, QKeySequence.StandardKey.Cancel) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.find_next(back=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif event.matches(QKeySequence.StandardKey.Cancel):
            self.dismiss()
        else:
            super().keyPressEvent(event)
