"""Fitting a grid into the canvas, with room for the key and the legend beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from ccl_viewer.plan import Structure
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import array_of
from ccl_viewer.render.marks import ARROW_CELL, LINES_FROM, MARKS_FROM
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.session import Layers
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas.card import CardItem, cards_of, height_below, shown_of
from ccl_viewer.views.canvas.geometry import NUMBER_CELL, CellRange, Viewpoint, fitted
from ccl_viewer.views.canvas.key import KeyEntry, Marks, key_entries, key_items, split_key
from ccl_viewer.views.canvas.layers import box_of, extent_of, legend_entries
from ccl_viewer.views.canvas.legend import legend_items

_MARGIN: Final = 6.0
_SMALL_MARGIN: Final = 1.0
"""Where canvases lie beside each other, with gaps between them, and cells are small."""

_LEAST_SHARE: Final = 0.85
"""Share of their size that cells keep: where the key would cost them more, it is left out."""

Size = tuple[float, float]
Items = Sequence[CardItem]
Fit = Callable[[float, float], Viewpoint]
"""Returns where the grid lies on a canvas of a width and a height."""

Pair = tuple[Items, Items]
"""A legend and a key."""


@dataclass(frozen=True)
class Told:
    """What is told beside a grid.

    Parameters
    ----------
    layers : Layers
        What is shown.
    recording : Recording or None
        The run on display, if it is one of this grid.
    font : QFont
        In which it is written.
    key : bool
        Whether the marks are explained on the canvas, which they are not on one of several.
    """

    layers: Layers
    recording: Recording | None
    font: QFont
    key: bool = True

    def cards(self, scale: float) -> list[Pair]:
        """Return the legends that can come in the run, each with the longest key beside it.

        Parameters
        ----------
        scale : float
            Size of a cell.
        """
        kinds = {(): True} if self.recording is None else self._kinds
        return [self._pair(scale, kind, changed=later) for kind, later in kinds.items()]

    def _pair(self, scale: float, kind: tuple[Structure, ...], *, changed: bool) -> Pair:
        lasting, passing = split_key(self._marks(scale, changed=changed))
        divisions: tuple[LegendEntry, ...] = ()
        if self.recording is not None:
            divisions = legend_entries(self.layers, kind, self.recording.layout, scale)
        return (*key_items(lasting), *legend_items(divisions)), key_items(passing)

    @property
    def _array(self) -> str:
        """Name of the recorded array that stands in the cells; empty if none does."""
        recording = self.recording
        return "" if recording is None else array_of(self.layers.numbers, recording.layers)

    @cached_property
    def _kinds(self) -> Mapping[tuple[Structure, ...], bool]:
        """The divisions that steps have, and whether a step after the first has them."""
        kinds = dict[tuple[Structure, ...], bool]()
        for step in () if self.recording is None else self.recording.steps:
            kinds[step.structures] = kinds.get(step.structures, False) or step.index > 0
        return kinds

    def _marks(self, scale: float, *, changed: bool) -> tuple[KeyEntry, ...]:
        if not self.key:
            return ()
        layers, marked, array = self.layers, scale >= MARKS_FROM, self._array
        refers = self.recording is not None and array in self.recording.references
        seen = Marks(
            changed=changed and layers.changed and marked,
            lit=changed and layers.changed and not marked,
            arrows=layers.arrows and scale >= ARROW_CELL,
            hidden=layers.arrows and scale < ARROW_CELL,
            unwritten=bool(layers.numbers) and scale < NUMBER_CELL,
            unlabelled=True,
            numbers=True,
            rims=changed and layers.onion and scale >= LINES_FROM,
            array=array,
            referring=array if refers else "",
        )
        return key_entries(layers, seen)


def fit_of(session: OnDisplay, font: QFont, ratio: float, *, key: bool) -> Fit | None:
    """Return what fits the grid on display into a canvas; None without a grid.

    Parameters
    ----------
    session : OnDisplay
        What is on display.
    font : QFont
        In which key and legend are written.
    ratio : float
        Device pixels in a unit.
    key : bool
        Whether the marks are explained on the canvas.
    """
    grid, recording, layers = session.grid, session.recording, session.look.layers
    if grid is None:
        return None
    rows, columns = grid.shape
    if recording is not None and recording.image.shape != grid.shape:
        recording = None
    layout = None if recording is None or not layers.structure else recording.layout
    extent, told = extent_of(columns, rows, layout), Told(layers, recording, font, key)
    return lambda width, height: fit_with_room(extent, (width, height), told, ratio)


def fit_with_room(extent: CellRange, size: Size, told: Told, ratio: float) -> Viewpoint:
    """Return the view that shows all of the grid, and leaves room for what is told beside it.

    The room depends on what can come in a run, so that no step moves the grid.

    Parameters
    ----------
    extent : CellRange
        The cells to show.
    size : tuple of float
        Width and height of the canvas, in its units.
    told : Told
        What is told.
    ratio : float
        Device pixels in a unit.
    """
    metrics, margin = QFontMetricsF(told.font), _MARGIN if told.key else _SMALL_MARGIN

    def above(bottom: float) -> Viewpoint:
        return fitted(extent, size[0], size[1] - bottom, margin, ratio)

    view = above(0.0)
    free = size[1] - box_of(extent, view).height() - 2 * margin
    for _ in range(2):  # lines that are too small to be seen have longer texts
        cards = [
            (shown_of(legend, metrics, size, free), key) for legend, key in told.cards(view.scale)
        ]
        legends = [(legend, ()) for legend, _ in cards]
        view = above(_room_below(legends, metrics, size))
    if _has_room(size, box_of(extent, view), cards, metrics):
        return view
    lower = above(_room_below(cards, metrics, size))
    return lower if lower.scale >= _LEAST_SHARE * view.scale else view


def _room_below(cards: Sequence[Pair], metrics: QFontMetricsF, size: Size) -> float:
    """Return the height of the highest card of the run."""
    return max(height_below([*legend, *key], metrics, size[0]) for legend, key in cards)


def _has_room(size: Size, cells: QRectF, cards: Sequence[Pair], metrics: QFontMetricsF) -> bool:
    """Whether the key always has room where the grid is."""
    return all(cards_of(size, cells, key, legend, metrics).whole for legend, key in cards)
