"""A run and the step of it that is looked at, whoever looks."""

from __future__ import annotations

from typing import Protocol

from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.signals import Signal


class Place(Protocol):
    """Where in a run it is looked at."""

    @property
    def position(self) -> int:
        """Index of the step on display; 0 without a run."""

    @property
    def position_changed(self) -> Signal:
        """Another step is on display."""


class Looked(Protocol):
    """A run and the step of it that is on display."""

    @property
    def shown(self) -> DisplayedRun | None:
        """The run."""

    @property
    def playback(self) -> Place:
        """The step."""
