"""Actions that go to what is told of a run: its first wrong step, and where it converged."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.session import Session
from ccl_viewer.session.facts.course import converged_at, has_converged
from ccl_viewer.session.lessons.asking import hides_course
from ccl_viewer.views.actions.spec import Spec

Find = Callable[[Session], int | None]
"""Returns a step of the run on display; None if there is no such step, or it is not known yet."""


def _to(name: str, text: str, help_text: str, find: Find, there: Callable[[Session], bool]) -> Spec:
    def go(session: Session) -> None:
        step = find(session)
        if step is not None:
            session.playback.pause()
            session.playback.go_to(step)

    def can(session: Session) -> bool:
        # Whoever is asked what follows could read the answer from where this leads.
        return there(session) and not hides_course(session.quiz)

    return Spec(name, text, help_text, do=lambda host: go(host.session), can=can)


MILESTONES = (
    _to(
        "go_first_wrong",
        "Fi&rst wrong step",
        "Go to the first step after which a label names a cell of another component",
        lambda session: session.insight.first_wrong,
        lambda session: session.insight.first_wrong is not None,
    ),
    _to(
        "go_settled",
        "Roots rig&ht",
        "Go to the first step from which on every cell leads to its final root",
        lambda session: session.insight.settled,
        lambda session: session.insight.settled is not None,
    ),
    _to(
        "go_converged",
        "Converge&d",
        "Go to the step after which no label changes any more",
        lambda session: converged_at(session.recording),
        lambda session: has_converged(session.recording),
    ),
)
