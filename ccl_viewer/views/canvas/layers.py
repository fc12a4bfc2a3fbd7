"""Paints all layers of a step over each other, from the cells to the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from ccl_viewer.plan import LabelLayout, Part, Structure
from ccl_viewer.render import contours, structure
from ccl_viewer.render.difference import Mask
from ccl_viewer.render.marks import (
    ARROW_CELL,
    LINES_FROM,
    MARKS_FROM,
    SMALLEST_PART,
    SOFT_CONTOUR,
    contour_strength,
)
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.render.themes import UNLABELLED
from ccl_viewer.session import Layers, Numbers
from ccl_viewer.views.canvas import structure as canvas_structure
from ccl_viewer.views.canvas.arrows import paint_arrows
from ccl_viewer.views.canvas.card import cards_of, paint_card
from ccl_viewer.views.canvas.cell_colours import DIMMED, LIT
from ccl_viewer.views.canvas.cell_picture import (
    Pixels,
    Ring,
    halfway,
    lined_table,
    pixels_of,
    put_contours,
    put_difference,
    put_rings,
)
from ccl_viewer.views.canvas.geometry import (
    NUMBER_CELL,
    CellRange,
    Viewpoint,
    number_size,
)
from ccl_viewer.views.canvas.key import KeyEntry, Marks, key_entries, key_items, split_key
from ccl_viewer.views.canvas.legend import legend_items
from ccl_viewer.views.canvas.painting import (
    NumberStamps,
    StampCache,
    StampSize,
    image_of,
    paint_marks,
    paint_numbers,
)
from ccl_viewer.views.canvas.scene import VisibleCells
from ccl_viewer.views.canvas.style import CanvasStyle, rgb_number
from ccl_viewer.views.canvas.target import PaintTarget

_ROOMY_CELL: Final = 20.0
"""Smaller cells have no number where there is no label: the labels are read more easily so."""

_ROOMY_RUN: Final = 26.0
"""In smaller cells, digits reach to the lines around runs."""

_WIDE_DIGITS: Final = 3


class LayerPainter:
    """Paints what is in sight.

    Parameters
    ----------
    font : QFont
        Typeface of the numbers.
    """

    def __init__(self, font: QFont) -> None:
        self._cache = StampCache(font)

    def paint(self, target: PaintTarget, sight: VisibleCells, key: Sequence[KeyEntry]) -> QRectF:
        """Paint all layers.

        Parameters
        ----------
        target : PaintTarget
            Where to; its background is painted already.
        sight : VisibleCells
            What to paint.
        key : sequence of KeyEntry
            Which marks to explain.

        Returns
        -------
        QRectF
            Where the legend is; empty without one.
        """
        sample, view, ratio = sight.sample, target.view, target.ratio
        image = image_of(cell_pixels(sight, view.scale, target.style))
        image.setDevicePixelRatio(ratio)
        target.painter.drawImage(QPointF(sample.left / ratio, sample.top / ratio), image)
        stamps = self._stamps(target, sight)
        if sight.layers.structure:
            _paint_padding(target, sight, stamps)
        whole = sample.places is None
        if whole:
            _paint_contours(target, sight)
        _paint_structures(target, sight)
        if whole:
            _paint_arrows(target, sight)
            _paint_numbers(target, sight, stamps)
            _paint_marks(target, sight, stamps)
        return _paint_cards(target, sight, key)

    def _stamps(self, target: PaintTarget, sight: VisibleCells) -> NumberStamps | None:
        """Return the numbers that fit into cells; None where cells are too small."""
        scale = target.view.scale
        fits = number_size(scale, sight.digits) if scale >= NUMBER_CELL else None
        if fits is None:
            return None
        return self._cache.of(StampSize(fits, int(scale), target.ratio))


def _paint_marks(target: PaintTarget, sight: VisibleCells, stamps: NumberStamps | None) -> None:
    marked = _marked(sight, numbers=stamps is not None)
    if marked is not None and target.view.scale >= MARKS_FROM:
        paint_marks(target, sight.visible, marked & (sight.indices < DIMMED))


def _marked(sight: VisibleCells, *, numbers: bool) -> Mask | None:
    """Return the changed cells: those whose number changed, if that is not a label."""
    if not sight.layers.changed:
        return None
    return sight.changed if not numbers or sight.rewritten is None else sight.rewritten


def _paint_numbers(target: PaintTarget, sight: VisibleCells, stamps: NumberStamps | None) -> None:
    recording, scale = sight.recording, target.view.scale
    if stamps is None or sight.numbers is None or recording is None:
        return
    raw = sight.layers.numbers == Numbers.RAW
    paint_numbers(
        target,
        sight.visible,
        sight.numbers,
        sight.indices,
        stamps,
        outlined=_lines_below(sight, scale),
        left_out=recording.layout.background if raw and scale < _ROOMY_CELL else None,
    )


def _lines_below(sight: VisibleCells, scale: float) -> bool:
    """Whether digits may lie over arrows, or over the round ends of runs."""
    step = sight.session.step
    runs = step is not None and any(one.part is Part.RUN for one in step.structures)
    rounded = runs and sight.layers.structure and scale < _ROOMY_RUN
    return rounded or (sight.shows_arrows and scale >= ARROW_CELL)


def _paint_contours(target: PaintTarget, sight: VisibleCells) -> None:
    if target.view.scale < SOFT_CONTOUR:
        return  # they are a part of the picture of the cells
    corner = np.array([sight.visible.left, sight.visible.top] * 2)
    for ids, shade in _outlined(sight, target.style):
        canvas_structure.paint_contours(target, contours.segments(ids) + corner, shade)


def _outlined(sight: VisibleCells, style: CanvasStyle) -> Iterator[tuple[npt.NDArray[Any], str]]:
    """Yield what there are lines around, as numbers of areas, with the lines' colour."""
    components, pinned = sight.components, sight.pinned_component
    if components is None:
        return
    if sight.layers.contours and not (pinned and sight.layers.only):
        yield components, style.bold
    if pinned:
        yield (components == pinned).astype(np.int32), style.accent


