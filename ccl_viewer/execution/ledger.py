"""The ledger: memory accesses of a launch, counted as for the warps of a GPU.

All figures are counts by the emulator; none is a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import AccessKind

SECTOR_BYTES = 32
"""Bytes of a sector of device memory."""

WALK_LENGTHS = 16
"""Counted lengths of walks: 1, 2, ... loads; the last includes longer ones."""

MAX_LEDGER_SITES = 1024
"""Most places in a kernel's code that one launch can count; as in request.h."""

Counts: TypeAlias = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class AccessCounts:
    """Counts of accesses of one kind.

    Parameters
    ----------
    requests : int
        Accesses of warps: those of all lanes at one place of the code count as one.
    accesses : int
        Accesses of threads.
    transactions : int
        In device memory, accessed sectors of 32 bytes; in shared memory, turns of the banks.
    minimum_transactions : int
        Transactions that the same bytes need at least; in shared memory, without bank conflicts.
    worst_transactions : int
        Most transactions of one request.
    address_conflicts : int
        For atomics, the most lanes of a warp at one address, summed over the requests.
    most_address_conflicts : int
        For atomics, the maximum over the requests.
    """

    requests: int = 0
    accesses: int = 0
    transactions: int = 0
    minimum_transactions: int = 0
    worst_transactions: int = 0
    address_conflicts: int = 0
    most_address_conflicts: int = 0

    def __add__(self, other: AccessCounts) -> AccessCounts:
        """Return the sum of both."""
        return AccessCounts(
            self.requests + other.requests,
            self.accesses + other.accesses,
            self.transactions + other.transactions,
            self.minimum_transactions + other.minimum_transactions,
            max(self.worst_transactions, other.worst_transactions),
            self.address_conflicts + other.address_conflicts,
            max(self.most_address_conflicts, other.most_address_conflicts),
        )

    @property
    def efficiency(self) -> float:
        """Share of `minimum_transactions`, 0 to 1: coalescing, or absence of bank conflicts."""
        return self.minimum_transactions / self.transactions if self.transactions else 1.0


@dataclass(frozen=True)
class WalkCounts:
    """Walks along labels: loads of one thread, each at the cell that the previous value names.

    Parameters
    ----------
    walks, loads : int
        Number of walks, and of their loads in total.
    longest : int
        Loads of the longest walk.
    lengths : tuple of int
        Number of walks of 1, 2, ... loads; the last element includes longer ones.
    """

    walks: int = 0
    loads: int = 0
    longest: int = 0
    lengths: tuple[int, ...] = (0,) * WALK_LENGTHS

    def __add__(self, other: WalkCounts) -> WalkCounts:
        """Return the sum of both."""
        return WalkCounts(
            self.walks + other.walks,
            self.loads + other.loads,
            max(self.longest, other.longest),
            tuple(a + b for a, b in zip(self.lengths, other.lengths, strict=True)),
        )


@dataclass(frozen=True)
class SiteCounts:
    """Counts at one place of a kernel's code.

    Parameters
    ----------
    memory : str or None
        Name of the buffer; None for shared memory.
    kind : AccessKind
        Kind of the access.
    nbytes : int
        Bytes of one thread's access.
    counts : AccessCounts
        The counts.
    walks : WalkCounts
        Walks made of loads at this place; none if no load follows another.
    file, line : str and int
        The place in the kernels' source, lines from 1; empty and 0 if unknown.
    """

    memory: str | None
    kind: AccessKind
    nbytes: int
    counts: AccessCounts
    walks: WalkCounts
    file: str = ""
    line: int = 0


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Accesses to each element of a buffer, in arrays of its shape.

    Parameters
    ----------
    loads, stores, atomics : ndarray of uint32
        The counts.
    contention : ndarray of uint32
        The most atomics in one round of the schedule, or in the launch if the schedule has no
        rounds.
    """

    loads: Counts
    stores: Counts
    atomics: Counts
    contention: Counts


@dataclass(frozen=True)
class LaunchLedger:
    """Memory accesses of a launch, as counted by the emulator.

    Parameters
    ----------
    kernel : str
        Name of the kernel.
    sites : tuple of SiteCounts
        The places of its code that access memory.
    barriers : int
        Barriers that blocks passed.
    warp_operations, warp_lanes : int
        Number of votes, shuffles and the like, and of lanes that took part in total.
    rounds : int
        Rounds of the synchronous schedule; 1 in other schedules.
    contention : int
        The most atomics on one element of a buffer in one round, or in the launch without rounds.
    cells : mapping
        Accesses to each element of each buffer, by name; empty in a recording, which keeps the
        counts of cells separately.
    """

    kernel: str
    sites: tuple[SiteCounts, ...]
    barriers: int
    warp_operations: int
    warp_lanes: int
    rounds: int
    contention: int
    cells: Mapping[str, CellCounts] = field(default_factory=dict, compare=False)

    def counts(self, *kinds: AccessKind, shared: bool = False) -> AccessCounts:
        """Return the counts of some or all kinds of accesses, in device or shared memory."""
        return _sum(
            site.counts
            for site in self.sites
            if (site.memory is None) == shared and (not kinds or site.kind in kinds)
        )

    @property
    def transferred_bytes(self) -> int:
        """Bytes of device memory that are transferred, in whole sectors."""
        return SECTOR_BYTES * self.counts().transactions

    @property
    def coalescing(self) -> float:
        """Share of the transferred bytes that warps requested, 0 to 1, rounded to four digits."""
        return round(self.counts().efficiency, 4)

    @property
    def walks(self) -> WalkCounts:
        """All walks along labels."""
        total = WalkCounts()
        for site in self.sites:
            total += site.walks
        return total


def sum_ledgers(ledgers: Iterable[LaunchLedger]) -> LaunchLedger:
    """Return the sum of at least one ledger, with the name of the first kernel."""
    each = tuple(ledgers)
    return LaunchLedger(
        each[0].kernel,
        tuple(site for one in each for site in one.sites),
        sum(one.barriers for one in each),
        sum(one.warp_operations for one in each),
        sum(one.warp_lanes for one in each),
        sum(one.rounds for one in each),
        max(one.contention for one in each),
    )


def _sum(counts: Iterable[AccessCounts]) -> AccessCounts:
    total = AccessCounts()
    for each in counts:
        total += each
    return total
