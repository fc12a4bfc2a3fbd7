"""Requests of a warp: accesses that its lanes make together, as the ledger counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ccl_viewer.devices.emulator.events import SHARED, EventKind
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import WARP, Dim3, linear_index
from ccl_viewer.execution.source_location import SourceLocation

BANKS: Final = 32
WORD: Final = 4  # bytes of a bank's word
SECTOR: Final = 32  # bytes


@dataclass(frozen=True)
class WarpRequest:
    """One access of a warp.

    Parameters
    ----------
    kind : AccessKind
        Load, store or atomic.
    memory : str
        Name of the buffer or shared variable.
    shared : bool
        Whether it is shared memory.
    itemsize : int
        Bytes of an element.
    elements : mapping of int to int
        The element that each lane accesses, by lane.
    offsets : mapping of int to int
        First byte that each lane accesses, in the buffer or in the block's shared memory, by lane.
    location : SourceLocation or None
        Its place in the source; None if unknown.
    """

    kind: AccessKind
    memory: str
    shared: bool
    itemsize: int
    elements: Mapping[int, int]
    offsets: Mapping[int, int]
    location: SourceLocation | None

    @property
    def turns(self) -> tuple[Mapping[int, tuple[int, ...]], ...]:
        """For each turn of the banks, the lanes that each bank serves, by bank.

        Lanes that access the same word share a turn. Elements of more than four bytes, which a GPU
        serves in parts, are counted by their first word.
        """
        waiting: dict[int, dict[int, list[int]]] = {}
        for lane, offset in self.offsets.items():
            word = offset // WORD
            waiting.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        count = max(map(len, waiting.values()), default=0)
        return tuple(
            {
                bank: tuple([*words.values()][turn])
                for bank, words in sorted(waiting.items())
                if turn < len(words)
            }
            for turn in range(count)
        )

    @property
    def sectors(self) -> tuple[int, ...]:
        """The sectors of 32 bytes that the request moves, ascending."""
        return tuple(
            sorted(
                {
                    byte // SECTOR
                    for offset in self.offsets.values()
                    for byte in (offset, offset + self.itemsize - 1)
                }
            )
        )


def warp_requests(trace: LaunchTrace, block: Dim3, warp: int) -> tuple[WarpRequest, ...]:
    """Return the requests of a warp, in the order in which they begin.

    Between two barriers or warp operations, the first accesses of the lanes at a place in the code
    are one request, their second accesses there the next, and so on.

    Parameters
    ----------
    trace : LaunchTrace
        The launch.
    block : tuple of three int
        The block.
    warp : int
        Its warp, from 0.

    Raises
    ------
    InputError
        If there is no such block or warp.
    """
    trace.resolve_block(block)
    trace.check_warp(block, warp)
    log = trace.events.events
    in_warp = (log["block"] == linear_index(block, trace.launch.grid)) & (
        log["thread"] // WARP == warp
    )
    requests: dict[tuple[int, int, int], dict[int, int]] = {}
    parts = [0] * WARP  # of each lane, the arrivals so far
    turns: dict[tuple[int, int, int], int] = {}
    for moment in np.flatnonzero(in_warp).tolist():
        event = log[moment]
        lane, kind = int(event["thread"]) % WARP, int(event["kind"])
        if kind == EventKind.ARRIVAL:
            parts[lane] += 1
        if kind > EventKind.ATOMIC:
            continue
        site = int(event["site"])
        turn = turns.get((lane, parts[lane], site), 0)
        turns[lane, parts[lane], site] = turn + 1
        requests.setdefault((parts[lane], site, turn), {})[lane] = moment
    return tuple(_request(trace, moments) for moments in requests.values())


def _request(trace: LaunchTrace, moments: Mapping[int, int]) -> WarpRequest:
    log, first = trace.events.events, next(iter(moments.values()))
    access, buffer_index = trace.access_at(first), int(log[first]["buffer"])
    if buffer_index == SHARED:
        itemsize = int(log[first]["bytes"])
    else:
        itemsize = trace.events.buffers[buffer_index].buffer.dtype.itemsize
    lanes = sorted(moments)
    return WarpRequest(
        kind=access.kind,
        memory=access.memory,
        shared=buffer_index == SHARED,
        itemsize=itemsize,
        elements={lane: trace.access_at(moments[lane]).index for lane in lanes},
        offsets={lane: int(log[moments[lane]]["offset"]) for lane in lanes},
        location=trace.events.locate(int(log[first]["site"])),
    )
