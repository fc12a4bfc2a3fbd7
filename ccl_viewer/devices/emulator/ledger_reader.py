"""The ledger: memory accesses of a launch, counted as for the warps of a GPU.

The native side is ``runtime/ledger.h``, which says how accesses of threads become accesses of
warps. All figures are counts by the emulator; none is a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ccl_viewer.devices.emulator.library import LedgerBufferRecord, LedgerRecord, LedgerSiteRecord
from ccl_viewer.devices.emulator.memory import Allocation
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.ledger import (
    MAX_LEDGER_SITES,
    AccessCounts,
    CellCounts,
    Counts,
    LaunchLedger,
    SiteCounts,
    WalkCounts,
)
from ccl_viewer.execution.plan import Launch
from ccl_viewer.execution.source_location import SourceLocation

_SHARED = 255
Locate: TypeAlias = Callable[[int], SourceLocation | None]


class LedgerReader:
    """Requests the ledger of launches, and reads it."""

    def __init__(self) -> None:
        self._sites = (LedgerSiteRecord * MAX_LEDGER_SITES)()
        self._cells: list[Counts] = []

    def prepare(self, allocations: Sequence[Allocation]) -> int:
        """Return the address of the record for a launch with these buffers."""
        self._cells = [np.zeros((6, *memory.array.shape), np.uint32) for memory in allocations]
        self._buffers = (LedgerBufferRecord * max(len(allocations), 1))()
        for record, memory, cells in zip(self._buffers, allocations, self._cells, strict=False):
            addresses = [part.ctypes.data for part in cells]
            record.counts[:] = addresses[:3]
            record.rounds, record.in_round, record.most_in_round = addresses[3:]
            record.item_bytes = memory.array.itemsize
        self._record = LedgerRecord(
            sites=ctypes.addressof(self._sites), buffers=ctypes.addressof(self._buffers)
        )
        return ctypes.addressof(self._record)

    def read(
        self, launch: Launch, allocations: Sequence[Allocation], locate: Locate
    ) -> LaunchLedger:
        """Return the counts of the launch that was prepared last."""
        record = self._record
        cells = {
            memory.name: CellCounts(counts[0], counts[1], counts[2], counts[5])
            for memory, counts in zip(allocations, self._cells, strict=True)
        }
        return LaunchLedger(
            kernel=launch.kernel.name,
            sites=tuple(
                _site(site, allocations, locate(site.address))
                for site in self._sites[: record.site_count]
            ),
            barriers=record.barriers,
            warp_operations=record.warp_operations,
            warp_lanes=record.warp_lanes,
            rounds=record.round,
            contention=max(
                (int(each.contention.max(initial=0)) for each in cells.values()), default=0
            ),
            cells=MappingProxyType(cells),
        )


def _site(
    record: LedgerSiteRecord, allocations: Sequence[Allocation], location: SourceLocation | None
) -> SiteCounts:
    walks = WalkCounts()
    if record.longest_walk > 1:
        walks = WalkCounts(
            record.walks, record.walk_steps, record.longest_walk, tuple(record.walk_lengths)
        )
    return SiteCounts(
        memory=None if record.buffer == _SHARED else allocations[record.buffer].name,
        kind=AccessKind(record.kind),
        nbytes=record.bytes,
        counts=AccessCounts(
            record.requests,
            record.accesses,
            record.transactions,
            record.minimum_transactions,
            record.worst_transactions,
            record.address_conflicts,
            record.most_address_conflicts,
        ),
        walks=walks,
        file="" if location is None else location.file,
        line=0 if location is None else location.line,
    )
