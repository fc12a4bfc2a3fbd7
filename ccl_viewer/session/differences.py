"""Where runs differ: cells that are in another component in one run than in another."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.recording import Recording
from ccl_viewer.render.forest import Mask, Partition, differing, partition_now

Side: TypeAlias = tuple[Recording, int]
"""A run, and the step of it that is shown."""

CACHE_BYTES: Final = 128 << 20


@dataclass(frozen=True, eq=False)
class Difference:
    """Where runs of one grid differ, at the step that each shows.

    All are compared with the baseline; without one, with the first, and the first with all.
    `masks` and `counts` are of the cells that differ on each side; shape (height, width).
    """

    sides: tuple[Side, ...]
    baseline: Side | None
    masks: tuple[Mask, ...]
    counts: tuple[int, ...]

    @classmethod
    def between(
        cls,
        sides: tuple[Side, ...],
        baseline: Side | None,
        partitions: PartitionCache,
        check: Check = unchecked,
    ) -> Difference:
        """Compare runs; `check` is called every few milliseconds and raises to stop the work."""
        own = [partitions.of(side, check) for side in sides]
        if baseline is not None:
            against = partitions.of(baseline, check)
            masks = [differing(one, against) for one in own]
        else:
            others = [differing(one, own[0]) for one in own[1:]]
            masks = [_union(others, own[0].shape), *others]
        check()
        counts = tuple(int(np.count_nonzero(mask)) for mask in masks)
        return cls(sides, baseline, tuple(masks), counts)

    def is_of(self, sides: tuple[Side, ...], baseline: Side | None) -> bool:
        """Return whether it compares these very steps."""
        return self.sides == sides and self.baseline == baseline


class PartitionCache:
    """The partitions of the steps that were compared last; for any thread.

    `limit` is in bytes; the newest partition is kept even if it is larger.
    """

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit = limit
        self._lock = Lock()
        # Each run is held beside its partition, so that no other can come by its identity.
        self._kept: OrderedDict[tuple[int, int], tuple[Recording, Partition]] = OrderedDict()

    def of(self, side: Side, check: Check = unchecked) -> Partition:
        """Return the partition of a step."""
        recording, step = side
        key = id(recording), step
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        labels = recording.labels(step)
        check()
        found = partition_now(labels, recording.layout, recording.image, check)
        with self._lock:
            self._kept[key] = recording, found
            while len(self._kept) > 1 and len(self._kept) * found.nbytes > self._limit:
                self._kept.popitem(last=False)
        return found

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._kept.clear()


def _union(masks: Sequence[Mask], shape: tuple[int, ...]) -> Mask:
    found = np.zeros(shape, np.bool_)
    for mask in masks:
        found |= mask
    return found
