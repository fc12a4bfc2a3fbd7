"""How often threads call atomic functions: the emulator's count against others' of the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.fakes import picture, recorded
from support.kernel_runner import KernelRunner, find_source, image_of, launch_of, out

from ccl_viewer import record
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.plan import Buffer, Kernel
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.recording import Recording

SCHEDULES = ("sequential", "synchronous", "reverse", "random:1")
RINGS = picture("####### #.....# #.###.# #.#.#.# #.###.# #.....# #######")


def noise(height: int = 40, width: int = 61) -> npt.NDArray[np.uint8]:
    return (np.random.default_rng(8).random((height, width)) < 0.6).astype(np.uint8)


def count_of(
    device: EmulatorDevice, module: str, name: str, blocks: int, block: int, *buffers: Buffer
) -> int | None:
    """The atomic operations of one launch of a kernel."""
    image, pixels = image_of(np.zeros(1, np.uint8))
    launch = launch_of(Kernel(module, name, ()), (blocks, 1, 1), (block, 1, 1), buffers)
    with device.open(image, pixels) as run:
        for buffer in buffers:
            run.allocate(buffer)
        run.launch(launch)
        return run.atomics


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_call_counts_once(schedule: str) -> None:
    device = EmulatorDevice(Schedule.parse(schedule), find_source)
    assert count_of(device, "atomics", "atomics_tickets", 5, 100, out(1), out(500)) == 500
    words, sums = out(4, np.uint32), out(1, np.float32, name="sums")
    assert count_of(device, "atomics", "atomics_others", 2, 50, words, sums) == 5 * 100


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_loop_of_tries_counts_each(schedule: str) -> None:
    device = EmulatorDevice(Schedule.parse(schedule), find_source)
    tries, cell = out(300, np.uint32, name="tries"), out(1, np.uint32, name="cell")
    found = count_of(device, "atomics", "atomics_tries", 3, 100, cell, tries)
    (_, told) = KernelRunner(device, "atomics").run("atomics_tries", 3, 100, cell, tries)
    # The kernel counts its own tries; the same schedule repeats the same run.
    assert found == int(told.sum())
    assert found >= 300


def test_workers_add_up_what_each_has_counted() -> None:
    device = EmulatorDevice(find_source=find_source, cores=3)
    blocks, block = 200, 256  # enough to be spread over workers
    drawn = out(blocks * block)
    assert count_of(device, "atomics", "atomics_tickets", blocks, block, out(1), drawn) == 51_200


def test_each_launch_is_counted_anew() -> None:
    recording = record(RINGS, "label_equivalence_sizes", device="emulator")
    kernels = [step.kernel for step in recording.steps if step.atomics]
    assert set(kernels) == {"label_equivalence_analysis_sizes"}
    assert recording.step(-1).atomics == 0


def merged_in_order(recording: Recording) -> int:
    """Komura's reduction as one thread after the other does it, counting the joins it tries."""
    labels = recording.parents(1).ravel().tolist()
    image, (height, width) = recording.image, recording.image.shape
    joins = 0
    for y in range(1, height):
        for x in range(1, width):
            if not (image[y, x] and image[y - 1, x] and image[y, x - 1]):
                continue
            one, other = (labels[y * width + x], labels[y * width + x - 1])
            while one != other and one != labels[one]:
                one = labels[one]
            while one != other and other != labels[other]:
                other = labels[other]
            while one != other:
                one, other = max(one, other), min(one, other)
                joins += 1
                seen, labels[one] = labels[one], min(labels[one], other)
                one = other if seen == one else seen
    return joins


def test_komura_joins_trees_as_often_as_counted_beside_it() -> None:
    recording = record(noise(), "komura", schedule="sequential", device="emulator")
    reduction = next(step for step in recording.steps if step.kernel == "komura_reduction")
    assert reduction.atomics == merged_in_order(recording) > 0
    assert recording.atomics == reduction.atomics


def test_ha4_joins_runs_of_two_rows_once_where_they_first_touch() -> None:
    # Each row is one run; rows 1 to 3 of the strip join the one above: 3 joins, and 1 of the
    # strips where the fifth row begins another.
    recording = record(np.ones((5, 32), np.uint8), "ha4", schedule="sequential", device="emulator")
    counts = {step.kernel: step.atomics for step in recording.steps}
    assert counts == {"ha4_strip_labeling": 3, "ha4_strip_merge": 1, "ha4_relabeling": 0}


@pytest.mark.parametrize("key", ["komura", "ha4", "stava_benes", "playne"])
@pytest.mark.parametrize("schedule", ["sequential", "synchronous", "random:4"])
def test_the_same_schedule_gives_the_same_counts(key: str, schedule: str) -> None:
    runs = [record(noise(20, 35), key, schedule=schedule, device="emulator") for _ in range(2)]
    counts = [[step.atomics for step in run.steps] for run in runs]
    assert counts[0] == counts[1]
    assert None not in counts[0]


def test_a_device_need_not_count() -> None:
    recording = recorded(RINGS)
    assert {step.atomics for step in recording.steps} == {None}
    assert recording.atomics is None
