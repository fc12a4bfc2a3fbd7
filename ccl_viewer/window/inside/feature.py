"""The panel Inside: the phases of a launch."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.inside.actions import inside_actions
from ccl_viewer.window.inside.widget import QtLaunchPhases
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return what looking inside a launch adds to the window."""
    session = context.session

    def make(parent: QWidget) -> QtLaunchPhases:
        return QtLaunchPhases(session.phases, session.display, session.playback, parent)

    panel = PanelSpec("Inside", "inside", make, "Phases inside one launch")
    return Feature(actions=inside_actions(context), panels=(panel,))
