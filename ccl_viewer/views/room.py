"""Says how much room a window has for its text."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

_LINES = 32


def is_low(widget: QWidget) -> bool:
    """Return whether the window of a widget is low for its text, so that each line counts."""
    return widget.window().height() < _LINES * widget.fontMetrics().height()
