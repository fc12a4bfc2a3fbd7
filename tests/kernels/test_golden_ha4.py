"""HA4, its 64-bit form and HA8: what the paper says of runs, strips and launches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage
from support.grids import Grid, noise

import ccl_viewer as ccl
from ccl_viewer.recording import Recording

FAMILY = {"ha4": (4, 32), "ha4_64": (4, 64), "ha8": (8, 32)}
"""Connectivity, and columns of a warp."""

SCHEDULES = ("sequential", "synchronous", "reverse", "random:7")


def record(image: Grid, key: str, schedule: str = "synchronous") -> Recording:
    return ccl.record(image, key, connectivity=FAMILY[key][0], device="emulator", schedule=schedule)


def run_starts(image: Grid, columns: int) -> npt.NDArray[np.bool_]:
    """First pixels of runs, and of parts of runs that begin at a multiple of so many columns."""
    left = np.zeros_like(image)
    left[:, 1:] = image[:, :-1]
    left[:, ::columns] = 0
    starts: npt.NDArray[np.bool_] = (image != 0) & (left == 0)
    return starts


@pytest.mark.parametrize("key", FAMILY)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_only_the_first_pixel_of_a_run_gets_a_label(key: str, schedule: str) -> None:
    """Section IV.A: the other pixels are not initialised, to spare memory stores."""
    image = noise(11, 200, 0.8)
    recording = record(image, key, schedule)
    starts = run_starts(image, FAMILY[key][1])
    for step in (0, 1):
        np.testing.assert_array_equal(recording.parents(step) >= 0, starts)
    np.testing.assert_array_equal(recording.parents(2) >= 0, image != 0)


@pytest.mark.parametrize("key", FAMILY)
def test_a_run_over_several_turns_leads_to_its_start(key: str) -> None:
    """Section IV.A: the distance to the run's start is kept from turn to turn."""
    image = np.zeros((1, 300), np.uint8)
    image[0, 5:290] = 1
    labels = record(image, key).labels(0)[0]
    columns = FAMILY[key][1]
    parts = [5, *range(columns, 290, columns)]
    assert np.flatnonzero(labels >= 0).tolist() == parts
    assert labels[parts].tolist() == [5] * len(parts)


@pytest.mark.parametrize("key", FAMILY)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_strips_are_labelled_each_for_itself(key: str, schedule: str) -> None:
    """Section IV.A: after the first launch, each strip of four rows is a picture of its own."""
    image = noise(18, 150, 0.6, seed=3)
    recording = record(image, key, schedule)
    structure = np.ones((3, 3)) if FAMILY[key][0] == 8 else None
    strips = [ndimage.label(image[y : y + 4], structure)[1] for y in range(0, 18, 4)]
    assert recording.steps[0].roots == sum(strips)
    assert recording.steps[1].roots == ndimage.label(image, structure)[1]


@pytest.mark.parametrize("key", FAMILY)
@pytest.mark.parametrize("shape", [(1, 1), (4, 64), (9, 9), (64, 200)])
def test_three_launches_whatever_the_picture(key: str, shape: tuple[int, int]) -> None:
    for density in (0.0, 0.5, 1.0):
        recording = record(noise(*shape, density), key)
        assert [step.stage for step in recording.steps] == ["strip", "strip-merge", "relabel"]


def test_two_pixels_a_thread_halve_the_blocks_across() -> None:
    """Section IV.E: BLOCK_W is doubled, the number of threads in a block is not."""
    image = noise(40, 200, 0.5)
    one, two = (record(image, key).steps for key in ("ha4", "ha4_64"))
    assert [step.block for step in one] == [step.block for step in two] == [(32, 4, 1)] * 3
    assert [step.grid for step in one] == [(1, 10, 1), (7, 3, 1), (7, 10, 1)]
    assert [step.grid for step in two] == [(1, 10, 1), (4, 3, 1), (4, 10, 1)]


def corner_patterns(edge: int, border: bool, left: str) -> Grid:
    """All 256 pictures of 2 x 4 pixels around a column, one below the other.

    The two rows lie inside a strip, or on both sides of a border of strips; to their left is
    nothing, or runs that reach back to column 0 in one row or the other.
    """
    image = np.zeros((256 * 8, edge + 5), np.uint8)
    for pattern in range(256):
        y = pattern * 8 + (3 if border else 2)
        bits = np.array([pattern >> bit & 1 for bit in range(8)], np.uint8).reshape(2, 4)
        image[y : y + 2, edge - 2 : edge + 2] = bits
        image[y, : edge - 2] = left in ("upper", "both")
        image[y + 1, : edge - 2] = left in ("lower", "both")
    return image


@pytest.mark.parametrize("left", ["none", "upper", "lower", "both"])
@pytest.mark.parametrize("border", [False, True], ids=["strip", "border"])
@pytest.mark.parametrize("edge", [32, 64, 96])
@pytest.mark.parametrize("key", FAMILY)
def test_runs_that_meet_at_the_edge_of_a_turn(key: str, edge: int, border: bool, left: str) -> None:
    image = corner_patterns(edge, border, left)
    connectivity = FAMILY[key][0]
    expected, count = ndimage.label(image, np.ones((3, 3)) if connectivity == 8 else None)
    labels, found = ccl.label(image, key, connectivity=connectivity, device="emulator")
    assert found == count
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("rows", [(2, 3), (3, 4)], ids=["strip", "border"])
@pytest.mark.parametrize("columns", [(31, 32), (32, 31), (15, 16), (16, 15)])
def test_ha8_joins_at_corners_what_ha4_leaves_apart(
    rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    image = np.zeros((8, 70), np.uint8)
    image[rows, columns] = 1
    assert ccl.label(image, "ha8", connectivity=8, device="emulator")[1] == 1
    assert ccl.label(image, "ha4", connectivity=4, device="emulator")[1] == 2
