"""Waits for the lanes of a comparison to follow, for what needs their runs of the grid as it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from ccl_viewer.session.editing.settling import Settling
from ccl_viewer.session.state import MessageKind


class Lanes(Protocol):
    """The comparison whose lanes are waited for."""

    @property
    def working(self) -> bool:
        """Whether a lane is being recorded."""


class AfterLanes:
    """Places what floats and lets the lanes follow, before one thing is done with their runs.

    Parameters
    ----------
    lanes : Lanes
        The comparison.
    settling : Settling
        Places what floats.
    say : callable
        Given the kind of a sentence and the sentence, shows it.
    """

    def __init__(
        self, lanes: Lanes, settling: Settling, say: Callable[[MessageKind, str], object]
    ) -> None:
        self._lanes = lanes
        self._settling = settling
        self._say = say
        self._waiting: tuple[str, Callable[[], object]] | None = None

    def first(self, title: str, act: Callable[[], object]) -> None:
        """Do something once what floats is placed and no lane is being recorded any more.

        Parameters
        ----------
        title : str
            What is to be done, for the user, who is told if it came to nothing.
        act : callable
            Does it.
        """
        self._settling.first(title, partial(self._wait, title, act))

    def follow(self) -> None:
        """Do now what waited, if no lane is being recorded any more."""
        if self._waiting is not None and not self._lanes.working:
            (_, act), self._waiting = self._waiting, None
            act()

    def overtake(self) -> None:
        """Do nothing of what waits, because other work began."""
        self._drop(MessageKind.WARNING, "stopped, because other work began.")

    def stop(self) -> None:
        """Do nothing of what waits, as the user stopped the lanes."""
        self._drop(MessageKind.INFO, "stopped.")

    def _wait(self, title: str, act: Callable[[], object]) -> None:
        self.overtake()
        self._waiting = title, act
        self.follow()

    def _drop(self, kind: MessageKind, why: str) -> None:
        if self._waiting is not None:
            (title, _), self._waiting = self._waiting, None
            self._say(kind, f"{title}: {why}")
