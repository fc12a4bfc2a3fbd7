"""Counts what every step of a finished run did; runs on a thread of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.recording import Recording
from ccl_viewer.recording.left_apart import LeftApart, left_apart
from ccl_viewer.recording.metrics import final_roots, first_wrong, wrong_cells
from ccl_viewer.render.facts import (
    Facts,
    Forest,
    Indices,
    completed,
    count_wrong_if_flat,
    difference,
    forest_of,
    left_without,
    no_forest,
)
from ccl_viewer.session.jobs.job import Job

BUDGET = 1 << 30
"""Cells times steps that are looked at; of longer runs on larger grids, a sample of steps."""

LARGE = 1 << 22
"""Cells beyond which trees are not followed to their roots: it cannot be stopped at once."""

UNKNOWN = -1
"""Stands for a count that is not known."""


@dataclass(eq=False)
class Inquiry:
    """What is known of a run so far; one thread writes, any may read.

    Parameters
    ----------
    recording : Recording
        The run, which has ended.
    wanted : int
        A step that is to be looked at before all others.

    Attributes
    ----------
    facts : dict of int to Facts
        By step.
    wrong : ndarray of int64, shape (steps,)
        Cells that do not lead to the root that their component ends with; :data:`UNKNOWN` where
        that was not counted.
    stride : int
        1 if every step is looked at; n if every n-th is.
    first_wrong : int or None
        The first step after which a label names a cell of another component, which no later
        step takes back; not looked for where only every n-th step is.
    left_apart : LeftApart or None
        From where on trees stay apart that belong together; looked for as `first_wrong` is.
    done : bool
        Whether nothing is left to be found out.
    """

    recording: Recording
    wanted: int = 0
    facts: dict[int, Facts] = field(default_factory=dict)
    wrong: npt.NDArray[np.int64] = field(init=False)
    stride: int = field(init=False)
    first_wrong: int | None = None
    left_apart: LeftApart | None = None
    done: bool = False
    _final: Indices | None = None
    _left: int = 0
    _last: tuple[int, Forest] | None = None

    def __post_init__(self) -> None:
        steps = self.recording.steps
        self.wrong = np.full(len(steps), UNKNOWN, np.int64)
        moving = sum(1 for step in steps if step.changed)
        self.stride = -(-moving * self.recording.image.size // BUDGET) or 1

    @property
    def settled(self) -> int | None:
        """The first step from which on no cell is wrong, as far as that was looked at."""
        verdict = self.recording.verdict
        if verdict is None or not verdict.correct:
            return None
        known = np.flatnonzero(self.wrong != UNKNOWN)
        if not self.done or not known.size or self.wrong[known[-1]]:
            return None
        unfinished = known[self.wrong[known] > 0]
        after = known if not unfinished.size else known[known > unfinished[-1]]
        return int(after[0])

    def perform(self, job: Job, /) -> None:
        """Look at the steps, the wanted one first."""
        recording = self.recording
        if recording.verdict is not None:
            self._final = final_roots(recording)
            self._left = left_without(self._final, recording.image)
        for index in self._sampled():
            job.cancel.check()
            self._look_at_wanted(job.cancel)
            self._look(index, job.cancel)
            job.report("")
        self._find_settled(job.cancel)
        if self.stride == 1:
            self.first_wrong = first_wrong(recording, job.cancel)
            self.left_apart = left_apart(recording, job.cancel)
        self._look_at_wanted(job.cancel)
        self._last = self._final = None
        self.done = True

    def _sampled(self) -> list[int]:
        """Return the steps to look at: all, or every n-th and the last."""
        last = len(self.wrong) - 1
        return [*range(0, last, self.stride), last]

    def _look_at_wanted(self, cancel: CancelToken) -> None:
        wanted = self.wanted
        if 0 <= wanted < len(self.wrong) and wanted not in self.facts:
            self._look(wanted, cancel)

    def _look(self, index: int, cancel: CancelToken) -> None:
        if index in self.facts:
            return
        recording, layout = self.recording, self.recording.layout
        before = self._forest(index - 1, cancel)
        still = index > 0 and not recording.step(index).changed
        after = before if still else self._forest(index, cancel)
        self._last = (index, after)
        found = difference(before, after, layout, cancel.check)
        wrong = self._count(index, after, cancel)
        self.wrong[index] = UNKNOWN if wrong is None else wrong
        self.facts[index] = completed(found, recording, index, wrong, self._left)

    def _count(self, index: int, forest: Forest, cancel: CancelToken) -> int | None:
        if self._final is None:
            return None
        recording = self.recording
        if index > 0 and not recording.step(index).changed and self.wrong[index - 1] != UNKNOWN:
            return int(self.wrong[index - 1])
        found = count_wrong_if_flat(forest, self._final, recording.layout, cancel.check)
        if found is None and recording.image.size <= LARGE:
            found = wrong_cells(recording, index, self._final)
        return found

    def _forest(self, index: int, cancel: CancelToken) -> Forest:
        if index < 0:
            return no_forest(self.recording.layout)
        if self._last is not None and self._last[0] == index:
            return self._last[1]
        labels = self.recording.labels(index)
        return forest_of(labels, self.recording.image, self.recording.layout, cancel.check)

    def _find_settled(self, cancel: CancelToken) -> None:
        """Between two sampled steps, look for the one after which no cell was wrong any more."""
        known = np.flatnonzero(self.wrong != UNKNOWN)
        if self.stride == 1 or not known.size or self.wrong[known[-1]]:
            return
        unfinished = known[self.wrong[known] > 0]
        low = int(unfinished[-1]) if unfinished.size else -1
        high = int(known[known > low][0])
        while high - low > 1:
            middle = (low + high) // 2
            self._look(middle, cancel)
            if self.wrong[middle] == UNKNOWN:
                return
            low, high = (low, middle) if self.wrong[middle] == 0 else (middle, high)
