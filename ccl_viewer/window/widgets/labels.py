"""Labels, and the names that screen readers say."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_Widget = TypeVar("_Widget", bound=QWidget)


def name_widget(widget: _Widget, name: str = "", tip: str = "") -> _Widget:
    """Name a widget without text for screen readers, perhaps set its tooltip, and return it."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    return widget


def make_label(text: str, role: str = "", *, wrap: bool = False, centred: bool = False) -> QLabel:
    """Return a label with plain text, in a role of the style sheet."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(wrap)
    if centred:
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label


class ElidedLabel(QLabel):
    """One line of text; if it does not fit, the tooltip has the whole text.

    It is cut at its end, or where `mode` says.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text, textFormat=Qt.TextFormat.PlainText)
        self._mode = mode
        self.setProperty("role", role or None)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        """Show a text, with the whole of it in the tooltip."""
        super().setText(text)
        self.setToolTip(text)

    @property
    def elided_text(self) -> str:
        """The text, elided to the width."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.drawText(self.contentsRect(), int(self.alignment()), self.elided_text)
