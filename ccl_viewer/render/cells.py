"""The colours and numbers of the cells of a step, by the layers that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import NOT_BEGUN
from ccl_viewer.render import forest
from ccl_viewer.render.cell_table import DIMMED, Indices, input_indices
from ccl_viewer.render.depths import DEEPEST, depth_indices
from ccl_viewer.render.layers import LAYER_PREFIX, CellColours, Layers, Numbers, array_of
from ccl_viewer.render.palette import Colouring, colouring_of, label_indices

Labels: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]

_MOST_KEPT: Final = 2


class Cells:
    """What the cells of a recording show, step by step.

    Parameters
    ----------
    recording : Recording
        The run.
    layers : Layers
        What is shown of it.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned.
    follow : sequence of (int, int)
        Columns and rows of cells whose ways to their roots are drawn where not all arrows are.

    Raises
    ------
    InputError
        If the numbers are of an array that was not recorded, or a cell lies outside the grid.
    """

    def __init__(
        self,
        recording: Recording,
        layers: Layers,
        pin: tuple[int, int] | None = None,
        follow: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.recording = recording
        self._layers = layers
        name = layers.numbers.removeprefix(LAYER_PREFIX)
        self._array = name if name != layers.numbers else ""
        if self._array and self._array not in recording.layers:
            recording.layer(self._array, -1)  # which says what arrays there are
        height, width = recording.image.shape
        for x, y in (*follow, *(() if pin is None else (pin,))):
            if not (0 <= x < width and 0 <= y < height):
                raise InputError(
                    f"Column {x}, row {y} lies outside the grid of {width} x {height} cells: "
                    "choose a cell inside it, counted from 0."
                )
        self._pin = pin
        self._begins = np.array([y * width + x for x, y in follow], np.int64)
        self._kept: dict[int, Labels] = {}

    @cached_property
    def colouring(self) -> Colouring:
        """The colours of the run."""
        return colouring_of(self.recording)

    @cached_property
    def pinned(self) -> int:
        """Number of the component that is pinned; 0 if none is."""
        if self._pin is None:
            return 0
        return int(self.colouring.components[self._pin[1], self._pin[0]])

    def labels(self, step: int) -> Labels:
        """Return the raw labels after a step, or before the first."""
        if step == NOT_BEGUN:
            layout = self.recording.layout
            return np.full(self.recording.image.shape, layout.background, np.int32)
        if step not in self._kept:
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[step] = self.recording.labels(step)
        return self._kept[step]

    def changed(self, step: int) -> Mask:
        """Return which cells a step changed."""
        if step == NOT_BEGUN:
            return np.zeros(self.recording.image.shape, np.bool_)
        changed: Mask = self.labels(step) != self.labels(step - 1)
        return changed

    def rewritten(self, step: int) -> Mask:
        """Return in which cells a step changed the number: where these are labels, the label."""
        if not self._array or step <= 0:
            return self.changed(step)
        now, before = (self.recording.layer(self._array, index) for index in (step, step - 1))
        changed: Mask = now != before
        return changed

    def indices(self, step: int) -> Indices:
        """Return the colours of the cells.

        Returns
        -------
        ndarray of uint8, shape (height, width)
            Into :func:`~ccl_viewer.render.cell_table.cell_table`.
        """
        indices = self._coloured(step)
        if self.pinned and self._layers.only:
            indices = indices + np.uint8(DIMMED) * (self.colouring.components != self.pinned)
        return indices

    def numbers(self, step: int) -> npt.NDArray[Any]:
        """Return what stands in the cells, integers of shape (height, width)."""
        shown = self._layers.numbers
        if shown == Numbers.COMPONENT:
            return self.colouring.components
        if shown == Numbers.ROOT:
            return forest.tree_labels(self.labels(step), self.recording.layout, self._all)
        if self._array and step != NOT_BEGUN:
            return self.recording.layer(self._array, step)
        return self.labels(step)

    def parents(self, step: int, layer: str | None = None) -> npt.NDArray[np.int64]:
        """Return the cell that each points at, int64 of shape (height, width), -1 for none.

        By its label, or by its value in a layer that refers to cells.
        """
        lookup = forest.lookup_of(self._values(step, layer))
        parents = forest.parents_of(lookup, self.recording.layout, self._all)
        return np.where(self.recording.image != 0, parents, forest.NO_CELL)

    @property
    def has_arrows(self) -> bool:
        """Whether there are arrows: all, or those of the ways that are followed."""
        return self._layers.arrows or bool(self._begins.size)

    def arrows(self, step: int) -> npt.NDArray[np.int64]:
        """Return the cell that the arrow of each leads to, as :meth:`parents` does.

        Where the numbers are of an array that refers to cells, they lead along it.
        """
        array = array_of(self._layers.numbers, self.recording.references)
        layer = array if array and step != NOT_BEGUN else None
        parents = self.parents(step, layer)
        if self._layers.arrows:
            return parents
        lookup = forest.lookup_of(self._values(step, layer))
        passed = forest.on_the_way(lookup, self.recording.layout, self._begins)
        return np.where(np.isin(self._all, passed), parents, forest.NO_CELL)

    def _values(self, step: int, layer: str | None) -> npt.NDArray[Any]:
        return self.labels(step) if layer is None else self.recording.layer(layer, step)

    @cached_property
    def _all(self) -> npt.NDArray[np.int64]:
        shape = self.recording.image.shape
        return np.arange(self.recording.image.size, dtype=np.int64).reshape(shape)

    def _coloured(self, step: int) -> Indices:
        kind, recording = self._layers.colours, self.recording
        if kind is CellColours.INPUT:
            return input_indices(recording.image, multivalued=recording.multivalued)
        colouring = self.colouring
        if kind is CellColours.COMPONENT:
            whole: Indices = colouring.component_colours[colouring.components]
            return np.where(recording.image != 0, whole, np.uint8(0))
        labels = self.labels(step)
        if kind is CellColours.DEPTH:
            depths = forest.depths_of(
                forest.lookup_of(labels), recording.layout, self._all, DEEPEST
            )
            return depth_indices(depths, recording.image != 0)
        if kind is CellColours.TREE:
            labels = forest.tree_labels(labels, recording.layout, self._all)
        return label_indices(labels, colouring)
