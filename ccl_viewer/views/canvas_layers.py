"""Paints all layers of a step over each other, from the cells to the legend."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QPainter

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import contours, forest, structure
from ccl_viewer.render.depths import DEEPEST
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.render.themes import UNLABELLED
from ccl_viewer.session import CellColours, Layers, Numbers
from ccl_viewer.views import canvas_structure
from ccl_viewer.views.canvas_arrows import ARROW_CELL, paint_arrows
from ccl_viewer.views.canvas_geometry import (
    NUMBER_CELL,
    CellRange,
    Viewpoint,
    number_size,
)
from ccl_viewer.views.canvas_key import key_entries, paint_key
from ccl_viewer.views.canvas_painting import NumberStamps, image_of, paint_marks, paint_numbers
from ccl_viewer.views.canvas_scene import Sight
from ccl_viewer.views.canvas_style import CanvasStyle, rgb_number
from ccl_viewer.views.cell_colours import LIT
from ccl_viewer.views.cell_picture import (
    Pixels,
    Ring,
    halfway,
    lined_table,
    pixels_of,
    put_contours,
    put_difference,
    put_rings,
)

MARK_CELL: Final = 10.0
"""Cells this large, in pixels, are marked if the step changed them; smaller ones are lit up."""

_RING_CELL: Final = 8
_WIDE_DIGITS: Final = 3
_CONTOUR_CELL: Final = 8


class LayerPainter:
    """Paints what is in sight.

    Parameters
    ----------
    font : QFont
        Typeface of the numbers.
    """

    def __init__(self, font: QFont) -> None:
        self._stamps = NumberStamps(font)

    def paint(
        self,
        painter: QPainter,
        sight: Sight,
        view: Viewpoint,
        size: tuple[float, float],
        style: CanvasStyle,
    ) -> QRectF:
        """Paint all layers.

        Parameters
        ----------
        painter : QPainter
            Where to; its background is painted already.
        sight : Sight
            What to paint.
        view : Viewpoint
            Where cells lie, in the painter's units.
        size : tuple of float
            Width and height of the canvas, in the same.
        style : CanvasStyle
            Colours.

        Returns
        -------
        QRectF
            Where the legend is; empty without one.
        """
        ratio = painter.device().devicePixelRatioF()
        sample, layers = sight.sample, sight.layers
        image = image_of(cell_pixels(sight, view.scale, style))
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(sample.left / ratio, sample.top / ratio), image)
        fits = number_size(view.scale, sight.digits) if view.scale >= NUMBER_CELL else None
        if layers.structure:
            self._paint_padding(painter, sight, view, size, style, fits)
        if sample.places is None:
            self._paint_marks(painter, sight, view, style)
            self._paint_contours(painter, sight, view, style)
            self._paint_arrows(painter, sight, view, style)
            self._paint_numbers(painter, sight, view, style, fits)
        legend = self._paint_structures(painter, sight, view, size, style)
        _paint_key(painter, sight, view, (size[0], legend.top() or size[1]), style)
        return legend

    def _paint_marks(
        self, painter: QPainter, sight: Sight, view: Viewpoint, style: CanvasStyle
    ) -> None:
        if sight.layers.changed and sight.changed is not None and view.scale >= MARK_CELL:
            paint_marks(painter, view, sight.visible, sight.changed, style)

    def _paint_numbers(
        self,
        painter: QPainter,
        sight: Sight,
        view: Viewpoint,
        style: CanvasStyle,
        size: int | None,
    ) -> None:
        if size is not None and sight.numbers is not None:
            paint_numbers(
                painter,
                view,
                sight.visible,
                sight.numbers,
                sight.indices,
                style,
                self._stamps,
                size,
                outlined=sight.shows_arrows and view.scale >= ARROW_CELL,
            )

    def _paint_contours(
        self, painter: QPainter, sight: Sight, view: Viewpoint, style: CanvasStyle
    ) -> None:
        if sight.components is None or view.scale < _CONTOUR_CELL:
            return
        corner = np.array([sight.visible.left, sight.visible.top] * 2)
        pinned = sight.pinned_component
        if sight.layers.contours and not (pinned and sight.layers.only):
            found = contours.segments(sight.components) + corner
            canvas_structure.paint_contours(painter, view, found, style)
        if pinned:
            found = contours.segments(sight.components == pinned) + corner
            canvas_structure.paint_contours(painter, view, found, style, style.accent)

    def _paint_arrows(
        self, painter: QPainter, sight: Sight, view: Viewpoint, style: CanvasStyle
    ) -> None:
        recording, labels = sight.recording, sight.labels
        if not sight.shows_arrows or view.scale < ARROW_CELL or recording is None:
            return
        if labels is not None and not sight.session.stale:
            parents = recording.layout.parents(labels)
            parents[parents >= sight.grid.size] = forest.NO_CELL
            if not sight.layers.arrows and sight.followed is not None:
                parents[~sight.followed] = forest.NO_CELL
            columns = sight.grid.shape[1]
            wide = sight.digits >= _WIDE_DIGITS
            paint_arrows(
                painter, view, sight.visible, parents, sight.indices, columns, style, wide=wide
            )

    def _paint_padding(
        self,
        painter: QPainter,
        sight: Sight,
        view: Viewpoint,
        size: tuple[float, float],
        style: CanvasStyle,
        number: int | None,
    ) -> None:
        recording = sight.recording
        if recording is None or not structure.is_padded(recording.layout):
            return
        raw = sight.layers.numbers == Numbers.RAW
        canvas_structure.paint_padding(
            painter,
            view,
            recording.layout,
            window_of(view, size),
            style,
            self._stamps if raw else None,
            number,
        )

    def _paint_structures(
        self,
        painter: QPainter,
        sight: Sight,
        view: Viewpoint,
        size: tuple[float, float],
        style: CanvasStyle,
    ) -> QRectF:
        recording, step = sight.recording, sight.session.step
        if recording is None or step is None:
            return QRectF()
        entries = legend_entries(sight.layers, step.structures, recording.layout, view.scale)
        if not sight.layers.structure:
            return canvas_structure.paint_legend(painter, size, entries, style)
        layout, window = recording.layout, window_of(view, size)
        # From the finest to the coarsest, so that the border of a tile lies over its warps'.
        for part, rank in reversed(structure.distinct(step.structures)):
            if part.part is Part.RUN:
                found = structure.run_boxes(recording.image, part, layout, window)
                canvas_structure.paint_runs(painter, view, found, style)
            else:
                canvas_structure.paint_structure(painter, view, part, rank, layout, window, style)
        return canvas_structure.paint_legend(painter, size, entries, style)


def _paint_key(
    painter: QPainter,
    sight: Sight,
    view: Viewpoint,
    size: tuple[float, float],
    style: CanvasStyle,
) -> None:
    """Say what the marks mean that are in sight, where the grid leaves room for it."""
    if sight.recording is None or sight.session.stale:
        return
    layers = sight.layers
    changed = layers.changed and sight.changed is not None and bool(np.any(sight.changed))
    marked, whole = view.scale >= MARK_CELL, sight.sample.places is None
    entries = key_entries(
        layers,
        changed=changed and marked and whole,
        lit=changed and not marked,
        arrows=sight.shows_arrows and view.scale >= ARROW_CELL and whole,
        unlabelled=bool((sight.indices == UNLABELLED).any()),
        numbers=whole and number_size(view.scale, sight.digits) is not None,
    )
    rows, columns = sight.grid.shape
    layout = sight.recording.layout if layers.structure else None
    extent = extent_of(columns, rows, layout)
    corners = [
        QPointF(*view.corner(extent.left, extent.top)),
        QPointF(*view.corner(extent.right, extent.bottom)),
    ]
    paint_key(painter, size, QRectF(*corners), entries, style)


def cell_pixels(sight: Sight, scale: float, style: CanvasStyle) -> Pixels:
    """Return the picture of the cells, with all that is drawn pixel by pixel.

    Parameters
    ----------
    sight : Sight
        What is in sight.
    scale : float
        Size of a cell for the eye, in units of the window.
    style : CanvasStyle
        Colours.
    """
    sample, layers, fine = sight.sample, sight.layers, sight.view
    indices = sight.indices
    if layers.changed and scale < MARK_CELL and sight.changed is not None:
        indices = indices + np.uint8(LIT) * (sight.changed & (indices < LIT // 2))
    lined = lined_table(style.colors, style.line, scale) if layers.lines else None
    before = sight.indices_before if layers.onion else None
    ringed = before is not None and scale >= _RING_CELL and fine.scale.is_integer()
    pixels = pixels_of(sample, indices, style.colors, None if ringed else lined)
    if before is not None and ringed:
        width = max(2, round(fine.scale * 0.16))
        put_rings(
            pixels, sample, before, style.colors, Ring(fine.x, fine.y, int(fine.scale), width)
        )
    elif before is not None:
        pixels = halfway(pixels, pixels_of(sample, before, style.colors, lined))
    if sight.differs is not None:
        bold, halo = rgb_number(style.bold), rgb_number(style.halo)
        put_difference(pixels, sample, sight.differs, bold, halo, _rim(fine, scale))
    if layers.contours and sight.components is not None and scale < _CONTOUR_CELL:
        put_contours(pixels, sample, sight.components, rgb_number(style.bold))
    return pixels


def _rim(fine: Viewpoint, scale: float) -> Ring | None:
    """Return the rims of cells that are large enough for numbers, and None of smaller ones."""
    if scale < NUMBER_CELL or not fine.scale.is_integer():
        return None
    return Ring(fine.x, fine.y, int(fine.scale), max(3, round(fine.scale * 0.17)))


def legend_entries(
    layers: Layers, parts: tuple[Structure, ...], layout: LabelLayout, scale: float
) -> tuple[LegendEntry, ...]:
    """Return what the legend says of a step.

    Parameters
    ----------
    layers : Layers
        What is shown.
    parts : tuple of Structure
        How the step divides the grid.
    layout : LabelLayout
        Of the labels.
    scale : float
        Size of a cell for the eye.
    """
    entries: tuple[LegendEntry, ...] = ()
    if layers.colours is CellColours.DEPTH:
        entries = (LegendEntry(None, f"depth 0 (root) to {DEEPEST} or more", ramp=True),)
    if layers.structure:
        entries += structure.legend(parts, layout, canvas_structure.SMALLEST / scale)
    return entries


def window_of(view: Viewpoint, size: tuple[float, float]) -> structure.Window:
    """Return all cells that would be in sight if the grid had no end."""
    left, top = view.to_cell(0, 0)
    right, bottom = view.to_cell(*size)
    return left, top, right + 1, bottom + 1


def extent_of(columns: int, rows: int, layout: LabelLayout | None) -> CellRange:
    """Return the cells to fit: those of the grid, and of the padding around it if that is shown."""
    if layout is None:
        return CellRange(0, 0, columns, rows)
    return CellRange(*structure.padded_window(layout))
