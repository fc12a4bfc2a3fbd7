"""The order in which the emulator's schedules run threads, and what that shows of a kernel."""

from __future__ import annotations

import numpy as np
import pytest
from support.kernel_runner import KernelRunner, Values, find_source, image_of, launch_of, out

from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.plan import Dim3, Kernel
from ccl_viewer.execution.schedule import Order, Schedule


def runner_of(schedule: str | Schedule) -> KernelRunner:
    parsed = Schedule.parse(schedule) if isinstance(schedule, str) else schedule
    return KernelRunner(EmulatorDevice(parsed, find_source, cores=1), "schedules")


def shift(runner: KernelRunner, count: int, grid: Dim3, block: Dim3, launches: int = 1) -> Values:
    """Numbers the cells, then moves them one place to the right, in place."""
    cells = out(count, fill=None, name="cells")
    image, pixels = image_of(np.zeros(1, np.uint8))
    names = ["schedules_number", *["schedules_shift"] * launches]
    with runner.device.open(image, pixels) as run:
        run.allocate(cells)
        for name in names:
            kernel = Kernel("schedules", name)
            run.launch(launch_of(kernel, grid, block, (cells, np.int32(count))))
        return run.read(cells).copy()


# Synchronous --------------------------------------------------------------------------------


@pytest.mark.parametrize("launches", [1, 3])
def test_synchronous_threads_all_read_before_any_writes(launches: int) -> None:
    cells = shift(runner_of("synchronous"), 1000, (10, 1, 1), (100, 1, 1), launches)
    np.testing.assert_array_equal(cells, np.maximum(np.arange(1000) - launches, 0))


def test_sequential_threads_carry_the_first_value_to_the_end() -> None:
    cells = shift(runner_of("sequential"), 1000, (10, 1, 1), (100, 1, 1))
    np.testing.assert_array_equal(cells, np.zeros(1000))


def test_reverse_threads_read_what_nobody_has_written() -> None:
    cells = shift(runner_of("reverse"), 1000, (10, 1, 1), (100, 1, 1))
    np.testing.assert_array_equal(cells, np.maximum(np.arange(1000) - 1, 0))


def test_a_residency_limit_runs_the_grid_in_waves() -> None:
    residency = 256  # two blocks of 100 threads, each of four warps
    runner = runner_of(Schedule(Order.SYNCHRONOUS, residency=residency))
    cells = shift(runner, 1000, (10, 1, 1), (100, 1, 1))
    # Within a wave all read before any writes; the next wave reads what the last one wrote.
    expected = np.maximum(np.arange(1000) - 1, 0)
    for first in range(200, 1000, 200):
        expected[first] = expected[first - 1]
    np.testing.assert_array_equal(cells, expected)


def test_at_least_one_block_is_resident() -> None:
    runner = runner_of(Schedule(Order.SYNCHRONOUS, residency=1))
    cells = shift(runner, 300, (3, 1, 1), (100, 1, 1))
    expected = np.maximum(np.arange(300) - 1, 0)
    expected[100], expected[200] = expected[99], expected[199]
    np.testing.assert_array_equal(cells, expected)


def test_synchronous_stores_and_atomics_are_steps_in_thread_order() -> None:
    counter, seen = out(1, name="counter"), out(4 * 70, name="seen")
    _, values = runner_of("synchronous").run("schedules_steps", 1, 70, counter, seen)
    # Steps alternate: an atomic of every thread, then a store of every thread.
    rounds = np.arange(3)[None, :] * 70 + np.arange(70)[:, None]
    np.testing.assert_array_equal(values.reshape(70, 4)[:, :3], rounds)


def test_loads_are_no_steps_of_the_synchronous_schedule() -> None:
    cells, seen = out(52, name="cells"), out(50, name="seen")
    _, values = runner_of("synchronous").run("schedules_neighbours", 1, 50, cells, seen)
    # After its store a thread goes on at once: the next in order has not stored yet.
    np.testing.assert_array_equal(values, [0] + [1] * 49)


def test_threads_that_a_barrier_releases_take_part_in_the_same_round() -> None:
    counter, order = out(2, name="counter"), out(2, name="order")
    _, places = runner_of("synchronous").run("schedules_released", 1, 2, counter, order)
    np.testing.assert_array_equal(places, [0, 1])


