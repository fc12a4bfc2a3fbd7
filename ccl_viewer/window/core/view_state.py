"""What is shown of a run and where the user looks: layers, hover, pin, mode, viewport."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeAlias

from psygnal import Signal

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.render.layers import CellColours, Layers, Numbers
from ccl_viewer.render.step_view import Marks, Placement
from ccl_viewer.window.core.model import Model, emit, watch

Point: TypeAlias = tuple[float, float]
Size: TypeAlias = tuple[int, int]
Shape: TypeAlias = tuple[int, int]
Window: TypeAlias = tuple[int, int, int, int]

ZOOM: Final = 1.25
"""Factor of one zoom step."""

SMALLEST_SCALE: Final = 1 / 256
LARGEST_SCALE: Final = 128.0
FIT_LIMIT: Final = 96.0
"""Fitting a tiny grid enlarges its cells at most to this, in pixels."""

KEPT_IN_SIGHT: Final = 48.0
"""Pixels of the grid that always stay on the canvas."""

_WHOLE_FROM: Final = 4.0
"""From this size in pixels, zooming gives cells of whole pixels."""

_FAINTEST: Final = 0.1
_EMPTY: Final = "pattern:empty"


class Mode(StrEnum):
    """What the left mouse button does on the canvas."""

    EXPLORE = "explore"
    DRAW = "draw"


@dataclass(frozen=True)
class Pin:
    """The cell that the user has pinned, or its whole component."""

    cell: Cell
    component: bool = False


class Viewport(Model):
    """The visible part of a grid; several canvases may share a viewport.

    It is the whole grid (`fitted`), or a place at the centre of the canvas with a cell size.
    Canvases of different sizes that share it therefore show the same place.
    """

    fitted_changed = Signal()
    centre_changed = Signal()
    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fitted = True
        self.scale = 1.0  # pixels a cell, unless fitted
        self.centre: Point = (0.0, 0.0)  # of the canvas, in cells, unless fitted

    def fit(self) -> None:
        self._set(self.fitted_changed, True)

    def look_at(self, centre: Point, scale: float) -> None:
        scale = min(max(scale, SMALLEST_SCALE), LARGEST_SCALE)
        with self.transaction():
            self._set(self.fitted_changed, False)
            self._set(self.centre_changed, centre)
            self._set(self.scale_changed, scale)

    def placement(
        self,
        shape: tuple[int, int],
        size: Size,
        *,
        ratio: float = 1.0,
        margin: int = 0,
        beside: int = 0,
        window: Window | None = None,
    ) -> Placement:
        """Return where the cells of a grid are on a canvas of some device pixels.

        `ratio` is device pixels per pixel of the window. When fitted, the `window` of cells is
        shown: left, top, right, bottom, ends excluded; None is the grid. See
        :func:`fit_placement` for `margin` and `beside`.
        """
        if self.fitted:
            window = window or (0, 0, shape[1], shape[0])
            return fit_placement(window, size, ratio=ratio, margin=margin, beside=beside)
        scale, keep = self.scale * ratio, round(KEPT_IN_SIGHT * ratio)
        x, y = (
            min(max(round(room / 2 - at * scale), keep - math.floor(cells * scale)), room - keep)
            for room, at, cells in zip(size, self.centre, shape[::-1], strict=True)
        )
        return Placement(scale, x, y, *size, ratio)


class ViewState(Model):
    """What is shown of a run, and where the user looks.

    While the mode is `locked`, it is exploring, regardless of the chosen one.
    """

    layers_changed = Signal()
    hover_changed = Signal()  # the cell under the mouse
    cursor_changed = Signal()  # the cell of the keyboard's cursor
    pin_changed = Signal()
    marks_changed = Signal()  # of a lesson or a question
    mode_changed = Signal()
    locked_changed = Signal()
    viewport_changed = Signal()  # what the viewport shows
    revealed = Signal(tuple, bool)  # a cell to bring into sight, and whether it flashes
    fitted = Signal()  # show the whole grid
    box_fitted = Signal(tuple)  # show a part: left, top, right, bottom, ends excluded
    line_chosen = Signal(str, int)  # show a file of kernels and a line, from 1

    def __init__(self) -> None:
        super().__init__()
        self.layers = Layers(colours=CellColours.TREE, tiles=True)
        self.hover: Cell | None = None
        self.cursor: Cell | None = None
        self.pin: Pin | None = None
        self.marks = Marks()
        self.mode = self.chosen_mode = Mode.DRAW
        self.locked = False
        self.viewport = Viewport()
        self._shape: Shape = (0, 0)
        self._numbers: str = Numbers.RAW
        self._source: str | None = None
        self._on_pick: Callable[[Cell], object] | None = None
        watch(
            partial(self._announce, self.viewport_changed),
            self.viewport.fitted_changed,
            self.viewport.centre_changed,
            self.viewport.scale_changed,
        )

    @property
    def inspected(self) -> Cell | None:
        """The cell to describe: under the mouse, else under the cursor, else pinned."""
        pinned = None if self.pin is None else self.pin.cell
        return next((cell for cell in (self.hover, self.cursor, pinned) if cell is not None), None)

    @property
    def answering(self) -> bool:
        """Whether clicks and Enter choose cells as an answer."""
        return self._on_pick is not None

    def set_shape(self, shape: Shape) -> None:
        """Keep hover, cursor and pin inside a grid of this height and width; drop those outside."""
        if shape == self._shape:
            return
        self._shape = shape
        with self.transaction():
            self._look_at(self.hover, self.cursor)
            if self.pin is not None and not self._holds(self.pin.cell):
                self.set_pin(None)

    def show_layers(self, **changes: Any) -> None:
        """Change layers, by the names that :class:`Layers` has for them."""
        layers = replace(self.layers, **changes)
        layers = replace(layers, strength=min(max(layers.strength, _FAINTEST), 1.0))
        if layers.numbers:
            self._numbers = layers.numbers
        self._set(self.layers_changed, layers)

    def switch_layer(self, name: str) -> None:
        """Show a layer, one of ``render.layers.SWITCHES``, or hide it.

        Numbers return with the values they showed last.
        """
        shown: object = not self.layers.shows(name)
        if name == "numbers":
            shown = self._numbers if shown else Numbers.NONE
        self.show_layers(**{name: shown})

    def hover_at(self, cell: Cell | None) -> None:
        """Set the cell under the mouse; a cell inside the grid hides the cursor."""
        self._look_at(cell, None if self._holds(cell) else self.cursor)

    def put_cursor(self, cell: Cell | None) -> None:
        """Put the keyboard's cursor on a cell inside the grid; None hides it."""
        if cell is None or self._holds(cell):
            self._look_at(None, cell)

    def move_cursor(self, dx: int, dy: int) -> None:
        """Move the keyboard's cursor inside the grid; it starts where the user looked last."""
        height, width = self._shape
        if not height or not width:
            return
        start = self.cursor or self.inspected
        if start is None:
            self.put_cursor((width // 2, height // 2))
            return
        x, y = start[0] + dx, start[1] + dy
        self.put_cursor((min(max(x, 0), width - 1), min(max(y, 0), height - 1)))

    def pin_cell(self, cell: Cell, *, component: bool = False) -> None:
        """Pin a cell inside the grid, or its whole component."""
        if self._holds(cell):
            self.set_pin(Pin(cell, component))

    def toggle_pin(self, cell: Cell, *, component: bool = False) -> None:
        """Pin a cell inside the grid, or its whole component, or unpin it."""
        if self.pin == Pin(cell, component):
            self.set_pin(None)
        else:
            self.pin_cell(cell, component=component)

    def set_pin(self, pin: Pin | None) -> None:
        self._set(self.pin_changed, pin)

    def unpin(self) -> bool:
        """Remove the pin, or else the cursor; return whether there was one."""
        return self._set(self.pin_changed, None) or self._set(self.cursor_changed, None)

    def set_mode(self, mode: Mode) -> None:
        self.chosen_mode = mode
        self._set(self.mode_changed, Mode.EXPLORE if self.locked else mode)

    def lock_mode(self, on: bool) -> None:
        """Allow only exploring, or return to the chosen mode."""
        with self.transaction():
            self._set(self.locked_changed, on)
            self.set_mode(self.chosen_mode)

    def set_mode_for_origin(self, source: str) -> None:
        """Choose the mode that suits the origin of a new grid: only an empty one is drawn on.

        The pin belongs to the old grid, and is removed.
        """
        if source != self._source:
            self._source = source
            self.set_pin(None)
            drawn = not source or source.startswith(_EMPTY)
            self.set_mode(Mode.DRAW if drawn else Mode.EXPLORE)

    def set_marks(self, marks: Marks, on_pick: Callable[[Cell], object] | None = None) -> None:
        """Mark cells; with `on_pick`, a click on a cell chooses it as an answer."""
        before = self.marks, self.answering
        self.marks, self._on_pick = marks, on_pick
        if before != (marks, self.answering):
            self._announce(self.marks_changed)

    def answer_with(self, cell: Cell) -> bool:
        """Choose a cell as an answer; return whether a question wants one."""
        if self._on_pick is None:
            return False
        self._on_pick(cell)
        return True

    def reveal(self, cell: Cell, *, flash: bool = False) -> None:
        """Ask canvases to bring a cell into sight, and perhaps to flash it."""
        emit(self.revealed, cell, flash)

    def fit(self) -> None:
        """Ask canvases to show the whole grid."""
        self.viewport.fit()
        emit(self.fitted)

    def fit_box(self, box: Window) -> None:
        """Ask canvases to show a part of the grid: left, top, right, bottom, ends excluded."""
        self.box_fitted.emit(box)

    def _look_at(self, hover: Cell | None, cursor: Cell | None) -> None:
        with self.transaction():
            self._set(self.hover_changed, hover if self._holds(hover) else None)
            self._set(self.cursor_changed, cursor if self._holds(cursor) else None)

    def _holds(self, cell: Cell | None) -> bool:
        height, width = self._shape
        return cell is not None and 0 <= cell[0] < width and 0 <= cell[1] < height


def fit_placement(
    window: Window, size: Size, *, ratio: float = 1.0, margin: int = 0, beside: int = 0
) -> Placement:
    """Return where cells are if a whole window of cells is shown, centred on a canvas.

    On each side, `margin` device pixels stay free. On the right, `beside` of them do, if the total
    free space allows it: the cells then move to the left.
    """
    left, top, right, bottom = window
    columns, rows = right - left, bottom - top
    width, height = max(size[0] - 2 * margin, 1), max(size[1] - 2 * margin, 1)
    scale = max(min(width / columns, height / rows, FIT_LIMIT * ratio), SMALLEST_SCALE)
    x, y = (size[0] - columns * scale) / 2, (size[1] - rows * scale) / 2
    if 2 * x >= beside + margin:
        x = min(x, 2 * x - beside)
    return Placement(scale, round(x - left * scale), round(y - top * scale), *size, ratio)


def next_scale(scale: float, factor: float) -> float:
    """Return the next scale in a direction: cells of whole pixels, unless they are tiny.

    Below one pixel per cell, whole numbers of cells share a pixel.
    """
    target = min(max(scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
    grows = factor > 1
    if target >= _WHOLE_FROM:
        return float(math.ceil(target - 1e-9) if grows else math.floor(target + 1e-9))
    if target < 1:
        cells = 1 / target
        return 1 / max(math.floor(cells + 1e-9) if grows else math.ceil(cells - 1e-9), 1)
    return target


def to_grid(placement: Placement, x: float, y: float) -> Point:
    """Convert a position from device pixels to cells."""
    return (x - placement.x) / placement.scale, (y - placement.y) / placement.scale


def cell_at(placement: Placement, x: float, y: float) -> Cell:
    """Return column and row of the cell under a position, inside the grid or not."""
    column, row = to_grid(placement, x, y)
    return math.floor(column), math.floor(row)
