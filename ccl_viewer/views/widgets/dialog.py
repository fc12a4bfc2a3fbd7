"""A dialog that looks as the window does to which it belongs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from ccl_viewer.views.looks.wardrobe import dress


class Dialog(QDialog):
    """The base of all dialogs.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    flags : WindowType
        What kind of window it is.
    """

    def __init__(
        self, parent: QWidget | None = None, flags: Qt.WindowType = Qt.WindowType.Dialog
    ) -> None:
        super().__init__(parent, flags)
        # While it is empty: with all its fields it takes 10 ms, and they are laid out twice.
        dress(self)
