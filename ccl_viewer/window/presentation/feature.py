"""The line that full screen shows above the canvas."""

from __future__ import annotations

from ccl_viewer.window.presentation.widget import QtPresentation
from ccl_viewer.window.widgets.feature import Area, Context, Feature
from ccl_viewer.window.widgets.widgets import native_keys


def build(context: Context) -> Feature:
    """Return the feature of full screen."""

    def make() -> QtPresentation:
        session = context.session
        keys = (key.toString() for key in context.actions["projector"].shortcuts())
        return QtPresentation(session.runs, session.analysis, native_keys(tuple(keys)))

    return Feature(widgets={Area.PROJECTOR: make})
