"""The view of one step: visible cells, their places, and their data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.registry import default_backend
from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.execution.plan import Kernel, LabelLayout, LaunchStructure, Stage
from ccl_viewer.grids.selection import Patch
from ccl_viewer.grids.shapes import Box, Cell, Spans
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.recording.recording import select_count_layers
from ccl_viewer.reference import Labels
from ccl_viewer.render import forest
from ccl_viewer.render.display_list import Edges
from ccl_viewer.render.forest import Cells, Mask
from ccl_viewer.render.geometry import DOTS_BELOW
from ccl_viewer.render.layers import (
    COUNTED,
    LAYER_PREFIX,
    CellColours,
    Layers,
    Numbers,
    shown_array_name,
)
from ccl_viewer.render.palette import Colouring
from ccl_viewer.render.themes import DARK, DEEPEST, THIN, CanvasTheme

Values: TypeAlias = npt.NDArray[Any]
_T = TypeVar("_T", bound=np.generic)

MAX_DOTS: Final = 2_000
"""Most changed cells that get a dot each when cells are tiny."""

_KEPT_PIXELS: Final = 1 << 22
_SPARSE: Final = 200  # fewest cells per dot
_THIN: Final = (0.7, 0.3)  # largest shares of foreground of pale and of paler pixels


@dataclass(frozen=True)
class Placement:
    """Placement of a grid's cells in a picture; all sizes are in device pixels."""

    scale: float  # size of a cell, any positive number
    x: int  # top left corner of cell (0, 0)
    y: int
    width: int  # of the picture
    height: int
    ratio: float = 1.0  # device pixels per logical pixel, which scales lines and text

    @property
    def logical_cell_size(self) -> float:
        """Size of a cell in logical pixels, which decides what is drawn."""
        return self.scale / self.ratio

    def edges(self, start: int, end: int, corner: int) -> Edges:
        """Return where the cells from `start` to `end` (exclusive) start, and the last one ends."""
        places = np.arange(start, end + 1) * self.scale + (corner + 0.5)
        edges: Edges = np.floor(places).astype(np.int64)
        return edges

    def to_pixels(self, cells: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Convert places in cells, shape (..., 2) or (..., 4), to places in the picture."""
        corner = np.array([self.x, self.y] * (cells.shape[-1] // 2), np.float64)
        return cells * float(self.scale) + corner

    def to_whole_pixels(self, cells: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Convert corners of cells to places in the picture, at the start of their pixels."""
        return np.floor(self.to_pixels(cells) + 0.5)

    def window(self, shape: tuple[int, ...], pad: int = 0) -> tuple[int, int, int, int]:
        """Return the visible cells: left, top, right and bottom, ends excluded.

        `pad` is the number of cells by which they may exceed the grid.
        """
        left, top = (math.floor(-corner / self.scale) for corner in (self.x, self.y))
        right = math.ceil((self.width - self.x) / self.scale)
        bottom = math.ceil((self.height - self.y) / self.scale)
        height, width = shape[:2]
        return (
            max(left, -pad),
            max(top, -pad),
            max(min(right, width + pad), left, -pad),
            max(min(bottom, height + pad), top, -pad),
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """The cells that a picture needs: all visible ones, or one for each pixel."""

    placement: Placement
    shape: tuple[int, int]  # height and width of the grid
    window: tuple[int, int, int, int]  # visible cells: left, top, right and bottom, ends excluded
    x: Edges  # starts of the sample's columns, and end of the last, in pixels
    y: Edges
    places: npt.NDArray[np.int32] | None = None  # the cell for each pixel, if cells are smaller
    thin: npt.NDArray[np.uint8] | None = None  # paleness of these, a multiple of THIN
    values: npt.NDArray[np.uint8] | None = None  # values of these in the grid
    placed: Any = None  # the same as `places`, on the backend's device
    backend: ArrayBackend | None = None
    _components: WeakKeyDictionary[Recording, Labels] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @property
    def empty(self) -> bool:
        """Whether no cell is visible."""
        return self.x.size < 2 or self.y.size < 2

    @property
    def pooled(self) -> bool:
        """Whether a pixel represents several cells."""
        return self.places is not None

    def of(self, cells: npt.NDArray[_T]) -> npt.NDArray[_T]:
        """Return the sample of an array of shape (height, width)."""
        if self.places is not None:
            return cells.reshape(-1).take(self.places)
        left, top, right, bottom = self.window
        return cells[top:bottom, left:right]

    def of_grid(self, grid: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return the sample of the grid that it was made for."""
        return self.of(grid) if self.values is None else self.values

    def find_components(self, recording: Recording) -> Labels:
        """Return the number of each cell's component, looked up once per run."""
        components = self._components.get(recording)
        if components is None:
            components = self._components[recording] = recording.components_at(self.chosen)
        return components

    @cached_property
    def chosen(self) -> ChosenCells:
        """The cells, for looking up their labels; always the same object."""
        if self.places is not None:
            return ChosenCells(self.places, self.placed, self.backend)
        left, top, right, bottom = self.window
        rows, columns = np.arange(top, bottom), np.arange(left, right)
        return ChosenCells.of(rows[:, None] * self.shape[1] + columns[None, :])


class Sampler:
    """Finds the visible cells; returns the same sample as long as nothing changes."""

    def __init__(self) -> None:
        self._known: tuple[tuple[int, int], int] | None = None  # shape and revision of the grid
        self._sample: Sample | None = None
        self._grid: _PlacedGrid | None = None
        self._pool: _Pool | None = None

    def sample(
        self, grid: npt.NDArray[np.uint8], placement: Placement, revision: int = 0
    ) -> Sample:
        """Return the visible cells of a grid; each grid has a different revision."""
        key = (grid.shape[0], grid.shape[1]), revision
        if key != self._known:
            self._update(grid)
        elif self._sample is not None and self._sample.placement == placement:
            return self._sample
        self._known = key
        left, top, right, bottom = window = placement.window(grid.shape)
        x = placement.edges(left, right, placement.x)
        y = placement.edges(top, bottom, placement.y)
        pooled: _Pixels | None = None
        if placement.scale < 1:
            if self._grid is None:
                self._grid = _PlacedGrid(grid)
            if self._pool is None or self._pool.scale != placement.scale:
                self._pool = _Pool(self._grid, placement.scale)
            x, y, pooled = self._pool.in_sight(placement)
        self._sample = Sample(placement, key[0], window, x, y, *(pooled or ()))
        return self._sample

    def _update(self, grid: npt.NDArray[np.uint8]) -> None:
        """Take another grid, which often differs in a few rows only, as while the user draws."""
        if self._grid is None or self._grid.cells.shape != grid.shape:
            self._grid = self._pool = None
            return
        rows = self._grid.update(grid)
        if self._pool is not None and rows is not None:
            self._pool.update(*rows)


class _PlacedGrid:
    """A grid on the device that chooses the cells of pixels."""

    def __init__(self, grid: npt.NDArray[np.uint8]) -> None:
        self.cells, self.backend = grid.copy(), default_backend()
        self.image = self.backend.to_device(self.cells)

    def update(self, grid: npt.NDArray[np.uint8]) -> tuple[int, int] | None:
        """Take another grid of the same shape; return the first and the last row that changed."""
        rows = np.flatnonzero((grid != self.cells).any(axis=1))
        if not rows.size:
            return None
        self.cells[rows] = grid[rows]
        first, last = int(rows[0]), int(rows[-1])
        part = slice(first, last + 1)
        self.image[part] = self.backend.to_device(self.cells[part])
        return first, last


class _Pixels(NamedTuple):
    """The cell that each pixel shows, and its paleness; as the fields of :class:`Sample`."""

    places: Labels
    thin: npt.NDArray[np.uint8]
    values: npt.NDArray[np.uint8]
    placed: Any
    backend: ArrayBackend


class _Pool:
    """The cell of a grid that represents each pixel, and the pixel's share of foreground.

    It is the first foreground cell of the pixel, if there is one. So foreground never disappears,
    and a pixel shows the same cell at every step. Cells at the edge of a pixel count in part for
    the share: whole cells would cause moiré on thin lines.

    On the CPU, all pixels of the grid are chosen once and cached, if they are few; a GPU chooses
    the visible ones each time.
    """

    def __init__(self, grid: _PlacedGrid, scale: float) -> None:
        self.scale, self._grid = scale, grid
        height, width = grid.cells.shape
        self._down, self._across = _starts(height, scale), _starts(width, scale)
        self._rows, self._columns = _cuts(height, scale), _cuts(width, scale)
        self._whole: tuple[Values, ...] | None = None
        if grid.backend.on_host and self._down.size * self._across.size <= _KEPT_PIXELS:
            chosen = self._choose(slice(0, self._down.size), slice(0, self._across.size))
            self._whole = chosen[:3]

    def update(self, first: int, last: int) -> None:
        """Choose again for changed rows of the grid."""
        if self._whole is None:
            return
        above = max(0, int(np.searchsorted(self._down, first)) - 1)
        below = int(np.searchsorted(self._down, last + 1))
        part = slice(above, below), slice(0, self._across.size)
        for array, chosen in zip(self._whole, self._choose(*part)[:3], strict=True):
            array[part] = chosen

    def in_sight(self, placement: Placement) -> tuple[Edges, Edges, _Pixels]:
        """Return the places of visible columns and rows of pixels, and their cells."""
        rows, columns = self._down.size, self._across.size
        top, bottom = max(0, -placement.y), min(rows, placement.height - placement.y)
        left, right = max(0, -placement.x), min(columns, placement.width - placement.x)
        part = slice(top, max(top, bottom)), slice(left, max(left, right))
        x = np.arange(part[1].start, part[1].stop + 1) + placement.x
        y = np.arange(part[0].start, part[0].stop + 1) + placement.y
        if self._whole is None:
            return x, y, self._choose(*part)
        places, thin, values = (np.ascontiguousarray(array[part]) for array in self._whole)
        return x, y, _Pixels(places, thin, values, places, self._grid.backend)

    def _choose(self, rows: slice, columns: slice) -> _Pixels:
        """Choose the cells of some rows and columns of pixels."""
        backend, cells = self._grid.backend, self._grid.cells.shape
        shape = rows.stop - rows.start, columns.stop - columns.start
        places, thin, values = (backend.empty(shape, of) for of in (np.int32, np.uint8, np.uint8))
        pixels = shape[0] * shape[1]
        if pixels:
            lines = [
                (_bounds(starts, count, part), np.append(shares, 0)[part.start : part.stop + 1])
                for starts, count, (_, shares), part in (
                    (self._down, cells[0], self._rows, rows),
                    (self._across, cells[1], self._columns, columns),
                )
            ]
            (down, down_part), (across, across_part) = lines
            arrays = (down, across, down_part.astype(np.float32), across_part.astype(np.float32))
            backend.launch(
                Kernel("pictures", "pictures_pool"), pixels, self._grid.image,
                *(backend.to_device(array) for array in arrays), places, thin, values,
                np.int32(shape[0]), np.int32(shape[1]), np.int32(cells[1]),
                *(np.float32(share) for share in _THIN), np.int32(THIN),
            )  # fmt: skip
        host = backend.to_host
        return _Pixels(host(places), host(thin), host(values), places, backend)


def _bounds(starts: Edges, cells: int, part: slice) -> npt.NDArray[np.int32]:
    """Return the first cell of some pixels, and of the next pixel."""
    return np.append(starts, cells)[part.start : part.stop + 1].astype(np.int32)


def _cuts(cells: int, scale: float) -> tuple[Edges, npt.NDArray[np.float32]]:
    """Return the cell where each pixel begins, then the last cell, and the shares before these."""
    starts = np.append(_starts(cells, scale), cells - 1)
    shares = np.arange(starts.size) / scale - starts
    shares[-1] = 0
    return starts, np.clip(shares, 0, 1).astype(np.float32)


def _starts(cells: int, scale: float) -> Edges:
    """Return the first cell of each pixel."""
    pixels = max(1, math.ceil(cells * scale - 1e-6))
    return np.minimum(np.floor(np.arange(pixels) / scale + 1e-9).astype(np.int64), cells - 1)


@dataclass(frozen=True)
class Marks:
    """Marks of a lesson or a question."""

    highlight: tuple[Cell, ...] = ()  # highlighted cells
    follow: tuple[Cell, ...] = ()  # cells with arrows along their paths to the roots
    asked: Cell | None = None  # the cell of the question
    chosen: tuple[Cell, ...] = ()  # clicked as an answer
    right: tuple[Cell, ...] = ()  # the right answer, once it is revealed
    judged: bool = False  # whether the chosen cells were compared with the right ones


@dataclass(frozen=True)
class RootPath:
    """An outlined cell, and the path from it to its root."""

    cell: Cell
    parents: tuple[Cell, ...] = ()  # from its parent to its root; empty without a label
    pinned: bool = False  # otherwise it is under the mouse or the cursor


@dataclass(frozen=True, eq=False)
class Preview:
    """Shapes over the grid that are not part of it."""

    spans: Spans | None = None  # cells of a shape being drawn
    value: int = 0  # their future value
    patch: Patch | None = None  # cells that float over the grid
    hole: Box | None = None  # where they were cut out, which becomes background
    outline: Box | None = None  # the selection
    brush: Spans | None = None  # cells that the brush would cover
    brush_value: int = 1  # their value after painting


NO_MARKS: Final = Marks()


@dataclass(frozen=True, eq=False)
class StepView:
    """The view of a step, or of a grid without a run.

    Unless stated otherwise, arrays have one element for each cell of the sample.
    """

    sample: Sample
    values: npt.NDArray[np.uint8]  # of the grid
    theme: CanvasTheme = DARK
    layers: Layers = field(default_factory=Layers)
    multivalued: bool = False  # whether each value of the grid has a colour
    layout: LabelLayout | None = None  # meaning of labels; None without a run
    colouring: Colouring | None = None
    components: Labels | None = None  # number of the component of each cell
    labels: Labels | None = None  # raw labels after the step
    before: Labels | None = None  # raw labels after the previous step, if these are shown, too
    # Each cell's root for colours of trees, or its distance from the root for colours of depths.
    # None if not computed in time: then labels determine the colours.
    followed: Labels | None = None
    followed_before: Labels | None = None
    counts: Labels | None = None  # accesses to each cell, if colours show them
    numbers: Values | None = None  # numbers in the cells
    digits: int = 1  # of the run's longest label, or of the visible counts or array
    parents: Cells | None = None  # target of each cell's arrow, -1 for none
    bright: Mask | None = None  # with a pinned component: cells with bright arrows
    # If they are marked, the cells that the step changed; if numbers are drawn, their changes.
    changed: Mask | None = None
    changed_cells: Cells | None = None  # in the whole grid, if these are few
    structures: tuple[LaunchStructure, ...] = ()  # drawn divisions of the grid
    run_image: npt.NDArray[np.uint8] | None = None  # the grid of the run
    pinned: int = 0  # number of the pinned component
    difference: Mask | None = None  # cells in different components than in another run
    wrong: Mask | None = None  # wrong cells at the end of the run
    wrong_count: int = 0  # number of wrong cells in the whole grid
    wrong_cells: Cells | None = None  # in the whole grid, if they are few and tiny
    stale: bool = False  # whether the run is of an older grid
    block: Box | None = None  # the cells of the inspected block
    warp: tuple[Cell, ...] = ()  # the cells of the inspected warp's lanes
    fault: Cell | None = None  # where the run failed in this step
    array: str = ""  # the array in the cells, if not labels
    referring: str = ""  # the array that arrows follow, if not labels
    paths: tuple[RootPath, ...] = ()
    marks: Marks = NO_MARKS
    preview: Preview | None = None
    flash: Cell | None = None  # just jumped to
    text_size: float = 13.0  # of the legend, in device pixels

    @property
    def placement(self) -> Placement:
        return self.sample.placement

    @property
    def colours(self) -> CellColours:
        """Meaning of the colours: labels, if roots were not computed in time."""
        kind = self.layers.colours
        lost = kind in {CellColours.TREE, CellColours.DEPTH} and self.followed is None
        lost = lost or (kind in COUNTED and self.counts is None)
        return CellColours.LABEL if lost else kind


class LabelSource(Protocol):
    """Looks up labels of a recording's steps, or an array's values."""

    def fetch_labels(
        self, recording: Recording, index: int, cells: ChosenCells, layer: str | None = None
    ) -> Values | None:
        """Return the values of a sample, or None if they are being computed."""

    def make_label_lookup(
        self, recording: Recording, index: int, layer: str | None = None
    ) -> forest.Lookup:
        """Return the lookup of single cells."""

    def fetch_roots(
        self, recording: Recording, index: int, cells: ChosenCells, *, depths: bool
    ) -> Labels | None:
        """Return the result of :func:`follow` for a sample, or None if it is being computed."""


def follow_limit(recording: Recording, *, depths: bool) -> int:
    """Return the limit of labels followed from a cell of a run."""
    if depths:
        return DEEPEST
    return forest.follow_limit(recording.layout)


def follow(frame: Labels, layout: LabelLayout, cells: Cells, *, depths: bool) -> Labels:
    """Follow cells to their roots in all labels; return the roots' labels, or their distances.

    Depths are counted up to :data:`~ccl_viewer.render.themes.DEEPEST`.
    """
    if depths:
        return forest.roots_and_depths(forest.lookup_in_frame(frame), layout, cells, DEEPEST)[1]
    return forest.root_labels_in_frame(frame, layout, cells)


class RecordingLabels:
    """Labels directly from a recording, decoded on demand."""

    def fetch_labels(
        self, recording: Recording, index: int, cells: ChosenCells, layer: str | None = None
    ) -> Values:
        return step_values(recording, index, layer).reshape(-1).take(cells.cells)

    def make_label_lookup(
        self, recording: Recording, index: int, layer: str | None = None
    ) -> forest.Lookup:
        return forest.lookup_in_frame(step_values(recording, index, layer))

    def fetch_roots(
        self, recording: Recording, index: int, cells: ChosenCells, *, depths: bool
    ) -> Labels:
        return follow(step_values(recording, index), recording.layout, cells.cells, depths=depths)


def step_values(recording: Recording, index: int, layer: str | None = None) -> Values:
    """Return all labels of a step or values of an array; the recording caches the last ones."""
    return recording.labels(index) if layer is None else recording.layer(layer, index)


@dataclass(frozen=True, eq=False)
class ViewOptions:
    """How to show a step.

    The displayed grid may differ from the run's.
    """

    layers: Layers = field(default_factory=Layers)
    colouring: Colouring | None = None
    theme: CanvasTheme = DARK
    text_size: float = 13.0  # of the legend, in device pixels
    grid: npt.NDArray[np.uint8] | None = None  # None for the run's
    stale: bool = False  # whether the run is of an older grid
    pin: Cell | None = None  # the cell whose component is pinned
    alone: Cell | None = None  # the only pinned cell
    difference: Mask | None = None  # the whole grid's cells that differ from another run
    wrong: Mask | None = None  # the whole grid's wrong cells at the end of the run
    marks: Marks = NO_MARKS


def view_step(
    source: LabelSource, recording: Recording, index: int, sample: Sample, options: ViewOptions
) -> StepView:
    """Return the view of a run's step."""
    layers, wrong = options.layers, options.wrong
    grid = recording.image if options.grid is None else options.grid
    if layers.numbers == Numbers.RAW and _is_numbering(recording, index):
        layers = replace(layers, numbers=f"{LAYER_PREFIX}numbers")
    view = StepView(
        sample,
        sample.of_grid(grid),
        options.theme,
        layers,
        multivalued=recording.multivalued,
        stale=options.stale,
        marks=options.marks,
        text_size=options.text_size,
    )
    if wrong is not None and not options.stale:
        view = _with_wrong_cells(view, wrong)
    if options.colouring is None or grid.shape != recording.image.shape or sample.empty:
        return view
    builder = _StepViewBuilder(source, recording, index, sample, layers, options.colouring)
    return builder.build(view, options.pin, options.alone, options.difference)


def _with_wrong_cells(view: StepView, wrong: Mask) -> StepView:
    """Return a view that marks wrong cells, given as bool of shape (height, width)."""
    count = int(np.count_nonzero(wrong))
    few = count <= MAX_DOTS and view.placement.logical_cell_size < DOTS_BELOW
    cells = np.flatnonzero(wrong) if few else None
    return replace(view, wrong=view.sample.of(wrong), wrong_count=count, wrong_cells=cells)


def _is_numbering(recording: Recording, index: int) -> bool:
    """Return whether a step numbers components; the numbers are then shown instead of labels."""
    if index == NOT_BEGUN or not recording.consecutive:
        return False
    step = recording.step(index)
    return step.module == "consecutive" and step.stage is Stage.RELABEL


@dataclass(frozen=True, eq=False)
class _StepViewBuilder:
    """Looks up the data of a view."""

    source: LabelSource
    recording: Recording
    index: int
    sample: Sample
    layers: Layers
    colouring: Colouring

    def build(
        self, view: StepView, pin: Cell | None, alone: Cell | None, difference: Mask | None
    ) -> StepView:
        recording, sample, colouring = self.recording, self.sample, self.colouring
        labels = self._fetch_sample(self.index)
        if labels is None:
            return view
        started, follows = self.index != NOT_BEGUN, self.index > 0
        before = self._fetch_sample(self.index - 1) if started else None
        counts = self._fetch_counts(labels)
        onion = self.layers.onion and follows and counts is None
        fault = recording.fault if self.index == len(recording) - 1 else None
        view = replace(
            view,
            layout=recording.layout,
            colouring=colouring,
            components=sample.find_components(recording),
            labels=labels,
            before=before if onion else None,
            followed=self._fetch_roots_or_depths(self.index, labels),
            counts=counts,
            array=""
            if counts is not None
            else shown_array_name(self.layers.numbers, recording.layers),
            referring=shown_array_name(self.layers.numbers, recording.references),
            structures=self._select_structures() if started else (),
            run_image=recording.image,
            pinned=recording.component_at(pin) if pin else 0,
            difference=None if difference is None or view.stale else sample.of(difference),
            fault=None if fault is None else fault.cell,
        )
        if follows and before is not None:
            if onion:
                view = replace(
                    view, followed_before=self._fetch_roots_or_depths(self.index - 1, before)
                )
            if self.layers.changed and not view.stale:
                view = replace(
                    view, changed=labels != before, changed_cells=self._find_changed_cells()
                )
        return view if sample.pooled else self._with_arrows(self._with_numbers(view), alone)

    def _select_structures(self) -> tuple[LaunchStructure, ...]:
        return self.layers.drawn_structures(self.recording.step(self.index).structures)

    def _fetch_sample(self, index: int, layer: str | None = None) -> Values | None:
        if index == NOT_BEGUN:
            background = self.recording.layout.background
            return np.full(self.sample.chosen.cells.shape, background, np.int32)
        return self.source.fetch_labels(self.recording, index, self.sample.chosen, layer)

    def _fetch_roots_or_depths(self, index: int, labels: Values) -> Labels | None:
        depths = self.layers.colours is CellColours.DEPTH
        if not depths and self.layers.colours is not CellColours.TREE:
            return None
        if index == NOT_BEGUN:
            return np.full(labels.shape, -1 if depths else labels.flat[0], np.int32)
        return self.source.fetch_roots(self.recording, index, self.sample.chosen, depths=depths)

    def _fetch_counts(self, labels: Values) -> Labels | None:
        recording, kind = self.recording, self.layers.colours
        if kind not in COUNTED or not recording.has_counts:
            return None
        if self.index == NOT_BEGUN:
            return np.zeros(labels.shape, np.int32)
        layer, before = select_count_layers(kind, self.index, total=self.layers.total)
        counts = self._fetch_sample(self.index, layer)
        if counts is None or before is None:
            return counts
        earlier = self._fetch_sample(self.index - 1, before)
        return None if earlier is None else counts - earlier

    def _find_changed_cells(self) -> Cells | None:
        """Return the changed cells if they are marked, few, and too small for outlines."""
        rows, columns = self.sample.shape
        many = self.recording.step(self.index).changed > min(MAX_DOTS, rows * columns // _SPARSE)
        if many or self.sample.placement.logical_cell_size >= DOTS_BELOW:
            return None
        return self.recording.changed_cells(self.index)

    def _with_numbers(self, view: StepView) -> StepView:
        numbers = self._choose_numbers(view)
        if numbers is not None:
            view = replace(view, numbers=numbers, digits=self._count_digits(numbers))
            if view.array and view.changed is not None:
                before = self._fetch_sample(self.index - 1, view.array)
                view = view if before is None else replace(view, changed=numbers != before)
        return view

    def _with_arrows(self, view: StepView, alone: Cell | None) -> StepView:
        if view.stale or not (self.layers.arrows or view.marks.follow):
            return view
        bright: Mask | None = None
        if view.pinned and view.components is not None:
            bright = view.components == view.pinned
        begun = self.index != NOT_BEGUN
        if alone is not None and begun and self.recording.image[alone[1], alone[0]]:
            bright = self._find_path_cells(view, [alone])
        return replace(view, parents=self._find_parents(view), bright=bright)

    def _find_path_cells(self, view: StepView, cells: Sequence[Cell]) -> Mask:
        """Return which cells are on the paths from some cells to their roots."""
        layout = self.recording.layout
        lookup = self.source.make_label_lookup(self.recording, self.index, view.referring or None)
        passed = forest.path_cells(lookup, layout, linear_indices(cells, layout.width))
        return np.isin(self.sample.chosen.cells, passed)

    def _choose_numbers(self, view: StepView) -> Values | None:
        shown = self.layers.numbers
        if shown == Numbers.NONE or view.labels is None:
            return None
        if view.counts is not None:
            return view.counts
        if shown == Numbers.COMPONENT:
            return view.components
        if shown == Numbers.ROOT and self.index != NOT_BEGUN:
            lookup = self.source.make_label_lookup(self.recording, self.index)
            return forest.root_labels(lookup, self.recording.layout, self.sample.chosen.cells)
        if view.array and self.index != NOT_BEGUN:
            return self._fetch_sample(self.index, view.array)
        return view.labels

    def _count_digits(self, numbers: Values) -> int:
        """Return the length of the longest number: of all labels, or of the visible counts.

        So labels have the same size everywhere. Checking all counts of a large grid would take too
        long.
        """
        extremes = [int(numbers.max()), int(numbers.min())] if numbers.size else [0]
        if self.layers.colours in COUNTED and self.recording.has_counts:
            return len(str(extremes[0]))
        if self.layers.numbers == Numbers.COMPONENT:
            extremes.append(self.colouring.component_colours.size - 1)
        elif not self.layers.numbers.startswith(LAYER_PREFIX):
            layout = self.recording.layout
            last = layout.addresses(layout.height * layout.width - 1)
            extremes += [int(last), layout.background]
        return max(len(str(value)) for value in extremes)

    def _find_parents(self, view: StepView) -> Cells | None:
        layout, cells = self.recording.layout, self.sample.chosen.cells
        layer = view.referring or None
        values = view.labels if layer is None else self._fetch_sample(self.index, layer)
        if values is None or self.index == NOT_BEGUN:
            return None
        parents = forest.find_parents(lambda _: values, layout, cells)
        parents[view.values == 0] = forest.NO_CELL
        if not self.layers.arrows:
            parents[~self._find_path_cells(view, view.marks.follow)] = forest.NO_CELL
        return parents


def linear_indices(cells: Sequence[Cell], width: int) -> Cells:
    """Return the linear indices of cells given by column and row."""
    return np.array([y * width + x for x, y in cells], np.int64)
