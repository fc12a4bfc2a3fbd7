"""A line of text of which the end is left out where there is no room for all of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from ccl_viewer.views.widgets.painting_guard import guarded


class ElidedLabel(QLabel):
    """Shows the beginning of its text, and the whole in its tooltip.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    separator : str
        What stands between parts that are shown whole or not at all; empty to cut anywhere.
    """

    def __init__(self, parent: QWidget | None = None, *, separator: str = "") -> None:
        super().__init__(parent)
        self._separator = separator
        self._shorter: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_shorter(self, texts: tuple[str, ...]) -> None:
        """Show one of other texts where the own has no room: the first that fits, or the last."""
        self._shorter = texts
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line; any width will do."""
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Show the text whole in a tooltip where it is cut and there is no other."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.toolTip() or (self.text() if self.shown != self.text() else "")
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            self.palette(),
            self.isEnabled(),
            self.shown,
            self.foregroundRole(),
        )
        painter.end()

    @property
    def shown(self) -> str:
        """As much of the text as there is room for."""
        width, metrics = self.contentsRect().width(), self.fontMetrics()

        def fits(text: str) -> bool:
            return metrics.horizontalAdvance(text) <= width

        texts = self.text(), *self._shorter
        text = next(filter(fits, texts), texts[-1])
        if self._separator:
            text = whole_parts(text, self._separator, fits)
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def whole_parts(text: str, separator: str, fits: Callable[[str], bool]) -> str:
    """Return as many parts of a text as fit, the first of them in any case.

    Parameters
    ----------
    text : str
        The text.
    separator : str
        What stands between its parts.
    fits : callable
        Whether there is room for a text.
    """
    parts = text.split(separator)
    while len(parts) > 1 and not fits(separator.join(parts)):
        parts.pop()
    return separator.join(parts)
