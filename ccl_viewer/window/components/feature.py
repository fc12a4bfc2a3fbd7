"""The panel Components: their table."""

from __future__ import annotations

from ccl_viewer.window.components.model import Components
from ccl_viewer.window.components.widget import QtComponents
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return the feature of the panel."""
    session = context.session
    components = Components(session.tasks, session.analysis, session.view)
    panel = PanelSpec(
        "Components",
        "contours",
        lambda parent: QtComponents(components, session.playback, session.messages, parent),
        "Area, place and shape of each",
        "Compo&nents",
    )
    return Feature(models=(components,), panels=(panel,))