def _paint_arrows(target: PaintTarget, sight: VisibleCells) -> None:
    if target.view.scale < ARROW_CELL or sight.arrows is None:
        return
    columns, wide = sight.grid.shape[1], sight.digits >= _WIDE_DIGITS
    paint_arrows(target, sight.visible, sight.arrows, sight.indices, columns, wide=wide)


def _paint_padding(target: PaintTarget, sight: VisibleCells, stamps: NumberStamps | None) -> None:
    recording = sight.recording
    if recording is not None and structure.is_padded(recording.layout):
        raw = sight.layers.numbers == Numbers.RAW
        canvas_structure.paint_padding(target, recording.layout, stamps if raw else None)


def _paint_structures(target: PaintTarget, sight: VisibleCells) -> None:
    recording, step = sight.recording, sight.session.step
    if recording is None or step is None or not sight.layers.structure:
        return
    layout = recording.layout
    # From the finest to the coarsest, so that the border of a tile lies over its warps'.
    for part, rank in reversed(structure.distinct(step.structures)):
        if part.part is Part.RUN:
            found = structure.run_boxes(recording.image, part, layout, target.window)
            canvas_structure.paint_runs(target, found)
        else:
            canvas_structure.paint_structure(target, part, rank, layout)


def _paint_cards(target: PaintTarget, sight: VisibleCells, key: Sequence[KeyEntry]) -> QRectF:
    """Say what lines and marks mean; return where the legend is."""
    recording, step, layers = sight.recording, sight.session.step, sight.layers
    if recording is None or step is None:
        return QRectF()
    layout = recording.layout
    lasting, passing = split_key(key)
    divisions = legend_entries(layers, step.structures, layout, target.view.scale)
    legend = (*key_items(lasting), *legend_items(divisions))
    rows, columns = sight.grid.shape
    cells = box_of(extent_of(columns, rows, layout if layers.structure else None), target.view)
    metrics = QFontMetricsF(target.painter.font())
    marks = key_items(passing)
    cards = cards_of(target.size, cells, marks, legend, metrics)
    paint_card(target, cards.column, marks)
    paint_card(target, cards.below, cards.items)
    return cards.below if legend else QRectF()


def key_of(sight: VisibleCells, scale: float) -> tuple[KeyEntry, ...]:
    """Return what the key says: the marks that are in sight.

    Parameters
    ----------
    sight : VisibleCells
        What is in sight.
    scale : float
        Size of a cell for the eye, in units of the window.
    """
    if sight.recording is None or sight.session.stale:
        return ()
    layers, marked, whole = sight.layers, scale >= MARKS_FROM, sight.sample.places is None
    numbers = whole and scale >= NUMBER_CELL and number_size(scale, sight.digits) is not None
    found = _marked(sight, numbers=numbers)
    changed = found is not None and bool(np.any(found))
    drawn = whole and scale >= ARROW_CELL
    seen = Marks(
        changed=changed and marked and whole,
        lit=changed and not marked,
        arrows=sight.shows_arrows and drawn,
        hidden=layers.arrows and not drawn,  # as room is kept; a way pointed out is no switch
        unwritten=bool(layers.numbers) and not numbers,
        unlabelled=bool((sight.indices == UNLABELLED).any()),
        numbers=numbers,
        rims=layers.onion and sight.indices_before is not None and _ringed(sight, scale),
        array=sight.array if numbers and sight.rewritten is not None else "",
        referring=sight.referring,
    )
    return key_entries(layers, seen)


def cell_pixels(sight: VisibleCells, scale: float, style: CanvasStyle) -> Pixels:
    """Return the picture of the cells, with all that is drawn pixel by pixel.

    Parameters
    ----------
    sight : VisibleCells
        What is in sight.
    scale : float
        Size of a cell for the eye, in units of the window.
    style : CanvasStyle
        Colours.
    """
    sample, layers, fine = sight.sample, sight.layers, sight.view
    indices = sight.indices
    if layers.changed and scale < MARKS_FROM and sight.changed is not None:
        indices = indices + np.uint8(LIT) * (sight.changed & (indices < LIT // 2))
    lined = lined_table(style.colors, style.line, scale) if layers.lines else None
    before = sight.indices_before if layers.onion else None
    ringed = before is not None and _ringed(sight, scale)
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
    if scale < SOFT_CONTOUR:
        for ids, shade in _outlined(sight, style):
            outlined = pixels.copy()
            put_contours(outlined, sample, ids, rgb_number(shade))
            pixels = outlined if contour_strength(scale) == 1 else halfway(pixels, outlined)
    return pixels


def _ringed(sight: VisibleCells, scale: float) -> bool:
    """Return whether cells are large enough for rims in the colours of the step before."""
    return scale >= LINES_FROM and sight.view.scale.is_integer()


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
    if not layers.structure:
        return ()
    return structure.legend(parts, layout, SMALLEST_PART / scale)


def extent_of(columns: int, rows: int, layout: LabelLayout | None) -> CellRange:
    """Return the cells to fit: those of the grid, and of the padding around it if that is shown."""
    if layout is None:
        return CellRange(0, 0, columns, rows)
    return CellRange(*structure.padded_window(layout))


def box_of(extent: CellRange, view: Viewpoint) -> QRectF:
    """Return where cells lie on the canvas."""
    first = QPointF(*view.corner(extent.left, extent.top))
    return QRectF(first, QPointF(*view.corner(extent.right, extent.bottom)))
