"""The key of the marks on all lanes of a comparison, said once in its bar."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ccl_viewer.views.canvas.card import paint_row, seen_in
from ccl_viewer.views.canvas.key import KeyEntry, key_items, split_key
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.painting_guard import guarded


class KeyStrip(QWidget):
    """Says in a line what marks mean; those that have no room are in its tooltip.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[KeyEntry, ...] = ()
        self._style = style_of(DARK, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Marks")

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._style = style_of(theme, 1.0)
        self.update()

    def show_key(self, entries: tuple[KeyEntry, ...]) -> None:
        """Explain other marks."""
        # What always has room on a canvas comes first, as what has no room is left out at the end.
        lasting, passing = split_key(entries)
        entries = *lasting, *passing
        if entries != self.entries:
            self.entries = entries
            self.setAccessibleDescription(", ".join(entry.text for entry in entries))
            self._show_rest()
            self.update()

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(0, self.fontMetrics().height() + 4)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint as many samples as there is room for."""
        painter = QPainter(self)
        painter.setFont(self.font())
        paint_row(painter, self.rect(), key_items(self.entries, short=True), self._style)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Find out anew what has room."""
        super().resizeEvent(event)
        self._show_rest()

    def changeEvent(self, event: QEvent) -> None:
        """Find out anew what has room in another size of text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._show_rest()

    def _show_rest(self) -> None:
        items = key_items(self.entries, short=True)
        seen = seen_in(items, QFontMetricsF(self.font()), self.width())
        whole = len(seen) == len(items) and not any(entry.short for entry in self.entries)
        self.setToolTip("" if whole else self.accessibleDescription())
