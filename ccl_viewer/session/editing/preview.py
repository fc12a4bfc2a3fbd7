"""What lies over the grid without being part of it: a shape under way, a selection, a paste."""

from __future__ import annotations

from dataclasses import dataclass

from ccl_viewer.grids.selection import Patch
from ccl_viewer.grids.shapes import Box, Spans


@dataclass(frozen=True, eq=False)
class Preview:
    """What to paint over the grid.

    Parameters
    ----------
    spans : Spans or None
        Cells of a shape that is being drawn.
    value : int
        The value that they will get.
    patch : Patch or None
        Cells that float over the grid.
    hole : Box or None
        Where they were taken from, which will be background.
    outline : Box or None
        What is selected.
    """

    spans: Spans | None = None
    value: int = 0
    patch: Patch | None = None
    hole: Box | None = None
    outline: Box | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to paint."""
        return self.spans is None and self.patch is None and self.outline is None
