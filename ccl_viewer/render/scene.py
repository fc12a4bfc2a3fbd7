"""Turns a view of a step into a display list. Every rule of how steps look stands here, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.display_list import (
    DisplayList,
    Image,
    Item,
    Layer,
    Points,
    Rects,
    Texts,
    boxes_of,
    with_alpha,
)
from ccl_viewer.render.layers import CellColours, Numbers
from ccl_viewer.render.palette import label_indices
from ccl_viewer.render.step_view import Placement, StepView
from ccl_viewer.render.themes import (
    DIMMED,
    LIT,
    CanvasColours,
    canvas_colours,
    depth_indices,
    input_indices,
    packed,
)

LINES_FROM: Final = 8.0
"""Size of a cell, in pixels, from which lines are drawn between cells."""

MARKS_FROM: Final = 5.0
"""From which changed cells are outlined; smaller ones are brighter."""

DOTS_BELOW: Final = 4.0
"""Below which changed cells have a dot around them, if they are few."""

NUMBERS_FROM: Final = 16.0
"""From which cells have numbers, if these fit."""

ARROWS_FROM: Final = 18.0
"""From which arrows are drawn."""

_SMALLEST_NUMBER: Final = 8.0
_LARGEST_NUMBER: Final = 28.0
_DIGIT: Final = 0.6  # width of a digit, in sizes of the typeface
_ROOMY: Final = 20.0  # smaller cells have no number where there is no label

Keys = tuple[Any, ...]


class SceneCache:
    """Keeps layers as long as what they are made from stays the same."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Keys, Layer]] = {}

    def layer(
        self, name: str, keys: Keys, make: Callable[[], Iterable[Item]], *, volatile: bool = False
    ) -> Layer:
        """Return a layer, made again if one of the keys is another.

        Arrays are compared by identity.

        Parameters
        ----------
        name : str
        keys : tuple
            All that it is made from.
        make : callable
            Yields its shapes.
        volatile : bool
            Whether it follows the mouse.
        """
        known = self._kept.get(name)
        if known is not None and _alike(known[0], keys):
            return known[1]
        layer = Layer(name, tuple(make()), volatile)
        self._kept[name] = keys, layer
        return layer


def _alike(first: Keys, second: Keys) -> bool:
    return len(first) == len(second) and all(
        one is other or (not isinstance(one, np.ndarray) and bool(one == other))
        for one, other in zip(first, second, strict=True)
    )


def build(view: StepView, cache: SceneCache | None = None) -> DisplayList:
    """Return what is painted of a view.

    Parameters
    ----------
    view : StepView
    cache : SceneCache or None
        Of this canvas; layers that did not change since the last call are the same objects.
    """
    base = build_base(view, cache)
    overlay = build_overlay(view)
    layers = (*base.layers, *overlay.layers)
    return DisplayList(base.width, base.height, base.background, layers)


def build_base(view: StepView, cache: SceneCache | None = None) -> DisplayList:
    """Return the layers that do not follow the mouse; see :func:`build`."""
    scene = _Scene(view, SceneCache() if cache is None else cache)
    layers = tuple(layer for layer in scene.layers() if layer.items)
    place = view.placement
    return DisplayList(place.width, place.height, packed(view.theme.canvas), layers)


def build_overlay(view: StepView) -> DisplayList:
    """Return the layers that follow the mouse: paths, marks, what is being drawn."""
    place = view.placement
    return DisplayList(place.width, place.height, packed(view.theme.canvas))


def number_size(size: float, digits: int) -> float | None:
    """Return the height of numbers that fit into cells of a size, or None if none can be read.

    Parameters
    ----------
    size : float
        Of a cell for the eye.
    digits : int
        Of the longest number.
    """
    if size < NUMBERS_FROM:
        return None
    wide = _DIGIT * max(digits, 1)
    fits = min(size * 0.46, size * 0.9 / wide, _LARGEST_NUMBER)
    if fits < _SMALLEST_NUMBER and wide * _SMALLEST_NUMBER < size - 1:
        return _SMALLEST_NUMBER  # better closely set than not at all
    return float(int(fits)) if fits >= _SMALLEST_NUMBER else None


