"""The panel Check: a search for errors in an algorithm."""

from __future__ import annotations

from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.check.widget import QtChecker
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return what checking adds to the window."""
    session = context.session
    checker = Checker(
        tasks=session.tasks,
        messages=session.messages,
        document=session.document,
        runs=session.runs,
        view=session.view,
    )

    def check() -> None:
        context.show_panel("check")
        checker.start()

    action = ActionSpec(
        "check",
        "Chec&k",
        "Run",
        check,
        icon="check",
        enabled=lambda: checker.can_start and not checker.running,
        tip="Find memory errors, races, and labels that are wrong in random orders",
        group=1,
    )
    panel = PanelSpec(
        "Check",
        "check",
        lambda parent: QtChecker(
            checker, session.document, session.runs, session.copies, session.playback, parent
        ),
        "What is wrong with the algorithm",
    )
    return Feature(models=(checker,), actions=(action,), panels=(panel,))
