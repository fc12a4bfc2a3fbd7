"""Asks about drawings that are in no file: before one is lost, and after a crash."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from ccl_viewer.views.host import Host

_Button = QMessageBox.StandardButton
_PAUSE = 1000
"""Milliseconds after an edit until the drawing is written to the state folder."""


class Unsaved:
    """Asks whether to save, and then goes on with what was begun, or does not.

    It also has the drawing written to the state folder soon after each edit, and offers what a
    killed program left there.

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
        self.offer_box: QMessageBox | None = None
        self._go_on: Callable[[], object] = lambda: None
        session = host.session
        self._write_soon = QTimer(window, singleShot=True, interval=_PAUSE)
        self._write_soon.timeout.connect(session.autosave.write)
        for signal in (
            session.grid_changed,
            session.keeping.changed,
            session.tools.selection.changed,
        ):
            signal.connect(self._edited)

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

    def offer(self) -> None:
        """Ask what is to become of a drawing that a killed program left, if there is one."""
        left = self._host.session.autosave.offer()
        if left is None or self.offer_box is not None:
            return
        self.offer_box = _offer(self._window, f"{left.when:%d %B %Y, %H:%M}")
        self.offer_box.finished.connect(self._offer_answered)
        self.offer_box.open()

    def close(self) -> None:
        """Take the questions back."""
        for box in (self.box, self.offer_box):
            if box is not None:
                box.done(_Button.Cancel.value)

    def _edited(self) -> None:
        if not self._write_soon.isActive():  # or it would not be written while one draws on
            self._write_soon.start()

    def _offer_answered(self, answer: int) -> None:
        box, self.offer_box = self.offer_box, None
        if box is not None:
            box.deleteLater()
        autosave = self._host.session.autosave
        if answer == _Button.Yes.value:
            autosave.restore()
        elif answer == _Button.Discard.value:
            autosave.discard()
            self.offer()  # there may be another
        else:
            autosave.postpone()

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
    names = {_Button.Save: "&Save…", _Button.Discard: "&Don't save", _Button.Cancel: "Cancel"}
    return _box(window, "Save your drawing?", names)


def _offer(window: QWidget, when: str) -> QMessageBox:
    names = {_Button.Yes: "&Restore", _Button.Discard: "&Discard", _Button.Cancel: "&Later"}
    box = _box(window, "Restore your drawing?", names)
    box.setInformativeText(
        f"The program ended on {when} with a drawing that was in no file. Until you restore or "
        "discard it, it is offered at each start."
    )
    return box


def _box(window: QWidget, text: str, names: dict[_Button, str]) -> QMessageBox:
    """Return a question; of its answers, the first is the usual one, and the last is Escape's."""
    box = QMessageBox(window)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Unsaved drawing")
    box.setText(text)
    for button, name in names.items():
        box.addButton(button)
        box.button(button).setText(name)
        box.button(button).setIcon(QIcon())
    first, *_, last = names
    box.setDefaultButton(first)
    box.setEscapeButton(last)
    box.button(first).setProperty("role", "primary")
    return box
