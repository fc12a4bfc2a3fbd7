"""The ledger counts accesses as the warps of a GPU would make them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise
from support.kernel_runner import KernelRunner, Scalar, find_source, out

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.device import AccessKind, DeviceRun, Elapsed
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Buffer, Launch, Task
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.grids.specs import open_grid

LOAD, STORE, ATOMIC = AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC
THREADS = 64
WARPS = 2
VALUES = np.arange(4096, dtype=np.int32)


@pytest.fixture(params=["sequential", "reverse", "synchronous", "random:1"])
def schedule(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ledger(
    schedule: str, kernel: str, *scalars: Scalar, values: npt.NDArray[np.int32] = VALUES
) -> LaunchLedger:
    device = EmulatorDevice(Schedule.parse(schedule), find_source, ledger=True)
    runner, found = KernelRunner(device, "ledger"), list[LaunchLedger | None]()
    runner.run(
        f"ledger_{kernel}",
        1,
        THREADS,
        out(4096),
        *scalars,
        values=values,
        after=lambda run: found.append(run.ledger),
    )
    assert found[0] is not None
    return found[0]


@pytest.mark.parametrize(("stride", "sectors"), [(1, 4), (2, 8), (8, 32), (33, 32)])
def test_a_stride_takes_more_sectors(schedule: str, stride: int, sectors: int) -> None:
    found = ledger(schedule, "stride", np.int32(stride)).counts(LOAD)
    assert (found.requests, found.accesses) == (WARPS, THREADS)
    assert (found.transactions, found.minimum_transactions, found.worst_transactions) == (
        WARPS * sectors,
        WARPS * 4,
        sectors,
    )
    assert found.efficiency == 4 / sectors


def test_stores_are_counted_apart(schedule: str) -> None:
    found = ledger(schedule, "stride", np.int32(8))
    assert found.counts(STORE).transactions == WARPS * 4
    assert found.counts(ATOMIC).requests == 0
    assert found.transferred_bytes == 32 * WARPS * (32 + 4)


@pytest.mark.parametrize(
    ("kernel", "pieces", "width"),
    [("vectors", 1, 16), ("quads", 4, 4), ("boxes", 8, 4), ("pairs", 2, 4)],
)
def test_copies_of_structs_are_accesses_of_their_alignment(
    schedule: str, kernel: str, pieces: int, width: int
) -> None:
    found = ledger(schedule, f"copied_{kernel}")
    for kind in (LOAD, STORE):
        assert found.counts(kind).accesses == THREADS * pieces
        assert found.counts(kind).requests == WARPS * pieces
        assert {site.nbytes for site in found.sites if site.kind is kind} == {width}


def test_a_vector_that_is_stored_among_numbers_is_one_access(schedule: str) -> None:
    counts = ledger(schedule, "gathered_vectors").counts(STORE, shared=True)
    assert (counts.requests, counts.accesses) == (WARPS, THREADS)


def test_one_word_for_all_lanes_is_one_sector(schedule: str) -> None:
    found = ledger(schedule, "broadcast").counts(LOAD)
    assert (found.requests, found.transactions, found.minimum_transactions) == (WARPS, WARPS, WARPS)


def test_bytes_of_a_warp_lie_in_one_sector(schedule: str) -> None:
    assert ledger(schedule, "bytes").counts(LOAD).transactions == WARPS


def test_lanes_that_have_left_a_loop_take_no_part(schedule: str) -> None:
    found = ledger(schedule, "rounds").counts(LOAD)
    assert found.requests == 3 * WARPS
    assert found.accesses == THREADS // 4 * (1 + 2 + 3)


@pytest.mark.parametrize(("stride", "turns"), [(1, 1), (2, 2), (4, 4), (32, 32), (33, 1)])
def test_words_of_one_bank_wait_for_each_other(schedule: str, stride: int, turns: int) -> None:
    found = ledger(schedule, "banks", np.int32(stride))
    for kind in (LOAD, STORE):
        counts = found.counts(kind, shared=True)
        assert (counts.requests, counts.transactions) == (WARPS, WARPS * turns)
        assert (counts.minimum_transactions, counts.worst_transactions) == (WARPS, turns)
    assert found.barriers == 1


@pytest.mark.parametrize(
    ("elements", "sectors"),
    [
        ([0] * 32, 32),
        ([lane // 16 for lane in range(32)], 16),
        ([lane % 8 for lane in range(32)], 4),
        ([lane % 4 * 8 for lane in range(32)], 32),
        (list(range(32)), 4),
        ([lane * 8 for lane in range(32)], 32),
        ([0] * 8 + [lane * 8 for lane in range(1, 25)], 32),
    ],
)
def test_sectors_of_atomics_are_as_an_nvidia_gpu_counts_them(
    elements: list[int], sectors: int
) -> None:
    found = ledger("sequential", "atomics_at", values=np.array(elements * WARPS, np.int32))
    counts = found.counts(ATOMIC)
    assert (counts.requests, counts.transactions) == (WARPS, WARPS * sectors)
    assert counts.minimum_transactions <= WARPS * 4


@pytest.mark.parametrize("different", [1, 2, 64])
def test_atomics_meet_at_one_address(schedule: str, different: int) -> None:
    found = ledger(schedule, "atomics", np.int32(different))
    meeting = max(32 // different, 1)
    counts = found.counts(ATOMIC)
    assert (counts.accesses, counts.address_conflicts, counts.most_address_conflicts) == (
        THREADS,
        WARPS * meeting,
        meeting,
    )
    cells = found.cells["out"]
    assert cells.atomics[:different].tolist() == [THREADS // different] * different
    assert cells.contention.max() == THREADS // different
    assert cells.stores.sum() == 0


def test_loads_are_counted_by_cell(schedule: str) -> None:
    found = ledger(schedule, "stride", np.int32(3))
    loads = found.cells["image"].loads.reshape(-1, 4)[:, 0]  # the runner passes the image as bytes
    assert np.flatnonzero(loads).tolist() == [3 * thread for thread in range(THREADS)]
    assert loads.max() == 1


def test_walks_are_as_long_as_their_loads(schedule: str) -> None:
    chain = np.maximum(VALUES - 1, 0).astype(np.int32)
    walks = ledger(schedule, "walk", values=chain).walks
    assert (walks.walks, walks.longest) == (THREADS, THREADS)
    assert walks.loads == THREADS * (THREADS + 1) // 2
    assert walks.lengths[:4] == (1, 1, 1, 1)
    assert sum(walks.lengths) == THREADS


def test_a_loop_along_the_grid_is_no_walk(schedule: str) -> None:
    assert ledger(schedule, "rounds", values=np.zeros(4096, np.int32)).walks.walks == 0


def test_lanes_of_warp_operations_are_counted(schedule: str) -> None:
    found = ledger(schedule, "lanes")
    assert (found.warp_operations, found.warp_lanes) == (2 * WARPS, WARPS * (32 + 16))


def test_an_operation_of_some_lanes_leaves_the_warp_together(schedule: str) -> None:
    stores = ledger(schedule, "lanes").counts(STORE)
    assert (stores.requests, stores.accesses) == (WARPS, THREADS)


def test_a_thread_may_load_more_often_than_a_log_has_room(schedule: str) -> None:
    """One thread walks alone; each of its loads is a request of its warp."""
    cells = 70_000
    path = np.arange(cells, dtype=np.int32)
    path[0], path[THREADS:-1] = THREADS, path[THREADS + 1 :]
    loads = ledger(schedule, "walk", values=path).counts(LOAD)
    steps = cells - THREADS
    assert (loads.requests, loads.accesses) == (WARPS + steps, THREADS + steps)


class Ledgers:
    """Keeps the ledger of each launch."""

    def __init__(self) -> None:
        self.launches: list[LaunchLedger] = []

    def launched(self, _launch: Launch, _elapsed: Elapsed, run: DeviceRun) -> None:
        found = run.ledger
        assert found is not None
        self.launches.append(found)


def ledgers(key: str, image: npt.NDArray[np.uint8], schedule: str) -> list[LaunchLedger]:
    row = ALGORITHMS[key]
    found = Ledgers()
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    task = Task(buffer, row.connectivities[0], row.complete({}))
    device = EmulatorDevice(Schedule.parse(schedule), ledger=True)
    with device.open(buffer, image, timed=False) as run:
        execute(row.planner(task), run, observer=found)
    return found.launches


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_has_a_ledger(key: str) -> None:
    image = noise(40, 70, 0.5)
    for found in ledgers(key, image, "sequential"):
        counts = found.counts()
        cells = found.cells.values()
        assert counts.accesses == sum(
            int(each.sum()) for cell in cells for each in (cell.loads, cell.stores, cell.atomics)
        )
        assert 0 < counts.efficiency <= 1
        assert counts.requests <= counts.accesses <= 32 * counts.requests


def test_the_first_launch_counts_the_same_in_any_order() -> None:
    image = noise(40, 70, 0.5)
    one, *others = (
        ledgers("label_equivalence", image, schedule)[0]
        for schedule in ("sequential", "reverse", "synchronous", "random:3")
    )
    for other in others:
        assert other.counts() == one.counts()


def test_counting_changes_nothing_in_the_order_of_threads() -> None:
    """All 144 blocks of one thread run simultaneously: a label moves by one cell in a pass."""
    path = open_grid("pattern:serpentine?width=12&height=12").grid
    row = ALGORITHMS["shibata_naive"]
    parameters = row.complete({"block_width": 1, "block_height": 1})
    image = Buffer("image", path.shape, np.dtype(np.uint8))
    for counts in (False, True):
        device = EmulatorDevice(Schedule.parse("synchronous"), ledger=counts)
        with device.open(image, path, timed=False) as run:
            outcome = execute(row.planner(Task(image, 4, parameters)), run)
        assert outcome.iterations == np.count_nonzero(path)


def test_columns_are_not_coalesced_and_the_update_has_bank_conflicts() -> None:
    """Kalentev et al. 2011, section 2.1, say both of Row-Col Unify."""
    found = ledgers("row_col_unify", noise(128, 128, 0.5), "sequential")
    rows, columns = (
        next(each for each in found if each.kernel == f"row_col_unify_{kind}")
        for kind in ("rows", "columns")
    )
    assert rows.counts().efficiency > 0.7
    assert columns.counts().efficiency < 0.2
    assert rows.counts(shared=True).efficiency < 0.7
