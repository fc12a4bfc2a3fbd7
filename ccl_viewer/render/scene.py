"""Turn a view of a step into a display list. All rules for the look of steps are here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout, PartKind
from ccl_viewer.grids.shapes import Box, Cell, Spans
from ccl_viewer.reference import Labels
from ccl_viewer.render import geometry, legend
from ccl_viewer.render.display_list import (
    Colour,
    Curves,
    DisplayList,
    Edges,
    Hatch,
    Image,
    Item,
    Layer,
    Lines,
    Points,
    Polygons,
    Rects,
    Texts,
    as_boxes,
    box_sides,
    with_alpha,
)
from ccl_viewer.render.forest import Mask
from ccl_viewer.render.layers import SWITCHES, CellColours, Numbers
from ccl_viewer.render.palette import label_indices
from ccl_viewer.render.step_view import Marks, Placement, RootPath, StepView, linear_indices
from ccl_viewer.render.themes import (
    DIMMED,
    DOTS,
    FIRST_DOTTED,
    UNLABELLED,
    CanvasColours,
    CanvasTheme,
    canvas_colours,
    count_indices,
    depth_indices,
    ink_over,
    input_indices,
    pack_colour,
)

SMALLEST_NUMBER: Final = 8.0
LARGEST_NUMBER: Final = 28.0
DIGIT_WIDTH: Final = 0.6  # width of a digit, in font sizes
_WIDE_DIGITS: Final = 3
_BADGE: Final = 14.0  # smallest cells with room for a sign in their corner
_DOTTED: Final = 8.0  # smallest cells with dots on paths
_MAX_PATH_DOTS: Final = 2_000
_BARS: Final = 0.19  # distance of a root's bars from its edges, in cells, clear of the digits
_PATH_HEAD: Final = 0.22
_BRUSH_ALPHA: Final = 0.43
_FAINT: Final = 0.3  # opacity of the arrows of cells that are not pinned

Keys = tuple[Any, ...]


class SceneCache:
    """Caches layers as long as their inputs stay the same."""

    def __init__(self) -> None:
        self._layers: dict[str, tuple[Keys, Layer]] = {}
        self._indices: tuple[StepView, npt.NDArray[np.uint8]] | None = None

    def indices(self, view: StepView) -> npt.NDArray[np.uint8]:
        """Return the palette indices of a view's cells; the last view's are cached."""
        if self._indices is None or self._indices[0] is not view:
            self._indices = view, cell_indices(view)
        return self._indices[1]

    def layer(self, name: str, keys: Keys, make: Callable[[], Iterable[Item]]) -> Layer:
        """Return a layer; make it again if a key changed (arrays are compared by identity)."""
        cached = self._layers.get(name)
        if cached is not None and _are_same_keys(cached[0], keys):
            return cached[1]
        layer = Layer(name, tuple(make()))
        self._layers[name] = keys, layer
        return layer


def _are_same_keys(first: Keys, second: Keys) -> bool:
    return all(
        one is other or (not isinstance(one, np.ndarray) and bool(one == other))
        for one, other in zip(first, second, strict=True)
    )


def build_base(view: StepView, cache: SceneCache | None = None) -> DisplayList:
    """Return the layers that do not follow the mouse."""
    return _display(view, _Scene(view, SceneCache() if cache is None else cache).layers())


def build_overlay(view: StepView) -> DisplayList:
    """Return the layers that follow the mouse: shapes being drawn, paths, marks."""
    overlay = _Overlay(view)
    shapes = {
        "preview": overlay.preview(),
        "paths": overlay.paths(),
        "marks": overlay.marks(),
        "flash": overlay.flash(),
    }
    return _display(view, (Layer(name, tuple(items)) for name, items in shapes.items()))


def _display(view: StepView, layers: Iterable[Layer]) -> DisplayList:
    placement, shown = view.placement, tuple(layer for layer in layers if layer.items)
    return DisplayList(placement.width, placement.height, pack_colour(view.theme.canvas), shown)


def number_size(size: float, digits: int) -> float | None:
    """Return the height of numbers that fit into cells of a size, or None if it is illegible."""
    if size < geometry.NUMBERS_FROM:
        return None
    wide = DIGIT_WIDTH * max(digits, 1)
    fits = min(size * 0.46, size * 0.9 / wide, LARGEST_NUMBER)
    if fits < SMALLEST_NUMBER and wide * SMALLEST_NUMBER < size - 1:
        return SMALLEST_NUMBER  # tight, but better than no numbers
    return float(int(fits)) if fits >= SMALLEST_NUMBER else None


def cell_indices(view: StepView, *, before: bool = False) -> npt.NDArray[np.uint8]:
    """Return the palette indices of the cells, without marks."""
    labels = view.before if before else view.labels
    kind, colouring, components = view.colours, view.colouring, view.components
    if labels is None or colouring is None or components is None or kind is CellColours.INPUT:
        return input_indices(view.values, multivalued=view.multivalued)
    followed = view.followed_before if before else view.followed
    if view.counts is not None:
        indices = count_indices(view.counts, components != 0)
    elif kind is CellColours.COMPONENT:
        indices = colouring.component_colours.take(components)
        indices = np.multiply(indices, components != 0, dtype=np.uint8)
    elif kind is CellColours.DEPTH and followed is not None:
        indices = depth_indices(followed, components != 0)
    else:
        named = followed if kind is CellColours.TREE and followed is not None else labels
        indices = label_indices(named, colouring, components)
    if view.stale:
        drawn = input_indices(view.values, multivalued=view.multivalued)
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
        self.size = view.placement.logical_cell_size
        self.px = view.placement.ratio
        self.colours: CanvasColours = canvas_colours(view.theme, view.layers.strength)
        self.indices = cache.indices(view)

    def layers(self) -> Iterator[Layer]:
        view, layers = self.view, self.view.layers
        if view.sample.empty:
            return
        placed: Keys = (view.sample, self.colours)
        if layers.structure and view.layout is not None:
            keys: Keys = (*placed, view.layout, layers.numbers)
            yield self.cache.layer("padding", keys, partial(self._padding, view.layout))
        yield Layer("cells", tuple(self._cells()))
        if self._has_lines:
            yield self.cache.layer("lines", placed, self._lines)
        if view.components is not None and view.colouring is not None:
            keys = (*placed, view.components, layers.contours, layers.only, view.pinned)
            yield self.cache.layer("contours", keys, partial(self._contours, view.components))
        if view.structures and view.layout is not None:
            keys = (*placed, view.structures, view.layout, view.run_image)
            yield self.cache.layer("structure", keys, partial(self._structures, view.layout))
        yield Layer("arrows", tuple(self._arrows()))
        yield Layer("numbers", tuple(self._numbers()))
        yield Layer("changes", tuple(self._changes()))
        yield Layer("block", tuple(self._block(view.block)))
        yield Layer("warp", tuple(self._warp()))
        yield Layer("fault", tuple(self._fault(view.fault)))

    # Cells

    def _cells(self) -> Iterator[Item]:
        view, sample, table = self.view, self.view.sample, self.colours.table
        indices = self.indices
        if sample.thin is not None:
            indices = indices + sample.thin * (indices < DIMMED)
        yield Image(indices, table, sample.x, sample.y)
        if self.size >= geometry.MARKS_FROM:
            yield from self._dots_of_colours()
        if view.before is not None and self.size >= geometry.LINES_FROM:
            yield from self._onion()
        bold, halo = self.colours.bold, self.colours.halo
        if view.difference is not None:
            yield from self._hatching(view.difference, bold, halo)
        elif view.wrong is not None:
            yield from self._hatching(view.wrong, pack_colour(view.theme.error), halo)

    def _dots_of_colours(self) -> Iterator[Item]:
        """Yield the dots of dotted colours: a quarter of a dot in each corner of a cell."""
        x, y = self.view.sample.x, self.view.sample.y
        table = np.zeros(256, np.uint32)
        for bank in (0, DIMMED):
            dotted = bank + FIRST_DOTTED
            table[dotted : dotted + len(DOTS)] = self.colours.table[np.add(DOTS, bank)]
        if not table[np.unique(self.indices)].any():
            return
        line = max(1, round(self.px)) if self._has_lines else 0
        dot = max(1, round(geometry.DOT * self.place.scale))
        corners = np.tile(np.array([1, 0, 1], np.uint8), max(self.indices.shape))
        parts = self.indices.repeat(3, axis=0).repeat(3, axis=1)
        parts *= corners[: len(parts), None]
        parts *= corners[: parts.shape[1]]
        columns, rows = (_split_edges(edges, line + dot, dot) for edges in (x, y))
        yield Image(parts, table, columns, rows, opaque=False)

    def _onion(self) -> Iterator[Item]:
        """Yield rims in the colours of the previous step."""
        view, table = self.view, self.colours.table
        before = cell_indices(view, before=True)
        changed = before != self.indices
        width = max(2, round(geometry.RIM * self.place.scale))
        for index in np.unique(before[changed]).tolist():
            boxes = self._boxes(changed & (before == index))
            yield Rects(boxes, stroke=int(table[index]), width=width)

    def _hatching(self, hatched: Mask, bold: Colour, halo: Colour) -> Iterator[Item]:
        """Yield lines over cells; if numbers are drawn, only over the cells' rims."""
        sample, colours = self.view.sample, self.colours
        table = np.zeros(256, np.uint32)
        table[1:3] = bold, halo
        if not hatched.any():
            return
        thickness = max(1, round(self.px))
        yield Hatch(hatched.view(np.uint8), table, sample.x, sample.y, thickness=thickness)
        if self.size < geometry.NUMBERS_FROM:
            return
        rim = max(3, round(0.17 * self.place.scale))
        for index, cells in self._split_by_colour(hatched):
            inner = self._boxes(cells) + _margins(-rim)
            yield Rects(inner, fill=int(colours.table[index]))

    def _lines(self) -> Iterator[Item]:
        x, y = self.view.sample.x, self.view.sample.y
        colour = with_alpha(pack_colour(self.view.theme.canvas), min(1.0, (self.size - 3) / 14))
        thick = max(1, round(self.px))
        down = [(at, y[0], at + thick, y[-1] + thick) for at in x]
        across = [(x[0], at, x[-1] + thick, at + thick) for at in y]
        yield Rects(as_boxes(down), fill=colour)
        yield Rects(as_boxes(across), fill=colour)

    def _padding(self, layout: LabelLayout) -> Iterator[Item]:
        """Yield the whole buffer; cells are drawn over the grid's part later."""
        if not geometry.is_padded(layout):
            return
        paper, edge = self.colours.padding
        thick = max(1, round(self.px))
        left, top, right, bottom = window = geometry.clip_window(
            self.place.window((layout.height, layout.width), layout.pitch),
            geometry.buffer_window(layout),
        )
        yield Rects(self.place.to_whole_pixels(as_boxes([window])), fill=paper)
        if self.size < geometry.LINES_FROM:
            return
        down = [[x, top, x, bottom] for x in range(left, right + 1)]
        across = [[left, y, right, y] for y in range(top, bottom + 1)]
        lines = self.place.to_whole_pixels(as_boxes([*down, *across]))
        yield Rects(lines + np.array([0, 0, thick, thick]), fill=edge)
        size = number_size(self.size, self.view.digits)
        if size is None or self.view.layers.numbers != Numbers.RAW:
            return
        y, x = np.mgrid[top:bottom, left:right].reshape(2, -1)
        outside = (x < 0) | (x >= layout.width) | (y < 0) | (y >= layout.height)
        middles = self.place.to_pixels(np.stack([x, y], axis=1)[outside] + 0.5)
        texts = (str(layout.background),) * len(middles)
        yield Texts(texts, middles, size * self.px, pack_colour(self.view.theme.dim))

    # Lines over the cells

    def _contours(self, components: Labels) -> Iterator[Item]:
        view = self.view
        if view.layers.contours and not (view.pinned and view.layers.only):
            yield from self._contour(components, self.colours.bold)
        if view.pinned:
            pinned = (components == view.pinned).view(np.uint8)
            yield from self._contour(pinned, pack_colour(view.theme.accent))

    def _contour(self, ids: npt.NDArray[Any], colour: Colour) -> Iterator[Item]:
        sample = self.view.sample
        if self.size < geometry.CONTOUR_LINES_FROM:
            yield self._contour_pixels(ids, colour)
            return
        segments = geometry.border_segments(ids)
        x, y = sample.x[segments[:, 0::2]], sample.y[segments[:, 1::2]]
        lines = np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1).astype(np.float64)
        lines += self.px / 2
        width = geometry.contour_width(self.size) * self.px
        yield Lines(lines, self.colours.halo, width + 1.6 * self.px, cap="square")
        yield Lines(lines, colour, width, cap="square")

    def _contour_pixels(self, ids: npt.NDArray[Any], colour: Colour) -> Image:
        """Return lines of one pixel, at the edges above and to the left of cells."""
        sample = self.view.sample
        above, left = geometry.border_masks(ids)
        above, left = above[:-1], left[:, :-1]
        table = np.zeros(256, np.uint32)
        table[1] = with_alpha(colour, 1.0 if self.size >= geometry.SOLID_CONTOURS_FROM else 0.5)
        if sample.pooled:
            return Image((above | left).view(np.uint8), table, sample.x, sample.y, opaque=False)
        x, y = sample.x - sample.x[0], sample.y - sample.y[0]
        mask = np.zeros((y[-1], x[-1]), np.uint8)
        mask[:, x[:-1]] |= np.repeat(left.view(np.uint8), np.diff(y), axis=0)
        mask[y[:-1]] |= np.repeat(above.view(np.uint8), np.diff(x), axis=1)
        columns = np.arange(x[-1] + 1) + sample.x[0]
        return Image(mask, table, columns, np.arange(y[-1] + 1) + sample.y[0], opaque=False)

    def _structures(self, layout: LabelLayout) -> Iterator[Item]:
        view, placement = self.view, self.place
        window = placement.window((layout.height, layout.width))
        # From the finest to the coarsest, so that a tile's border is drawn over those of its warps.
        for (part, *_), rank in reversed(geometry.group_structures(view.structures)):
            side = geometry.smallest_side(part, layout) * self.size
            if side < geometry.SMALLEST_PART:
                continue
            strokes = geometry.structure_line_styles(part.part, side, rank, self.px, self.colours)
            if part.part is PartKind.RUN and view.run_image is not None:
                run_boxes = geometry.run_boxes(view.run_image, part, layout, window)
                inset = max(self.px, placement.scale * geometry.RUN_INSET)
                boxes = placement.to_whole_pixels(run_boxes) + np.array([1, 1, 0, 0]) * (
                    self.px / 2
                )
                boxes += _margins(-inset)
                radius = placement.scale * geometry.RUN_ROUND
                for stroke in strokes:
                    yield Rects(boxes, stroke=stroke.colour, width=stroke.width, radius=radius)
                continue
            lines = (
                placement.to_whole_pixels(geometry.structure_lines(part, layout, window))
                + self.px / 2
            )
            for stroke in strokes:
                yield Lines(lines, stroke.colour, stroke.width, stroke.dash)

    @property
    def _has_arrows(self) -> bool:
        return self.view.parents is not None and self.size >= geometry.ARROWS_FROM

    def _arrows(self) -> Iterator[Item]:
        """Yield an arrow from each cell to its parent, and a ring in each root."""
        parents, colours = self.view.parents, self.colours
        if parents is None or not self._has_arrows:
            return
        width = self.view.sample.shape[1]
        cells = self.view.sample.chosen.cells
        points, roots = (
            (parents >= 0) & (parents != cells),
            (parents == cells) & (self.indices != 0),
        )
        curves = geometry.arrow_curves(cells[points], parents[points], width)
        shafts = self.place.to_pixels(curves)
        heads = self.place.to_pixels(geometry.arrow_heads(curves, geometry.HEAD))
        thin = geometry.arrow_width(self.size) * self.px
        bright = np.ones(parents.shape, np.bool_) if self.view.bright is None else self.view.bright
        lit, papers = bright[points], self.indices[points]
        for index in np.unique(papers[~lit]).tolist():
            dim, faint = (papers == index) & ~lit, with_alpha(colours.arrows[index], _FAINT)
            yield Curves(shafts[dim], faint, thin)
            yield Polygons(heads[dim], faint)
        if lit.any():
            halo = with_alpha(colours.halo, 0.88)
            yield Curves(shafts[lit], halo, thin + 2 * self.px)
            yield Polygons(heads[lit], halo, 2 * self.px)
        for index in np.unique(papers[lit]).tolist():
            bright_points = (papers == index) & lit
            yield Curves(shafts[bright_points], colours.arrows[index], thin)
            yield Polygons(heads[bright_points], colours.arrows[index])
        yield from self._rings(roots & ~bright, thin, _FAINT)
        yield from self._rings(roots & bright, thin)

    def _rings(self, roots: Mask, width: float, alpha: float = 1.0) -> Iterator[Item]:
        tall = geometry.ROOT * self.place.scale
        wide = self.view.digits >= _WIDE_DIGITS and self.view.numbers is not None
        across = geometry.WIDE_ROOT * self.place.scale if wide else tall
        half = np.array([-across, -tall, across, tall]) / 2
        middles = self._middles()
        for index, cells in self._split_by_colour(roots):
            boxes = np.tile(middles[cells], 2) + half
            ink = with_alpha(self.colours.inks[index], alpha)
            yield Rects(boxes, stroke=ink, width=width, radius=tall / 2)

    # Numbers and marks

    def _numbers(self) -> Iterator[Item]:
        view, numbers = self.view, self.view.numbers
        size = number_size(self.size, view.digits)
        if size is None or numbers is None or view.layout is None:
            return
        written = self.indices % DIMMED != 0  # foreground, also if dimmed
        if view.counts is None and view.layers.numbers in {Numbers.RAW, Numbers.ROOT}:
            written &= numbers != view.layout.background  # the colour shows that there is no label
        middles = self._middles()
        runs = any(one.part is PartKind.RUN for one in view.structures)
        lined = self._has_arrows or runs  # digits may overlap lines
        for index, chosen in self._split_by_colour(written):
            texts = tuple(map(str, numbers[chosen].tolist()))
            halo = int(self.colours.table[index]) if lined else None
            ink = self.colours.inks[index]
            yield Texts(texts, middles[chosen], size * self.px, ink, halo=halo)

    def _changes(self) -> Iterator[Item]:
        view = self.view
        if view.wrong_cells is not None and view.difference is None:
            yield from self._dots(view.wrong_cells, pack_colour(view.theme.error))
        if view.changed is None:
            return
        changed = view.changed & (self.indices < DIMMED)
        if self.size >= geometry.MARKS_FROM:
            boxes = self._boxes(changed)
            if len(boxes):
                yield from geometry.change_outlines(boxes, self.px, self.size, self.colours)
            return
        yield from self._hatching(changed, 0, with_alpha(self.colours.bold, geometry.CHANGED_ALPHA))
        if view.changed_cells is not None and self.size < geometry.DOTS_BELOW:
            yield from self._dots(view.changed_cells, self.colours.bold)

    def _dots(self, cells: npt.NDArray[np.int64], colour: Colour) -> Iterator[Item]:
        """Yield a dot for each of some cells, so that single ones are visible among millions.

        Dots that would hide much of a small picture are points.
        """
        y, x = np.divmod(cells, self.view.sample.shape[1])
        pixels = np.floor(self.place.to_pixels(np.stack([x, y], axis=1) + 0.5)) // 2 * 2
        pixels = np.array(sorted(set(map(tuple, pixels.tolist()))))
        if not len(pixels):
            return
        rim, area = max(1, round(self.px)), self.place.scale**2 * math.prod(self.view.sample.shape)
        corners = np.tile(pixels, 2)
        if len(cells) * (5 * rim) ** 2 > geometry.DOTS_SHARE * area:
            yield Rects(corners + np.array([0, 0, 1, 1]) * rim, fill=colour)
            return
        boxes = corners + np.array([-1, -1, 2, 2]) * rim
        yield Rects(boxes + _margins(rim), fill=self.colours.halo)
        yield Rects(boxes, fill=colour)

    def _block(self, block: Box | None) -> Iterator[Item]:
        """Yield a frame around the inspected block."""
        if block is not None:
            box = _corners(self.place, block) + _margins(2 * self.px)
            yield Rects(box, stroke=self.colours.halo, width=5 * self.px)
            yield Rects(
                box + _margins(-self.px), stroke=pack_colour(self.view.theme.led), width=3 * self.px
            )

    def _warp(self) -> Iterator[Item]:
        """Yield a line around the cells of the inspected warp."""
        if self.view.warp:
            yield from _Overlay(self.view).outline_cells(
                self.view.warp, pack_colour(self.view.theme.accent)
            )

    def _fault(self, cell: Cell | None) -> Iterator[Item]:
        """Yield a frame around the cell at which the run failed, with a card."""
        if cell is None:
            return
        (x, y), px, theme = cell, self.px, self.view.theme
        frame = self.place.to_whole_pixels(as_boxes([[x, y, x + 1, y + 1]])) + _margins(2 * px)
        left, top, right, bottom = frame[0].tolist()
        if right <= 0 or bottom <= 0 or left >= self.place.width or top >= self.place.height:
            return
        yield Rects(frame, stroke=pack_colour(theme.canvas), width=5 * px, radius=2 * px)
        yield Rects(frame, stroke=pack_colour(theme.error), width=3 * px, radius=2 * px)
        width, height, gap = 52 * px, 18 * px, 2 * px
        left = max(min(left, self.place.width - width), 0)
        top = top - height - gap if top >= height + gap else bottom + gap
        card = as_boxes([[left, top, left + width, top + height]])
        middle = np.array([[left + width / 2, top + height / 2]])
        yield Rects(card, fill=pack_colour(theme.error), radius=4 * px)
        yield Texts(("fault",), middle, 12 * px, pack_colour(ink_over(theme.error)), bold=True)

    @property
    def _has_lines(self) -> bool:
        """Whether there are lines between cells."""
        return self.view.layers.lines and self.size >= geometry.LINES_FROM

    def _split_by_colour(self, cells: Mask) -> Iterator[tuple[int, Mask]]:
        """Yield each palette index of some cells, with the mask of its cells."""
        for index in np.unique(self.indices[cells]).tolist():
            yield index, cells & (self.indices == index)

    def _middles(self) -> Points:
        """Return the middles of the cells, shape (rows, columns, 2)."""
        x, y = self.view.sample.x, self.view.sample.y
        line = self.px / 2 if self._has_lines else 0.0
        middles = np.empty((y.size - 1, x.size - 1, 2))
        middles[:, :, 0] = (x[1:] + x[:-1]) / 2 + line
        middles[:, :, 1] = ((y[1:] + y[:-1]) / 2 + line)[:, None]
        return middles

    def _boxes(self, cells: Mask) -> Points:
        """Return the boxes of some cells, excluding the lines between cells."""
        x, y = self.view.sample.x, self.view.sample.y
        line = max(1, round(self.px)) if self._has_lines else 0
        rows, columns = np.nonzero(cells)
        boxes = [x[columns] + line, y[rows] + line, x[columns + 1], y[rows + 1]]
        return np.stack(boxes, axis=1).astype(np.float64)


