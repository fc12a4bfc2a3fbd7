"""Colours with which it is seen how one tree takes another over."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise
from support.tapes import played

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.recording import Recording
from ccl_viewer.reference import roots_of
from ccl_viewer.render import palette
from ccl_viewer.render.palette import Colouring, colour_grid, colouring_of
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS


def colours_of(colouring: Colouring) -> npt.NDArray[np.int64]:
    """Return the colour of each cell's label."""
    layout = colouring.layout
    y, x = np.divmod(np.arange(layout.height * layout.width), layout.width)
    places = (y + layout.margin) * layout.pitch + x + layout.margin
    return np.asarray(colouring.colours[places], np.int64)


def unseen(recording: Recording) -> int:
    """Count the cells that get another root and look as before."""
    colours = colours_of(colouring_of(recording))
    roots = [roots_of(recording.parents(step.index)) for step in recording.steps]
    return sum(
        int((colours[old[taken]] == colours[new[taken]]).sum())
        for old, new in itertools.pairwise(roots)
        for taken in [(old != new) & (old >= 0) & (new >= 0)]
    )


@pytest.mark.parametrize("key", list(ALGORITHMS))
def test_whoever_takes_a_tree_over_has_another_colour(key: str) -> None:
    run = ccl.record(noise(12, 16, 0.6), key, ALGORITHMS[key].connectivities[0], "emulator")
    assert unseen(run) == 0
    hashed = colour_grid(run.components()[0], run.layout).settled(run.labels(-1))
    final = np.flatnonzero(run.parents(-1).ravel() == np.arange(run.image.size))
    assert (colours_of(colouring_of(run))[final] == colours_of(hashed)[final]).all()


def test_the_last_colour_of_a_component_is_no_other_trees_before() -> None:
    run = ccl.record(noise(12, 16, 0.6), "shibata_slow", 8, "emulator")
    colours, final = colours_of(colouring_of(run)), roots_of(run.parents(-1))
    for step in run.steps:
        roots = roots_of(run.parents(step.index))
        early = (roots >= 0) & (roots != final)
        assert (colours[roots[early]] != colours[final[early]]).all()


def test_all_colours_are_those_of_labels() -> None:
    run = ccl.record(noise(12, 16, 0.6), "shibata_naive", 8, "emulator")
    colours = colours_of(colouring_of(run))
    assert colours.min() >= FIRST_COLOUR
    assert colours.max() < FIRST_COLOUR + len(LABEL_COLOURS)


def test_long_runs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ccl.record(noise(12, 16, 0.6), "shibata_naive", 8, "emulator")
    monkeypatch.setattr(palette, "MOST_LOOKED_AT", 6 * run.image.size)
    assert unseen(run) < np.count_nonzero(run.image) // 4


def test_labels_that_name_no_cell_are_left_alone() -> None:
    row = np.array([[1, 1, 1]], np.uint8)
    colouring_of(played(row, [[0, 1, 9], [0, 9, 1]]))


def test_a_run_without_a_label_has_its_colours() -> None:
    colouring_of(played(np.zeros((2, 2), np.uint8), [[-1] * 4]))
