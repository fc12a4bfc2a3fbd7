"""Properties that the style sheet asks for, changed so that it shows at once."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def restyle(widget: QWidget, name: str, value: str, *inside: QWidget) -> None:
    """Give a widget another value of a property, and the look that goes with it.

    Parameters
    ----------
    widget : QWidget
        The widget.
    name : str
        The property, such as ``"role"`` or ``"message"``.
    value : str
        Its value.
    *inside : QWidget
        Widgets in it whose look depends on the property too.
    """
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    for part in (widget, *inside):
        polish(part)


def polish(widget: QWidget) -> None:
    """Let a widget, and nothing that lies in it, look as style sheet and palette say now."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
