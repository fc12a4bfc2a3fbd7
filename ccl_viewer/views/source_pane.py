"""The kernel's source: the very file that runs, at the kernel of the step on display."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Step
from ccl_viewer.resources import kernel_path
from ccl_viewer.session import Session
from ccl_viewer.views.highlighter import CudaHighlighter
from ccl_viewer.views.text import TIMES
from ccl_viewer.views.theme import DARK, Theme, fixed_font

_LEAD = 2


@cache
def source_of(module: str) -> str:
    """Return the source of a kernel module; a comment that says why not if it cannot be read."""
    try:
        return kernel_path(module).read_text(encoding="utf-8")
    except (CCLViewerError, OSError) as error:
        return f"// {error}\n"


def kernel_lines(text: str, kernel: str) -> tuple[int, int] | None:
    """Return first and last line of a kernel in its source, from 0; None if it is not there.

    The comment right above the kernel counts as part of it.
    """
    found = re.search(rf"^.*\b{re.escape(kernel)}\s*\(", text, re.MULTILINE)
    if found is None:
        return None
    lines = text.split("\n")
    start = text.count("\n", 0, found.start())
    end = next(
        (number for number in range(start, len(lines)) if lines[number].startswith("}")),
        len(lines) - 1,
    )
    while start > 0 and not lines[start - 1].startswith("}") and lines[start - 1].strip():
        start -= 1
    return start, end


class SourcePane(QWidget):
    """Shows the source of the step's kernel, and how it was launched.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: tuple[str, str] | None = None
        self.launch = QLabel()
        self.launch.setContentsMargins(6, 0, 0, 2)
        self.launch.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.launch.setProperty("role", "dim")
        self.launch.setFont(fixed_font(self.font().pointSizeF() * 0.92))
        self.launch.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text = SourceText(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.launch)
        layout.addWidget(self.text, 1)
        session.recording_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.text.set_theme(theme)

    def refresh(self) -> None:
        """Show the kernel of the step on display."""
        step = self._session.step
        if step is None:
            self._shown = None
            self.launch.setText("No kernel yet")
            self.text.show_source("")
            return
        self.launch.setText(_launch_line(step))
        if self._shown == (step.module, step.kernel):
            return
        module = None if self._shown is None else self._shown[0]
        self._shown = (step.module, step.kernel)
        source = source_of(step.module)
        if step.module != module:
            self.text.show_source(source)
        self.text.mark(kernel_lines(source, step.kernel))


class SourceText(QPlainTextEdit):
    """Read-only source with line numbers and a marked stretch of lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = DARK
        self._marked: tuple[int, int] | None = None
        self.setAccessibleName("Kernel source")
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFont(fixed_font(self.font().pointSizeF() * 0.95))
        self.setPlaceholderText("The kernel of the step on display is shown here.")
        self._highlighter = CudaHighlighter(self.document())
        self._numbers = _LineNumbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._numbers.follow)
        self._make_room()

    @property
    def marked(self) -> tuple[int, int] | None:
        """First and last marked line, from 0."""
        return self._marked

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._highlighter.set_theme(theme)
        self._mark_lines()

    def show_source(self, text: str) -> None:
        """Show other source, with nothing marked."""
        self._marked = None
        self._highlighter.prepare(text)
        self.setPlainText(text)
        self._mark_lines()

    def mark(self, lines: tuple[int, int] | None) -> None:
        """Mark lines, and bring the first of them to the top."""
        self._marked = lines
        self._mark_lines()
        if lines is not None:
            cursor = QTextCursor(self.document().findBlockByNumber(lines[0]))
            self.setTextCursor(cursor)
            self.horizontalScrollBar().setValue(0)
            self.verticalScrollBar().setValue(max(lines[0] - _LEAD, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the line numbers at the left edge."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(
            QRect(area.left(), area.top(), self._numbers.wanted_width(), area.height())
        )

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Draw the line numbers of the visible lines."""
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), QColor(self._theme.surface))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        marked = range(0) if self._marked is None else range(self._marked[0], self._marked[1] + 1)
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            inside = block.blockNumber() in marked
            painter.setPen(QColor(self._theme.accent if inside else self._theme.comment))
            painter.drawText(
                0,
                round(top),
                self._numbers.width() - 8,
                round(height),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                str(block.blockNumber() + 1),
            )
            block, top = block.next(), top + height
        painter.end()

    def _make_room(self) -> None:
        self.setViewportMargins(self._numbers.wanted_width(), 0, 0, 0)

    def _mark_lines(self) -> None:
        selections = []
        for line in range(self._marked[0], self._marked[1] + 1) if self._marked else ():
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self.document().findBlockByNumber(line))
            selection.format.setBackground(QColor(self._theme.raised))
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            selections.append(selection)
        self.setExtraSelections(selections)
        self._numbers.update()


class _LineNumbers(QWidget):
    """The strip beside the text."""

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self._text = text

    def wanted_width(self) -> int:
        """Return how wide the longest number is, with room around it."""
        digits = max(3, len(str(self._text.blockCount())))
        return self._text.fontMetrics().horizontalAdvance("9" * digits) + 18

    def sizeHint(self) -> QSize:
        """Return the width that the numbers need."""
        return QSize(self.wanted_width(), 0)

    def follow(self, rect: QRect, dy: int) -> None:
        """Scroll with the text."""
        if dy:
            self.scroll(0, dy)
        else:
            self.update(0, rect.y(), self.width(), rect.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers."""
        self._text.paint_numbers(event)


def _launch_line(step: Step) -> str:
    grid, block = (
        f" {TIMES} ".join(map(str, _trimmed(shape))) for shape in (step.grid, step.block)
    )
    return f"{step.module}.cu   {step.kernel}<<<{grid}, {block}>>>"


def _trimmed(shape: tuple[int, int, int]) -> tuple[int, ...]:
    return shape[:2] if shape[2] == 1 else shape
