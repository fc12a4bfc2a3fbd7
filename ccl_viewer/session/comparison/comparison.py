"""Runs side by side on the session's grid, kept in step, and what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import Sync
from ccl_viewer.render.difference import Mask
from ccl_viewer.render.run_names import name_of, names_of
from ccl_viewer.session.comparison.after_lanes import AfterLanes
from ccl_viewer.session.comparison.baseline import Baseline
from ccl_viewer.session.comparison.compared import Main, View, labelled_grid, rival_of
from ccl_viewer.session.comparison.differing import ComparedSteps, Differing
from ccl_viewer.session.comparison.lane import Lane, LaneState
from ccl_viewer.session.comparison.moments import Moments
from ccl_viewer.session.comparison.table import LaneRow, row_of
from ccl_viewer.session.facts.measuring import Measuring
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.signals import Signal, held
from ccl_viewer.session.state import RunSettings

MOST_LANES: Final = 4
"""Runs side by side, the session's own among them."""


class Comparison:
    """The lanes beside the session's run; does nothing until it is opened.

    Lanes give way to the session's own work, and run again on the grid of its latest run.

    Parameters
    ----------
    main : Main
        The session.
    runner : Runner
        Records lanes, after the session's own runs.
    aside : Runner
        Finds differences.
    measuring : Measuring
        Knows the times of runs that were measured.

    Attributes
    ----------
    moments, after_lanes : Moments, AfterLanes
        What the runs are moved along by; does what has to wait for them.
    """

    def __init__(self, main: Main, runner: Runner, aside: Runner, measuring: Measuring) -> None:
        self.changed = Signal()
        self.moved = Signal()
        self.differing = Differing(aside)
        self.moments = Moments(main.playback, measuring.timing_of)
        self.baseline: Baseline | None = None
        self._main = main
        self._lanes = tuple(
            Lane(main, runner, self._lane_changed, aside) for _ in range(MOST_LANES - 1)
        )
        self._chosen: tuple[RunSettings, ...] = ()
        self._open = False
        self._view = View()
        self._fits = False
        self._measuring = measuring
        self.after_lanes = AfterLanes(self, main.settling, main.say)
        self._image: Grid | None = None
        main.recording_changed.connect(self._run_changed)
        main.steps_changed.connect(self._arrange)
        main.busy_changed.connect(self._follow)
        main.settings_changed.connect(self._follow)
        main.grid_changed.connect(self._grid_changed)
        main.playback.position_changed.connect(self._main_moved)
        measuring.changed.connect(self._measured)
        self.moments.stood.connect(self._stand)

    # What it holds

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        own = (self.changed, self.moved, self.differing.changed, self.moments.stood)
        lanes = [signal for lane in self._lanes for signal in lane.signals]
        return *own, *lanes

    @property
    def open(self) -> bool:
        """Whether runs are compared."""
        return self._open

    @property
    def slots(self) -> tuple[Lane, ...]:
        """All lanes beside the session's run, open or not."""
        return self._lanes

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes that take part, beside the session's run."""
        return tuple(lane for lane in self._lanes if lane.open) if self._open else ()

    @property
    def full(self) -> bool:
        """Whether no other lane can be added."""
        return all(lane.open for lane in self._lanes)

    @property
    def working(self) -> bool:
        """Whether a lane is being recorded."""
        return any(lane.working for lane in self._lanes)

    @property
    def view(self) -> View:
        """How it is looked at."""
        return self._view

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """The runs that are in step: the session's own, and those of the lanes that have one."""
        own = self._main.recording
        if own is None:
            return ()
        return own, *(lane.recording for lane in self._runners() if lane.recording is not None)

    @property
    def compares(self) -> bool:
        """Whether there are two runs at least that can differ."""
        return len(self.recordings) > 1 or (self._fits and bool(self.recordings))

    @property
    def rows(self) -> tuple[LaneRow, ...]:
        """The rows of the table: the session's run, then those of the lanes that have one."""
        recordings = self.recordings
        names = names_of(recordings)
        return tuple(map(self._row, recordings, names))

    def name_of(self, recording: Recording) -> str:
        """Return the name of a run, which tells it apart from those beside it."""
        recordings = self.recordings
        if recording not in recordings:
            return name_of(recording)
        return names_of(recordings)[recordings.index(recording)]

    @property
    def baseline_row(self) -> LaneRow | None:
        """The row of the baseline, if it is of this grid."""
        return self._row(self.baseline.recording) if self.baseline and self._fits else None

    @property
    def chosen(self) -> tuple[RunSettings, ...]:
        """How the lanes are run, also while the comparison is closed."""
        if self._open:
            return tuple(lane.settings for lane in self._lanes if lane.open)
        return self._chosen

    @property
    def note(self) -> str:
        """What the user should know of the comparison, in a sentence; empty if there is nothing."""
        if self._view.sync is not self.moments.sync:
            return "A run was not timed: the runs keep in step by their share instead."
        if self._view.difference and self.baseline is not None and not self.baseline_fits:
            return "The grid is another than the baseline's: it cannot be compared with it."
        if self.moments.sync is Sync.TIME and self.recordings:
            repeats = self.moments.repeats
            return f"Medians of {repeats:,} runs" if repeats else "One run each"
        return ""

    @property
    def baseline_fits(self) -> bool:
        """Whether the baseline is of the grid of the run on display."""
        return self._fits

    # What may be done to it

    def show(self, *, on: bool) -> None:
        """Compare, with the lanes there were last or a first rival; or stop comparing."""
        with held((self.changed,)):  # each lane tells of itself: views would follow each
            if on and not self._open:
                self._begin()
            elif not on and self._open:
                self._end()
            self._arrange()
            self._follow()
            self.changed.emit()

    def remember(self, chosen: Sequence[RunSettings]) -> None:
        """Note how lanes are to be run once it is opened."""
        self._chosen = tuple(chosen)[: MOST_LANES - 1]

    def rival(self) -> RunSettings:
        """Return settings for another lane: an algorithm that takes no part yet."""
        return rival_of(self._main.settings, self.chosen)

    def add(self, settings: RunSettings | None = None) -> Lane | None:
        """Add a lane; None if there are as many as can be."""
        self.show(on=True)
        lane = next((lane for lane in self._lanes if not lane.open), None)
        if lane is not None:
            lane.choose(self.rival() if settings is None else settings)
            self._follow()
        return lane

    def fill(self) -> None:
        """Let other algorithms run in all lanes that are free."""
        while self.add() is not None:
            pass

    def change(self, lane: Lane, settings: RunSettings) -> None:
        """Run a lane in another way."""
        lane.choose(settings)
        self._follow()

    def remove(self, lane: Lane) -> None:
        """Take a lane away; without any, and no baseline, there is nothing to compare."""
        lane.close()
        if not self.lanes and self.baseline is None:
            self.show(on=False)
        self._arrange()

    def retry(self, lane: Lane) -> None:
        """Record a lane once more."""
        lane.retry()
        self._follow()

    def measure(self) -> None:
        """Time all runs, with what floats over the grid placed; not while a lane is recorded."""
        if not self.working:
            measure_all = self._measuring.measure_all
            self.after_lanes.first("Measuring times", lambda: measure_all(self.in_step))

    def cancel(self) -> None:
        """Stop recording lanes."""
        self.after_lanes.stop()
        for lane in self._lanes:
            lane.cancel()

    def look(self, view: View) -> None:
        """Look at it in another way."""
        if view != self._view:
            self._view = view
            self._arrange()
            self.changed.emit()

    def pin_baseline(self) -> None:
        """Keep the run on display to compare later ones with."""
        recording = self._main.recording
        if recording is not None and recording.complete:
            self.baseline = Baseline(recording)
            self._arrange()
            self.changed.emit()

    def drop_baseline(self) -> None:
        """Forget the baseline."""
        self.baseline = None
        self._arrange()
        self.changed.emit()

    def close(self) -> None:
        """Stop all work, as when the window closes."""
        self._main.playback.lead = None
        self.differing.forget()
        for lane in self._lanes:
            lane.drop()

    # Differences

    def mask(self, lane: Lane | None) -> Mask | None:
        """Return the cells of a lane that differ; None is the session's own run, or not known."""
        masks = self.differing.masks
        place = self._place_of(lane)
        if masks is None or place is None or place >= len(masks):
            return None
        return masks[place]

    def count_of(self, lane: Lane | None) -> int | None:
        """Return how many cells of a lane differ; None is the session's own run, or not known."""
        counts = self.differing.counts
        place = self._place_of(lane)
        return counts[place] if counts is not None and place is not None else None

    # Following the session

    def _begin(self) -> None:
        self._open = True
        self._main.playback.lead = self.moments
        for lane, settings in zip(self._lanes, self._chosen or (self.rival(),), strict=False):
            lane.choose(settings)

    def _end(self) -> None:
        self._chosen = self.chosen
        self.after_lanes.stop()
        self._open = False
        self._main.playback.lead = None
        for lane in self._lanes:
            lane.close()
        self.differing.forget()

    def _runners(self) -> tuple[Lane, ...]:
        """Return the lanes that have a run on the grid of the session's."""
        return tuple(lane for lane in self.lanes if lane.recording is not None and not lane.stale)

    def _place_of(self, lane: Lane | None) -> int | None:
        if lane is None:
            return 0
        runners = self._runners()
        return runners.index(lane) + 1 if lane in runners else None

    def _row(self, recording: Recording, name: str | None = None) -> LaneRow:
        return row_of(recording, self._measuring.timing_of(recording), name)

    def _lane_changed(self) -> None:
        if self._open:
            self._arrange()
        self.changed.emit()
        self.after_lanes.follow()

    def _grid_changed(self) -> None:
        for lane in self.lanes:
            lane.stale = lane.shown is not None
            lane.grid_changed.emit()

    def _run_changed(self) -> None:
        # To compare a large grid with the run's takes a while, and nobody may ask.
        image = labelled_grid(self._main) if self._open or self.lanes else None
        if image is not None and image is not self._image:
            self._image = image
        for lane in self.lanes:
            lane.stale = image is None or not lane.fits(image)
        self._arrange()
        self._follow()
        self.changed.emit()

    def _follow(self) -> None:
        """Record what is not of the grid as it is; give way to the session's own work."""
        if not self._open:
            return
        recording = self._main.recording
        image = None if self._main.busy else labelled_grid(self._main)
        if self._main.busy or self._main.grid is None or (recording is not None and image is None):
            self.after_lanes.overtake()
            for lane in self.lanes:
                lane.wait()
            return
        if image is not None:
            self._image = image
        elif self._image is None or self._image.shape != self._main.grid.shape:
            self._image = self._main.grid.copy()
        for lane in self.lanes:
            if not lane.is_tried(self._image) and not lane.fits(self._image):
                lane.record(self._image)
            elif lane.state is LaneState.WAITING:
                lane.state = LaneState.READY
                self.changed.emit()

    def _arrange(self) -> None:
        """Find out anew how the runs go together, without moving the session's own."""
        own = self._main.recording
        self._fits = self.baseline is not None and own is not None and self.baseline.fits(own)
        if not self._open:
            self.moments.clear()
            return
        self.moments.arrange(self.in_step, self._view)

    @property
    def in_step(self) -> tuple[Recording, ...]:
        """The runs that go together: those side by side, and the baseline if it is of the grid."""
        if self.baseline is None or not self._fits:
            return self.recordings
        return *self.recordings, self.baseline.recording

    def _main_moved(self) -> None:
        """Let the lanes follow the session's own position."""
        if self._open:
            self.moments.follow()

    def _measured(self) -> None:
        """Go by the times that were measured."""
        self._arrange()
        self.changed.emit()

    def _stand(self) -> None:
        steps = self.moments.steps
        for lane, step in zip(self._runners(), steps[1:], strict=False):
            lane.playback.stand(step)
        self._compare(steps)
        self.moved.emit()

    def _compare(self, steps: tuple[int, ...]) -> None:
        recordings = self.recordings
        # Right after another grid came, lanes may still show runs of the one before.
        alike = len({recording.image.shape for recording in recordings}) == 1
        if not (self._view.difference and steps and self.compares and alike):
            self.differing.ask(None)
            return
        own = self._main.playback.position
        sides = tuple(zip(recordings, (own, *steps[1:]), strict=False))
        baseline = None
        if self._fits and self.baseline is not None:
            baseline = self.baseline.recording, steps[-1]
        self.differing.ask(ComparedSteps(sides, baseline))
