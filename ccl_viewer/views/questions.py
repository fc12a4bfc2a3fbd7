"""What the window asks, other than for names of files."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

from ccl_viewer.views.host import Host
from ccl_viewer.views.keys_dialog import KeysDialog
from ccl_viewer.views.pattern_dialog import PatternDialog


class Questions:
    """Asks, and does what was answered.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    host : Host
        What is acted on.
    """

    def __init__(self, window: QWidget, host: Host) -> None:
        self._window = window
        self._host = host

    def go_to(self) -> None:
        """Ask for the number of a step, and show it."""
        playback = self._host.session.playback
        number, chosen = QInputDialog.getInt(
            self._window, "Go to step", "Step", playback.position + 1, 1, playback.count
        )
        if chosen:
            playback.pause()
            playback.go_to(number - 1)

    def choose_pattern(self) -> None:
        """Ask for a pattern and its parameters, and open it."""
        dialog = PatternDialog(self._host.appearance.theme, self._window)
        if dialog.exec():
            self._host.session.open(dialog.spec)
        dialog.deleteLater()

    def show_keys(self) -> None:
        """Show all keys."""
        dialog = KeysDialog(self._window)
        dialog.exec()
        dialog.deleteLater()
