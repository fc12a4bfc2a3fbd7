"""What was found out about the run on display after it was recorded: facts, and wrong cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.left_apart import LeftApart
from ccl_viewer.render.facts import Facts, facts_at
from ccl_viewer.session.facts.inquiry import LARGE, UNKNOWN, Inquiry
from ccl_viewer.session.jobs.courtesy import Courtesy, PoliteToken
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.signals import Signal

AT_ONCE = 1 << 14
"""Cells up to which a step's facts are counted when they are asked for: about a millisecond."""


class Insight:
    """Has steps counted away from the window's thread; another run overtakes the one before.

    Parameters
    ----------
    runner : Runner or None
        Runs the counting; None counts only what is asked for, of small grids.
    """

    def __init__(self, runner: Runner | None) -> None:
        self.changed = Signal()
        self._latest = None if runner is None else Latest(runner)
        self._courtesy = Courtesy()
        self._inquiry: Inquiry | None = None
        self._seen = 0
        self._failed = False

    @property
    def wrong(self) -> npt.NDArray[np.int64]:
        """Wrong cells after each step, ``int64`` of shape (steps,); -1 where they are not known."""
        if self._inquiry is None:
            return np.zeros(0, np.int64)
        return self._inquiry.wrong

    @property
    def first_wrong(self) -> int | None:
        """The first step after which a label names another component; None if there is none."""
        return None if self._inquiry is None else self._inquiry.first_wrong

    @property
    def left_apart(self) -> LeftApart | None:
        """From where on trees stay apart that belong together; None if none do, or not known."""
        return None if self._inquiry is None else self._inquiry.left_apart

    @property
    def settled(self) -> int | None:
        """The first step from which on no cell is wrong; None if there is none, or not known."""
        return None if self._inquiry is None else self._inquiry.settled

    @property
    def stride(self) -> int:
        """1 if every step is counted; n if, because the run is large, every n-th is."""
        return 1 if self._inquiry is None else self._inquiry.stride

    @property
    def working(self) -> bool:
        """Whether counting is in progress."""
        return self._latest is not None and self._latest.busy

    @property
    def limits(self) -> str:
        """In a sentence, what was left out because the run is large; empty if nothing was."""
        if self._inquiry is None:
            return ""
        if self.stride > 1:
            return f"Wrong cells are counted at every {self.stride:,} steps: the run is large."
        if self._inquiry.recording.image.size > LARGE:
            return "Wrong cells are counted only where trees are flat: the grid is large."
        return ""

    def look_at(self, recording: Recording | None) -> None:
        """Begin with another run, which has ended; None forgets the last one."""
        if self._inquiry is not None and recording is self._inquiry.recording:
            return
        self._stop()
        self._inquiry = None if recording is None else Inquiry(recording)
        self._start()
        self.changed.emit()

    def facts(self, index: int) -> Facts | None:
        """Return what a step did; None if that is not counted yet, in which case it is next.

        Parameters
        ----------
        index : int
            The step, from 0.
        """
        inquiry = self._inquiry
        if inquiry is None or not 0 <= index < len(inquiry.wrong):
            return None
        found = inquiry.facts.get(index)
        if found is None and inquiry.recording.image.size <= AT_ONCE:
            return facts_at(inquiry.recording, index)
        if found is None:
            inquiry.wanted = index
            self._start()
        return found

    def merged_at(self, index: int) -> int | None:
        """Return the roots that a step hooked to others; None if they are not counted yet."""
        found = None if self._inquiry is None else self._inquiry.facts.get(index)
        return None if found is None else found.hooked

    def wrong_at(self, index: int) -> int | None:
        """Return the wrong cells after a step; None if they are not known."""
        wrong = self.wrong
        if not 0 <= index < len(wrong) or wrong[index] == UNKNOWN:
            return None
        return int(wrong[index])

    def step_shown(self) -> None:
        """Let counting rest for a moment: the window shows another step."""
        self._courtesy.step_shown()

    def poll(self) -> None:
        """Tell the views what was found since the last time."""
        known = 0 if self._inquiry is None else len(self._inquiry.facts)
        if known != self._seen:
            self._seen = known
            self.changed.emit()

    def close(self) -> None:
        """Stop counting, and tell nobody."""
        self._stop()
        self._inquiry = None

    def _start(self) -> None:
        if self._latest is None or self._inquiry is None or self.working or self._failed:
            return
        self._latest.start(
            "Counting",
            self._inquiry,
            done=self._ended,
            failed=self._ended,
            cancel=PoliteToken(self._courtesy),
        )

    def _stop(self) -> None:
        if self._latest is not None:
            self._latest.stop()
        self._seen = 0
        self._failed = False

    def _ended(self, error: CCLViewerError | None = None) -> None:
        # Without these figures the window works as well: nobody is to be disturbed.
        self._failed = error is not None
        self.changed.emit()