def cell_indices(view: StepView, *, before: bool = False) -> npt.NDArray[np.uint8]:
    """Return the palette indices of the cells, without marks.

    Parameters
    ----------
    view : StepView
    before : bool
        Those after the step before.
    """
    drawn = input_indices(view.values, multivalued=view.multivalued)
    labels = view.before if before else view.labels
    kind, colouring, components = view.colours, view.colouring, view.components
    if labels is None or colouring is None or components is None or kind is CellColours.INPUT:
        return drawn
    followed = view.followed_before if before else view.followed
    if kind is CellColours.COMPONENT:
        indices = colouring.component_colours.take(components)
        indices = np.multiply(indices, components != 0, dtype=np.uint8)
    elif kind is CellColours.DEPTH and followed is not None:
        indices = depth_indices(followed, components != 0)
    else:
        named = followed if kind is CellColours.TREE and followed is not None else labels
        indices = label_indices(named, colouring, components)
    if view.stale:
        indices = np.where((indices == 0) | (drawn == 0), drawn, indices)
    if view.pinned and view.layers.only:
        indices += np.uint8(DIMMED) * (components != view.pinned)
    return indices


class _Scene:
    """The layers of one view."""

    def __init__(self, view: StepView, cache: SceneCache) -> None:
        self.view = view
        self.cache = cache
        self.place: Placement = view.placement
        self.size = view.placement.size
        self.px = view.placement.ratio
        self.colours: CanvasColours = canvas_colours(view.theme, view.layers.strength)
        self.indices = cell_indices(view)

    def layers(self) -> Iterator[Layer]:
        """Yield all layers, the lowest first."""
        if not self.view.sample.empty:
            yield Layer("cells", tuple(self._cells()))
            if self.view.layers.lines and self.size >= LINES_FROM:
                keys = (self.view.sample, self.colours)
                yield self.cache.layer("lines", keys, self._lines)
            yield Layer("numbers", tuple(self._numbers()))
            yield Layer("changes", tuple(self._changes()))

    def _cells(self) -> Iterator[Item]:
        view, sample, indices = self.view, self.view.sample, self.indices
        if sample.thin is not None:
            indices = indices + sample.thin * (indices < DIMMED)
        if self.size < MARKS_FROM and view.layers.changed and view.changed is not None:
            indices = indices + np.uint8(LIT) * (view.changed & (self.indices < DIMMED))
        yield Image(indices, self.colours.table, sample.x, sample.y)

    def _lines(self) -> Iterator[Item]:
        x, y = self.view.sample.x, self.view.sample.y
        colour = with_alpha(packed(self.view.theme.canvas), min(1.0, (self.size - 3) / 14))
        thick = max(1, round(self.px))
        down = [(at, y[0], at + thick, y[-1]) for at in x]
        across = [(x[0], at, x[-1], at + thick) for at in y]
        yield Rects(boxes_of([*down, *across]), fill=colour)

    def _numbers(self) -> Iterator[Item]:
        view = self.view
        size = number_size(self.size, view.digits)
        if size is None or view.numbers is None or view.layout is None:
            return
        written = self.indices != 0
        if view.layers.numbers == Numbers.RAW and self.size < _ROOMY:
            written &= view.numbers != view.layout.background
        middles = self._middles()
        for index in np.unique(self.indices[written]).tolist():
            chosen = written & (self.indices == index)
            texts = tuple(map(str, view.numbers[chosen].tolist()))
            yield Texts(texts, middles[chosen], size * self.px, self.colours.inks[index])

    def _middles(self) -> Points:
        """Return the middles of the cells, shape (rows, columns, 2)."""
        x, y = self.view.sample.x, self.view.sample.y
        middles = np.empty((y.size - 1, x.size - 1, 2))
        middles[:, :, 0] = (x[1:] + x[:-1]) / 2
        middles[:, :, 1] = ((y[1:] + y[:-1]) / 2)[:, None]
        return middles

    def _changes(self) -> Iterator[Item]:
        view, sample = self.view, self.view.sample
        if not view.layers.changed or view.changed is None or self.size < MARKS_FROM:
            return
        rows, columns = np.nonzero(view.changed & (self.indices < DIMMED))
        x, y, line = sample.x, sample.y, max(1, round(self.px))
        gap = line if view.layers.lines and self.size >= LINES_FROM else 0
        boxes = np.stack([x[columns] + gap, y[rows] + gap, x[columns + 1], y[rows + 1]], axis=1)
        yield Rects(boxes.astype(np.float64), stroke=with_alpha(self.colours.bold, 0.9), width=line)
