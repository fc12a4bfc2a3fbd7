"""The panel Plots."""

from __future__ import annotations

from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec
from ccl_viewer.window.widgets.plots import QtPlots


def build(context: Context) -> Feature:
    """Return what the panel adds to the window."""
    session = context.session
    panel = PanelSpec(
        "Plots", "measure", lambda parent: QtPlots(session, parent), "Figures of the run as curves"
    )
    return Feature(panels=(panel,))
