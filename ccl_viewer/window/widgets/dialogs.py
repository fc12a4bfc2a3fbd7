"""Dialogs and their buttons."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from ccl_viewer.window.widgets.style import scaled, set_role

_SCREEN_SHARE = 0.94  # largest share of the screen for a dialog


class Dialog(QDialog):
    """A dialog that fits its text and the screen.

    Modal dialogs are deleted when they close.
    """

    def __init__(self, title: str, parent: QWidget | None = None, *, modal: bool = True) -> None:
        super().__init__(parent, modal=modal)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, modal)

    def resize_with_text(self, width: int, height: int) -> None:
        """Set a size, in pixels at normal text size."""
        room = self.screen().availableGeometry().size() * _SCREEN_SHARE
        self.resize(QSize(scaled(width), scaled(height)).boundedTo(room))


def make_dialog_buttons(dialog: QDialog, does: str = "") -> QDialogButtonBox:
    """Return the buttons of a dialog: one that accepts it, and Cancel; without a text, Close."""
    buttons = QDialogButtonBox(dialog)
    kind = QDialogButtonBox.StandardButton
    if does:
        button = buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(button, "primary")  # the box has styled it already
        button.setDefault(True)
    buttons.addButton(kind.Cancel if does else kind.Close).setIcon(QIcon())
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def enable_accept(buttons: QDialogButtonBox, on: bool) -> None:
    for button in buttons.buttons():
        if buttons.buttonRole(button) is QDialogButtonBox.ButtonRole.AcceptRole:
            button.setEnabled(on)
