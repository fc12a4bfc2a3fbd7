"""What the panel of plots shows of a session: which plots there are, and their figures."""

from __future__ import annotations

from enum import Enum

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import unchecked
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.plots.figures import (
    Counts,
    SizeBins,
    StageTime,
    StepCounts,
    Table,
    bin_sizes,
    count_sizes,
    counts_table,
    size_table,
    stage_times,
    step_counts,
    time_table,
)
from ccl_viewer.session.session import Session
from ccl_viewer.session.signals import Signal

AT_ONCE = 1 << 18
"""Grids of up to this many cells are counted on the spot: a millisecond or two."""


class Plot(Enum):
    """One of the plots; its value is its name in the settings file and for files."""

    TIME = "time"
    COURSE = "course"
    SIZES = "sizes"

    @property
    def title(self) -> str:
        """Its name on a button."""
        return {"time": "Time", "course": "Cells", "sizes": "Sizes"}[self.value]

    @property
    def help(self) -> str:
        """What it shows, in a sentence."""
        return {
            "time": "How long each stage took",
            "course": "Roots, changed cells and cells with a wrong root, after each step",
            "sizes": "How many components have which size",
        }[self.value]


PLOTS = tuple(Plot)
"""All plots, in the order of their buttons."""


class SizesWork:
    """Counts the cells of each component of a run.

    Parameters
    ----------
    components : ndarray of int32, shape (height, width)
        Number of each cell's component, from 1; 0 for background.

    Attributes
    ----------
    sizes : ndarray of int64, shape (components,), or None
        The counts, once they are there.
    bins : SizeBins or None
        The same, sorted into bins.
    """

    def __init__(self, components: npt.NDArray[np.int32]) -> None:
        self.components = components
        self.sizes: Counts | None = None
        self.bins: SizeBins | None = None

    def perform(self, job: Job | None = None, /) -> None:
        """Count; without a job, all at once."""
        sizes = count_sizes(self.components, unchecked if job is None else job.cancel.check)
        self.bins = bin_sizes(sizes)
        self.sizes = sizes


class PlotFigures:
    """The figures of the run on display, made when they are wanted.

    Parameters
    ----------
    session : Session
        What is on display.
    runner : Runner
        Counts the cells of large grids.

    Attributes
    ----------
    changed : Signal
        Figures have changed.
    """

    def __init__(self, session: Session, runner: Runner) -> None:
        self.changed = Signal()
        self._session = session
        self._latest = Latest(runner)
        self._sizes: SizesWork | None = None
        for signal in (
            session.recording_changed,
            session.steps_changed,
            session.insight.changed,
            session.measuring.changed,
            session.look.pin_changed,
        ):
            signal.connect(self.changed.emit)

    @property
    def times(self) -> tuple[StageTime, ...]:
        """Times of the stages, with their spread if that was measured; empty without times."""
        session = self._session
        if session.recording is None:
            return ()
        return stage_times(session.recording, session.measuring.timing)

    @property
    def course(self) -> StepCounts:
        """Counts after each step, as far as the views were told of steps."""
        session = self._session
        if session.recording is None:
            nothing = np.zeros(0)
            return StepCounts(np.zeros(0, np.int64), nothing, nothing, nothing)
        return step_counts(session.recording, session.insight.wrong, session.playback.count)

    @property
    def position(self) -> int:
        """The step on display, from 0."""
        return self._session.playback.position

    @property
    def sizes(self) -> Counts | None:
        """Cells of each component; None until they were wanted and counted."""
        return None if self._counted is None else self._counted.sizes

    @property
    def bins(self) -> SizeBins | None:
        """How many components have which size; None until that was wanted and counted."""
        return None if self._counted is None else self._counted.bins

    @property
    def _counted(self) -> SizesWork | None:
        """What counts the components of the run on display, if it was wanted."""
        colouring = self._session.colouring
        if self._sizes is None or colouring is None:
            return None
        return self._sizes if self._sizes.components is colouring.components else None

    @property
    def pinned_size(self) -> int | None:
        """Cells of the pinned component; None if none is pinned."""
        colouring, pinned, sizes = self._session.colouring, self._session.look.pinned, self.sizes
        if colouring is None or pinned is None or sizes is None:
            return None
        number = int(colouring.components[pinned[1], pinned[0]])
        return int(sizes[number - 1]) if number else None

    def want(self, plot: Plot) -> None:
        """See to it that the figures of a plot are there, now or soon."""
        colouring = self._session.colouring
        if plot is not Plot.SIZES or colouring is None:
            return
        if self._sizes is not None and self._sizes.components is colouring.components:
            return
        work = self._sizes = SizesWork(colouring.components)
        if colouring.components.size <= AT_ONCE:
            work.perform()
        else:
            self._latest.start(
                "Counting the components", work, self.changed.emit, lambda _error: None
            )

    def table(self, plot: Plot) -> Table:
        """Return the figures of a plot as rows."""
        if plot is Plot.TIME:
            return time_table(self.times)
        if plot is Plot.COURSE:
            return counts_table(self.course)
        sizes = self.sizes
        return size_table(np.zeros(0, np.int64) if sizes is None else sizes)
