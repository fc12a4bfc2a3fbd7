"""Frames in a device's memory: they are packed when it is full, and stay the same."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.devices.emulator.backend import EmulatorArrayBackend
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.errors import DeviceUnavailableError
from ccl_viewer.execution.plan import Array, LabelLayout
from ccl_viewer.recording import Recorder, Recording, history, open_recording
from ccl_viewer.recording.grid_kernels import GridKernels
from ccl_viewer.recording.history import FrameBudget, History
from ccl_viewer.recording.partial_frames import ChosenCells

Frame = npt.NDArray[np.int32]
SHAPE = (40, 50)


class SmallBackend(EmulatorArrayBackend):
    """A device with room for five frames of 40 x 50 labels."""

    def __init__(self, full: Iterable[bool] = ()) -> None:
        super().__init__()
        self.memory_budget = 5 * 40 * 50 * 4
        self.full = iter(full)

    def crop(self, array: Any, layout: LabelLayout | None, dtype: Any) -> Array:
        if next(self.full, False):
            raise DeviceUnavailableError("There is not enough memory.")
        return super().crop(array, layout, dtype)


class SmallDevice(EmulatorDevice):
    def __init__(self, backend: SmallBackend) -> None:
        super().__init__()
        self.backend = backend

    def array_backend(self) -> EmulatorArrayBackend:  # type: ignore[override]
        return self.backend


@pytest.fixture
def backend() -> Iterator[SmallBackend]:
    yield SmallBackend()
    history.get_background_packer().submit(lambda: None).result()


@pytest.fixture
def budget(backend: SmallBackend) -> FrameBudget:
    return FrameBudget.of(backend)


def record_on(backend: SmallBackend, algorithm: str, **options: Any) -> Recording:
    image, device = noise(*SHAPE, 0.6), SmallDevice(backend)
    return Recorder(image, find_algorithm(algorithm), device, 4, **options).run()


def frames_of(count: int) -> list[Frame]:
    rng = np.random.default_rng(0)
    frames = [rng.integers(-(2**31), 2**31, SHAPE, dtype=np.int64).astype(np.int32)]
    for _ in range(count - 1):
        share = rng.choice([0.0, 0.01, 0.6])
        frames.append(np.where(rng.random(SHAPE) < share, frames[-1] + 1, frames[-1]))
    return frames


def whole_history(backend: SmallBackend) -> History:
    kernels = GridKernels(backend, np.ones(SHAPE, np.uint8), 4)
    return History(*SHAPE, background=0, kernels=kernels)


def test_the_earliest_frames_are_packed_once_there_is_no_room(
    backend: SmallBackend, budget: FrameBudget
) -> None:
    frames, history = frames_of(60), whole_history(backend)
    cells = ChosenCells.of(np.array([3, 700, 1999]))
    for count, frame in enumerate(frames, 1):
        history.append_device_frame(frame)
        assert budget.taken <= budget.nbytes
        assert len(history) == count
    for index in [*range(60), 3, 59, 20, 0]:
        np.testing.assert_array_equal(history.frame(index), frames[index])
        np.testing.assert_array_equal(history.device_frame(index), frames[index])
        found = history.read_cells(index, cells)
        np.testing.assert_array_equal(found, frames[index].reshape(-1)[cells.cells])
        before = frames[index - 1] if index else np.zeros(SHAPE, np.int32)
        changed = np.flatnonzero(frames[index] != before)
        np.testing.assert_array_equal(history.changed_cells(index), changed)
        assert history.deltas(range(index, index + 1))[0].changed == changed.size


def test_frames_are_whole_to_readers_while_they_are_packed(
    backend: SmallBackend, budget: FrameBudget
) -> None:
    history, done, problems = whole_history(backend), threading.Event(), list[str]()
    history.append_device_frame(np.zeros(SHAPE, np.int32))

    def read(seed: int) -> None:
        rng = np.random.default_rng(seed)
        while not done.is_set():
            index = int(rng.integers(len(history)))
            if not (history.frame(index) == index).all():
                problems.append(f"frame {index}")
                return

    readers = [threading.Thread(target=read, args=(seed,)) for seed in range(2)]
    for reader in readers:
        reader.start()
    try:
        for index in range(1, 150):
            history.append_device_frame(np.full(SHAPE, index, np.int32))
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert problems == []
    assert budget.taken <= budget.nbytes


@pytest.mark.parametrize("algorithm", ["label_equivalence", "ha4_features", "shibata_naive"])
def test_runs_that_take_more_than_the_room_are_the_same(
    backend: SmallBackend, budget: FrameBudget, tmp_path: Path, algorithm: str
) -> None:
    run = record_on(backend, algorithm)
    assert budget.taken <= budget.nbytes
    run.save(tmp_path / "run.cclrec")
    assert_same(run, open_recording(tmp_path / "run.cclrec"))


def assert_same(run: Recording, again: Recording) -> None:
    for step in run.steps:
        np.testing.assert_array_equal(run.labels(step.index), again.labels(step.index))
        assert run.change_counts(step.index) == again.change_counts(step.index)
        assert run.tree_counts(step.index) == again.tree_counts(step.index)
        for layer in run.layers:
            mine, theirs = (one.layer(layer, step.index) for one in (run, again))
            np.testing.assert_array_equal(mine, theirs)
    assert run.verdict == again.verdict


def test_a_run_goes_on_where_the_devices_memory_is_full(tmp_path: Path) -> None:
    """Frames are packed to make room for the next one, with a message."""
    said = list[str]()
    expected = record_on(SmallBackend(), "label_equivalence")
    full = SmallBackend([False, False, True, False, True])
    run = record_on(full, "label_equivalence", progress=said.append)
    assert_same(run, expected)
    assert any("memory is full" in words for words in said)
