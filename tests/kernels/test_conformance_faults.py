"""Kernels that misbehave are reported, on every schedule, and the emulator goes on working."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.kernel_runner import KernelRunner, Values, find_source, launch_of, out

from ccl_viewer.devices.emulator.device import MAX_TURNS, EmulatorDevice
from ccl_viewer.errors import CancelledError, KernelBuildError, KernelFaultError
from ccl_viewer.execution.plan import Buffer, Dim3, Kernel
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.support.cancellation import CancelToken

SCHEDULES = ("sequential", "synchronous", "reverse", "random:1")
TRACED = ("synchronous", "random:1", "random:2")
UNTRACED = ("sequential", "reverse")
TURNS = 100_000
SUPPORT = Path(__file__).parents[1] / "support"


def runner_of(schedule: str, turn_limit: int = TURNS) -> KernelRunner:
    device = EmulatorDevice(Schedule.parse(schedule), find_source, turn_limit=turn_limit)
    return KernelRunner(device, "faults")


@pytest.fixture(params=SCHEDULES)
def runner(request: pytest.FixtureRequest) -> KernelRunner:
    return runner_of(request.param)


@pytest.fixture(params=TRACED)
def traced(request: pytest.FixtureRequest) -> KernelRunner:
    return runner_of(request.param)


@pytest.fixture(params=UNTRACED)
def untraced(request: pytest.FixtureRequest) -> KernelRunner:
    return runner_of(request.param)


def fault(runner: KernelRunner, run: Callable[[], object]) -> str:
    """The text of the fault, after which a well-behaved kernel runs as ever."""
    with pytest.raises(KernelFaultError) as caught:
        run()
    (values,) = runner.run("faults_none", 3, 64, out(64))
    np.testing.assert_array_equal(values, [32] * 64)
    return str(caught.value)


# Missing threads ----------------------------------------------------------------------------


@pytest.mark.parametrize("lane", [0, 5, 31])
def test_a_lane_that_has_returned(runner: KernelRunner, lane: int) -> None:
    written = out(32, np.uint32)
    text = fault(
        runner, lambda: runner.run("faults_returned_lane", 2, 32, written, np.uint32(lane))
    )
    assert "faults_returned_lane" in text
    assert "__ballot_sync(0xffffffff)" in text
    assert f"thread ({lane}, 0, 0), which ended without this call, by an if around it or" in text


def test_lanes_beyond_a_short_block_are_not_waited_for(runner: KernelRunner) -> None:
    (values,) = runner.run("faults_returned_lane", 1, 5, out(5, np.uint32), np.uint32(5))
    np.testing.assert_array_equal(values, [0x1F] * 5)


def test_lanes_at_different_operations(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_mixed_operations", 1, 32, out(32)))
    assert "__any_sync(0xffffffff)" in text
    assert "waits at __all_sync" in text
    assert "nothing else can run" in text


def test_lanes_with_different_masks(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_mixed_masks", 1, 32, out(32, np.uint32)))
    assert "waits at __ballot_sync(0xffff" in text


def test_a_lane_outside_its_own_mask(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_not_in_mask", 1, 32, out(32, np.uint32)))
    assert "calls __ballot_sync(0x0000ffff) with a mask that does not include it" in text


def test_a_barrier_that_a_returned_thread_skips(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_returned_thread", 1, 64, out(64)))
    assert "waits at __syncthreads() for thread (40, 0, 0), which ended without this call" in text


def test_a_barrier_that_part_of_the_block_skips(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_divergent_barrier", 1, 32, out(32, np.uint32)))
    assert "waits at __syncthreads() for thread (16, 0, 0) (waits at __ballot_sync)" in text
    assert "and 15 more" in text


def test_barriers_of_different_kinds(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_mixed_barriers", 1, 64, out(64)))
    assert "reached __syncthreads" in text
    assert "while others of its block wait at __syncthreads" in text


def test_the_position_names_block_and_thread_in_three_dimensions() -> None:
    runner = runner_of("reverse")
    written, lane = out(32, np.uint32), np.uint32(5)
    text = fault(
        runner, lambda: runner.run("faults_returned_lane", (2, 1, 2), (8, 4, 1), written, lane)
    )
    assert "thread (5, " in text
    assert "of block (1, 0, 1)" in text


# Endless threads ----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["while", "for", "do"])
def test_an_endless_loop(runner: KernelRunner, kernel: str) -> None:
    text = fault(runner, lambda: runner.run(f"faults_endless_{kernel}", 1, 32, out(2)))
    assert "never ends" in text
    assert "100,000 loop iterations" in text


def test_a_block_that_waits_together_for_what_never_comes() -> None:
    runner = runner_of("sequential", turn_limit=2**23)
    assert "never ends" in fault(
        runner, lambda: runner.run("faults_endless_while", 1, 1024, out(2))
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_endless_loop_around_a_barrier(schedule: str) -> None:
    runner = runner_of(schedule, turn_limit=2**22)
    assert "never ends" in fault(
        runner, lambda: runner.run("faults_endless_barrier", 1, 256, out(2))
    )


def allowed(buffer: int, turn_limit: int | None = None) -> int:
    """Return the loop budget of a launch with a buffer of a size."""
    runner = KernelRunner(EmulatorDevice(Schedule(), find_source, turn_limit=turn_limit), "faults")
    text = fault(runner, lambda: runner.run("faults_endless_for", 1, 32, out(buffer)))
    found = re.search(r"never ends, after ([0-9,]+) loop iterations", text)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_the_turns_that_a_thread_may_make_grow_with_its_grid() -> None:
    small, large = allowed(64), allowed(20_000)
    assert 20_000**1.5 < small < large < MAX_TURNS
    assert allowed(64, turn_limit=5_000) == 5_000


def test_an_endless_loop_on_all_cores() -> None:
    device = EmulatorDevice(Schedule(), find_source, turn_limit=TURNS, cores=4)
    runner = KernelRunner(device, "faults")
    assert "never ends" in fault(runner, lambda: runner.run("faults_endless_for", 64, 1024, out(2)))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_endless_loop_is_cancelled_from_another_thread(schedule: str) -> None:
    runner = runner_of(schedule, turn_limit=2**62)
    token = CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(CancelledError):
        runner.run("faults_endless_for", 4, 32, out(2), cancel=token)
    timer.join()
    (values,) = runner.run("faults_none", 1, 32, out(32))
    np.testing.assert_array_equal(values, [32] * 32)


def test_nothing_starts_once_cancelled(runner: KernelRunner) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        runner.run("faults_none", 1, 32, out(32), cancel=token)


# Stray accesses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shift", "where"),
    [
        (64, "just past the end of out"),
        (66, "8 bytes past the end of out:"),
        (-1, "4 bytes before the start of out:"),
        (5000, "19,744 bytes past the end of out, the nearest:"),
    ],
)
def test_a_stray_write_is_caught_before_it_happens(
    traced: KernelRunner, shift: int, where: str
) -> None:
    text = fault(traced, lambda: traced.run("faults_write", 2, 32, out(64), np.int32(shift)))
    assert f"writes 4 bytes, {where}" in text
    assert "thread (2, 0, 0) of block" in text


@pytest.mark.parametrize(
    ("shift", "where"),
    [(64, "just past the end of out"), (66, "8 bytes past"), (-3, "12 bytes before the start")],
)
def test_a_stray_write_is_found_after_the_launch(
    untraced: KernelRunner, shift: int, where: str
) -> None:
    text = fault(untraced, lambda: untraced.run("faults_write", 2, 32, out(64), np.int32(shift)))
    assert "faults_write wrote" in text
    assert where in text


@pytest.mark.parametrize("shift", [64, -1])
def test_a_stray_read(traced: KernelRunner, shift: int) -> None:
    labels = out(64, name="labels")
    text = fault(traced, lambda: traced.run("faults_read", 2, 32, out(64), labels, np.int32(shift)))
    assert "reads 4 bytes" in text
    assert "of labels" in text


def test_a_stray_atomic(traced: KernelRunner) -> None:
    text = fault(traced, lambda: traced.run("faults_atomic", 2, 32, out(64), np.int32(64)))
    assert "writes 4 bytes, just past the end of out" in text


def test_a_null_pointer(traced: KernelRunner) -> None:
    text = fault(traced, lambda: traced.run("faults_null", 1, 32, out(1), np.uint64(4)))
    assert "reads 4 bytes through a null pointer" in text


# Wild accesses ------------------------------------------------------------------------------


WILD = {"write": "faults_write_wide", "read": "faults_read_wide"}


@pytest.mark.parametrize(
    ("index", "far"), [(-(2**33), "before the start"), (2**33, "past the end")]
)
@pytest.mark.parametrize("verb", sorted(WILD))
def test_an_access_far_from_every_buffer(
    runner: KernelRunner, verb: str, index: int, far: str
) -> None:
    text = fault(runner, lambda: runner.run(WILD[verb], (2, 3, 1), 64, out(64), np.int64(index)))
    assert WILD[verb] in text
    assert "thread (40, 0, 0) of block (1, 2, 0) " in text
    assert re.search(rf"{verb}s .*at the address 0x[0-9a-f]+, which is in no buffer", text)
    assert re.search(rf"\d bytes {far} of out, the nearest", text)


def test_an_index_that_nobody_wrote(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_read_poison", 2, 64, out(64)))
    assert re.search(r"faults_read_poison stopped( at faults.cu:\d+)?: thread \(", text)
    assert "before the start of out, the nearest" in text


def test_an_address_that_no_processor_has(runner: KernelRunner) -> None:
    address = np.uint64(0xA5A5A5A5A5A5A5A0)
    text = fault(runner, lambda: runner.run("faults_null", 1, 32, out(1), address))
    assert "thread (2, 0, 0) of block (0, 0, 0)" in text
    assert "in no buffer" in text or "at an impossible address" in text


def test_a_null_pointer_untraced(untraced: KernelRunner) -> None:
    text = fault(untraced, lambda: untraced.run("faults_null", 1, 32, out(1), np.uint64(4)))
    assert "thread (2, 0, 0) of block (0, 0, 0) reads memory through a null pointer" in text


def test_endless_recursion(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_stack", 2, 64, out(2), np.int32(10**9)))
    assert "thread (1, 0, 0) of block (" in text
    assert "overflows its stack" in text


@pytest.mark.parametrize("schedule", UNTRACED)
def test_endless_recursion_of_a_thread_that_has_waited(schedule: str) -> None:
    runner, depth = runner_of(schedule, turn_limit=2**24), np.int32(10**9)
    text = fault(runner, lambda: runner.run("faults_stack_parked", 2, 64, out(2), depth))
    assert "thread (40, 0, 0) of block (" in text
    assert "overflows its stack" in text


@pytest.mark.parametrize("kernel", ["faults_write_wide", "faults_read_wide"])
def test_a_wild_access_on_one_of_many_cores(kernel: str) -> None:
    device = EmulatorDevice(Schedule(), find_source, cores=4)
    runner = KernelRunner(device, "faults")
    for _ in range(5):
        text = fault(
            runner, lambda: runner.run(kernel, (8, 8, 1), 1024, out(1024), np.int64(2**33))
        )
        assert "thread (40, 0, 0) of block (1, 2, 0) " in text
    (values,) = runner.run("faults_none", 64, 1024, out(1024))
    np.testing.assert_array_equal(values, [32] * 1024)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("launch_first", [False, True])
def test_other_crashes_are_not_hidden(launch_first: bool) -> None:
    code = f"""
