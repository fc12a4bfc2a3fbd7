"""The cache of labels, and the facts about a cell."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

import numpy as np
import pytest
from support.models import HeldExecutor

from ccl_viewer import record
from ccl_viewer.recording import Recording
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.window.core.cell_info import (
    inspect_cell,
    next_in_raster_order,
    next_step_that_changes,
    path_to_root,
)
from ccl_viewer.window.core.labels import LARGE, LabelCache
from ccl_viewer.window.core.run_display import RunDisplay, ShownRun
from ccl_viewer.window.core.tasks import TaskQueue


def packed(source: str) -> Recording:
    """A run with all frames packed."""
    run = record(source, algorithm="label_equivalence", device="emulator")
    run.data.label_history.pack_device_frames()
    return run


@pytest.fixture
def recording() -> Recording:
    """Label Equivalence on noise of 32 x 24 cells."""
    return packed("pattern:noise?width=32&height=24&density=0.6")


@pytest.fixture
def large() -> Recording:
    """The same on a grid of more cells than are decoded at once."""
    side = isqrt(LARGE) + 1
    return packed(f"pattern:noise?width={side}&height={side}&density=0.6")


@pytest.fixture
def executor() -> HeldExecutor:
    """The pool."""
    return HeldExecutor()


@pytest.fixture
def cache(executor: HeldExecutor) -> Iterator[LabelCache]:
    """A cache whose work waits for the test."""
    tasks = TaskQueue(lambda call: call(), executor)
    yield LabelCache(tasks)
    tasks.close()


def some_cells(recording: Recording) -> ChosenCells:
    """Return a few cells in two rows."""
    return ChosenCells.of(np.array([[3, 40, 99], [0, 700, 5]]))


def test_small_grids_are_decoded_at_once(cache: LabelCache, recording: Recording) -> None:
    cells = some_cells(recording)
    for index in (0, 2, 1):
        labels = recording.labels(index)
        sample = cache.fetch_labels(recording, index, cells)
        assert sample is not None
        assert np.array_equal(sample, labels.reshape(-1)[cells.cells])
        assert np.array_equal(cache.make_label_lookup(recording, index)(cells.cells), sample)


def test_one_step_at_a_time_is_followed_on_the_pool(
    cache: LabelCache, executor: HeldExecutor, large: Recording
) -> None:
    recording = large
    cells, ready = some_cells(recording), list[bool]()
    cache.ready.connect(lambda: ready.append(True))

    def known(index: int) -> bool:
        return cache.fetch_roots(recording, index, cells, depths=False) is not None

    assert not known(1)
    assert not known(2)
    assert cache.is_decoding(recording)
    executor.work()
    assert ready == [True]
    assert not cache.is_decoding(recording)
    assert known(1)
    assert not known(2), "who still needs it asks again, like this"
    executor.work()
    assert known(2)


def test_cells_in_sight_are_decoded_without_the_others(cache: LabelCache, large: Recording) -> None:
    recording, cells = large, some_cells(large)
    for index in (len(recording) - 1, 1, 2, 0):
        found = cache.fetch_labels(recording, index, cells)
        assert found is not None
        assert np.array_equal(found, recording.labels(index).reshape(-1)[cells.cells])
        assert cache.fetch_labels(recording, index, cells) is found


def test_roots_are_followed_on_the_pool(
    cache: LabelCache, executor: HeldExecutor, large: Recording
) -> None:
    recording, cells = large, some_cells(large)
    assert cache.fetch_roots(recording, 1, cells, depths=True) is None
    executor.work()
    depths = cache.fetch_roots(recording, 1, cells, depths=True)
    assert depths is not None
    lookup = cache.make_label_lookup(recording, 1)
    for place, depth in zip(cells.cells.reshape(-1).tolist(), depths.reshape(-1), strict=True):
        y, x = divmod(place, recording.image.shape[1])
        path = path_to_root(lookup, recording.layout, (x, y))
        steps = len(path) if path and path[-1] != (x, y) else 0
        assert depth == (steps if path else -1)


def test_a_cell_is_told_with_its_path(cache: LabelCache, recording: Recording) -> None:
    display = RunDisplay()
    display.show(ShownRun.prepare(recording), index=-1)
    y, x = np.argwhere(recording.image)[-1].tolist()
    info = inspect_cell((x, y), recording.image, display, cache)
    assert info.label == recording.labels(-1)[y, x]
    assert info.root is not None
    assert info.component is not None
    assert info.text.startswith(f"x {x}, y {y}")
    assert f"component {info.component.number}" in info.text
    outside = inspect_cell((99, 99), recording.image, display, cache)
    assert outside.label is None
    assert "background" in outside.text


@pytest.mark.parametrize("algorithm", ["ha4", "label_equivalence"])
def test_background_is_called_so_alone(cache: LabelCache, algorithm: str) -> None:
    run = record(np.array([[0, 1]], np.uint8), algorithm=algorithm)
    display = RunDisplay()
    display.show(ShownRun.prepare(run), index=-1)
    told = inspect_cell((0, 0), run.image, display, cache).text
    assert told.endswith("background")


def test_a_cell_that_has_no_label_yet_is_said_to_have_none(cache: LabelCache) -> None:
    run = record(np.ones((1, 4), np.uint8), algorithm="ha4")
    display = RunDisplay()
    display.show(ShownRun.prepare(run), index=0)
    told = [inspect_cell((x, 0), run.image, display, cache).text for x in (0, 1)]
    assert "label 0" in told[0]
    assert "no label yet" in told[1]
    assert "-1" not in told[1]


def test_the_next_step_that_changes_a_cell(recording: Recording) -> None:
    changed = recording.labels(2) != recording.labels(1)
    y, x = np.argwhere(changed)[0].tolist()
    assert next_step_that_changes(recording, 1, (x, y)) == 2
    assert next_step_that_changes(recording, len(recording) - 1, (x, y)) is None


def test_the_next_changed_cell_goes_round() -> None:
    changed = np.array([3, 12, 25])
    assert next_in_raster_order(changed, 10, None) == (3, 0)
    assert next_in_raster_order(changed, 10, (3, 0)) == (2, 1)
    assert next_in_raster_order(changed, 10, (5, 2)) == (3, 0)
    assert next_in_raster_order(np.array([], np.int64), 10, None) is None
