"""Counts what every step of a finished run did; runs on a thread of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import label_reference
from ccl_viewer.render.facts import (
    Facts,
    Forest,
    Labels,
    bands,
    completed,
    count_wrong,
    difference,
    final_labels,
    forest_of,
    no_forest,
)
from ccl_viewer.session.job import Job

BUDGET = 1 << 30
"""Cells times steps that are looked at; of longer runs on larger grids, a sample of steps."""

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
        Foreground cells that do not hold their final label; :data:`UNKNOWN` where not counted.
    stride : int
        1 if every step is looked at; n if every n-th is.
    first_wrong : int or None
        The first step seen after which a label names a cell of another component: what no later
        step takes back.
    done : bool
        Whether nothing is left to be found out.
    """

    recording: Recording
    wanted: int = 0
    facts: dict[int, Facts] = field(default_factory=dict)
    wrong: npt.NDArray[np.int64] = field(init=False)
    stride: int = field(init=False)
    first_wrong: int | None = None
    done: bool = False
    _target: Labels | None = None
    _components: Labels | None = None
    _last: tuple[int, Forest] | None = None

    def __post_init__(self) -> None:
        steps = self.recording.steps
        self.wrong = np.full(len(steps), UNKNOWN, np.int64)
        moving = sum(1 for step in steps if step.changed)
        self.stride = -(-moving * self.recording.image.size // BUDGET) or 1

    @property
    def converged(self) -> int | None:
        """The first step from which on no cell is wrong, as far as that was looked at."""
        known = np.flatnonzero(self.wrong != UNKNOWN)
        if not self.done or not known.size or self.wrong[known[-1]]:
            return None
        unfinished = known[self.wrong[known] > 0]
        after = known if not unfinished.size else known[known > unfinished[-1]]
        return int(after[0])

    def perform(self, job: Job, /) -> None:
        """Look at the steps, the wanted one first."""
        recording = self.recording
        self._target = final_labels(recording)
        verdict = recording.verdict
        if verdict is None or not verdict.correct:
            # In a run that ended well, no label can have named another component.
            self._components = label_reference(
                recording.image, recording.connectivity, recording.multivalued
            )[0]
        for index in self._sampled():
            job.cancel.check()
            self._look_at_wanted(job.cancel)
            self._look(index, job.cancel)
            job.report("")
        self._find_convergence(job.cancel)
        self._look_at_wanted(job.cancel)
        self._last = self._target = self._components = None
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
        wrong = None
        if self._target is not None:
            wrong = count_wrong(after.labels, self._target, recording.image, cancel.check)
            self.wrong[index] = wrong
        self._look_for_fault(index, after, cancel)
        self.facts[index] = completed(found, recording, index, wrong)

    def _look_for_fault(self, index: int, forest: Forest, cancel: CancelToken) -> None:
        components, known = self._components, self.first_wrong
        if components is None or (known is not None and known <= index):
            return
        if crosses(forest.labels, components, self.recording.layout, cancel):
            self.first_wrong = index

    def _forest(self, index: int, cancel: CancelToken) -> Forest:
        if index < 0:
            return no_forest(self.recording.layout)
        if self._last is not None and self._last[0] == index:
            return self._last[1]
        labels = self.recording.labels(index)
        return forest_of(labels, self.recording.image, self.recording.layout, cancel.check)

    def _find_convergence(self, cancel: CancelToken) -> None:
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
            low, high = (low, middle) if self.wrong[middle] == 0 else (middle, high)


def crosses(labels: Labels, components: Labels, layout: LabelLayout, cancel: CancelToken) -> bool:
    """Return whether a cell's label names a cell of another component, or none at all.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels.
    components : ndarray of int32, shape (height, width)
        The components, as the reference numbers them.
    layout : LabelLayout
        What the labels mean.
    cancel : CancelToken
        Stops the search.
    """
    flat = components.ravel()
    for rows in bands(labels.shape):
        cancel.check()
        parents = layout.parents(labels[rows])
        own = components[rows]
        named = (parents != UNKNOWN) & (own != 0)
        parents, own = parents[named], own[named]
        inside = (parents >= 0) & (parents < flat.size)
        if not inside.all() or bool(np.any(flat[parents] != own)):
            return True
    return False
