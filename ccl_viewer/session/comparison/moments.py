"""The moments of runs that are compared: playback moves along them instead of along one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from ccl_viewer.recording import Recording, RunTiming
from ccl_viewer.recording.together import Sync
from ccl_viewer.session.comparison.compared import View
from ccl_viewer.session.comparison.lockstep import (
    NOTHING,
    Track,
    lockstep,
    possible,
    timed_by,
    track_of,
)
from ccl_viewer.session.playback.playback import Playback
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.session.signals import Signal

TimingOf: TypeAlias = Callable[[Recording], RunTiming | None]
"""Returns the times of a run over repeated runs; None if they were not measured."""


class Moments:
    """At each, every run shows one of its steps; the first of the runs is the session's own.

    Parameters
    ----------
    playback : Playback
        Of the session's own run.
    timing_of : callable
        Returns the measured times of a run.

    Attributes
    ----------
    stood : Signal
        Another moment is on display, or other runs are in step.
    sync : Sync
        How the runs keep in step: as was chosen, or as it can be done.
    repeats : int
        Over how many runs the times are medians; 0 where they are those of the recorded runs.
    """

    def __init__(self, playback: Playback, timing_of: TimingOf) -> None:
        self.stood = Signal()
        self.sync = Sync.STEP
        self.repeats = 0
        self._playback = playback
        self._timing_of = timing_of
        self._recorded = WeakKeyDictionary[Recording, Track]()
        self._tracks: tuple[tuple[Recording, Track], ...] = ()
        self._lockstep = NOTHING
        self._moment = 0
        self._leading = False

    # What playback asks

    @property
    def count(self) -> int:
        """Moments that there are."""
        return len(self._lockstep)

    @property
    def position(self) -> int:
        """The moment on display."""
        return self._moment

    @property
    def rate(self) -> float | None:
        """Moments a second, in a race."""
        return self._lockstep.rate

    def span(self, section: Section | None, /) -> Section:
        """Return the moments of a section of the session's run; None is all of them."""
        if section is None:
            return Section(0, max(self.count - 1, 0))
        start = self._lockstep.moment_of(0, section.start)
        return Section(start, max(start, self._lockstep.last_moment_of(0, section.end)))

    def beside(self, *, forward: bool) -> int:
        """Return the next moment at which a run shows another step, or the one before."""
        if not self.count:
            return 0
        return min(self._lockstep.beside(self._moment, forward=forward), self.count - 1)

    def move(self, moment: int, /) -> None:
        """Show a moment in all runs."""
        self._moment = moment
        self._leading = True
        self._playback.go_to(self._lockstep.steps(moment)[0])
        self._leading = False
        self.stood.emit()

    # What a comparison asks

    @property
    def steps(self) -> tuple[int, ...]:
        """Of each run, the step at the moment on display; none without runs."""
        return self._lockstep.steps(self._moment) if self.count else ()

    @property
    def clock(self) -> float:
        """Milliseconds of the race so far; NaN outside races."""
        return float(self._lockstep.clock[self._moment]) if self.count else float("nan")

    def time_of(self, recording: Recording, step: int) -> float:
        """Return the milliseconds of a run's launches up to a step; NaN if not all were timed."""
        known = [track for run, track in self._tracks if run is recording]
        track = known[0] if known else self._track(recording)
        return float(np.sum(track.milliseconds[: step + 1]))

    def clear(self) -> None:
        """Have no moment."""
        self._lockstep, self._moment, self._tracks, self.repeats = NOTHING, 0, (), 0

    def arrange(self, recordings: Sequence[Recording], view: View) -> None:
        """Find out anew how runs go together, without moving the session's own.

        Medians are used only if there are some of all runs: the time of a run that was recorded
        once says less, and a race between the two would not be fair.
        """
        at_end = self._moment >= self.count - 1
        tracks = [self._track(recording) for recording in recordings]
        timings = [self._timing_of(recording) for recording in recordings]
        measured = [
            timed_by(track, timing.of(recording))
            for recording, track, timing in zip(recordings, tracks, timings, strict=True)
            if timing is not None
        ]
        medians = [track for track in measured if track is not None]
        self.repeats = 0
        if recordings and len(medians) == len(recordings):
            tracks = medians
            self.repeats = min(timing.runs for timing in timings if timing is not None)
        self._tracks = tuple(zip(recordings, tracks, strict=True))
        self.sync = possible(tracks, view.sync)
        self._lockstep = lockstep(tracks, self.sync, view.seconds)
        self.follow(at_end=at_end)

    def follow(self, *, at_end: bool = False) -> None:
        """Go to the moment of the step that the session's own run shows.

        Parameters
        ----------
        at_end : bool
            Whether the last of the moments at which it shows its last step is meant.
        """
        if self._leading or not self.count:
            return
        step = self._playback.position
        last = step >= self._playback.count - 1
        self._moment = self.count - 1 if last and at_end else self._lockstep.moment_of(0, step)
        self.stood.emit()

    def _track(self, recording: Recording) -> Track:
        """Return what was recorded of a run's time; of one that has ended, found out only once."""
        found = self._recorded.get(recording)
        if found is None:
            found = track_of(recording)
            if recording.complete:
                self._recorded[recording] = found
        return found