def _split_edges(edges: Edges, first: int, last: int) -> Edges:
    """Return the edges of cells with two more in each, at given distances from its edges."""
    return np.append(
        np.stack([edges[:-1], edges[:-1] + first, edges[1:] - last], axis=1), edges[-1]
    )


def _corners(placement: Placement, box: Box) -> Points:
    return placement.to_whole_pixels(as_boxes([[box.left, box.top, box.right, box.bottom]]))


def legend_contents(view: StepView, cache: SceneCache | None = None) -> legend.LegendContents:
    """Return the contents of a view's legend."""
    size = view.placement.logical_cell_size
    indices = (cache or SceneCache()).indices(view)
    written = view.numbers is not None and number_size(size, view.digits) is not None
    return legend.LegendContents(
        view.layers,
        view.colours,
        size,
        view.layout,
        view.structures,
        numbers=written,
        drawn=[
            name
            for name, switch in SWITCHES.items()
            if switch.needs and getattr(view, switch.needs) is not None
        ],
        unlabelled=bool((indices == UNLABELLED).any()),
        difference=view.difference is not None,
        wrong=view.wrong_count,
        warp=bool(view.warp),
        array=view.array if written else "",
        referring=view.referring,
    )


def _margins(pixels: float) -> Points:
    """Return the offsets that enlarge boxes on all sides."""
    return np.array([-pixels, -pixels, pixels, pixels])


