"""Edits of a whole grid that take long: computed on the worker's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.edits import Edit, Replacement, difference
from ccl_viewer.grids.transforms import Transform
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.jobs.work import Work


class Start(Protocol):
    """Starts long work."""

    def __call__(self, title: str, work: Work, done: Callable[[], object], /) -> Job:
        """Do the work on the worker's thread, then call `done` on this one."""


@dataclass(eq=False)
class EditingWork:
    """Computes an edit of a whole grid.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid. If it is drawn on meanwhile, the edit is of no use.
    transform : callable
        Makes the new grid of it.

    Attributes
    ----------
    edit : Edit or None
        The edit, once it is computed; None if nothing changes.
    made : ndarray of uint8, or None
        The new grid, where the edit replaces all of it.
    """

    grid: Grid
    transform: Transform
    edit: Edit | None = None
    made: Grid | None = None

    def perform(self, _job: Job, /) -> None:
        """Compute it."""
        new = self.transform(self.grid)
        self.edit = difference(self.grid, new)
        if isinstance(self.edit, Replacement):
            self.made = _owned(new)


def _owned(grid: Grid) -> Grid:
    """Return a grid as an array of its own, which can be drawn on."""
    flags = grid.flags
    own = flags.owndata and flags.c_contiguous and flags.writeable and grid.dtype == np.uint8
    return grid if own else np.array(grid, np.uint8, order="C")


def in_one_value(transform: Transform) -> Transform:
    """Return a transform that makes all foreground 1."""
    return lambda grid: np.minimum(transform(grid), np.uint8(1))
