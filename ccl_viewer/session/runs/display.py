"""Which run is on display: one that grows, the last good one, or none."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from ccl_viewer.recording import Step
from ccl_viewer.session.playback.playback import Playback, Way
from ccl_viewer.session.runs.matching import matching_step
from ccl_viewer.session.runs.recording_work import RecordingWork
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.signals import Signal


@dataclass(frozen=True, eq=False)
class Standstill:
    """A run on display, to be shown again as it was.

    Parameters
    ----------
    shown, good : DisplayedRun or None
        The run on display, and the last one that ended well.
    way : Way
        Where it stands, and how it plays.
    """

    shown: DisplayedRun | None
    good: DisplayedRun | None
    way: Way


@dataclass(frozen=True, eq=False)
class _Stay:
    """The step at which the user stays while runs follow each other.

    Parameters
    ----------
    steps : tuple of Step
        Of the run in which it was chosen.
    position : int
        Its index in that run.
    """

    steps: tuple[Step, ...]
    position: int


class Display:
    """The run on display, and what becomes of it when runs begin, grow, end well or do not.

    Attributes
    ----------
    shown : DisplayedRun or None
        The run on display, with its colours; it has one step at least.
    count : int
        Its steps, as far as the views were told of them: while it grows, the worker is ahead, and
        all views must agree.

    Parameters
    ----------
    state : callable
        Returns the state of grid and settings: it is equal as long as a run would come out the
        same.
    """

    def __init__(self, state: Callable[[], Hashable]) -> None:
        self.recording_changed = Signal()
        self.steps_changed = Signal()
        self.playback = Playback(self)
        self.shown: DisplayedRun | None = None
        self.count = 0
        self._state = state
        self._good: DisplayedRun | None = None
        self._work: RecordingWork | None = None
        self._stay: _Stay | None = None
        self.playback.position_changed.connect(self._leave)

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._work is not None

    @property
    def growing(self) -> bool:
        """Whether the run on display is the one in progress."""
        found = None if self._work is None else self._work.shown
        if found is None or self.shown is None:
            return False
        return found.recording is self.shown.recording

    @property
    def stale(self) -> bool:
        """Whether grid or settings were changed after the run on display."""
        return self.shown is not None and self.shown.of != self._state()

    @property
    def broken_off(self) -> bool:
        """Whether the run on display is of what there is, and ended before its end."""
        shown = self.shown
        part = shown is not None and shown.recording.verdict is None
        return part and not self.growing and not self.stale

    @property
    def settled(self) -> bool:
        """Whether the run in progress, else the one on display, is a whole one of what there is."""
        run = self._work or (self.shown if self.shown is self._good else None)
        return run is not None and not run.draft and run.of == self._state()

    def put(self, shown: DisplayedRun | None, position: int = 0) -> None:
        """Show a whole run of what there is; None shows none, and forgets the last good one."""
        self._work = None
        self._good = None if shown is None else replace(shown, of=self._state())
        self._show(self._good, position)

    def stand_still(self) -> Standstill:
        """Return what is on display, to be shown again by :meth:`bring_back`."""
        self.playback.pause()
        return Standstill(self.shown, self._good, self.playback.way)

    def bring_back(self, before: Standstill) -> None:
        """Show what was on display before, as it was."""
        self._work = None
        self._good = before.good
        self._show(before.shown, before.way.position)
        self.playback.go_back_to(before.way)

    def begin(self, work: RecordingWork, *, follow: bool) -> None:
        """Take note that a run begins; `follow` shows its steps as they are recorded."""
        self._work = work
        self.playback.pause()
        self.playback.following = follow

    def grow(self) -> None:
        """Show what the run in progress has recorded so far, if it is on display or followed."""
        found = None if self._work is None else self._work.shown
        if found is None or not (self.growing or self.playback.following):
            return
        if self.growing:
            self.shown = found
            self.count = len(found.recording)
            self.steps_changed.emit()
        else:
            self._show(found, 0)
        self.playback.follow()

    def end(self) -> None:
        """Show the run in progress, which ended well."""
        work, grown = self._work, self.growing
        self._work = None
        if work is None or work.shown is None:
            self.recording_changed.emit()
            return
        position, stay = self.playback.position, None
        if self.playback.following:
            position = len(work.shown.recording) - 1
        elif self.shown is not None and not grown:
            # Not of the run on display: in one that is shorter, the step may have had no place.
            stay = self._stay or _Stay(self.shown.recording.steps, position)
            position = matching_step(stay.steps, stay.position, work.shown.recording.steps)
        self._good = work.shown
        self._show(work.shown, position, stay)
        self.playback.following = False

    def abandon(self) -> None:
        """Show the last good run again, if the one in progress was shown; without one, its part."""
        grown, followed = self.growing, self.playback.following
        self._work = None
        self.playback.following = False
        if grown and self._good is not None:
            self._show(self._good, 0)
        elif grown and self.shown is not None:
            last = len(self.shown.recording) - 1
            self._show(self.shown, last if followed else self.playback.position)

    def _show(self, shown: DisplayedRun | None, position: int, stay: _Stay | None = None) -> None:
        self.shown, self._stay = shown, stay
        self.count = 0 if shown is None else len(shown.recording)
        self.playback.reset(position)
        self.recording_changed.emit()

    def _leave(self) -> None:
        """Take note that the user went to another step."""
        self._stay = None
