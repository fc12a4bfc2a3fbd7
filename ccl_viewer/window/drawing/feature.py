"""Drawing: the menus Edit and Tools, and the bar of tools."""

from __future__ import annotations

from ccl_viewer.window.drawing.edit_actions import edit_actions
from ccl_viewer.window.drawing.tool_actions import tool_actions
from ccl_viewer.window.drawing.widget import QtTools
from ccl_viewer.window.widgets.feature import Area, Context, Feature


def build(context: Context) -> Feature:
    """Return what drawing adds to the window."""
    session, settings = context.session, context.session.settings
    return Feature(
        actions=(
            *edit_actions(session, context.files, context.parent),
            *tool_actions(session),
        ),
        widgets={
            Area.TOOLS: lambda: QtTools(
                session.tools, session.document, session.view, context.actions
            )
        },
        restore=lambda: session.tools.set_filled(settings.value("tools/filled") is True),
        save=lambda: {"tools/filled": session.tools.filled},
    )
