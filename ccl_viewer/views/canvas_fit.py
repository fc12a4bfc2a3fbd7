"""Fitting a grid into the canvas, with room for the key above it and the legend below it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from ccl_viewer.recording import Recording
from ccl_viewer.session import Layers
from ccl_viewer.views.canvas_geometry import CellRange, Viewpoint, fitted
from ccl_viewer.views.canvas_key import key_box, key_entries, key_height
from ccl_viewer.views.canvas_layers import MARK_CELL, legend_entries
from ccl_viewer.views.canvas_legend import legend_height

_MARGIN: Final = 6.0
_LEAST_SHARE: Final = 0.85
"""Share of their size that cells keep: where the key would cost them more, it is left out."""

Size = tuple[float, float]


def fit_with_room(
    extent: CellRange,
    size: Size,
    layers: Layers,
    recording: Recording | None,
    font: QFont,
    ratio: float,
) -> Viewpoint:
    """Return the view that shows all of the grid, and leaves room for what is told beside it.

    The room depends on what can come in a run, so that no step moves the grid.

    Parameters
    ----------
    extent : CellRange
        The cells to show.
    size : tuple of float
        Width and height of the canvas, in its units.
    layers : Layers
        What is shown.
    recording : Recording or None
        The run on display, if it is one of this grid.
    font : QFont
        In which key and legend are written.
    ratio : float
        Device pixels in a unit.
    """
    width, height = size[0], size[1] - _legend_room(layers, recording, size[0], font)
    view = fitted(extent, width, height, _MARGIN, ratio)
    above = _key_room(view, extent, (width, height), layers, font)
    if not above:
        return view
    lower = fitted(extent, width, height - above, _MARGIN, ratio).moved(0, above, ratio)
    return lower if lower.scale >= _LEAST_SHARE * view.scale else view


def _legend_room(layers: Layers, recording: Recording | None, width: float, font: QFont) -> float:
    """Return the height of the tallest legend of the run."""
    if recording is None:
        return 0.0
    kinds = {step.structures for step in recording.steps}
    return max(
        legend_height(legend_entries(layers, kind, recording.layout, 1.0), width, font)
        for kind in kinds
    )


def _key_room(view: Viewpoint, extent: CellRange, size: Size, layers: Layers, font: QFont) -> float:
    """Return the height that the key needs above a grid that leaves it none anywhere."""
    marked = view.scale >= MARK_CELL
    entries = key_entries(
        layers,
        changed=layers.changed and marked,
        lit=layers.changed and not marked,
        arrows=layers.arrows,
        unlabelled=True,
        numbers=True,
    )
    metrics = QFontMetricsF(font)
    corners = (view.corner(extent.left, extent.top), view.corner(extent.right, extent.bottom))
    cells = QRectF(*(QPointF(*corner) for corner in corners))
    return key_height(metrics) if key_box(size, cells, entries, metrics).isEmpty() else 0.0
