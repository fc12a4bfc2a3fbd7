"""When an action can be done, for several rows of the table."""

from __future__ import annotations

from ccl_viewer.session import Session


def has_grid(session: Session) -> bool:
    """Whether there is a grid."""
    return session.grid is not None


def has_run(session: Session) -> bool:
    """Whether a run is on display."""
    return session.recording is not None


def idle_grid(session: Session) -> bool:
    """Whether there is a grid, and no work in progress."""
    return session.grid is not None and not session.busy


def idle_run(session: Session) -> bool:
    """Whether a run is on display, and no work in progress."""
    return session.recording is not None and not session.busy


def not_at_first(session: Session) -> bool:
    """Whether a step comes before the one on display."""
    return session.recording is not None and not session.playback.at_start


def not_at_last(session: Session) -> bool:
    """Whether a step comes after the one on display."""
    return session.recording is not None and not session.playback.at_end


def has_selection(session: Session) -> bool:
    """Whether cells are selected."""
    return session.tools.selection.box is not None


def is_multivalued(session: Session) -> bool:
    """Whether the grid may hold several values."""
    return session.settings.multivalued
