"""The selected part of the grid: lifted, moved, copied, pasted, turned and deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ccl_viewer.grids import Grid
from ccl_viewer.grids.selection import Patch, centred, cut_out
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.transforms import Transform, within
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell

Held: TypeAlias = tuple[Box | None, Patch | None, Box | None]
"""What is selected, what floats, and where that was lifted from."""


@dataclass(eq=False)
class _Placing:
    """The worker makes a patch part of the grid, and that is waited for."""

    patch: Patch
    then: list[Callable[[], object]]
    job: Job | None = None

    def goes_on_for(self, patch: Patch) -> bool:
        """Whether this patch is being placed still."""
        return self.patch is patch and self.job is not None and self.job.awaited

    def go_on(self) -> None:
        """Do what waited for it."""
        for act in self.then:
            act()


class Selection:
    """A box of cells, and the patch that floats over the grid until it is placed.

    A patch is lifted out of the grid when the selection is moved, or comes from a paste. It becomes
    part of the grid, as one edit, when it is placed: by a press beside it, another tool, or Enter.

    Attributes
    ----------
    changed : Signal
        Box or patch changed.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    """

    def __init__(self, drawing: Drawing) -> None:
        self.changed = Signal()
        self._drawing = drawing
        self._box: Box | None = None
        self._patch: Patch | None = None
        self._hole: Box | None = None
        self._placing: _Placing | None = None

    @property
    def box(self) -> Box | None:
        """What is selected: the box of the floating patch, if there is one."""
        return self._box if self._patch is None else self._patch.box

    @property
    def patch(self) -> Patch | None:
        """What floats over the grid."""
        return self._patch

    @property
    def hole(self) -> Box | None:
        """Where the floating patch was lifted from; None if it was pasted."""
        return self._hole

    @property
    def held(self) -> Held:
        """All of it, to be put back by :meth:`hold`."""
        return self._box, self._patch, self._hole

    def hold(self, held: Held) -> None:
        """Put back what was selected and what floated."""
        self._set(*held)

    def select(self, box: Box) -> None:
        """Select the part of a box that lies in the grid; placing what floats."""
        grid = self._drawing.grid
        if grid is None:
            return
        inside = box.clipped(grid.shape)
        self.place(lambda: self._set(None if inside.empty else inside))

    def select_all(self) -> None:
        """Select the whole grid."""
        grid = self._drawing.grid
        if grid is not None:
            self.select(Box(0, 0, *grid.shape))

    def clear(self) -> None:
        """Place what floats, and select nothing."""
        self.place(lambda: self._set(None))

    def forget(self) -> None:
        """Select nothing, and drop what floats, as when another grid is opened."""
        self._set(None)

    def cancel(self) -> bool:
        """Put what floats back where it was, or drop what was pasted; or else select nothing.

        Returns
        -------
        bool
            Whether there was anything to cancel.
        """
        had = self.box is not None
        self._set(self._hole if self._patch is not None else None)
        return had

    def move(self, dy: int, dx: int) -> None:
        """Move the selected cells, lifting them out of the grid first."""
        self._lift()
        if self._patch is not None:
            self._set(self._box, self._patch.moved(dy, dx), self._hole)

    def place(self, then: Callable[[], object] = lambda: None) -> None:
        """Make what floats part of the grid, and go on once it is; it floats until then.

        A large part of a large grid takes a while. If that is stopped, it floats on.
        """
        patch, hole, placing = self._patch, self._hole, self._placing
        if patch is None or self._drawing.grid is None:
            then()
            return
        if placing is not None and placing.goes_on_for(patch):
            placing.then.append(then)
            return
        shape = self._drawing.grid.shape
        inside = patch.box.clipped(shape)

        def let_go() -> bool:
            wanted = self._patch is patch
            if wanted:
                self._placing = None
                self._set(None if inside.empty else inside)
            return wanted

        part = (patch.box if hole is None else patch.box.around(hole)).clipped(shape)
        if part.empty:
            let_go()
            then()
            return
        title, made = "Paste" if hole is None else "Move", placed(patch, hole, part)
        placing = _Placing(patch, [then])
        placing.job = self._drawing.transform_in(
            title, part, made, agree=let_go, then=placing.go_on
        )
        self._placing = None if placing.job is None else placing

    def copy(self) -> Grid | None:
        """Return the selected cells, or the whole grid; None without a grid."""
        grid = self._drawing.grid
        if grid is None:
            return None
        if self._patch is not None:
            return self._patch.cells
        return cut_out(grid, self._box or Box(0, 0, *grid.shape)).cells

    def cut(self) -> Grid | None:
        """Return the selected cells, and make them background; None if nothing is selected."""
        if self.box is None:
            return None
        cells = self.copy()
        self.delete("Cut")
        return cells

    def delete(self, title: str = "Delete") -> None:
        """Make the selected cells background; what was pasted and not placed yet is dropped."""
        box = self._hole if self._patch is not None else self._box
        self._set(box)
        if box is not None:
            self._drawing.transform(title, within(box, np.zeros_like))

    def paste(self, cells: Grid, at: Cell | None = None) -> None:
        """Let cells float over the grid; without one, begin with them.

        Parameters
        ----------
        cells : ndarray of uint8, shape (height, width)
            The cells; nobody may change them afterwards.
        at : tuple of int or None
            Column and row of the middle; None for the selection's place, or the grid's middle.
        """
        grid = self._drawing.grid
        if grid is None:
            self._drawing.put(cells, "Paste")
            return
        self.place(lambda: self._float(cells, grid.shape, at))

    def transform(self, title: str, transform: Transform) -> None:
        """Change the floating patch, or the selected cells, or else the whole grid, as an edit."""
        if self._patch is not None:
            self._set(self._box, centred(transform(self._patch.cells), self._patch.box), self._hole)
            return
        grid, box = self._drawing.grid, self._box
        self._drawing.transform(title, within(box, transform))
        if box is not None and grid is not None:
            shape = transform(np.zeros((box.height, box.width), np.uint8)).shape
            turned = centred(np.zeros(shape, np.uint8), box).box.clipped(grid.shape)
            self._set(None if turned.empty else turned)

    def fit(self) -> None:
        """Keep the box, and what a patch left, inside the grid, whose size may have changed."""
        grid = self._drawing.grid
        if grid is not None:
            shape = grid.shape
            self._set(_inside(self._box, shape), self._patch, _inside(self._hole, shape))

    def _float(self, cells: Grid, shape: tuple[int, ...], at: Cell | None) -> None:
        around = self._box or Box(0, 0, *shape)
        if at is not None:
            around = Box(at[1], at[0], at[1] + 1, at[0] + 1)
        patch = centred(cells, around)
        if at is None and self._box is not None:
            patch = Patch(around.top, around.left, cells)
        self._set(None, patch)

    def _lift(self) -> None:
        grid, box = self._drawing.grid, self._box
        if self._patch is None and grid is not None and box is not None:
            self._set(box, cut_out(grid, box), box)

    def _set(self, box: Box | None, patch: Patch | None = None, hole: Box | None = None) -> None:
        before = self._box, self._patch, self._hole
        self._box, self._patch, self._hole = box, patch, hole
        if before != (box, patch, hole):
            self.changed.emit()


def _inside(box: Box | None, shape: tuple[int, ...]) -> Box | None:
    """Return the part of a box that lies in a grid, if there is any."""
    inside = None if box is None else box.clipped(shape)
    return None if inside is None or inside.empty else inside


def placed(patch: Patch, hole: Box | None, part: Box) -> Transform:
    """Return what places a patch in a part of a grid, given the cells of that part.

    Parameters
    ----------
    patch : Patch
        What floats over the grid.
    hole : Box or None
        Where it was lifted from, which becomes background.
    part : Box
        A part of the grid.
    """
    dy, dx = -part.top, -part.left

    def made(cells: Grid) -> Grid:
        new = cells.copy()
        if hole is not None:
            new[hole.moved(dy, dx).clipped(cells.shape).slices] = 0
        patch.moved(dy, dx).stamp(new)
        return new

    return made
