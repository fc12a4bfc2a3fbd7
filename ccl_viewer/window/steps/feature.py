"""The panel Steps."""

from __future__ import annotations

from ccl_viewer.window.steps.widget import QtSteps
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return what the panel adds to the window."""
    session = context.session
    panel = PanelSpec(
        "Steps", "table", lambda parent: QtSteps(session, parent), "All steps of the run"
    )
    return Feature(panels=(panel,))
