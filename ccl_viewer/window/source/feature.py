"""The panel Source: the kernel of the step, and the editor of copies."""

from __future__ import annotations

from ccl_viewer.window.source.actions import source_actions
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return the feature of the source."""
    session = context.session

    def panel() -> QtSource:
        context.show_panel("source")
        return context.find_widget(QtSource)

    session.view.line_chosen.connect(lambda file, line: panel().show_line(file, line))
    spec = PanelSpec(
        "Source",
        "kernel",
        lambda parent: QtSource(session, parent),
        "The kernel of the step",
        "S&ource",
    )
    return Feature(actions=source_actions(session, panel), panels=(spec,))
