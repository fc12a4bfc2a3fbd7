"""Finds where runs differ now, away from the window's thread where grids are large."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.recording import Recording
from ccl_viewer.render.difference import Mask, Partition, differing, partition_now
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.signals import Signal

AT_ONCE: Final = 1 << 14
"""Cells up to which runs are compared when they are asked about: about a millisecond."""

Side: TypeAlias = tuple[Recording, int]
"""A run, and the step of it that is on display."""

KEPT_BYTES: Final = 128 << 20
"""Bytes of partitions that are kept, so that a step that was looked at is not looked at again."""


@dataclass(frozen=True, eq=False)
class ComparedSteps:
    """Which steps of which runs are compared.

    Parameters
    ----------
    sides : tuple of (Recording, int)
        Runs on one grid, and their steps; the first is the session's own.
    baseline : tuple of (Recording, int) or None
        What all are compared with; None compares them with the first, and the first with all.
    """

    sides: tuple[Side, ...]
    baseline: Side | None = None

    def same(self, other: ComparedSteps | None) -> bool:
        """Return whether others are the same steps, compared in the same way."""
        return other is not None and self.key == other.key

    @property
    def every(self) -> tuple[Side, ...]:
        """All that is looked at."""
        return self.sides if self.baseline is None else (*self.sides, self.baseline)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes them the same as others."""
        return self.baseline is None, *((id(run), step) for run, step in self.every)


@dataclass(frozen=True, eq=False)
class Difference:
    """Where runs differ.

    Parameters
    ----------
    masks : tuple of ndarray of bool, each of shape (height, width)
        Of each side, the cells that differ.
    counts : tuple of int
        How many these are.
    """

    masks: tuple[Mask, ...]
    counts: tuple[int, ...]


class Partitions:
    """The partitions of the steps looked at last, for any thread.

    Parameters
    ----------
    most : int
        Bytes that are kept at most, besides the newest.
    """

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._lock = Lock()
        # Each run is held beside its partition, so that no other can come by its identity.
        self._kept: OrderedDict[tuple[int, int], tuple[Recording, Partition]] = OrderedDict()

    def of(self, side: Side, check: Check) -> Partition:
        """Return the partition of a step; `check` is called every millisecond if it is made."""
        recording, step = side
        place = id(recording), step
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place][1]
        labels = recording.labels(step)
        check()
        found = partition_now(labels, recording.layout, recording.image, check)
        with self._lock:
            self._kept[place] = recording, found
            while len(self._kept) > 1 and len(self._kept) * found.nbytes > self._most:
                self._kept.popitem(last=False)
        return found

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._kept.clear()


class Differing:
    """Compares the steps asked about last; a comparison in progress is given up for them.

    What was found for that one is kept, so that nothing is done twice.

    Parameters
    ----------
    runner : Runner
        Compares large grids.
    """

    def __init__(self, runner: Runner) -> None:
        self.changed = Signal()
        self._latest = Latest(runner)
        self._asked: ComparedSteps | None = None
        self._answer: tuple[ComparedSteps, Difference] | None = None
        self._partitions = Partitions()

    @property
    def masks(self) -> tuple[Mask, ...] | None:
        """Of each side, the cells that differ, shape (height, width); None while not known."""
        found = self._found
        return None if found is None else found.masks

    @property
    def counts(self) -> tuple[int, ...] | None:
        """Of each side, how many cells differ; None while that is not known."""
        found = self._found
        return None if found is None else found.counts

    @property
    def _found(self) -> Difference | None:
        if self._answer is None or not self._answer[0].same(self._asked):
            return None
        return self._answer[1]

    def ask(self, steps: ComparedSteps | None) -> None:
        """Compare runs; None forgets all."""
        if steps is None:
            self.forget()
            return
        if steps.same(self._asked):
            return
        self._asked = steps
        self._latest.stop()
        if steps.sides[0][0].image.size <= AT_ONCE:
            self._answer = steps, difference(steps, self._partitions)
        else:
            self._start(steps)
        self.changed.emit()

    def forget(self) -> None:
        """Let go of everything."""
        self._latest.stop()
        had = self._asked is not None
        self._asked, self._answer = None, None
        self._partitions.clear()
        if had:
            self.changed.emit()

    def _start(self, steps: ComparedSteps) -> None:
        work = _Comparing(steps, self._partitions)
        self._latest.start(
            "Comparing",
            work,
            done=lambda: self._take(work),
            failed=lambda _error: self.changed.emit(),
        )

    def _take(self, work: _Comparing) -> None:
        if work.found is not None:
            self._answer = work.steps, work.found
        self.changed.emit()


@dataclass(eq=False)
class _Comparing:
    """Compares the steps of one moment."""

    steps: ComparedSteps
    partitions: Partitions
    found: Difference | None = None

    def perform(self, job: Job, /) -> None:
        """Compare."""
        self.found = difference(self.steps, self.partitions, job.cancel.check)


def difference(
    steps: ComparedSteps, partitions: Partitions, check: Check = unchecked
) -> Difference:
    """Return where runs differ.

    Parameters
    ----------
    steps : ComparedSteps
        Which steps.
    partitions : Partitions
        What is known of their steps; what is found out is added.
    check : callable
        Called every few milliseconds; raises to stop the work.
    """
    sides = [partitions.of(side, check) for side in steps.sides]
    if steps.baseline is not None:
        against = partitions.of(steps.baseline, check)
        masks = [differing(own, against) for own in sides]
    else:
        others = [differing(own, sides[0]) for own in sides[1:]]
        masks = [_any(others, sides[0].shape), *others]
    check()
    return Difference(tuple(masks), tuple(int(np.count_nonzero(mask)) for mask in masks))


def _any(masks: Sequence[Mask], shape: tuple[int, ...]) -> Mask:
    """Return the cells that are in any mask; of a single one, this very mask."""
    if len(masks) == 1:
        return masks[0]
    found = np.zeros(shape, np.bool_)
    for mask in masks:
        found |= mask
    return found
