"""What is known of Row-Col Unify, Label Equivalence, Komura and the two-pass union-find."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.expected import first_cells
from support.grids import Grid, comb, diagonals, noise, spiral

import ccl_viewer as ccl
from ccl_viewer.recording import Recording
from ccl_viewer.reference import label_reference

Cells = npt.NDArray[np.int64]

SCHEDULES = ("sequential", "synchronous", "reverse", "random:4")
GRIDS: dict[str, Grid] = {
    "noise": noise(40, 37, 0.6),
    "spiral": spiral(21),
    "comb": comb(20, 41),
    "diagonals": diagonals(30),
    "full": np.ones((21, 34), np.uint8),
    "empty": np.zeros((5, 6), np.uint8),
}


def record(image: Grid, key: str, schedule: str = "synchronous") -> Recording:
    return ccl.record(image, key, device="emulator", schedule=schedule)


def areas_at_roots(image: Grid, connectivity: int) -> Cells:
    first = first_cells(image, connectivity).ravel()
    return np.bincount(first[first >= 0], minlength=first.size).reshape(image.shape)


# Row-Col Unify ------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["synchronous", "sequential"])
@pytest.mark.parametrize("size", [16, 32, 64])
def test_row_col_unify_turns_one_corner_a_pass(size: int, schedule: str) -> None:
    """Kalentev et al. 2011, section 4: 514 iterations on a spiral of 1024, that is n / 2 + 2.

    The spiral begins downwards: one that begins along the first row needs one iteration less.
    """
    recording = record(np.ascontiguousarray(spiral(size).T), "row_col_unify", schedule)
    assert recording.iterations == size // 2 + 2
    np.testing.assert_array_equal(
        recording.parents(-1), first_cells(np.ascontiguousarray(spiral(size).T), 4)
    )


def test_a_pass_unites_whole_rows_and_then_whole_columns() -> None:
    image = noise(23, 90, 0.7)
    recording = record(image, "row_col_unify")
    rows, columns = recording.labels(1), recording.labels(2)
    for y, x in np.argwhere(image[:, 1:] & image[:, :-1]):
        assert rows[y, x] == rows[y, x + 1]
    for y, x in np.argwhere(image[1:] & image[:-1]):
        assert columns[y, x] == columns[y + 1, x]
    starts = image.astype(bool)
    starts[:, 1:] &= ~image[:, :-1].astype(bool)
    np.testing.assert_array_equal(rows[starts], recording.labels(0)[starts])


@pytest.mark.parametrize("threads", [1, 3, 16, 512])
def test_row_col_unify_takes_long_rows_in_segments(threads: int) -> None:
    """Segments change the way a row is united, but not the labels or the iterations."""
    for image in GRIDS.values():
        whole = record(image, "row_col_unify")
        parts = ccl.record(
            image, "row_col_unify", device="emulator", schedule="random:2", threads=threads
        )
        assert parts.iterations == whole.iterations
        for step in range(len(whole)):
            np.testing.assert_array_equal(parts.labels(step), whole.labels(step))


@pytest.mark.parametrize("shape", [(2, 1025), (2, 3000), (2500, 2), (1, 2049)])
@pytest.mark.parametrize("density", [0.8, 1.0])
def test_row_col_unify_takes_rows_that_no_block_can_hold(
    shape: tuple[int, int], density: float
) -> None:
    image = noise(*shape, density)
    recording = record(image, "row_col_unify", "sequential")
    np.testing.assert_array_equal(recording.parents(-1), first_cells(image, 4))


@pytest.mark.parametrize(("size", "labels"), [(31, 7), (63, 15)])
def test_the_papers_checks_can_leave_several_labels_in_a_component(size: int, labels: int) -> None:
    """Row-Col Unify as printed looks at pairs alone: it stops while labels still differ."""
    recording = ccl.record(
        spiral(size),
        "row_col_unify",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
        variant="printed_checks",
    )
    assert recording.converged
    assert len(set(recording.labels(-1)[recording.image != 0].tolist())) == labels
    assert recording.verdict is not None
    assert not recording.verdict.correct
    assert recording.sentence.startswith(
        f"WRONG: {labels} components where the reference finds 1; "
    )


def test_row_col_unify_as_printed_labels_background() -> None:
    """Algorithm 3 lets both cells of a pair refer to the first, connected or not."""
    image = np.array([[1, 0, 0, 1, 0, 0]], np.uint8)
    printed = ccl.record(image, "row_col_unify", device="emulator", variant="printed_references")
    assert printed.labels(1).tolist() == [[8, 8, 0, 0, 0, 0]]
    assert printed.verdict is not None
    assert not printed.verdict.correct


@pytest.mark.parametrize(
    ("key", "connectivity"),
    [("row_col_unify", 4), ("label_equivalence_hawick", 4), ("label_equivalence_hawick", 8)],
)
def test_no_step_depends_on_the_schedule(key: str, connectivity: int) -> None:
    """Their kernels have no visible race: the end and each step are the same.

    Later iterations make up for what an earlier one leaves undone, so that a missing barrier, or a
    plain store instead of an atomic minimum, would not show at the end.
    """
    for image in (noise(4, 40, 0.85), noise(37, 5, 0.85), spiral(9), noise(14, 15, 0.62)):
        expected = ccl.record(
            image, key, connectivity=connectivity, device="emulator", schedule="synchronous"
        )
        for seed in range(6):
            found = ccl.record(
                image, key, connectivity=connectivity, device="emulator", schedule=f"random:{seed}"
            )
            assert len(found) == len(expected)
            for step in range(len(found)):
                np.testing.assert_array_equal(
                    found.labels(step), expected.labels(step), err_msg=f"seed {seed}, step {step}"
                )
                for layer in expected.layers:
                    np.testing.assert_array_equal(
                        found.layer(layer, step), expected.layer(layer, step)
                    )


# Label Equivalence --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [7, 31, 64, 127])
@pytest.mark.parametrize("key", ["label_equivalence_hawick", "label_equivalence_sizes"])
def test_the_label_equivalence_family_needs_three_iterations_on_a_spiral(
    key: str, size: int
) -> None:
    """Kalentev et al. 2011, section 3: 3 iterations, regardless of the size of the map."""
    assert record(spiral(size), key).iterations == 3


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("connectivity", [4, 8])
def test_sizes_end_at_the_roots_and_are_exact(connectivity: int, schedule: str) -> None:
    """Kalentev et al. 2011, Listing 4: the element with the smallest index has the size."""
    for name, image in GRIDS.items():
        recording = ccl.record(
            image,
            "label_equivalence_sizes",
            connectivity=connectivity,
            device="emulator",
            schedule=schedule,
        )
        np.testing.assert_array_equal(
            recording.layer("sizes", -1), areas_at_roots(image, connectivity), err_msg=name
        )


def test_sizes_of_segments_are_exact() -> None:
    image = np.random.RandomState(3).randint(0, 4, (30, 41)).astype(np.uint8)
    recording = ccl.record(
        image,
        "label_equivalence_sizes",
        connectivity=8,
        device="emulator",
        schedule="random:1",
        multivalued=True,
    )
    expected = sum(areas_at_roots((image == value).astype(np.uint8), 8) for value in (1, 2, 3))
    np.testing.assert_array_equal(recording.layer("sizes", -1), expected)


def test_sizes_are_handed_on_and_never_lost() -> None:
    image = noise(40, 37, 0.6)
    recording = record(image, "label_equivalence_sizes", "random:7")
    np.testing.assert_array_equal(recording.layer("sizes", 0), image)
    components = label_reference(image, 4)[0]
    areas = np.bincount(components.ravel(), weights=image.ravel())
    for step in range(len(recording)):
        sizes = recording.layer("sizes", step)
        np.testing.assert_array_equal(np.bincount(components.ravel(), weights=sizes.ravel()), areas)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_original_keeps_labels_and_references_apart(schedule: str) -> None:
    """Scanning and analysis write references only; labelling replaces each label by its own."""
    recording = record(noise(40, 37, 0.6), "label_equivalence_hawick", schedule)
    for step in recording.steps:
        if step.index == 0:
            np.testing.assert_array_equal(recording.layer("references", 0), recording.labels(0))
            continue
        before, after = recording.labels(step.index - 1), recording.labels(step.index)
        references = recording.layer("references", step.index)
        if step.stage == "label":
            used = before >= 0
            np.testing.assert_array_equal(after[used], references.ravel()[before[used]])
            np.testing.assert_array_equal(references, recording.layer("references", step.index - 1))
        else:
            assert step.changed == 0
            np.testing.assert_array_equal(after, before)


def test_the_original_needs_no_more_iterations_than_the_one_without_atomics() -> None:
    """On noise: an atomic minimum loses no update, and a lost one is what costs iterations."""
    for density in (0.3, 0.5, 0.6, 0.7):
        image = noise(64, 64, density)
        original = record(image, "label_equivalence_hawick")
        assert original.iterations <= record(image, "label_equivalence").iterations


# Komura -------------------------------------------------------------------------------------


@pytest.mark.parametrize("density", [0.0, 0.6, 1.0])
def test_komura_makes_four_launches_whatever_the_picture(density: float) -> None:
    recording = record(noise(33, 70, density), "komura")
    assert [step.stage for step in recording.steps] == ["init", "analysis", "merge", "analysis"]


def test_komura_begins_with_the_first_connected_neighbour() -> None:
    image = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 1]], np.uint8)
    recording = record(image, "komura")
    assert recording.parents(0).tolist() == [[-1, 1, 1], [3, 1, -1], [-1, 4, 7]]
    assert recording.parents(1).tolist() == [[-1, 1, 1], [3, 1, -1], [-1, 1, 1]]
    assert recording.parents(3).tolist() == [[-1, 1, 1], [1, 1, -1], [-1, 1, 1]]


# Two-pass union-find ------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "launches"), [(None, 26), (1, 26), (5, 6), (100, 2)])
def test_the_two_passes_go_down_the_rows(rows: int | None, launches: int) -> None:
    image = noise(13, 30, 0.6)
    recording = ccl.record(image, "two_pass", connectivity=4, device="emulator", rows=rows)
    assert len(recording) == launches
    assert [step.stage for step in recording.steps] == (
        ["scan"] * (launches // 2) + ["flatten"] * (launches // 2)
    )
    np.testing.assert_array_equal(recording.parents(-1), first_cells(image, 4))


def test_the_first_pass_has_united_what_it_has_seen() -> None:
    image = noise(12, 30, 0.6)
    recording = ccl.record(image, "two_pass", connectivity=4, device="emulator", rows=1)
    for y in range(12):
        above, count = label_reference(image[: y + 1], 4)
        assert recording.steps[y].roots == count
        assert (recording.parents(y)[y + 1 :] == -1).all()
        assert ((recording.parents(y)[: y + 1] >= 0) == (above > 0)).all()
