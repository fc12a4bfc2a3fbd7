"""Counts of what steps did to cells and trees, by kernels on the device that has the frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import proxy

from ccl_viewer.recording.grid_kernels import ChangeCounts, FinalRoots, TreeCounts
from ccl_viewer.support.cancellation import Check

if TYPE_CHECKING:
    from ccl_viewer.recording.data import RecordingData


class StepCounts:
    """The counts of a recording's steps, computed when they are first needed.

    Steps are numbered from 0.

    Parameters
    ----------
    data : RecordingData
        The steps.
    """

    def __init__(self, data: RecordingData) -> None:
        # A cycle would keep the frames until the garbage collector runs.
        self._data: RecordingData = proxy(data)
        self._changes: dict[int, ChangeCounts] = {}
        self._layer_changes: dict[tuple[str, int], int] = {}  # cells, by layer and step
        self._trees: dict[int, TreeCounts] = {}  # of a complete run
        self._final: FinalRoots | None = None  # of a complete run

    def store_changes(self, index: int, counts: ChangeCounts) -> None:
        """Store the counts of a step, for :meth:`count_changes`."""
        self._changes[index] = counts

    def store_layer_changes(self, name: str, index: int, count: int) -> None:
        """Store the number of cells of a layer that a step changed."""
        self._layer_changes[name, index] = count

    def count_changes(self, index: int) -> ChangeCounts:
        """Return counts of what a step did to cells."""
        counts = self._changes.get(index)
        if counts is None:
            data = self._data
            before = data.device_frame(index - 1) if index else None
            pair = (before, data.device_frame(index))
            (counts,) = data.grid_kernels.count_changes([pair], data.layout)
            self._changes[index] = counts
        return counts

    def count_layer_changes(self, name: str, before: int, after: int) -> int:
        """Return the number of cells in which a layer differs between two steps."""
        count = self._layer_changes.get((name, after)) if after == before + 1 else None
        if count is None:
            data = self._data
            old, new = data.device_frame(before, name), data.device_frame(after, name)
            count = 0 if old is new else data.grid_kernels.count_differing([(old, new)])[0]
        return count

    def count_trees(self, index: int, check: Check) -> TreeCounts:
        """Compare the trees after a step with the run's final ones, or the last ones so far."""
        data = self._data
        if data.ending is not None:
            self.precompute_trees([index], check)
            return self._trees[index]
        final = self._find_final_roots(check)
        frame = data.device_frame(index)
        return data.grid_kernels.count_trees([frame], data.layout, final, check)[0]

    def precompute_trees(self, indices: Iterable[int], check: Check) -> None:
        """Count the trees of some steps of a complete run, ascending, for :meth:`count_trees`."""
        data, trees = self._data, self._trees
        missing = [index for index in indices if index not in trees]
        ahead = {*trees, *missing}
        same = [i for i in missing if i - 1 in ahead and not self.count_changes(i).changed]
        different = [index for index in missing if index not in {*same}]
        at_once = data.grid_kernels.batch_size
        for start in range(0, len(different), at_once):
            check()
            part = different[start : start + at_once]
            frames = [data.device_frame(index) for index in part]
            final = self._find_final_roots(check)
            counts = data.grid_kernels.count_trees(frames, data.layout, final, check)
            trees.update(zip(part, counts, strict=True))
        for index in same:
            trees[index] = trees[index - 1]

    def _find_final_roots(self, check: Check) -> FinalRoots:
        final = self._final
        if final is None:
            data, ending = self._data, self._data.ending
            right = ending is not None and ending.verdict.correct
            last = data.device_frame(len(data.steps) - 1)
            final = data.grid_kernels.final_roots(last, data.layout, right=right, check=check)
            if ending is not None:
                self._final = final
        return final
