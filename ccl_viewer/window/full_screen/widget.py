"""In full screen, a line above the canvas: what runs, and how to leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame

from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox
from ccl_viewer.window.widgets.style import DOT

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.runs import RunController


class QtFullScreenLine(QFrame):
    """Names the algorithm on display, its connectivity, and the key that leaves full screen."""

    def __init__(self, runs: RunController, analysis: RunAnalysis, key: str) -> None:
        super().__init__()
        self._runs, self._analysis = runs, analysis
        self.setAccessibleName("Full screen")
        self.run = ElidedLabel("", "small")
        self.leave = make_label(f"{key} leaves full screen", "small")
        self.setLayout(hbox((self.run, 1), self.leave, margins=(8, 1, 8, 1), spacing=12))
        self.hide()
        runs.settings_changed.connect(self.refresh)
        watch(self.refresh, analysis.recording_changed, analysis.display_changed)
        self.refresh()

    def refresh(self) -> None:
        """Name the run on display, or else the next one."""
        of = self._analysis.recording or self._runs.settings
        neighbours = f"{of.connectivity} neighbours"
        self.run.setText(f"{algorithm_title(of.algorithm, of.parameters)}{DOT}{neighbours}")
