"""The line that full screen shows above the canvas."""

from __future__ import annotations

from ccl_viewer.window.full_screen.widget import QtFullScreenLine
from ccl_viewer.window.widgets.feature import Area, Context, Feature
from ccl_viewer.window.widgets.keys import native_keys


def build(context: Context) -> Feature:
    """Return the feature of full screen."""

    def make() -> QtFullScreenLine:
        session = context.session
        keys = (key.toString() for key in context.actions["full_screen"].shortcuts())
        return QtFullScreenLine(session.runs, session.analysis, native_keys(tuple(keys)))

    return Feature(widgets={Area.FULL_SCREEN: make})
