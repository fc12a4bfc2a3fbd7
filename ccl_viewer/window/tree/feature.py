"""The panel Tree."""

from __future__ import annotations

from ccl_viewer.window.tree.widget import QtTreeDiagram
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return what the panel adds to the window."""
    session = context.session
    panel = PanelSpec(
        "Tree",
        "structure",
        lambda parent: QtTreeDiagram(session, parent),
        "The trees that the labels make",
    )
    return Feature(panels=(panel,))
