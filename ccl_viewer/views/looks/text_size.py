"""Sizes of dialogs, which grow with the text as far as the screen allows."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from ccl_viewer.views.looks.appearance import text_scale

_SHARE = 0.94
"""Of the screen, that a dialog may take."""


def scaled(pixels: int) -> int:
    """Return what a length at the usual size of text is at the one in use."""
    return round(pixels * text_scale())


def resize_with_text(dialog: QWidget, size: QSize) -> None:
    """Make a dialog as large as its text needs, and no larger than the screen.

    Parameters
    ----------
    dialog : QWidget
        The dialog.
    size : QSize
        Its size at the usual size of text, which it has at least.
    """
    room = dialog.screen().availableGeometry().size() * _SHARE
    dialog.resize((size * text_scale()).boundedTo(room).expandedTo(size))
