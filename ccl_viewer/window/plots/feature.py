"""The panel Plots."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec
from ccl_viewer.window.widgets.plots import QtPlots


def build(context: Context) -> Feature:
    """Return the feature of the panel."""
    session = context.session

    def make(parent: QWidget) -> QtPlots:
        return QtPlots(
            session.analysis, session.playback, session.settings, session.messages, parent
        )

    panel = PanelSpec("Plots", "measure", make, "Figures of the run as curves")
    return Feature(panels=(panel,))
