"""The transport below the canvas, and the menu Playback."""

from __future__ import annotations

from ccl_viewer.window.transport.actions import transport_actions
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets.action_spec import Conditions
from ccl_viewer.window.widgets.feature import Area, Context, Feature


def build(context: Context) -> Feature:
    """Return the feature of the transport."""
    session = context.session

    def toggle_curves() -> None:
        context.find_widget(QtTransport).unfold.toggle()

    return Feature(
        actions=transport_actions(
            session.playback,
            session.analysis,
            session.settings,
            Conditions(session.document, session.display),
            context.parent,
            toggle_curves,
        ),
        widgets={Area.BELOW: lambda: QtTransport(session, context.actions)},
        close=lambda: context.find_widget(QtTransport).stop(),
    )
