"""A dot for each scene of a lesson: where one is, what was seen, and how questions went."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ccl_viewer.session import QuestionOutcome
from ccl_viewer.session.lessons.scenes import Chapter
from ccl_viewer.views.looks.theme import DARK, Theme, mixed, text_on
from ccl_viewer.views.widgets.painting_guard import guarded

_OUTCOMES = {
    QuestionOutcome.PENDING: "question",
    QuestionOutcome.RIGHT: "answered rightly",
    QuestionOutcome.WRONG: "answered",
    QuestionOutcome.SKIPPED: "skipped",
    QuestionOutcome.TOLD: "answer shown",
}


class ProgressDots(QWidget):
    """Shows progress, and goes to a scene that is clicked.

    Keys need no dots: the list of scenes does the same.

    Parameters
    ----------
    go_to : callable
        Shows a scene, by its index.
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        super().__init__()
        self._go_to = go_to
        self._chapters: Sequence[Chapter] = ()
        self._index = 0
        self._theme = DARK
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.update()

    def show_chapters(self, chapters: Sequence[Chapter], index: int) -> None:
        """Show where one is."""
        self._chapters, self._index = chapters, index
        self.setAccessibleName(f"Scene {index + 1} of {len(chapters)}")
        told = [_title(number, chapter) for number, chapter in enumerate(chapters)]
        self.setAccessibleDescription("; ".join(told))
        self.update()

    def centre_of(self, index: int) -> QPointF:
        """Return where the dot of a scene is."""
        pitch = self._pitch()
        left = (self.width() - pitch * (len(self._chapters) - 1)) / 2
        return QPointF(left + index * pitch, self.height() / 2)

    def sizeHint(self) -> QSize:
        """Return room for a line of dots."""
        return QSize(120, 22)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the dots; the one of the scene on display is the largest."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, chapter in enumerate(self._chapters):
            self._paint_dot(painter, self.centre_of(index), chapter, here=index == self._index)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the scene under the mouse."""
        index = self._index_at(event.position())
        if index is not None and event.button() is Qt.MouseButton.LeftButton:
            self._go_to(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that dots can be clicked."""
        over = self._index_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        """Name the scene under the mouse."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._index_at(QPointF(event.pos()))
            text = "" if index is None else _title(index, self._chapters[index])
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _pitch(self) -> float:
        return min(20.0, self.width() / max(len(self._chapters), 1))

    def _index_at(self, position: QPointF) -> int | None:
        reach = self._pitch() / 2
        for index in range(len(self._chapters)):
            if abs(self.centre_of(index).x() - position.x()) <= reach:
                return index
        return None

    def _paint_dot(self, painter: QPainter, at: QPointF, chapter: Chapter, *, here: bool) -> None:
        theme = self._theme
        radius = min(5.0, self._pitch() * 0.3)
        color = {
            QuestionOutcome.RIGHT: theme.ok,
            QuestionOutcome.WRONG: theme.error,
        }.get(chapter.outcome or QuestionOutcome.PENDING, theme.dim)
        if here:
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, radius + 3.5, radius + 3.5)
        faint = mixed(theme.dim, theme.surface, 0.4)
        painter.setPen(QPen(QColor(color if chapter.seen else faint), 1.6))
        painter.setBrush(QColor(color) if chapter.seen else Qt.BrushStyle.NoBrush)
        if chapter.asks:  # scenes that ask are square, so that colour is not the only cue
            side = radius * 0.95
            box = QRectF(at.x() - side, at.y() - side, 2 * side, 2 * side)
            painter.drawRoundedRect(box, 1.5, 1.5)
            self._paint_sign(painter, at, side * 0.7, chapter)
        else:
            painter.drawEllipse(at, radius, radius)

    def _paint_sign(self, painter: QPainter, at: QPointF, half: float, chapter: Chapter) -> None:
        """Paint a tick or a cross into the square of a question that was answered."""
        if chapter.outcome not in {QuestionOutcome.RIGHT, QuestionOutcome.WRONG}:
            return
        right = chapter.outcome is QuestionOutcome.RIGHT
        painter.setPen(QPen(QColor(text_on(self._theme.ok if right else self._theme.error)), 1.4))
        if right:
            low = at + QPointF(-half * 0.2, half)
            painter.drawLine(at + QPointF(-half, half * 0.1), low)
            painter.drawLine(low, at + QPointF(half, -half * 0.8))
        else:
            painter.drawLine(at + QPointF(-half, -half), at + QPointF(half, half))
            painter.drawLine(at + QPointF(-half, half), at + QPointF(half, -half))


def _title(index: int, chapter: Chapter) -> str:
    what = _OUTCOMES[chapter.outcome or QuestionOutcome.PENDING] if chapter.asks else ""
    return f"{index + 1}. {chapter.title}" + (f" ({what})" if what else "")
