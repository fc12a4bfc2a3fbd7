"""Edits of a whole grid that take long: computed on the worker's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.edits import Edit, difference
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
        The grid; nobody may change it meanwhile.
    transform : callable
        Makes the new grid of it.

    Attributes
    ----------
    edit : Edit or None
        The edit, once it is computed; None if nothing changes.
    """

    grid: Grid
    transform: Transform
    edit: Edit | None = None

    def perform(self, _job: Job, /) -> None:
        """Compute it."""
        self.edit = difference(self.grid, self.transform(self.grid))


def in_one_value(transform: Transform) -> Transform:
    """Return a transform that makes all foreground 1."""
    return lambda grid: np.minimum(transform(grid), np.uint8(1))
