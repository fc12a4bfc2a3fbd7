"""What the window asks, other than for names of files."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ccl_viewer.views.dialogs.about import AboutDialog
from ccl_viewer.views.dialogs.keys import KeysDialog
from ccl_viewer.views.dialogs.random import RandomDialog
from ccl_viewer.views.dialogs.step import StepDialog
from ccl_viewer.views.host import Host


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
        dialog = StepDialog(playback.position + 1, playback.count, self._window)
        if dialog.exec():
            playback.pause()
            playback.go_to(dialog.number.value() - 1)
        dialog.deleteLater()

    def fill_at_random(self) -> None:
        """Ask for density and seed, and fill the selection or the grid."""
        session = self._host.session
        dialog = RandomDialog(
            selected=session.tools.selection.box is not None,
            multivalued=session.settings.multivalued,
            parent=self._window,
        )
        if dialog.exec():
            session.edits.random_fill(
                dialog.density.value(), dialog.seed.value(), several=dialog.several.isChecked()
            )
        dialog.deleteLater()

    def show_keys(self) -> None:
        """Show all keys."""
        dialog = KeysDialog(self._window)
        dialog.exec()
        dialog.deleteLater()

    def show_about(self) -> None:
        """Show what the program is."""
        dialog = AboutDialog(self._window)
        dialog.exec()
        dialog.deleteLater()
