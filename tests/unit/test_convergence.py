"""Wrong cells, mistakes and mergers, against counting them one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.grids import any_grid, noise
from support.recordings import played
from support.wrong_counts import wrong_after_each

import ccl_viewer as ccl
from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import find_first_mixed_step, find_hooked_roots
from ccl_viewer.reference import label_reference

ROW = np.array([[1, 1, 1, 0, 1, 1]], np.uint8)
OWN = [0, 1, 2, -1, 4, 5]
RIGHT = [0, 0, 0, -1, 4, 4]


def root(parents: list[int], cell: int) -> int:
    """Follow one cell, one step at a time."""
    for _ in range(len(parents) + 1):
        parent = parents[cell]
        if not 0 <= parent < len(parents):
            return -1
        if parent == cell:
            return cell
        cell = parent
    return -1


def naive_wrong(recording: Recording, index: int) -> int:
    """Count wrong cells one by one."""
    now = recording.parents(index).ravel().tolist()
    last = recording.parents(-1).ravel().tolist()
    components, count = label_reference(recording.image, recording.connectivity)
    cells = components.ravel().tolist()
    right = recording.verdict is not None and recording.verdict.correct
    wrong = 0
    for number in range(1, count + 1):
        own = [cell for cell, other in enumerate(cells) if other == number]
        ends = [root(last, cell) for cell in own]
        target = next((end for end in ends if end >= 0), None)
        for cell, end in zip(own, ends, strict=True):
            if not (right and end < 0):
                wrong += target is None or root(now, cell) != target
    return wrong


def naive_mixes(recording: Recording, index: int) -> bool:
    parents = recording.parents(index).ravel().tolist()
    cells = label_reference(recording.image, recording.connectivity)[0].ravel().tolist()
    return any(
        parent >= len(cells) or cells[parent] != cells[cell]
        for cell, parent in enumerate(parents)
        if parent >= 0
    )


@st.composite
def runs(draw: st.DrawFn) -> Recording:
    """Recordings of anything: right and wrong trees, circles, cells without labels."""
    image = draw(any_grid(6))
    shape, cells = image.shape, image.size
    drawn = draw(st.lists(st.binary(min_size=cells, max_size=cells), min_size=1, max_size=4))
    arrays = [np.frombuffer(frame, np.uint8).reshape(shape) for frame in drawn]
    frames = [array.astype(np.int32) % (cells + 2) - 1 for array in arrays]
    if draw(st.booleans(), label="right in the end"):
        numbers, _ = label_reference(image, 4)
        _, first, of_cell = np.unique(numbers, return_index=True, return_inverse=True)
        frames.append(np.where(image != 0, first[of_cell.reshape(shape)], -1).astype(np.int32))
    return played(image, frames, finished=draw(st.booleans(), label="finished"))


@settings(max_examples=100)
@given(runs())
def test_counts_are_those_found_one_by_one(recording: Recording) -> None:
    expected = [naive_wrong(recording, index) for index in range(len(recording))]
    assert [recording.tree_counts(index).wrong for index in range(len(recording))] == expected
    assert recording.tree_counts(-1).wrong == expected[-1]


def test_the_final_root_in_a_wrong_run_is_that_of_the_first_cell_that_has_one() -> None:
    run = played(np.array([[1, 1, 1, 1, 0]], np.uint8), [[-1, 1, 2, 2, -1]])
    assert run.tree_counts(-1).wrong == 3  # all but the cell at x = 1


@settings(max_examples=100)
@given(runs())
def test_the_first_mistake_is_the_one_found_one_by_one(recording: Recording) -> None:
    mistakes = [i for i in range(len(recording)) if naive_mixes(recording, i)]
    right = recording.verdict is not None and recording.verdict.correct
    assert find_first_mixed_step(recording) == (mistakes[0] if mistakes and not right else None)


@settings(max_examples=100)
@given(runs())
def test_mergers_are_those_found_one_by_one(recording: Recording) -> None:
    for index in range(len(recording)):
        now = recording.parents(index).ravel().tolist()
        before = recording.parents(index - 1).ravel().tolist() if index else []
        lost = [cell for cell, parent in enumerate(before) if parent == cell and now[cell] != cell]
        assert find_hooked_roots(recording, index).tolist() == lost


@pytest.mark.parametrize("schedule", ["synchronous", "random:2"])
@pytest.mark.parametrize("key", ["label_equivalence", "stava_benes", "bke", "shibata_fast"])
def test_real_runs_converge_and_merge_roots_into_roots(key: str, schedule: str) -> None:
    image = noise(20, 29, 0.6)
    connectivity = ccl.algorithms.ALGORITHMS[key].connectivities[0]
    recording = ccl.record(
        image, key, connectivity=connectivity, device="emulator", schedule=schedule
    )
    found = wrong_after_each(recording)
    assert found.tolist() == [naive_wrong(recording, i) for i in range(len(recording))]
    assert found[-1] == 0
    assert find_first_mixed_step(recording) is None
    roots = [step.roots for step in recording.steps]
    for index in range(1, len(recording)):
        merged = find_hooked_roots(recording, index)
        assert len(merged) >= roots[index - 1] - roots[index]


def test_cells_that_a_right_run_leaves_without_labels_are_not_counted() -> None:
    recording = ccl.record(noise(40, 57, 0.6), "ha4_features", connectivity=4, device="emulator")
    assert recording.verdict is not None
    assert recording.verdict.correct
    wrong = wrong_after_each(recording)
    assert wrong[0] > 0
    assert wrong[-1] == 0


def test_a_run_without_steps_has_nothing_to_count() -> None:
    recording = played(ROW, [], finished=False)
    assert find_first_mixed_step(recording) is None
    with pytest.raises(InputError, match="no step"):
        recording.tree_counts(0)


@pytest.mark.parametrize(
    "mistake",
    [
        [0, 0, 0, -1, 0, 4],  # two components in one tree
        [3, 0, 0, 3, 4, 4],  # a tree with background in it
        [0, 0, 0, -1, 6, 4],  # a label that names no cell
    ],
)
def test_the_first_mistake_stays_the_first(mistake: list[int]) -> None:
    recording = played(ROW, [OWN, mistake, [0, 0, 0, -1, 0, 0]])
    assert find_first_mixed_step(recording) == 1


def test_trees_that_were_never_joined_are_no_mistake_of_that_kind() -> None:
    recording = played(ROW, [OWN, [0, 0, 2, -1, 4, 4]])
    assert recording.verdict is not None
    assert not recording.verdict.correct
    assert find_first_mixed_step(recording) is None


def test_roots_that_lost_their_standing() -> None:
    recording = played(ROW, [OWN, [0, 0, 1, -1, -1, 5], [0, 0, 0, -1, 5, 5]])
    for index in (0, -1):
        assert find_hooked_roots(recording, index).size == 0
    assert find_hooked_roots(recording, 1).tolist() == [1, 2, 4]
