"""Export of pictures, animations, pages and data."""

from __future__ import annotations

from ccl_viewer.window.export.actions import export_actions
from ccl_viewer.window.widgets.feature import Context, Feature


def build(context: Context) -> Feature:
    """Return what exports add to the window."""
    return Feature(actions=export_actions(context))
