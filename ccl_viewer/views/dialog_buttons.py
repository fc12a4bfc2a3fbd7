"""The buttons at the foot of a dialog."""

from __future__ import annotations

from PySide6.QtWidgets import QDialogButtonBox, QPushButton


def dialog_buttons(title: str) -> QDialogButtonBox:
    """Return a button that does it, and Cancel."""
    buttons = QDialogButtonBox()
    does = QPushButton(title)
    does.setProperty("role", "primary")
    does.setDefault(True)
    buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
    buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
    return buttons
