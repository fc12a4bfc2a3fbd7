"""Widgets one below the other."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget


def column(
    widgets: tuple[QWidget, ...], margins: tuple[int, int, int, int] = (0, 0, 0, 0), gap: int = 0
) -> QWidget:
    """Return widgets one below the other, of which the first takes the room that is left.

    Parameters
    ----------
    widgets : tuple of QWidget
        From above.
    margins : tuple of int
        Pixels left of, above, right of and below them.
    gap : int
        Pixels between them.
    """
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    for widget in widgets:
        layout.addWidget(widget, 1 if widget is widgets[0] else 0)
    return holder
