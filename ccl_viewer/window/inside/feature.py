"""The panel Inside: the phases of a launch."""

from __future__ import annotations

from ccl_viewer.window.inside.actions import inside_actions
from ccl_viewer.window.inside.widget import QtLaunchPhases
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return what looking inside a launch adds to the window."""
    session, tip = context.session, "Phases inside one launch"
    panel = PanelSpec("Inside", "inside", lambda parent: QtLaunchPhases(session, parent), tip)
    return Feature(actions=inside_actions(context), panels=(panel,))
