"""Switching between one value and several, whatever the algorithm in use can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.algorithms import algorithm
from ccl_viewer.session.runs.settings import taken_over, telling_apart
from ccl_viewer.session.state import MessageKind

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session


def tell_values_apart(session: Session, *, on: bool) -> None:
    """Let the grid hold several values, or one; where need be, another algorithm takes over."""
    before = session.settings.algorithm
    after = telling_apart(session.settings, on=on).algorithm
    session.configure(algorithm_key=after, multivalued=on)
    if after != before:
        session.say(MessageKind.INFO, taken_over(before, after))


def choose_algorithm(session: Session, key: str) -> bool:
    """Take an algorithm, or say why it cannot label this grid; return whether it was taken."""
    row = algorithm(key)
    if session.settings.multivalued and not row.multivalued:
        session.say(
            MessageKind.WARNING,
            f"{row.title} does not tell values apart: switch Several values off first (Shift+W).",
        )
        return False
    session.configure(algorithm_key=key)
    return True
