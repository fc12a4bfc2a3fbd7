"""The memory check finds what is wrong in any order of the threads, and nothing else."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.cases import ALGORITHM_CASES, MULTIVALUED_CASES
from support.checked_runs import CheckedRun
from support.grids import adversarial_grids, corner, noise
from support.kernel_runner import KernelRunner, Scalar, find_source, image_of, launch_of, out
from support.segments import mosaic

from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.finding import Finding, FindingKind
from ccl_viewer.execution.plan import Buffer, Kernel
from ccl_viewer.execution.schedule import Schedule

LOAD, STORE, ATOMIC = AccessKind.LOAD, AccessKind.STORE, AccessKind.ATOMIC
THREADS = 64
SCHEDULES = ("sequential", "reverse", "synchronous", "random:1")


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def findings(
    schedule: str, kernel: str, *arguments: Buffer | Scalar, grid: int = 1, shared_bytes: int = 0
) -> list[Finding]:
    found: list[Finding] = []
    device = EmulatorDevice(Schedule.parse(schedule), find_source, on_finding=found.append)
    results = out(grid * THREADS)
    KernelRunner(device, "memcheck").run(
        f"memcheck_{kernel}", grid, THREADS, results, *arguments, shared_bytes=shared_bytes
    )
    return found


def number(value: int) -> np.int32:
    return np.int32(value)


# Races --------------------------------------------------------------------------------------


def races(found: list[Finding]) -> list[Finding]:
    """Those among the findings, at least one; where threads come too early they find no value."""
    chosen = [finding for finding in found if finding.kind is FindingKind.SHARED_RACE]
    assert chosen
    others = {finding.kind for finding in found if finding not in chosen}
    assert others <= {FindingKind.UNINITIALISED_SHARED}
    return chosen


@pytest.mark.parametrize("between", [0, 2])
def test_only_a_barrier_orders_threads_of_different_warps(schedule: str, between: int) -> None:
    for finding in races(findings(schedule, "exchange", number(between))):
        assert finding.other is not None
        assert finding.thread[0] ^ 32 == finding.other[0]
        # Which of the two comes first is the schedule's choice.
        assert {finding.access, finding.other_access} == {LOAD, STORE}
        owner = finding.thread if finding.access is STORE else finding.other
        assert (finding.offset, finding.nbytes, finding.size) == (4 * owner[0], 4, 4 * THREADS)
    assert findings(schedule, "exchange", number(1)) == []


def test_syncwarp_orders_the_lanes_that_it_names(schedule: str) -> None:
    assert findings(schedule, "lanes", number(1), number(1)) == []
    assert findings(schedule, "lanes", number(1), number(16)) == []
    assert findings(schedule, "lanes", number(2), number(1)) == []
    for between, partner in ((0, 1), (2, 16), (3, 1)):
        for finding in races(findings(schedule, "lanes", number(between), number(partner))):
            assert finding.other is not None
            assert finding.thread[0] ^ partner == finding.other[0]


def test_a_store_before_all_have_read_the_word_is_a_race(schedule: str) -> None:
    assert findings(schedule, "again", number(2)) == []
    found = findings(schedule, "again", number(1))
    assert {finding.kind for finding in found} == {FindingKind.SHARED_RACE}


def test_a_word_is_written_again_after_lanes_of_two_warps_have_read_it(schedule: str) -> None:
    for finding in races(findings(schedule, "crowd")):
        assert finding.other is not None
        assert {finding.access, finding.other_access} == {LOAD, STORE}
        assert {finding.thread[0] // 32, finding.other[0] // 32} == {0, 1}


def test_lanes_that_meet_learn_nothing_of_those_that_do_not(schedule: str) -> None:
    for finding in races(findings(schedule, "halves")):
        assert finding.other is not None
        assert finding.thread[0] ^ 16 == finding.other[0]


def test_stores_of_the_same_value_are_a_race(schedule: str) -> None:
    (finding,) = findings(schedule, "same")
    assert (finding.kind, finding.access, finding.other_access) == (
        FindingKind.SHARED_RACE,
        STORE,
        STORE,
    )
    assert finding.times == THREADS - 1


def test_atomics_race_with_loads_and_stores_but_not_among_themselves(schedule: str) -> None:
    assert findings(schedule, "atomics", number(1), number(1)) == []
    for finding in races(findings(schedule, "atomics", number(1), number(0))):
        assert {finding.access, finding.other_access} == {LOAD, ATOMIC}
    for finding in races(findings(schedule, "atomics", number(0), number(1))):
        assert {finding.access, finding.other_access} == {STORE, ATOMIC}


def test_neighbouring_bytes_are_no_race(schedule: str) -> None:
    assert findings(schedule, "bytes") == []


@pytest.mark.parametrize("kernel", ["vectors", "boxes"])
def test_copies_of_whole_structs_race(schedule: str, kernel: str) -> None:
    assert findings(schedule, kernel, number(1)) == []
    for finding in races(findings(schedule, kernel, number(0))):
        assert {finding.access, finding.other_access} == {LOAD, STORE}


# Uninitialised memory -----------------------------------------------------------------------


@pytest.mark.parametrize("block", [0, 1, 2])
def test_shared_memory_that_its_block_has_not_written(schedule: str, block: int) -> None:
    """Nor do the values of a block that was there before count."""
    (finding,) = findings(schedule, "unwritten", number(block), number(9), grid=3)
    assert finding.kind is FindingKind.UNINITIALISED_SHARED
    assert (finding.block, finding.thread) == ((block, 0, 0), (8, 0, 0))
    assert (finding.access, finding.offset, finding.times) == (LOAD, 36, 1)
    assert finding.memory is None


def copied(fill: int | None, *, written: bool = False) -> list[Finding]:
    found: list[Finding] = []
    device = EmulatorDevice(find_source=find_source, on_finding=found.append)
    image, pixels = image_of(np.zeros(1, np.uint8))
    values, results = out(THREADS, fill=fill, name="values"), out(THREADS, fill=None)
    launch = launch_of(
        Kernel("memcheck", "memcheck_copy"), (1, 1, 1), (50, 1, 1), (results, values)
    )
    back = launch_of(Kernel("memcheck", "memcheck_copy"), (1, 1, 1), (64, 1, 1), (values, results))
    with device.open(image, pixels) as run:
        run.allocate(values)
        run.allocate(results)
        if written:
            run.fill(values, 3)
        run.launch(launch)
        run.launch(back)
    return found


def test_device_memory_that_nobody_has_written() -> None:
    first, second = copied(None)
    assert (first.kind, first.kernel) == (FindingKind.UNINITIALISED_DEVICE, "memcheck_copy")
    assert (first.memory, first.offset, first.thread, first.times) == ("values", 0, (0, 0, 0), 50)
    # Memory that a kernel has written counts as initialised, no matter with which value.
    assert (second.memory, second.offset, second.thread) == ("out", 200, (50, 0, 0))
    assert second.times == THREADS - 50


def test_a_struct_that_nobody_has_written() -> None:
    found: list[Finding] = []
    device = EmulatorDevice(find_source=find_source, on_finding=found.append)
    values = out(4 * THREADS, fill=None, name="values")
    KernelRunner(device, "memcheck").run(
        "memcheck_copied_vectors", 1, THREADS, out(4 * THREADS), values
    )
    (finding,) = found
    assert (finding.kind, finding.memory) == (FindingKind.UNINITIALISED_DEVICE, "values")
    assert (finding.nbytes, finding.times) == (16, THREADS)


def test_device_memory_that_the_host_has_filled() -> None:
    for found in (copied(0), copied(None, written=True)):
        assert [finding.memory for finding in found] == ["out"]


def test_an_atomic_reads_what_it_changes() -> None:
    found: list[Finding] = []
    device = EmulatorDevice(find_source=find_source, on_finding=found.append)
    KernelRunner(device, "memcheck").run("memcheck_add", 1, 8, out(8, fill=None))
    (finding,) = found
    assert (finding.access, finding.times) == (ATOMIC, 8)


def test_memory_that_an_atomic_has_changed_counts_as_written() -> None:
    found: list[Finding] = []
    device = EmulatorDevice(find_source=find_source, on_finding=found.append)
    image, pixels = image_of(np.zeros(1, np.uint8))
    values, results = out(8, fill=None, name="values"), out(8, fill=None)
    with device.open(image, pixels) as run:
        for buffer in (values, results):
            run.allocate(buffer)
        for name, buffers in (("add", (values,)), ("copy", (results, values))):
            kernel = Kernel("memcheck", f"memcheck_{name}")
            run.launch(launch_of(kernel, (1, 1, 1), (8, 1, 1), buffers))
    assert [(finding.kernel, finding.access) for finding in found] == [("memcheck_add", ATOMIC)]


# Indices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-200, -1, THREADS, THREADS + 200])
def test_an_index_beyond_a_shared_variable(schedule: str, shift: int) -> None:
    (finding,) = findings(schedule, "beyond", number(shift))
    assert finding.kind is FindingKind.BEYOND_SHARED
    assert (finding.thread, finding.access) == ((5, 0, 0), STORE)
    assert (finding.offset, finding.nbytes, finding.size) == (2 * shift, 2, 2 * THREADS)
    assert f"element {shift} of " in str(finding)
    assert f"of {THREADS} elements" in str(finding)
    if sys.platform == "linux":
        assert finding.location is not None
        assert (finding.location.file, finding.location.function) == (
            "memcheck.cu",
            "memcheck_beyond",
        )
        text = find_source("memcheck").read_text(encoding="utf-8")
        assert f"{finding.variable}[" in text.split("\n")[finding.location.line - 1]


def test_an_index_beyond_a_dynamic_array(schedule: str) -> None:
    size = 4 * THREADS
    assert findings(schedule, "dynamic", number(0), shared_bytes=size) == []
    (finding,) = findings(schedule, "dynamic", number(THREADS), shared_bytes=size)
    assert (finding.kind, finding.offset) == (FindingKind.BEYOND_SHARED, size)
    if sys.platform == "linux":
        assert finding.variable == "dynamic"
    with pytest.raises(KernelFaultError, match="outside the shared memory of its block"):
        findings(schedule, "dynamic", number(-1), shared_bytes=size)


def test_a_dynamic_array_of_a_launch_that_gives_it_no_memory(schedule: str) -> None:
    found = findings(schedule, "dynamic", number(0))
    assert {finding.kind for finding in found} == {FindingKind.BEYOND_SHARED}
    first = min(found, key=lambda finding: finding.location.line if finding.location else 0)
    assert (first.access, first.size, first.times) == (STORE, 0, THREADS)
    assert f"element {first.thread[0]} of " in str(first)
    assert "of 0 elements, out of bounds" in str(first)


# What C leaves undefined --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "left", "right", "text"),
    [
        (0, 0, 32, "shifts a number of 32 bits by 32, which is undefined in C: a GPU gives 0."),
        (0, 0, -1, "shifts a number of 32 bits by -1, "),
        (5, -7, 40, "shifts a number of 32 bits by 40, which is undefined in C: a GPU gives 0 or"),
        (1, 2**31 - 1, 1, "computes 2147483647 + 1, which is beyond the range of int and undefin"),
        (2, -(2**31), 5, "computes -2147483648 - 5, which is"),
        (3, 65_536, 32_768, "computes 65536 * 32768, which is"),
        (4, -(2**31), 0, "computes -(-2147483648), which is"),
    ],
)
def test_an_operation_that_c_leaves_undefined(
    schedule: str, operation: int, left: int, right: int, text: str
) -> None:
    numbers = number(operation), number(left), number(right)
    (finding,) = findings(schedule, "undefined", *numbers)
    assert finding.kind is FindingKind.UNDEFINED
    assert (finding.thread, finding.times) == ((9, 0, 0), 1)
    assert f"thread (9, 0, 0) of block (0, 0, 0) {text}" in str(finding)
    if sys.platform == "linux":
        assert finding.location is not None
        source = find_source("memcheck").read_text(encoding="utf-8").split("\n")
        assert "result = " in source[finding.location.line - 1]


def test_values_for_which_the_same_operations_are_defined(schedule: str) -> None:
    for operation in range(6):
        assert findings(schedule, "undefined", number(operation), number(-5), number(31)) == []
    assert findings(schedule, "defined") == []


def test_an_index_beyond_an_inner_dimension(schedule: str) -> None:
    assert findings(schedule, "inner", number(7)) == []
    (finding,) = findings(schedule, "inner", number(8))
    assert finding.kind is FindingKind.BEYOND_ARRAY
    assert "thread (9, 0, 0) of block (0, 0, 0) uses index 8 of an array of type " in str(finding)


# The kernels --------------------------------------------------------------------------------


IMAGES = (noise(36, 71, 0.5), corner(5, 7), *adversarial_grids()[::5])


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_no_kernel_gives_a_finding(algorithm: str, connectivity: int) -> None:
    checked = CheckedRun(algorithm, connectivity)
    for image in IMAGES:
        checked.table(image)
    for image in IMAGES[:2]:
        checked.table(image, "random:1")
    assert checked.undeclared == []


@pytest.mark.parametrize(("algorithm", "connectivity"), MULTIVALUED_CASES)
def test_no_kernel_gives_a_finding_among_segments(algorithm: str, connectivity: int) -> None:
    checked = CheckedRun(algorithm, connectivity, multivalued=True)
    checked.table(mosaic(20, 35, 2))
    assert checked.found == [], [str(finding) for finding in checked.found]


@pytest.mark.parametrize("across", [1, 2])
@pytest.mark.parametrize("multivalued", [False, True])
def test_there_is_room_for_the_most_pairs_of_runs_that_a_tile_can_have(
    across: int, *, multivalued: bool
) -> None:
    """Each run of a band, of two rows without values, touches two above, all but once."""
    y, x = np.indices((130, 97))
    odd = (y if multivalued else y // 2) + x
    image = (odd % 2 + (1 if multivalued else 0)).astype(np.uint8)
    parameters = {"tiles_across": across, "tiles_down": 1}
    checked = CheckedRun("tiled_runs", 8, parameters, multivalued=multivalued)
    checked.label(image)
    assert checked.found == [], [str(finding) for finding in checked.found]


@pytest.mark.parametrize("threads", [4, 9])
def test_rows_that_are_taken_in_segments_give_no_finding(threads: int) -> None:
    checked = CheckedRun("row_col_unify", 4, {"threads": threads, "variant": "project"})
    checked.label(IMAGES[0])
    assert checked.found == [], [str(finding) for finding in checked.found]
    paper = CheckedRun("row_col_unify", 4, {"threads": threads})
    paper.label(IMAGES[0])
    assert paper.found, "elements are stored while others read them"
    assert paper.undeclared == []


def test_a_scan_over_several_turns_gives_no_finding() -> None:
    """More blocks than the one block of the scan has threads."""
    checked = CheckedRun("komura", 4)
    checked.label(noise(260, 260, 0.3))
    assert checked.found == [], [str(finding) for finding in checked.found]
