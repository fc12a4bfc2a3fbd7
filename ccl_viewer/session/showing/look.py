"""What of a run is shown, and where the eye is led: layers, cell cursor, hover and pin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from ccl_viewer.render.layers import (
    LAYER_PREFIX,
    SWITCHES,
    CellColours,
    Layers,
    Numbers,
    numbers_of,
)
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell

__all__ = [
    "LAYER_PREFIX",
    "SWITCHES",
    "CellColours",
    "Layers",
    "Look",
    "Numbers",
    "Pin",
    "next_of",
    "numbers_of",
]

Shape = tuple[int, int]
_T = TypeVar("_T")
_FAINTEST: Final = 0.1


@dataclass(frozen=True)
class Pin:
    """What the user has pinned.

    Parameters
    ----------
    cell : tuple of int
        Column and row.
    component : bool
        Whether its whole component is meant.
    """

    cell: Cell
    component: bool = False


class Look:
    """Which layers are shown, which cell is under mouse or cursor, and which is pinned.

    Attributes
    ----------
    layers_changed, hover_changed, pin_changed : Signal
        The layers; the cell under the mouse or the cursor; the pin.
    """

    def __init__(self) -> None:
        self.layers_changed = Signal()
        self.hover_changed = Signal()
        self.pin_changed = Signal()
        self._layers = Layers()
        self._numbers: str = Numbers.RAW
        self._shape: Shape = (0, 0)
        self._hover: Cell | None = None
        self._cursor: Cell | None = None
        self._pin: Pin | None = None

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        return self.layers_changed, self.hover_changed, self.pin_changed

    @property
    def layers(self) -> Layers:
        """What is drawn."""
        return self._layers

    @property
    def hover(self) -> Cell | None:
        """The cell under the mouse."""
        return self._hover

    @property
    def cursor(self) -> Cell | None:
        """The cell under the keyboard's cursor; None while it is hidden."""
        return self._cursor

    @property
    def pin_of(self) -> Pin | None:
        """What is pinned."""
        return self._pin

    @property
    def pinned(self) -> Cell | None:
        """The cell that is pinned, itself or for its component."""
        return None if self._pin is None else self._pin.cell

    @property
    def inspected(self) -> Cell | None:
        """The cell to be described: under the mouse, else under the cursor, else pinned."""
        return next(
            (cell for cell in (self._hover, self._cursor, self.pinned) if cell is not None), None
        )

    def show(self, **changes: Any) -> None:
        """Change layers, by the names that :class:`Layers` has for them."""
        self.show_all(replace(self._layers, **changes))

    def show_all(self, layers: Layers) -> None:
        """Show these layers."""
        strength = min(max(layers.strength, _FAINTEST), 1.0)
        layers = replace(layers, strength=strength)
        if layers.numbers:
            self._numbers = layers.numbers
        if layers != self._layers:
            self._layers = layers
            self.layers_changed.emit()

    def switch(self, name: str, on: bool) -> None:
        """Show a layer, one of :data:`SWITCHES`, or hide it.

        Numbers come back as what they showed last.
        """
        shown: object = on
        if name == "numbers":
            shown = self._numbers if on else Numbers.NONE
        self.show(**{name: shown})

    def hover_at(self, cell: Cell | None) -> None:
        """Take note of the cell under the mouse; the keyboard's cursor is hidden.

        A cell outside the grid, as a panel may show one of the run before, is none.
        """
        cell = self._inside(cell)
        if cell == self._hover and (cell is None or self._cursor is None):
            return
        self._hover = cell
        if cell is not None:
            self._cursor = None
        self.hover_changed.emit()

    def point_at(self, cell: Cell) -> None:
        """Put the keyboard's cell cursor on a cell inside the grid."""
        if self._inside(cell) is not None:
            self._cursor, self._hover = cell, None
            self.hover_changed.emit()

    def move_cursor(self, dx: int, dy: int) -> None:
        """Move the keyboard's cell cursor, which begins where the eye was last, inside the grid."""
        height, width = self._shape
        if not height or not width:
            return
        start = self._cursor or self._hover or self.pinned
        if start is None:
            moved = (width // 2, height // 2)
        else:
            moved = (
                min(max(start[0] + dx, 0), width - 1),
                min(max(start[1] + dy, 0), height - 1),
            )
        self._cursor, self._hover = moved, None
        self.hover_changed.emit()

    def pin(self, cell: Cell | None, *, component: bool = False) -> None:
        """Pin a cell, or its whole component; the same once more, or None, unpins.

        A cell outside the grid cannot be pinned.
        """
        if cell is not None and self._inside(cell) is None:
            return
        pin = None if cell is None else Pin(cell, component)
        pin = None if pin == self._pin else pin
        if pin != self._pin:
            self._pin = pin
            self.pin_changed.emit()

    def unpin(self) -> bool:
        """Take the pin away, or else the cursor; return whether there was one."""
        if self._pin is not None:
            self.pin(None)
            return True
        if self._cursor is not None:
            self._cursor = None
            self.hover_changed.emit()
            return True
        return False

    def fit(self, shape: Shape) -> None:
        """Keep hover, cursor and pin inside a grid of this height and width; drop those outside."""
        self._shape = shape
        self._hover = self._inside(self._hover)
        self._cursor = self._inside(self._cursor)
        lost = self.pinned is not None and self._inside(self.pinned) is None
        if lost:
            self._pin = None
        # Whoever is told looks at all three: none may lie outside any more.
        self.hover_changed.emit()
        if lost:
            self.pin_changed.emit()

    def _inside(self, cell: Cell | None) -> Cell | None:
        height, width = self._shape
        if cell is None or not (0 <= cell[0] < width and 0 <= cell[1] < height):
            return None
        return cell


def next_of(choices: Sequence[_T], choice: _T) -> _T:
    """Return the choice after this one, or the first."""
    place = choices.index(choice) + 1 if choice in choices else 0
    return choices[place % len(choices)]
