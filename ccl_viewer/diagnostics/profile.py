"""Memory accesses of algorithms on a grid: the summed ledgers of their launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ccl_viewer.algorithms import Algorithm
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.device import AccessKind, DeviceRun, Elapsed, Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.ledger import AccessCounts, LaunchLedger, WalkCounts
from ccl_viewer.execution.plan import Buffer, Launch, ParameterValue, Task
from ccl_viewer.execution.schedule import choose_schedule
from ccl_viewer.grids.grid import Grid
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

FIGURES = (
    "launches",
    "load_requests",
    "store_requests",
    "atomic_requests",
    "loads",
    "stores",
    "atomics",
    "bytes",
    "coalescing",
    "shared_requests",
    "bank_turns",
    "conflict_free",
    "contention",
    "walks",
    "walk_loads",
    "longest_walk",
    "barriers",
    "warp_operations",
    "active_lanes",
)
"""Names of the figures of a :class:`Profile`, in the order of tables."""


@dataclass(frozen=True)
class Profile:
    """The sum of launches' ledgers.

    Parameters
    ----------
    launches : tuple of LaunchLedger
        The launches.
    """

    launches: tuple[LaunchLedger, ...]

    def by_kernel(self) -> dict[str, Profile]:
        """Return a profile for each kernel, in the order of first launches."""
        kernels: dict[str, list[LaunchLedger]] = {}
        for launch in self.launches:
            kernels.setdefault(launch.kernel, []).append(launch)
        return {name: Profile(tuple(launches)) for name, launches in kernels.items()}

    def figures(self) -> dict[str, int | float]:
        """Return all figures by name; see :data:`FIGURES`.

        Counts are sums over the launches; ``contention`` (the most atomics on one cell in a round
        of the schedule) and ``longest_walk`` are maxima. ``coalescing`` is the share of the
        transferred sectors that would suffice, ``conflict_free`` the share of the banks' turns that
        would suffice without conflicts, ``active_lanes`` the mean number of lanes in a warp
        operation.
        """
        loads, stores, atomics = (self._counts(kind) for kind in AccessKind)
        device, shared, walks = loads + stores + atomics, self._counts(shared=True), WalkCounts()
        for launch in self.launches:
            walks += launch.walks
        operations = sum(launch.warp_operations for launch in self.launches)
        lanes = sum(launch.warp_lanes for launch in self.launches)
        return {
            "launches": len(self.launches),
            "load_requests": loads.requests,
            "store_requests": stores.requests,
            "atomic_requests": atomics.requests,
            "loads": loads.accesses,
            "stores": stores.accesses,
            "atomics": atomics.accesses,
            "bytes": sum(launch.transferred_bytes for launch in self.launches),
            "coalescing": device.efficiency,
            "shared_requests": shared.requests,
            "bank_turns": shared.transactions,
            "conflict_free": shared.efficiency,
            "contention": max((launch.contention for launch in self.launches), default=0),
            "walks": walks.walks,
            "walk_loads": walks.loads,
            "longest_walk": walks.longest,
            "barriers": sum(launch.barriers for launch in self.launches),
            "warp_operations": operations,
            "active_lanes": lanes / operations if operations else 0.0,
        }

    def count_accesses(self, memory: str) -> int:
        """Return the number of threads' loads, stores and atomics on a buffer.

        Parameters
        ----------
        memory : str
            Name of the buffer.
        """
        return sum(
            site.counts.accesses
            for launch in self.launches
            for site in launch.sites
            if site.memory == memory
        )

    def _counts(self, *kinds: AccessKind, shared: bool = False) -> AccessCounts:
        total = AccessCounts()
        for launch in self.launches:
            total += launch.counts(*kinds, shared=shared)
        return total


def profile_algorithm(
    grid: Grid,
    algorithm: Algorithm,
    connectivity: int | None,
    parameters: Mapping[str, ParameterValue],
    *,
    multivalued: bool = False,
    schedule: str = "auto",
    limits: Limits | None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> Profile:
    """Run an algorithm on the emulator and count the memory accesses of each launch.

    Parameters
    ----------
    grid : ndarray of uint8, shape (H, W)
        The grid.
    algorithm : Algorithm
        The algorithm.
    connectivity, parameters, multivalued, schedule, cancel, progress
        As for :func:`ccl_viewer.record`.
    limits : Limits or None
        What user code may take.

    Raises
    ------
    InputError
        If the algorithm does not support the request.
    DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`ccl_viewer.label`.
    """
    if algorithm.sandboxed:
        job = RecordJob(
            image=grid,
            algorithm=algorithm,
            connectivity=connectivity,
            parameters=parameters,
            device="emulator",
            schedule=schedule,
            multivalued=multivalued,
            ledger=True,
            limits=limits or Limits(),
        )
        steps = choose_recorder(job, cancel=cancel, progress=progress).run().steps
        return Profile(tuple(step.ledger for step in steps if step.ledger))
    sums = LedgerCollector()
    device = EmulatorDevice(choose_schedule(schedule, grid.size), ledger=True)
    image = Buffer("image", grid.shape, np.dtype(np.uint8))
    task = Task(
        image,
        algorithm.resolve_connectivity(connectivity),
        algorithm.complete(dict(parameters)),
        multivalued=multivalued,
    )
    with device.open(image, grid, timed=False, cancel=cancel, progress=progress) as run:
        execute(algorithm.planner(task), run, observer=sums, cancel=cancel)
    return Profile(tuple(sums.launches))


class LedgerCollector:
    """Collects the ledger of each launch, without the counts of cells."""

    def __init__(self) -> None:
        self.launches: list[LaunchLedger] = []

    def launched(self, _launch: Launch, _elapsed: Elapsed, run: DeviceRun) -> None:
        """Store the ledger of a launch; called by the driver."""
        ledger = run.ledger
        if ledger is not None:
            self.launches.append(replace(ledger, cells={}))
