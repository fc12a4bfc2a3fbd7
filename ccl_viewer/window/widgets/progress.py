"""The progress bar of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar

if TYPE_CHECKING:
    from ccl_viewer.window.core.tasks import BackgroundTask

_FINE = 1000  # steps of a progress bar


class TaskProgressBar(QProgressBar):
    """Shows the progress of a task; hidden without one, or if a `still` bar does not know it."""

    def __init__(self) -> None:
        super().__init__(textVisible=False)

    def show_task(self, task: BackgroundTask | None, *, still: bool = False) -> None:
        fraction = None if task is None else task.fraction
        self.setHidden(task is None or (still and fraction is None))
        self.setRange(0, 0 if fraction is None else _FINE)  # an unknown end moves to and fro
        self.setValue(round((fraction or 0) * _FINE))
