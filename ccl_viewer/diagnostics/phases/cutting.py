"""Divide the events of a launch into phases, and name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ccl_viewer.devices.emulator.events import EventKind, LaunchEvents, operation_name
from ccl_viewer.diagnostics.phases.model import Phase, PhaseBoundary
from ccl_viewer.execution.plan import WARP, Dim3, linear_index
from ccl_viewer.support.arrays import Indices


@dataclass(frozen=True)
class PhaseSplitter:
    """Divides the events of a launch into phases.

    Parameters
    ----------
    events : LaunchEvents
        The events of the launch.
    by : PhaseBoundary
        What ends a phase.
    block : tuple of three int or None
        Only barriers and operations of this block count; None for all blocks.
    warp : int or None
        Only operations of this warp count; None for all warps.
    """

    events: LaunchEvents
    by: PhaseBoundary
    block: Dim3 | None
    warp: int | None

    def phases(self) -> tuple[Phase, ...]:
        """Return the phases in order; together they have all events."""
        log = self.events.events
        cuts = self._find_cuts()
        ends: list[int] = (cuts + 1).tolist()
        if not ends or self._find_block_events(ends[-1]).size:
            ends.append(log.size)
        ends[-1] = log.size
        phases = []
        begin = 0
        for index, end in enumerate(ends):
            closing = log[cuts[index]] if index < cuts.size else None
            phases.append(
                Phase(
                    index=index,
                    count=len(ends),
                    by=self.by,
                    title=self._make_title(index, len(ends), cuts.size, closing),
                    begin=begin,
                    end=end,
                    block=self._find_block(closing),
                    warp=self._find_warp(closing),
                    round=int(log["round"][begin]) if begin < log.size else 0,
                    operation=_name_operation(closing),
                )
            )
            begin = end
        return tuple(phases)

    def _find_block_events(self, begin: int = 0) -> Indices:
        """Return the indices of the block's events, from `begin` on."""
        if self.block is None:
            return np.arange(begin, self.events.events.size)
        in_block = self.events.events["block"][begin:] == linear_index(
            self.block, self.events.launch.grid
        )
        return begin + np.flatnonzero(in_block)

    def _find_cuts(self) -> Indices:
        """Return the indices of the events that end phases, ascending."""
        match self.by:
            case PhaseBoundary.BARRIER:
                return self._find_barriers()
            case PhaseBoundary.WARP:
                return self._find_operations()
            case PhaseBoundary.ROUND:
                indices = self._find_block_events()
                rounds = self.events.events["round"][indices]
                borders: Indices = indices[:-1][np.diff(rounds) > 0]
                return borders

    def _find_barriers(self) -> Indices:
        log, indices = self.events.events, self._find_block_events()
        kinds = log["kind"][indices]
        barriers: Indices = indices[kinds == EventKind.BARRIER]
        if self.block is not None:
            return barriers
        ends = indices[kinds == EventKind.END]  # the last of each block
        _, last = np.unique(log["block"][ends][::-1], return_index=True)
        return np.union1d(barriers, ends[ends.size - 1 - last])

    def _find_operations(self) -> Indices:
        log, indices = self.events.events, self._find_block_events()
        lanes: Indices = indices[log["kind"][indices] == EventKind.LANE]
        if self.warp is not None:
            lanes = lanes[log["thread"][lanes] // WARP == self.warp]
        # Events of one operation are consecutive; before the next operation a lane has to arrive.
        return lanes[np.append(np.diff(lanes) > 1, True)] if lanes.size else lanes

    def _find_block(self, closing: Any) -> Dim3 | None:
        if self.block is not None or closing is None or self.by is PhaseBoundary.ROUND:
            return self.block
        return self.events.unravel_block(int(closing["block"]))

    def _find_warp(self, closing: Any) -> int | None:
        if self.by is not PhaseBoundary.WARP or closing is None:
            return self.warp
        return int(closing["thread"]) // WARP

    # -----------------------------------------------------------------------------------------
    # Titles

    def _make_title(self, index: int, count: int, cuts: int, closing: Any) -> str:
        """Return the title of a phase; `cuts` phases end with a cut."""
        match self.by:
            case PhaseBoundary.ROUND:
                return f"{self._name_block(self.block)}, round {index + 1} of {count}"
            case PhaseBoundary.WARP:
                return self._warp_title(cuts, closing)
            case PhaseBoundary.BARRIER if self.block is None:
                return self._block_title(closing)
            case PhaseBoundary.BARRIER:
                subject = self._name_block(self.block)
                if cuts == 0:
                    return f"{subject}, from begin to end"
                when = f"after barrier {index}" if index else "before barrier 1"
                return f"{subject}, {when} of {cuts}{self._merge_round(index, cuts)}"

    def _merge_round(self, index: int, cuts: int) -> str:
        """Return level and round of a merge, if each round of its loop has one barrier."""
        level, log = self.events.launch.level, self.events.events
        if level is None or index == cuts or np.unique(log["site"][self._find_barriers()]).size > 1:
            return ""
        return f": level {level:,}, round {index + 1:,}"

    def _warp_title(self, cuts: int, closing: Any) -> str:
        block, warp = self._find_block(closing), self._find_warp(closing)
        subject = self._name_block(block)
        if block is not None and warp is not None:
            subject = f"Warp {warp} of {block_name(block)}"
        if closing is not None:
            return f"{subject}: {operation_name(int(closing['operation']))}"
        return (
            f"{subject}, after the last warp operation" if cuts else f"{subject}, from begin to end"
        )

    def _block_title(self, closing: Any) -> str:
        subject = self._name_block(self._find_block(closing))
        if closing is None:
            return f"{subject}, to the last event"
        at_end = closing["kind"] == EventKind.END
        return f"{subject}, to its end" if at_end else f"{subject}, to its next barrier"

    def _name_block(self, block: Dim3 | None) -> str:
        if block is None:
            return "All blocks"
        name = block_name(block)
        return f"{name[0].upper()}{name[1:]}"


def block_name(block: Dim3) -> str:
    """Return a block's name in a sentence: ``"block (1, 0)"``."""
    x, y, z = block
    return f"block ({x}, {y}, {z})" if z else f"block ({x}, {y})"


def _name_operation(closing: Any) -> str:
    if closing is None or closing["kind"] not in (EventKind.BARRIER, EventKind.LANE):
        return ""
    return operation_name(int(closing["operation"]))