import faulthandler, signal, sys
faulthandler.enable()
sys.path.insert(0, {str(SUPPORT.parent)!r})
from support.kernel_runner import KernelRunner, find_source, out
from ccl_viewer.devices.emulator.device import EmulatorDevice
if {launch_first}:
    runner = KernelRunner(EmulatorDevice(find_source=find_source), "faults")
    runner.run("faults_none", 1, 32, out(32))
faulthandler._sigsegv()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert "Segmentation fault" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_crash_elsewhere_while_a_kernel_runs_is_not_hidden() -> None:
    """Another thread crashes while a kernel runs: the process ends, as it would without one."""
    code = f"""
import faulthandler, sys, threading
faulthandler.enable()
sys.path.insert(0, {str(SUPPORT.parent)!r})
from support.kernel_runner import KernelRunner, find_source, out
from ccl_viewer.devices.emulator.device import EmulatorDevice
runner = KernelRunner(EmulatorDevice(find_source=find_source, turn_limit=2**62), "faults")
runner.run("faults_none", 1, 32, out(32))
def loop():
    runner.run("faults_endless_for", 1, 32, out(2))
threading.Thread(target=loop, daemon=True).start()
from ccl_viewer.devices.emulator.workers import LAUNCHING
while not LAUNCHING.locked():
    pass
threading.Timer(0.05, faulthandler._sigsegv).start()
threading.Event().wait()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert "Segmentation fault" in done.stderr


def test_a_stray_access_to_shared_memory(traced: KernelRunner) -> None:
    text = fault(traced, lambda: traced.run("faults_shared", 2, 32, out(64), np.int32(20_000)))
    assert "outside the shared memory of its block" in text


def test_too_much_shared_memory(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_shared_size", 1, 32, out(32, np.uint8)))
    assert "needs 49,153 bytes of static shared memory" in text


@pytest.mark.parametrize("schedule", [*TRACED, "sequential"])
def test_a_stack_overflow(schedule: str) -> None:
    runner = runner_of(schedule)
    depth = np.int32(10_000 if schedule in TRACED else 60)
    text = fault(runner, lambda: runner.run("faults_stack", 2, 32, out(2), depth))
    assert "overflows its stack" in text


def test_recursion_within_the_stack(runner: KernelRunner) -> None:
    (values,) = runner.run("faults_stack", 1, 32, out(2), np.int32(10))
    assert values.size == 2


def test_a_division_by_zero(traced: KernelRunner) -> None:
    text = fault(traced, lambda: traced.run("faults_division", 1, 1, out(1), np.int32(0)))
    assert "divides by zero: check the divisor first" in text


def test_a_static_variable(traced: KernelRunner) -> None:
    text = fault(traced, lambda: traced.run("faults_static", 1, 1, out(1)))
    assert "writes a variable of the kernel's file" in text
    assert "use a Buffer of the plan instead" in text


def test_a_failed_assertion(runner: KernelRunner) -> None:
    text = fault(runner, lambda: runner.run("faults_assertion", 1, 32, out(32)))
    assert "thread (9, 0, 0) of block (0, 0, 0) fails the assertion threadIdx.x != 9" in text
    assert "faults.cu:" in text


# Places -------------------------------------------------------------------------------------

VALUES, MASKS = out(64), out(32, np.uint32)
PLACES = {  # of each kind of fault, a line of the source in which the thread may stand
    "faults_returned_lane": ((MASKS, np.uint32(5)), "__ballot_sync(ALL, 1)"),
    "faults_not_in_mask": ((MASKS,), "__ballot_sync(0x0000FFFFu, 1)"),
    "faults_divergent_barrier": ((MASKS,), "__syncthreads();|__ballot_sync"),
    "faults_mixed_operations": ((VALUES,), "_sync|threadIdx"),
    "faults_mixed_barriers": ((VALUES,), "__syncthreads"),
    "faults_endless_while": ((out(2),), "out|while"),
    "faults_write": ((out(1), np.int32(40)), "] = 1;"),
    "faults_read_poison": ((VALUES,), "out[place"),
    "faults_null": ((out(1), np.uint64(4)), "address"),
    "faults_shared": ((VALUES, np.int32(20_000)), "place"),
    "faults_shared_size": ((out(32, np.uint8),), "values["),
    "faults_stack": ((out(2), np.int32(10_000)), "here|depth"),
    "faults_assertion": ((VALUES,), "assert(threadIdx.x != 9)"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="line tables are read on Linux")
@pytest.mark.parametrize("kernel", PLACES)
def test_a_fault_names_the_line_that_the_thread_stands_in(
    traced: KernelRunner, kernel: str
) -> None:
    arguments, expected = PLACES[kernel]
    with pytest.raises(KernelFaultError) as caught:
        traced.run(kernel, 1, 64 if kernel == "faults_mixed_barriers" else 32, *arguments)
    assert caught.value.file == "faults.cu"
    assert caught.value.line is not None
    text = find_source("faults").read_text(encoding="utf-8").split("\n")[caught.value.line - 1]
    assert any(part in text for part in expected.split("|")), text


def test_memory_without_a_value_is_poisoned(runner: KernelRunner) -> None:
    other = KernelRunner(runner.device, "uninitialised")
    shared, untouched = other.run("uninitialised_shared", 3, 32, out(32), out(4, fill=None))
    poison = np.uint32(0xA5A5A5A5).astype(np.int32)
    np.testing.assert_array_equal(shared, [poison] * 32)
    np.testing.assert_array_equal(untouched, [poison] * 4)


# Launches that do not fit -------------------------------------------------------------------


def launch_text(
    runner: KernelRunner, grid: Dim3, block: Dim3, *arguments: Buffer | np.int32
) -> str:
    return fault(runner, lambda: runner.run("faults_write", grid, block, *arguments))


def test_a_wrong_number_of_arguments() -> None:
    text = launch_text(runner_of("sequential"), (1, 1, 1), (32, 1, 1), out(1))
    assert "faults_write takes 2 arguments and is given 1" in text


@pytest.mark.parametrize("wrong", [np.int64(1), np.uint64(1)])
def test_an_argument_of_the_wrong_size(wrong: np.int64 | np.uint64) -> None:
    runner = runner_of("sequential")
    text = fault(runner, lambda: runner.run("faults_write", 1, 32, out(1), wrong))
    assert "takes a value of 4 bytes as argument 2 and is given 8 bytes" in text


def test_a_value_where_a_buffer_belongs() -> None:
    text = launch_text(runner_of("sequential"), (1, 1, 1), (32, 1, 1), np.int32(0), np.int32(0))
    assert "takes a buffer as argument 1" in text


def test_a_buffer_where_a_value_belongs() -> None:
    text = launch_text(runner_of("sequential"), (1, 1, 1), (32, 1, 1), out(1), out(1, name="b"))
    assert "takes a value of 4 bytes as argument 2 and is given the buffer b" in text


def test_a_buffer_that_is_not_allocated() -> None:
    runner = runner_of("sequential")
    image = Buffer("image", (1,), np.dtype(np.uint8))
    kernel = Kernel("faults", "faults_none")
    with (
        runner.device.open(image, np.zeros(1, np.uint8)) as run,
        pytest.raises(KernelFaultError, match="buffer out, which is not allocated"),
    ):
        run.launch(launch_of(kernel, (1, 1, 1), (32, 1, 1), (out(32),)))


@pytest.mark.parametrize(
    ("grid", "block", "words"),
    [
        ((0, 1, 1), (32, 1, 1), "a grid of (0, 1, 1)"),
        ((1, 70_000, 1), (32, 1, 1), "a grid of (1, 70000, 1)"),
        ((1, 1, 1), (0, 1, 1), "a block of (0, 1, 1)"),
        ((1, 1, 1), (1, 1, 65), "a block of (1, 1, 65)"),
        ((1, 1, 1), (64, 32, 1), "2048 threads"),
    ],
)
def test_dimensions_that_no_gpu_takes(grid: Dim3, block: Dim3, words: str) -> None:
    assert words in launch_text(runner_of("sequential"), grid, block, out(1), np.int32(0))


def test_too_much_dynamic_shared_memory() -> None:
    runner = runner_of("sequential")
    text = fault(runner, lambda: runner.run("faults_none", 1, 32, out(32), shared_bytes=300_000))
    assert "300000 bytes of dynamic shared memory" in text


def test_an_unknown_kernel() -> None:
    runner = runner_of("sequential")
    with pytest.raises(KernelBuildError, match=r"no kernel nothing: it has faults_returned_lane"):
        runner.run("nothing", 1, 32, out(1))


def test_a_kernel_that_does_not_compile() -> None:
    runner = KernelRunner(EmulatorDevice(Schedule(), find_source), "uncompilable")
    with pytest.raises(
        KernelBuildError, match=r"uncompilable.cu:3: use of undeclared identifier 'undeclared_name'"
    ):
        runner.run("uncompilable", 1, 1, out(1))


def results(runner: KernelRunner) -> Values:
    (values,) = runner.run("faults_none", 1, 32, out(32))
    return values


def test_two_devices_run_from_two_threads() -> None:
    runners = [runner_of("sequential"), runner_of("synchronous"), runner_of("sequential")]
    failures: list[BaseException] = []

    def work(runner: KernelRunner) -> None:
        try:
            for _ in range(50):
                np.testing.assert_array_equal(results(runner), [32] * 32)
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(runner,)) for runner in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_faults_do_not_name_the_place_of_an_earlier_assertion(runner: KernelRunner) -> None:
    with pytest.raises(KernelFaultError) as asserted:
        runner.run("faults_assertion", 1, 32, out(32))
    with pytest.raises(KernelFaultError) as stray:
        runner.run("faults_write", 1, 32, out(32), np.int32(64))
    assert asserted.value.file == "faults.cu"
    assert asserted.value.line is not None
    assert stray.value.line != asserted.value.line


# Structs ------------------------------------------------------------------------------------


def test_neighbouring_elements_read_into_a_struct_need_no_wider_alignment(
    runner: KernelRunner,
) -> None:
    (values,) = runner.run("faults_pairs", 1, 32, out(32))
    np.testing.assert_array_equal(values, [-2, *(3 * t - 2 for t in range(1, 32))])


def test_structs_in_shared_memory(runner: KernelRunner) -> None:
    (values,) = runner.run("faults_copied_pairs", 1, 32, out(128), shared_bytes=256)
    pairs = values.reshape(2, 32, 2)
    np.testing.assert_array_equal(pairs[0], [(31 - t, 2 * (31 - t)) for t in range(32)])
    np.testing.assert_array_equal(pairs[1], [(7, 3 * (31 - t)) for t in range(32)])


def test_a_word_made_of_bytes_needs_no_alignment(runner: KernelRunner) -> None:
    (values,) = runner.run("faults_bytes", 1, 32, out(32, np.uint32))
    row = np.append(np.arange(32), [0] * 4).astype(np.uint8)
    expected = [int.from_bytes(row[t : t + 4].tobytes(), "little") for t in range(32)]
    np.testing.assert_array_equal(values, expected)


def test_halves_that_are_stored_as_two_ints_need_no_wider_alignment(runner: KernelRunner) -> None:
    (values,) = runner.run("faults_halves", 1, 32, out(65))
    np.testing.assert_array_equal(values[1:].reshape(32, 2), [(t, t + 1) for t in range(32)])


def test_an_access_past_the_end_is_not_called_misaligned(traced: KernelRunner) -> None:
    given = out(31, name="values")
    with pytest.raises(KernelFaultError, match=r"reads 4 bytes, just past the end of ") as caught:
        traced.run("faults_pair_past_the_end", 1, 31, out(31), given)
    assert caught.value.kind == "out of bounds"
    assert (caught.value.memory, caught.value.index) == ("values", 31)


@pytest.mark.parametrize(("kernel", "nbytes"), [("vector", 16), ("node", 4)])
def test_a_struct_copied_from_beyond_the_end(
    traced: KernelRunner, kernel: str, nbytes: int
) -> None:
    given = out(4 * 32, name="values")
    with pytest.raises(KernelFaultError, match=f"reads {nbytes} bytes, ") as caught:
        traced.run(f"faults_copied_{kernel}", 1, 32, out(4 * 32), given, np.int32(128))
    assert (caught.value.kind, caught.value.memory) == ("out of bounds", "values")


def test_a_struct_of_ints_needs_the_alignment_of_an_int_and_a_vector_more(
    traced: KernelRunner,
) -> None:
    traced.run("faults_copied_node", 1, 32, out(4 * 32), out(4 * 33, name="values"), np.int32(1))
    with pytest.raises(KernelFaultError, match="16 bytes"):
        traced.run(
            "faults_copied_vector", 1, 32, out(4 * 32), out(4 * 33, name="values"), np.int32(1)
        )


# Output -------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_output_is_shown_by_thread(schedule: str) -> None:
    runner = KernelRunner(EmulatorDevice(Schedule.parse(schedule), find_source), "language")
    printed: list[str] = []
    (values,) = runner.run(
        "language_printf",
        1,
        32,
        out(32),
        np.int32(2),
        after=lambda run: printed.extend(run.printed),
    )
    np.testing.assert_array_equal(values[:3], [6, 6, 0])
    first, second = (f"language_printf: thread ({t}, 0, 0) of block (0, 0, 0): " for t in (0, 1))
    assert sorted(printed) == sorted(
        (
            f"{first}cell 0 of 4000000000:  0.00 a% ffffffff",
            f"{second}cell -1 of 4000000000:  0.25 b% ffffffff",
            f"{second}plain",
            f"{second}in two lines",
            f"{second}-1099511627776 000000ff",
        )
    )


def test_endless_output_is_cut() -> None:
    runner = KernelRunner(EmulatorDevice(Schedule(), find_source), "language")
    printed: list[str] = []
    arguments = (out(1024), np.int32(1024))
    runner.run(
        "language_printf", 1, 1024, *arguments, after=lambda run: printed.extend(run.printed)
    )
    assert 10 < len(printed) < 1024
    assert re.search(r"the output of \d+ more calls did not fit", printed[-1])
