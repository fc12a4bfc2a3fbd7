"""Comparison: several algorithms side by side."""

from __future__ import annotations

from ccl_viewer.window.compare.actions import compare_actions
from ccl_viewer.window.compare.widget import QtComparison
from ccl_viewer.window.widgets.action_spec import Conditions
from ccl_viewer.window.widgets.feature import Area, Context, Feature


def build(context: Context) -> Feature:
    """Return what comparisons add to the window."""
    session = context.session
    return Feature(
        actions=compare_actions(
            session.comparison,
            session.messages,
            Conditions(session.document, session.display),
        ),
        widgets={Area.PANES: lambda: QtComparison(session, context.canvas, context.actions)},
        is_crowded=lambda pixels: context.find_widget(QtComparison).is_crowded(pixels),
        restore=lambda: session.comparison.restore(session.settings.value("compare")),
        save=lambda: {"compare": session.comparison.state()},
    )