def test_65536_threads_are_resident() -> None:
    count = 65_536
    cells = shift(runner_of("synchronous"), count, (count // 256, 1, 1), (256, 1, 1))
    np.testing.assert_array_equal(cells, np.maximum(np.arange(count) - 1, 0))


# Order --------------------------------------------------------------------------------------


def order(schedule: str, grid: int = 3, block: int = 50) -> Values:
    counter, places = out(1, name="counter"), out(grid * block, name="order")
    return runner_of(schedule).run("schedules_order", grid, block, counter, places)[1]


def test_sequential_and_synchronous_threads_come_in_order() -> None:
    for schedule in ("sequential", "synchronous"):
        np.testing.assert_array_equal(order(schedule), np.arange(150))


def test_reverse_threads_come_in_the_opposite_order() -> None:
    np.testing.assert_array_equal(order("reverse"), np.arange(150)[::-1])


def test_random_threads_come_in_an_order_of_their_own() -> None:
    orders = [tuple(order(f"random:{seed}")) for seed in range(8)]
    assert len(set(orders)) == 8
    assert all(sorted(places) == list(range(150)) for places in orders)


def test_a_seed_names_one_run() -> None:
    for seed in range(8):
        np.testing.assert_array_equal(order(f"random:{seed}"), order(f"random:{seed}"))


def test_launches_of_a_run_are_played_differently() -> None:
    counter, first, second = out(2, name="counter"), out(64, name="a"), out(64, name="b")
    image, pixels = image_of(np.zeros(1, np.uint8))
    kernel = Kernel("schedules", "schedules_order")
    with runner_of("random:5").device.open(image, pixels) as run:
        for buffer in (counter, first, second):
            run.allocate(buffer)
        for places in (first, second):
            run.fill(counter, 0)
            run.launch(launch_of(kernel, (2, 1, 1), (32, 1, 1), (counter, places)))
        assert not np.array_equal(run.read(first), run.read(second))


# Races --------------------------------------------------------------------------------------


def test_sequential_threads_lose_no_update() -> None:
    for schedule in ("sequential", "reverse"):
        (values,) = runner_of(schedule).run("schedules_lost", 2, 64, out(1))
        assert values[0] == 128


def test_interleaved_threads_lose_updates() -> None:
    for schedule in ("synchronous", "random:1"):
        (values,) = runner_of(schedule).run("schedules_lost", 2, 64, out(1))
        assert values[0] < 128


def double_use(barriers: int, seed: int) -> bool:
    (sums,) = runner_of(f"random:{seed}").run(
        "schedules_double_use", 1, 128, out(128), np.int32(20), macros=(("BARRIERS", barriers),)
    )
    return bool(sums.any())


def test_some_seed_shows_a_missing_second_barrier() -> None:
    assert any(double_use(1, seed) for seed in range(20))


def test_no_seed_finds_fault_with_both_barriers() -> None:
    assert not any(double_use(2, seed) for seed in range(200))


@pytest.mark.parametrize("schedule", ["sequential", "synchronous", "reverse", "random:3"])
@pytest.mark.parametrize("block", [32, 128])
def test_a_thread_that_waits_for_another_lets_it_run(schedule: str, block: int) -> None:
    flag, seen = out(1, name="flag"), out(1)
    _, values = runner_of(schedule).run("schedules_spin", 1, block, flag, seen)
    assert values[0] == 42


def test_all_cores_give_what_one_gives() -> None:
    image, pixels = image_of(np.zeros(1, np.uint8))
    count = 100_000
    cells = out(count, fill=None, name="cells")
    kernel = Kernel("schedules", "schedules_number")
    device = EmulatorDevice(Schedule(), find_source, cores=5)
    with device.open(image, pixels) as run:
        run.allocate(cells)
        run.launch(launch_of(kernel, (1000, 1, 1), (100, 1, 1), (cells, np.int32(count))))
        np.testing.assert_array_equal(run.read(cells), np.arange(count))


@pytest.mark.parametrize("schedule", ["sequential", "random:1"])
def test_a_whole_block_that_waits_for_one_thread_is_no_runaway(schedule: str) -> None:
    """Together they turn more often than one thread may, and more than sixteen may."""
    device = EmulatorDevice(Schedule.parse(schedule), find_source, turn_limit=2**19)
    _, values = KernelRunner(device, "schedules").run(
        "schedules_spin_together", 1, 256, out(1), out(256)
    )
    np.testing.assert_array_equal(values, [42] * 256)
