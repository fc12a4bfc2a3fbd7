"""The panel Tree."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.tree.model import TreeDiagram
from ccl_viewer.window.tree.widget import QtTreeDiagram
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return the feature of the panel."""
    session = context.session

    def make(parent: QWidget) -> QtTreeDiagram:
        tree = TreeDiagram(session.analysis, session.view, session.labels)
        return QtTreeDiagram(tree, session.playback, parent)

    panel = PanelSpec(
        "Tree",
        "structure",
        make,
        "The trees that the labels make",
    )
    return Feature(panels=(panel,))
