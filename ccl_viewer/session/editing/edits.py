"""Edits of the selection, or of the whole grid where nothing is selected; undo and redo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ccl_viewer.grids import Grid, transforms
from ccl_viewer.grids.transforms import Transform
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.hand import Tool
from ccl_viewer.session.editing.tools import Tools
from ccl_viewer.session.state import Cell


class Edits:
    """What menus and keys do to the grid.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    tools : Tools
        The tool in hand, and the selection.
    """

    def __init__(self, drawing: Drawing, tools: Tools) -> None:
        self._drawing = drawing
        self._tools = tools
        self._selection = tools.selection

    @property
    def can_undo(self) -> bool:
        """Whether there is something to drop or to take back."""
        return self._drawing.can_undo or self._tools.busy or self._selection.patch is not None

    def undo(self) -> None:
        """Drop what is under way or floats; otherwise take back the last edit."""
        if not (self._tools.cancel_gesture() or self._drop()):
            self._drawing.undo()

    def redo(self) -> None:
        """Make the edit again that was taken back last; what floats is dropped."""
        self._tools.cancel_gesture()
        self._drop()
        self._drawing.redo()

    def clear(self) -> None:
        """Make all cells background."""
        self._transform("Clear", np.zeros_like)

    def invert(self) -> None:
        """Exchange foreground and background; new foreground has the value in hand."""
        value = self._tools.hand.ink
        self._transform("Invert", lambda grid: transforms.inverted(grid, value))

    def flip_across(self) -> None:
        """Exchange left and right."""
        self._transform("Flip across", transforms.flipped_across)

    def flip_down(self) -> None:
        """Exchange top and bottom."""
        self._transform("Flip down", transforms.flipped_down)

    def rotate_right(self) -> None:
        """Turn clockwise by a quarter."""
        self._transform("Rotate right", transforms.rotated_right)

    def rotate_left(self) -> None:
        """Turn anticlockwise by a quarter."""
        self._transform("Rotate left", transforms.rotated_left)

    def random_fill(self, density: float, seed: int, *, several: bool = False) -> None:
        """Fill with random cells.

        Parameters
        ----------
        density : float
            Share of foreground, 0 to 1.
        seed : int
            0 to 2**32 - 1; the same one gives the same cells.
        several : bool
            Whether the foreground has all values of the palette instead of the one in hand; only
            for a multi-valued grid.

        Raises
        ------
        InputError
            If the density is no share, or the seed none.
        """
        hand = self._tools.hand
        several = several and self._drawing.multivalued
        values: Sequence[int] = range(1, hand.values + 1) if several else (hand.ink,)
        transforms.random_cells((1, 1), density, seed, values)
        self._transform(
            "Random fill", lambda grid: transforms.random_cells(grid.shape, density, seed, values)
        )

    def select_all(self) -> None:
        """Select the whole grid, with the tool in hand that moves it."""
        self._tools.take(Tool.SELECT)
        self._selection.select_all()

    def deselect(self) -> None:
        """Place what floats, and select nothing."""
        self._selection.clear()

    def copy(self) -> Grid | None:
        """Return what is selected, or the whole grid; None without a grid."""
        return self._selection.copy()

    def cut(self) -> Grid | None:
        """Return what is selected, and make it background; None if nothing is."""
        return self._selection.cut()

    def delete(self) -> None:
        """Make what is selected background."""
        self._selection.delete()

    def paste(self, cells: Grid, at: Cell | None = None) -> None:
        """Let cells float over the grid, with the tool in hand that moves them.

        Parameters
        ----------
        cells : ndarray of uint8, shape (height, width)
            What was copied.
        at : tuple of int or None
            Column and row of its middle; None for the selection's place, or the grid's middle.
        """
        self._tools.cancel_gesture()
        self._selection.paste(cells, at)
        self._tools.hold_floating()

    def nudge(self, dx: int, dy: int) -> None:
        """Move what is selected."""
        self._selection.move(dy, dx)

    def _transform(self, title: str, transform: Transform) -> None:
        self._tools.cancel_gesture()
        self._selection.transform(title, transform)

    def _drop(self) -> bool:
        return self._selection.patch is not None and self._selection.cancel()
