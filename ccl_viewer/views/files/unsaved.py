"""Asks about a drawing that is in no file before it is lost."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from ccl_viewer.views.host import Host

_Button = QMessageBox.StandardButton


class Unsaved:
    """Asks whether to save, and then goes on with what was begun, or does not.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    host : Host
        Whose drawing it is about.
    """

    def __init__(self, window: QWidget, host: Host) -> None:
        self._window = window
        self._host = host
        self.box: QMessageBox | None = None
        self._go_on: Callable[[], object] = lambda: None

    def before(self, go_on: Callable[[], object], loss: str) -> None:
        """Go on at once if nothing would be lost; otherwise once the user wants it so.

        The question is then about what was begun last, and not about what it was about before.

        Parameters
        ----------
        go_on : callable
            What would lose the drawing.
        loss : str
            When it would be lost: "when the window closes".
        """
        if not self._host.session.keeping.at_risk:
            go_on()
            return
        self._go_on = go_on
        if self.box is None:
            self.box = _question(self._window)
            self.box.finished.connect(self._answered)
            # Not exec(): the window's own work goes on, and whoever closes it is not held up.
            self.box.open()
        self.box.setInformativeText(f"Cells that you changed are in no file: they are lost {loss}.")

    def close(self) -> None:
        """Take the question back."""
        if self.box is not None:
            self.box.done(_Button.Cancel.value)

    def _answered(self, answer: int) -> None:
        box, self.box = self.box, None
        go_on = self._go_on
        if box is not None:
            box.deleteLater()
        if answer == _Button.Discard.value:
            go_on()
        elif answer == _Button.Save.value:
            self._host.dialogs.save_own_grid(go_on)


def _question(window: QWidget) -> QMessageBox:
    box = QMessageBox(window)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Unsaved drawing")
    box.setText("Save your drawing?")
    box.setStandardButtons(_Button.Save | _Button.Discard | _Button.Cancel)
    box.setDefaultButton(_Button.Save)
    box.setEscapeButton(_Button.Cancel)
    for button in (_Button.Save, _Button.Discard, _Button.Cancel):
        box.button(button).setIcon(QIcon())
    box.button(_Button.Save).setText("&Save…")
    box.button(_Button.Save).setProperty("role", "primary")
    box.button(_Button.Discard).setText("&Don't save")
    return box