class _Overlay:
    """The layers over the base of a view that follow the mouse."""

    def __init__(self, view: StepView) -> None:
        self.view = view
        self.place = view.placement
        self.size = view.placement.logical_cell_size
        self.px = view.placement.ratio
        self.theme: CanvasTheme = view.theme

    # Shapes being drawn

    def preview(self) -> Iterator[Item]:
        """Yield shapes being drawn, floating cells, the selection and the brush."""
        preview = self.view.preview
        if preview is None:
            return
        if preview.brush is not None:
            colour = with_alpha(self._value_colour(preview.brush_value), _BRUSH_ALPHA)
            yield self._spans(preview.brush, colour)
        if preview.hole is not None:
            yield Rects(_corners(self.place, preview.hole), fill=self._value_colour(0))
        if preview.spans is not None:
            yield self._spans(preview.spans, self._value_colour(preview.value))
        if preview.patch is not None:
            box, placement = preview.patch.box, self.place
            indices = input_indices(preview.patch.cells, multivalued=self.view.multivalued)
            x = placement.edges(box.left, box.right, placement.x)
            y = placement.edges(box.top, box.bottom, placement.y)
            yield Image(indices, canvas_colours(self.theme).table, x, y)
        if preview.outline is not None:
            outline, thick = _corners(self.place, preview.outline), max(1, round(self.px))
            yield Rects(outline, stroke=0xFF101318, width=thick)
            dashed = box_sides(outline + _margins(-thick / 2))
            yield Lines(dashed, 0xFFFFFFFF, thick, dash=(4 * self.px, 4 * self.px))

    def _spans(self, spans: Spans, colour: Colour) -> Item:
        inside = spans.clipped(self.view.sample.shape)
        cells = np.stack([inside.starts, inside.rows, inside.stops, inside.rows + 1], axis=1)
        return Rects(self.place.to_whole_pixels(cells), fill=colour)

    def _value_colour(self, value: int) -> Colour:
        values = np.array([value], np.uint8)
        index = input_indices(values, multivalued=self.view.multivalued)[0]
        return int(canvas_colours(self.theme).table[index])

    # Paths to roots

    def paths(self) -> Iterator[Item]:
        for path in sorted(self.view.paths, key=lambda path: not path.pinned):
            yield from self._path(path)

    def _path(self, path: RootPath) -> Iterator[Item]:
        rgb = self.theme.accent if path.pinned else (255, 255, 255)
        rim = with_alpha(pack_colour(ink_over(rgb)), 0.78)
        for colour, width in ((rim, 3.6 * self.px), (pack_colour(rgb), 1.8 * self.px)):
            yield from self._path_lines((path.cell, *path.parents), colour, width)
            yield self._outline(path.cell, colour, width)
            if path.parents:
                yield from self._root(path.parents[-1], colour, width)

    def _path_lines(self, cells: tuple[Cell, ...], colour: Colour, width: float) -> Iterator[Item]:
        """Yield the path along cells: arrows in large cells, otherwise a line with dots."""
        if len(cells) < 2:
            return
        if self.size >= geometry.NUMBERS_FROM:
            columns = 1 + max(x for x, _ in cells)
            indices = linear_indices(cells, columns)
            apart = indices[:-1] != indices[1:]  # in a wrong run, a path may end in a cycle
            curves = geometry.arrow_curves(indices[:-1][apart], indices[1:][apart], columns)
            yield Curves(self.place.to_pixels(curves), colour, width)
            yield Polygons(
                self.place.to_pixels(geometry.arrow_heads(curves, _PATH_HEAD)), colour, width
            )
            return
        middles = self.place.to_pixels(np.array(cells) + 0.5)
        yield Lines(np.concatenate([middles[:-1], middles[1:]], axis=1), colour, width, cap="round")
        if self.size >= _DOTTED and len(cells) <= _MAX_PATH_DOTS:
            yield self._discs(middles[1:-1], width / 2 + 1.4 * self.px, colour)

    def _root(self, cell: Cell, colour: Colour, width: float) -> Iterator[Item]:
        """Yield the mark of a root: bars above and below its number, or a dot."""
        yield self._outline(cell, colour, width)
        left, top, right, bottom = self._box(cell)
        if self.size < geometry.NUMBERS_FROM:
            middle = np.array([[(left + right) / 2, (top + bottom) / 2]])
            yield self._discs(middle, width / 2 + 2.4 * self.px, colour)
            return
        inset = (bottom - top) * _BARS
        bars = [[left, y, right, y] for y in (top + inset, bottom - inset)]
        yield Lines(as_boxes(bars), colour, width)

    def _outline(self, cell: Cell, colour: Colour, width: float) -> Item:
        box = as_boxes([self._box(cell)])
        least = 6 * self.px - float(box[0, 2] - box[0, 0])
        if least > 0:  # around a tiny cell
            box += _margins(least / 2)
        margin = width / 2
        thick = max(1, round(width))
        return Rects(np.rint(box + _margins(margin)), stroke=colour, width=thick)

    def _discs(self, middles: Points, radius: float, colour: Colour) -> Item:
        boxes = np.tile(middles, 2) + _margins(radius)
        return Rects(boxes, fill=colour, radius=radius)

    def _box(self, cell: Cell) -> list[float]:
        x, y = cell
        box: list[float] = self.place.to_whole_pixels(as_boxes([[x, y, x + 1, y + 1]]))[0].tolist()
        return box

    # Marks of lessons and questions

    def marks(self) -> Iterator[Item]:
        """Yield marks of a lesson's cells, a question's cell, and the answers."""
        marks, theme = self.view.marks, self.theme
        if marks.highlight:
            yield from self.outline_cells(marks.highlight, pack_colour(theme.led))
        if marks.asked is not None:
            accent = pack_colour(theme.accent)
            yield from self._frame_cell(marks.asked, accent, dashed=True)
            yield from self._badge(marks.asked, "?", theme.accent)
        for cells, rgb, sign, dashed in self._answers(marks):
            for cell in cells:
                yield from self._frame_cell(cell, pack_colour(rgb), dashed=dashed)
                yield from self._badge(cell, sign, rgb)

    def _answers(
        self, marks: Marks
    ) -> Iterator[tuple[tuple[Cell, ...], tuple[int, int, int], str, bool]]:
        chosen, right = set(marks.chosen), set(marks.right)
        if not marks.judged:
            yield marks.chosen, self.theme.accent, "dot", False
            return
        stray = tuple(cell for cell in marks.chosen if cell not in right)
        missed = tuple(cell for cell in marks.right if cell not in chosen)
        correct = tuple(cell for cell in marks.right if cell in chosen)
        yield stray, self.theme.error, "cross", False
        yield missed, self.theme.ok, "tick", True
        yield correct, self.theme.ok, "tick", False

    def outline_cells(self, cells: tuple[Cell, ...], colour: Colour) -> Iterator[Item]:
        """Yield lines around cells; cells that touch share one line."""
        x, y = np.array(cells).T
        left, top = x.min(), y.min()
        mask = np.zeros((y.max() - top + 1, x.max() - left + 1), np.uint8)
        mask[y - top, x - left] = 1
        lines = self.place.to_whole_pixels(
            geometry.border_segments(mask) + np.array([left, top] * 2)
        )
        if self.size < _BADGE:  # outside small cells, which it would cover otherwise
            box = np.array([left, top, x.max() + 1, y.max() + 1])
            around = self.place.to_whole_pixels(box) + _margins(self.px)
            lines = lines if len(cells) > 1 else box_sides(around)
        yield from self._line(lines + self.px / 2, colour)

    def _frame_cell(self, cell: Cell, colour: Colour, *, dashed: bool) -> Iterator[Item]:
        inset = (1.5 if self.size >= _BADGE else -1.0) * self.px
        box = np.array(self._box(cell)) + _margins(-inset)
        yield from self._line(box_sides(box), colour, dashed=dashed)

    def _line(self, lines: Points, colour: Colour, *, dashed: bool = False) -> Iterator[Item]:
        wide = min(max(self.size * 0.09, 2.0), 4.0) * self.px
        dash = (2.2 * wide, 1.6 * wide) if dashed else ()
        yield Lines(lines, pack_colour(self.theme.canvas), wide + 2.5 * self.px, cap="square")
        yield Lines(lines, colour, wide, dash, "butt" if dashed else "square")

    def _badge(self, cell: Cell, sign: str, rgb: tuple[int, int, int]) -> Iterator[Item]:
        """Yield a sign on a disc in the corner of a cell that has room for it."""
        if self.size < _BADGE:
            return
        radius = min(max(self.size * 0.17, 5.0), 12.0) * self.px
        _, top, right, _ = self._box(cell)
        x, y = right - radius * 0.8, top + radius * 0.8
        middle, ink = np.array([[x, y]]), pack_colour(ink_over(rgb))
        yield self._discs(middle, radius, pack_colour(rgb))
        half, width = radius * 0.42, max(radius * 0.26, 1.4 * self.px)
        if sign == "?":
            yield Texts(("?",), middle, radius * 1.5, ink, bold=True)
        elif sign == "dot":
            yield self._discs(middle, width, ink)
        else:
            tick = [[-1.1, 0.1, -0.2, 1.0], [-0.2, 1.0, 1.2, -0.8]]
            cross = [[-1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, -1.0]]
            strokes = np.array(tick if sign == "tick" else cross) * half
            yield Lines(strokes + np.array([x, y, x, y]), ink, width, cap="round")

    def flash(self) -> Iterator[Item]:
        if self.view.flash is None:
            return
        x, y = self.view.flash
        middle = self.place.to_pixels(np.array([[x + 0.5, y + 0.5]]))
        radius = max(self.place.scale * 0.75, 12 * self.px)
        box = np.tile(middle, 2) + _margins(radius)
        for colour, width in ((self.theme.canvas, 6.0), (self.theme.accent, 3.0)):
            yield Rects(box, stroke=pack_colour(colour), width=width * self.px, radius=radius)
