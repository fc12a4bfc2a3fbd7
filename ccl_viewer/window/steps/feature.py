"""The panel Steps."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.steps.widget import QtSteps
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return the feature of the panel."""
    session = context.session

    def make(parent: QWidget) -> QtSteps:
        return QtSteps(session.analysis, session.playback, session.messages, parent)

    panel = PanelSpec("Steps", "table", make, "All steps of the run")
    return Feature(panels=(panel,))
