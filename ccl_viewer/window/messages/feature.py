"""The message line and the status bar."""

from __future__ import annotations

from ccl_viewer.window.messages.widget import QtMessageBar, QtStatusBar
from ccl_viewer.window.widgets.feature import Area, Context, Feature


def build(context: Context) -> Feature:
    """Return what messages add to the window."""
    session, appearance = context.session, context.appearance

    def is_pending() -> bool:
        return (
            context.find_widget(QtMessageBar).pending
            or context.find_widget(QtStatusBar).activity.pending
        )

    return Feature(
        widgets={
            Area.MESSAGES: lambda: QtMessageBar(session, appearance, context.actions),
            Area.STATUS: lambda: QtStatusBar(session, appearance),
        },
        is_pending=is_pending,
    )
