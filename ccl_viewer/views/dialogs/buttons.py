"""The buttons at the foot of a dialog."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialogButtonBox, QPushButton


def dialog_buttons(title: str) -> QDialogButtonBox:
    """Return a button that does it, and Cancel."""
    return buttons_with(QPushButton(title))


def buttons_with(does: QPushButton) -> QDialogButtonBox:
    """Return a button that does what the dialog is for, and Cancel."""
    buttons = QDialogButtonBox()
    does.setProperty("role", "primary")
    buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
    add_plain(buttons, QDialogButtonBox.StandardButton.Cancel)
    return buttons


def add_plain(buttons: QDialogButtonBox, which: QDialogButtonBox.StandardButton) -> None:
    """Add a standard button without the picture that some desktops put on it.

    The style sheet asks for none, but is not the button's yet when the button is made.
    """
    buttons.addButton(which).setIcon(QIcon())


def answer_return(button: QPushButton) -> None:
    """Let Return press a button, wherever in its dialog the focus is that does not use the key.

    To be called when the button is in its dialog: until then Qt forgets it, and has the first
    button of the dialog, whatever that does, stand for it.
    """
    button.setDefault(True)
