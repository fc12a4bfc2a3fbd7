"""Sentences about wrong labels name the cell, or the two cells, that show the mistake."""

from __future__ import annotations

import numpy as np
import pytest
from support.recordings import played

from ccl_viewer.devices.emulator.memory import UNINITIALISED
from ccl_viewer.diagnostics.check import find_wrong_step
from ccl_viewer.diagnostics.wrong_cells import describe_wrong_label
from ccl_viewer.recording.data import UninitialisedCells

ROW = np.array([[1, 1, 1, 0, 1, 1]], np.uint8)
OWN = [0, 1, 2, -1, 4, 5]
UNWRITTEN = UNINITIALISED


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            [0, 0, 2, -1, 4, 4],
            "These two cells belong together and got different labels: 0 at x = 1, y = 0 and 2 at "
            "x = 2, y = 0.",
        ),
        (
            [0, 0, 0, -1, 0, 0],
            "The cell at x = 4, y = 0 holds 0, the address of a cell in another component: x = 0, "
            "y = 0.",
        ),
        (
            [3, 3, 3, -1, 4, 4],
            "The cell at x = 0, y = 0 holds 3, the address of an empty cell: x = 3, y = 0.",
        ),
        (
            [0, 0, 0, 3, 4, 4],
            "The cell at x = 3, y = 0 is empty and has a label: it holds 3.",
        ),
        (
            [0, 0, -1, -1, 4, 4],
            "The cell at x = 2, y = 0 is filled and has no label: it holds -1.",
        ),
        ([0, 0, 0, -1, 4, 6], "The cell at x = 5, y = 0 holds 6, which is the address of no cell."),
    ],
)
def test_the_cell_that_shows_the_mistake(labels: list[int], sentence: str) -> None:
    recording = played(ROW, [OWN, labels])
    assert describe_wrong_label(recording) == sentence
    assert find_wrong_step(recording) == (1, sentence)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            [0, 1, 2, -1, UNWRITTEN, UNWRITTEN],
            [UNWRITTEN] * 6,
            "2 cells were never given a label, from x = 4, y = 0 to x = 5, y = 0: no thread stored "
            "one there.",
        ),
        (
            [0, UNWRITTEN, 2, -1, UNWRITTEN, 5],
            [UNWRITTEN] * 6,
            "2 cells were never given a label, the first at x = 1, y = 0: no thread stored one "
            "there.",
        ),
        (
            [0, UNWRITTEN, 2, -1, 4, 5],
            [0, UNWRITTEN, 0, -1, 4, 4],
            "The cell at x = 1, y = 0 was never given a label: no thread stored one there.",
        ),
        (
            OWN,
            [0, 0, UNWRITTEN, -1, 4, 4],
            f"The cell at x = 2, y = 0 holds {UNWRITTEN}, as memory that is not initialised.",
        ),
    ],
)
def test_only_cells_that_no_thread_reached_are_said_to_be_so(
    before: list[int], after: list[int], sentence: str
) -> None:
    """What such cells hold can spread to cells that had a label."""
    unreached = (np.array([before, after]) == UNWRITTEN).all(axis=0).reshape(ROW.shape)
    frames = [np.where(unreached, -1, frame) for frame in (before, after)]
    recording = played(ROW, frames)
    if unreached.any():
        recording.data.uninitialised = UninitialisedCells.find(unreached, 1)
    assert describe_wrong_label(recording) == sentence


@pytest.mark.parametrize(
    ("connectivity", "image", "labels", "places"),
    [
        (4, [[0, 1], [1, 1]], [-1, 1, 2, 2], ("1 at x = 1, y = 0", "2 at x = 1, y = 1")),
        (8, [[1, 0], [0, 1]], [0, -1, -1, 3], ("0 at x = 0, y = 0", "3 at x = 1, y = 1")),
        (8, [[0, 1], [1, 0]], [-1, 1, 2, -1], ("1 at x = 1, y = 0", "2 at x = 0, y = 1")),
    ],
)
def test_neighbours_in_all_directions(
    connectivity: int, image: list[list[int]], labels: list[int], places: tuple[str, str]
) -> None:
    recording = played(np.array(image, np.uint8), [labels], connectivity=connectivity)
    assert describe_wrong_label(recording).endswith(f"{places[0]} and {places[1]}.")
