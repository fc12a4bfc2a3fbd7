"""Edits that are computed on another thread: whose the new grid is."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.grids import Grid
from ccl_viewer.grids.transforms import Transform
from ccl_viewer.session import Job
from ccl_viewer.session.editing.work import EditingWork

GRID = np.arange(12, dtype=np.uint8).reshape(3, 4)


def locked(grid: Grid) -> Grid:
    """The same array, which cannot be written to any more."""
    grid.flags.writeable = False
    return grid


def performed(transform: Transform) -> EditingWork:
    """The work, done for a copy of the grid."""
    work = EditingWork(GRID.copy(), transform)
    work.perform(Job("Edit", work.perform, done=lambda: None, failed=lambda _error: None))
    return work


@pytest.mark.parametrize(
    "transform",
    [
        lambda grid: grid[::-1],
        lambda grid: grid[1:],
        lambda grid: locked(grid + 1),
        lambda grid: grid.T,
        lambda grid: np.asfortranarray(grid[::-1]),
        lambda grid: grid == 0,
        lambda grid: np.broadcast_to(np.uint8(7), grid.shape),
    ],
    ids=["view", "part", "locked", "transposed", "columns first", "truth values", "read-only"],
)
def test_the_new_grid_can_be_drawn_on_and_is_nobody_elses(transform: Transform) -> None:
    work = performed(transform)
    assert work.edit is not None
    assert work.made is not None
    np.testing.assert_array_equal(work.made, work.edit.apply(GRID.copy()))
    assert work.made.dtype == np.uint8
    assert work.made.flags.c_contiguous
    work.made[:] = 99
    np.testing.assert_array_equal(work.grid, GRID)
    np.testing.assert_array_equal(work.edit.revert(GRID.copy()), GRID)


@pytest.mark.parametrize("transform", [lambda grid: grid, np.copy], ids=["itself", "copy"])
def test_an_edit_that_changes_nothing_is_none(transform: Transform) -> None:
    work = performed(transform)
    assert work.edit is None
    assert work.made is None
