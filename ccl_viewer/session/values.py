"""Choices that depend on whether the grid holds one value or several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.algorithms import algorithm
from ccl_viewer.session.runs.settings import taken_over
from ccl_viewer.session.state import MessageKind

if TYPE_CHECKING:
    from ccl_viewer.session.comparison.lane import Lane
    from ccl_viewer.session.session import Session


def tell_values_apart(session: Session, *, on: bool) -> None:
    """Let the grid hold several values, or one; where need be, another algorithm takes over.

    With one value again, the algorithm that was in use before is.
    """
    before = session.settings.algorithm
    new = session.stand_in.telling_apart(session.settings, on=on)
    session.configure(algorithm_key=new.algorithm, parameters=new.parameters, multivalued=on)
    if on and new.algorithm != before:
        session.say(MessageKind.INFO, taken_over(before, new.algorithm))


def choose_algorithm(session: Session, key: str) -> bool:
    """Take an algorithm, or say why it cannot label this grid; return whether it was taken."""
    able = _can_label(session, key)
    if able:
        session.configure(algorithm_key=key)
    return able


def exchange(session: Session, lane: Lane) -> None:
    """Let a lane and the session's own run change places, or say why they cannot."""
    mine, theirs = session.settings, lane.settings
    if _can_label(session, theirs.algorithm):
        session.comparison.change(lane, mine)
        session.configure(
            algorithm_key=theirs.algorithm,
            connectivity=theirs.connectivity,
            device=theirs.device,
            schedule=theirs.schedule,
            parameters=theirs.parameters,
        )


def _can_label(session: Session, key: str) -> bool:
    """Return whether an algorithm can label the grid as it is; say so if it cannot."""
    row = algorithm(key)
    if session.settings.multivalued and not row.multivalued:
        session.say(
            MessageKind.WARNING,
            f"{row.title} does not tell values apart: switch Several values off first (Shift+W).",
        )
        return False
    return True
