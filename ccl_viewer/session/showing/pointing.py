"""Cells that a lesson or a question points at, and cells that are clicked as an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell


@dataclass(frozen=True)
class Marks:
    """What is marked on the canvas.

    Parameters
    ----------
    highlight : tuple of (int, int)
        Columns and rows of the cells that are led to.
    follow : tuple of (int, int)
        Cells whose ways to their roots are drawn as arrows.
    asked : tuple of int or None
        The cell that is asked about.
    chosen : tuple of (int, int)
        Cells that were clicked as an answer.
    right : tuple of (int, int)
        Cells that would have been right, once that may be seen.
    judged : bool
        Whether the chosen cells were compared with the right ones.
    """

    highlight: tuple[Cell, ...] = ()
    follow: tuple[Cell, ...] = ()
    asked: Cell | None = None
    chosen: tuple[Cell, ...] = ()
    right: tuple[Cell, ...] = ()
    judged: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing is marked."""
        return self == Marks()


class Pointing:
    """The marks on display, and who is told of a click.

    Attributes
    ----------
    changed : Signal
        Marks, or whether cells are picked, changed.
    """

    def __init__(self) -> None:
        self.changed = Signal()
        self._marks = Marks()
        self._pick: Callable[[Cell], object] | None = None

    @property
    def marks(self) -> Marks:
        """What is marked."""
        return self._marks

    @property
    def picks(self) -> bool:
        """Whether clicks and Enter choose cells, instead of drawing and pinning."""
        return self._pick is not None

    def show(self, marks: Marks, pick: Callable[[Cell], object] | None = None) -> None:
        """Mark cells, and let a click choose one if somebody wants to be told of it."""
        before = self._marks, self.picks
        self._marks, self._pick = marks, pick
        if before != (marks, self.picks):
            self.changed.emit()

    def pick(self, cell: Cell) -> bool:
        """Choose a cell; return whether anybody wanted to know."""
        if self._pick is None:
            return False
        self._pick(cell)
        return True
