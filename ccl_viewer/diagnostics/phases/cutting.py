"""Divide a launch into phases, and name them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import EventKind, LaunchEvents, operation_name
from ccl_viewer.devices.emulator.replay import Moment
from ccl_viewer.diagnostics.phases.model import Phase, PhaseBoundary
from ccl_viewer.execution.plan import WARP, Dim3, linear_index
from ccl_viewer.support.arrays import Indices


class Division:
    """A launch divided into phases.

    Each block, or each warp if phases end at warp operations, is divided at its own events. Phase
    k has the k-th stretch of each of them.

    Parameters
    ----------
    events : LaunchEvents
        The events of the launch.
    by : PhaseBoundary
        What ends a phase.
    block : tuple of three int or None
        The block to divide; None for all.
    warp : int or None
        The warp to divide if phases end at warp operations; None for all.
    """

    def __init__(
        self, events: LaunchEvents, by: PhaseBoundary, block: Dim3 | None, warp: int | None
    ) -> None:
        self._events = events
        self._by = by
        self._block = block
        self._warp = warp
        order, units = self._sort_events()
        begins, ends = np.diff(units, prepend=-1) != 0, np.diff(units, append=-1) != 0
        closing = self._find_closing(events.events[order], ends)
        passed = np.cumsum(closing) - closing
        passed -= passed[np.maximum.accumulate(np.where(begins, np.arange(order.size), 0))]
        self._closing = order[closing]
        self._cuts: Indices = (passed + closing)[ends]
        """Number of cuts of each block or warp."""
        self._count = int(passed.max(initial=0)) + 1
        self.numbers = self._number_events(order, passed)
        """The phase of each event of the log, from 0.

        An event of another block or warp is in the first phase that ends after it.
        """
        self._in_order = not (np.diff(self.numbers) < 0).any()
        sizes = np.bincount(passed, minlength=1)
        self._events_of_phases = np.split(order[np.lexsort((order, passed))], np.cumsum(sizes)[:-1])

    def _sort_events(self) -> tuple[Indices, Indices]:
        """Return the events of the divided blocks or warps, sorted by these, and their numbers."""
        log = self._events.events
        shown, units = np.ones(log.size, np.bool_), log["block"].astype(np.int64)
        if self._block is not None:
            shown &= units == linear_index(self._block, self._events.launch.grid)
        if self._by is PhaseBoundary.WARP:
            warps = log["thread"] // WARP
            if self._warp is not None:
                shown &= warps == self._warp
            units = units * WARP + warps  # a block has at most 32 warps
        own = np.flatnonzero(shown)
        order = own[np.argsort(units[own], kind="stable")]
        return order, units[order]

    def _number_events(self, order: Indices, passed: Indices) -> Indices:
        """Return the phase of each event, given those of the divided blocks or warps."""
        size = self._events.events.size
        ends = np.zeros(self._count, np.int64)
        np.maximum.at(ends, passed, order + 1)
        ends = np.maximum.accumulate(ends)
        ends[-1] = size
        numbers = np.searchsorted(ends, np.arange(size), side="right")
        numbers[order] = passed
        return numbers

    def _find_closing(self, log: npt.NDArray[np.void], ends: npt.NDArray[np.bool_]) -> Any:
        """Return which events end a phase; they are sorted by block or warp."""
        kinds = log["kind"]
        match self._by:
            case PhaseBoundary.BARRIER:
                return kinds == EventKind.BARRIER
            case PhaseBoundary.WARP:  # before the next operation a lane has to arrive
                lanes = kinds == EventKind.LANE
                return lanes & (ends | ~np.append(lanes[1:], False)[: lanes.size])
            case PhaseBoundary.ROUND:
                later = np.diff(log["round"].astype(np.int64), append=0) != 0
                return later & ~ends

    def moment(self, index: int) -> Moment:
        """Return the moment at the end of a phase; -1 is the begin of the launch."""
        if self._in_order:
            return int(np.searchsorted(self.numbers, index, side="right"))
        return self.numbers <= index

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order."""
        return tuple(
            Phase(
                index=index,
                count=self._count,
                by=self._by,
                title=self._make_title(index),
                events=events,
                block=self._block,
                warp=self._warp,
                operation=self._operations.get(index, ""),
            )
            for index, events in enumerate(self._events_of_phases)
        )

    # -----------------------------------------------------------------------------------------
    # Titles

    def _make_title(self, index: int) -> str:
        """Return the title of a phase."""
        subject, cuts = self._name_subject(), int(self._cuts.max(initial=0))
        up_to = "up to " if (self._cuts < cuts).any() else ""
        if self._by is PhaseBoundary.ROUND:
            return f"{subject}, round {index + 1:,} of {up_to}{self._count:,}"
        if not cuts:
            return f"{subject}, from begin to end"
        if self._by is PhaseBoundary.WARP:
            operation = self._operations.get(index)
            done = f": {operation}" if operation else ", after the last warp operation"
            return f"{subject}{done}"
        when = f"after barrier {index:,}" if index else "before barrier 1"
        return f"{subject}, {when} of {up_to}{cuts:,}{self._name_merge_round(index, cuts)}"

    def _name_merge_round(self, index: int, cuts: int) -> str:
        """Return level and round of a merge, if each round of its loop has one barrier."""
        level = self._events.launch.level
        if level is None or index == cuts or self._places > 1:
            return ""
        return f": level {level:,}, round {index + 1:,}"

    @cached_property
    def _places(self) -> int:
        """Number of places in the code that end phases."""
        return np.unique(self._events.events["site"][self._closing]).size

    def _name_subject(self) -> str:
        subject = "all blocks" if self._block is None else block_name(self._block)
        if self._by is PhaseBoundary.WARP:
            warps = "all warps" if self._warp is None else f"warp {self._warp}"
            subject = f"{warps} of {subject}"
        return f"{subject[0].upper()}{subject[1:]}"

    @cached_property
    def _operations(self) -> dict[int, str]:
        """The barriers or warp operations that end each phase."""
        names: dict[int, str] = {}
        if self._by is not PhaseBoundary.ROUND:
            operations = self._events.events["operation"][self._closing]
            for index, number in np.unique([self.numbers[self._closing], operations], axis=1).T:
                name = operation_name(int(number))
                names[int(index)] = f"{names[index]} or {name}" if index in names else name
        return names


def block_name(block: Dim3) -> str:
    """Return a block's name in a sentence: ``"block (1, 0)"``."""
    x, y, z = block
    return f"block ({x}, {y}, {z})" if z else f"block ({x}, {y})"
