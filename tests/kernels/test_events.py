"""The event log has what threads do, as one can write it down by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.kernel_runner import find_source, image_of, launch_of, out

from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.devices.emulator.events import (
    MAX_EVENTS,
    SHARED,
    EventKind,
    LaunchEvents,
    operation_name,
)
from ccl_viewer.devices.emulator.replay import MemoryReplay
from ccl_viewer.execution.plan import Dim3, Kernel
from ccl_viewer.execution.schedule import Schedule

THREADS = 64
VALUES = np.arange(100, 100 + THREADS, dtype=np.int32)
SCHEDULES = ("sequential", "reverse", "synchronous", "random:1", "random:2")


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def trace(
    schedule: str,
    kernel: str,
    blocks: int = 1,
    block: Dim3 | None = None,
    most: int = MAX_EVENTS,
    values: npt.NDArray[np.int32] = VALUES,
) -> LaunchEvents:
    device = EmulatorDevice(Schedule.parse(schedule), find_source)
    image, pixels = image_of(values)
    results = out(2 * THREADS)
    launch = launch_of(
        Kernel("events", f"events_{kernel}"), (blocks, 1, 1), (THREADS, 1, 1), (image, results)
    )
    with device.open(image, pixels) as run:
        run.allocate(results)
        return run.trace(launch, block, most)


def of_kind(events: LaunchEvents, kind: EventKind, block: int = 0) -> npt.NDArray[np.void]:
    """The events of a kind and block, by thread; those of one thread in their order."""
    log = events.events
    found = log[(log["kind"] == kind) & (log["block"] == block)]
    ordered: npt.NDArray[np.void] = found[np.argsort(found["thread"], kind="stable")]
    return ordered


def test_every_thread_loads_stores_and_adds_once(schedule: str) -> None:
    events = trace(schedule, "exchange")
    loads, stores = of_kind(events, EventKind.LOAD), of_kind(events, EventKind.STORE)
    device, shared = loads[loads["buffer"] == 0], loads[loads["buffer"] == SHARED]
    for found in (device, shared, stores):
        np.testing.assert_array_equal(found["thread"], np.arange(THREADS))
        np.testing.assert_array_equal(found["bytes"], 4)
    np.testing.assert_array_equal(device["offset"], 4 * np.arange(THREADS))
    np.testing.assert_array_equal(device["value"], VALUES)
    np.testing.assert_array_equal(stores["buffer"], SHARED)
    np.testing.assert_array_equal(stores["before"], 0xA5A5A5A5)
    np.testing.assert_array_equal(stores["value"], VALUES)
    np.testing.assert_array_equal(shared["value"], VALUES[::-1])


def test_atomics_have_the_value_before_and_after(schedule: str) -> None:
    log = trace(schedule, "exchange").events
    atomics = log[log["kind"] == EventKind.ATOMIC]
    np.testing.assert_array_equal(
        atomics["value"] - atomics["before"], VALUES[63 - atomics["thread"]]
    )
    assert atomics["before"][0] == 0
    np.testing.assert_array_equal(atomics["before"][1:], atomics["value"][:-1])
    assert atomics["value"][-1] == VALUES.sum()


def test_a_barrier_parts_the_accesses_of_a_block(schedule: str) -> None:
    events = trace(schedule, "exchange")
    log = events.events
    (passed,) = np.flatnonzero(log["kind"] == EventKind.BARRIER)
    arrivals = np.flatnonzero(log["kind"] == EventKind.ARRIVAL)
    assert {operation_name(number) for number in log["operation"][arrivals]} == {"__syncthreads"}
    assert sorted(log["thread"][arrivals]) == list(range(THREADS))
    assert arrivals.max() < passed
    assert (np.flatnonzero(log["kind"] == EventKind.STORE) < passed).all()
    assert (np.flatnonzero(log["kind"] == EventKind.ATOMIC) > passed).all()
    assert (of_kind(events, EventKind.END)["thread"] == np.arange(THREADS)).all()


def test_lanes_bring_and_get(schedule: str) -> None:
    lanes = of_kind(trace(schedule, "lanes"), EventKind.LANE)
    names = np.array([operation_name(number) for number in lanes["operation"]])
    ballot, shuffle = lanes[names == "__ballot_sync"], lanes[names == "__shfl_sync"]
    np.testing.assert_array_equal(ballot["before"], VALUES % 2)
    np.testing.assert_array_equal(ballot["value"], 0xAAAAAAAA)
    np.testing.assert_array_equal(ballot["offset"], 0xFFFFFFFF)
    np.testing.assert_array_equal(shuffle["before"], VALUES)
    np.testing.assert_array_equal(shuffle["source"], (np.arange(THREADS) + 1) % 32)
    rolled = np.roll(VALUES.reshape(2, 32), -1, axis=1).ravel()
    np.testing.assert_array_equal(shuffle["value"], rolled)


def test_lanes_of_one_operation_follow_each_other(schedule: str) -> None:
    log = trace(schedule, "lanes").events
    places = np.flatnonzero(log["kind"] == EventKind.LANE)
    groups = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    assert [len(group) for group in groups] == [32] * 4
    for group in groups:
        assert len(set(log["thread"][group] // 32)) == 1


def test_a_store_ends_a_round_of_the_synchronous_schedule() -> None:
    stores = of_kind(trace("synchronous", "twice"), EventKind.STORE)
    np.testing.assert_array_equal(stores["round"].reshape(THREADS, 2), [[1, 2]] * THREADS)


def test_accesses_of_every_width_can_be_played_again(schedule: str) -> None:
    events = trace(schedule, "widths", values=np.zeros(THREADS, np.int32))
    stores = of_kind(events, EventKind.STORE)
    stores = stores[stores["buffer"] == 0]
    assert stores["bytes"].tolist() == [1, 2, 4, 8, 8, 8, 1]
    memory = MemoryReplay(events, 0)
    moments = [0, *(np.flatnonzero(events.events["kind"] == EventKind.STORE) + 1)]
    known = [memory.replay_to(moment).tobytes() for moment in moments]
    assert known[-1][:20].hex() == "00112222444444448888888888888888" + "01ff0000"
    assert known[-1][20:32].hex() == "020000000300000004000000"
    for moment, content in reversed(list(zip(moments, known, strict=True))):
        assert memory.replay_to(moment).tobytes() == content
    assert known[0] == bytes(4 * THREADS)


def test_of_other_blocks_only_writes_to_device_memory_are_there(schedule: str) -> None:
    events = trace(schedule, "exchange", blocks=3, block=(1, 0, 0))
    assert events.block == (1, 0, 0)
    for other in (0, 2):
        log = events.events[events.events["block"] == other]
        assert set(log["kind"]) == {EventKind.ATOMIC}
        assert len(log) == THREADS
    whole = trace(schedule, "exchange", blocks=3).events
    own, same = (log[log["block"] == 1] for log in (events.events, whole))
    np.testing.assert_array_equal(own, same)


def test_too_many_events_are_counted_and_left_out(schedule: str) -> None:
    whole = trace(schedule, "exchange")
    for most in (1, 100):
        part = trace(schedule, "exchange", most=most)
        assert (len(part.events), part.lost) == (most, len(whole.events) - most)
        for field in ("kind", "thread", "offset", "before"):
            np.testing.assert_array_equal(part.events[field], whole.events[field][:most])


def test_logging_changes_nothing(schedule: str) -> None:
    first, second = (trace(schedule, "exchange", blocks=3) for _ in range(2))
    np.testing.assert_array_equal(first.events, second.events)


def test_events_up_to_a_fault_are_there(schedule: str) -> None:
    events = trace(schedule, "fault")
    assert "thread (5, 0, 0)" in events.fault
    assert "just past the end of out" in events.fault
    written = of_kind(events, EventKind.STORE)
    assert 5 in written["thread"]
    own = VALUES[written["thread"]]
    np.testing.assert_array_equal(written["value"], own)


def test_shared_variables_are_named(schedule: str) -> None:
    (tile,) = trace(schedule, "exchange").shared
    assert (tile.name, tile.dtype.name, tile.offset, tile.nbytes) == ("tile", "int32", 0, 256)
