"""The menu Help: tour, glossary, keys, About."""

from __future__ import annotations

from ccl_viewer.window.help.widget import AboutDialog, Tour, make_glossary_dialog, make_keys_dialog
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature


def build(context: Context) -> Feature:
    """Return what help adds to the window."""
    parent = context.parent

    def start_tour() -> None:
        context.leave_full_screen()
        Tour(context.session.document, context.session.files, parent).start()

    actions = (
        ActionSpec(
            "tour",
            "&Tour",
            "Help",
            start_tour,
            icon="help",
            group=1,
            tip="The window in one minute",
        ),
        ActionSpec(
            "glossary",
            "&Glossary…",
            "Help",
            lambda: make_glossary_dialog(parent).open(),
            group=1,
            tip="The terms of the window, explained",
        ),
        ActionSpec(
            "keys",
            "&Keys…",
            "Help",
            lambda: make_keys_dialog(context.specs.values(), parent).open(),
            keys=("F1", "?"),
            tip="All keys, and what the mouse does",
            group=1,
        ),
        ActionSpec(
            "about",
            "&About CCL Viewer…",
            "Help",
            lambda: AboutDialog(parent).open(),
            icon="info",
            tip="Version and papers",
            group=2,
        ),
    )
    return Feature(actions=actions)
