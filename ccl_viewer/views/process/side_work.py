"""A second thread for previews in dialogs, which never wait for the run in progress."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from ccl_viewer.views.process.worker import JobThread


class SideWork(JobThread):
    """Runs the jobs of whichever dialog is open.

    Attributes
    ----------
    listener : callable or None
        Called on the window's thread when there is news.

    Parameters
    ----------
    parent : QObject or None
        Parent.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(self._tell, parent)
        self.listener: Callable[[], object] | None = None

    def _tell(self) -> None:
        if self.listener is not None:
            self.listener()
