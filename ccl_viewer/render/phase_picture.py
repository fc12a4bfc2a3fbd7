"""The inside of a launch as a display list: the lanes of a warp, and shared memory of a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.diagnostics.phases import (
    PhaseView,
    SharedArray,
    ThreadState,
    WarpLane,
    WarpOperation,
    distances_from_run_start,
    distances_to_run_end,
)
from ccl_viewer.diagnostics.phases.cutting import block_name
from ccl_viewer.diagnostics.phases.text import describe_lane, describe_lanes
from ccl_viewer.execution.plan import WARP, Dim3
from ccl_viewer.render import geometry
from ccl_viewer.render.display_list import (
    Image,
    Lines,
    Points,
    Polygons,
    Rects,
    Texts,
    as_boxes,
    with_alpha,
)
from ccl_viewer.render.sheet import (
    BIT,
    DIGIT,
    NO_LANE,
    SIZE,
    SMALLEST,
    AnnotatedPicture,
    PictureBuilder,
)
from ccl_viewer.render.themes import (
    BACKGROUND,
    DIMMED,
    FIRST_COLOUR,
    HUES,
    CanvasTheme,
    pack_colour,
)

_LANE: Final = 21.0  # pixels for the numbers of a lane
_TALLEST: Final = 20.0  # an element of shared memory
_WIDEST: Final = 64.0
_MAX_LABELLED: Final = 2048  # most elements with written values
_UNWRITTEN: Final = DIMMED  # elements that no thread has written
_MASKS: Final = ("ballot", "activemask", "match")


def draw_phase(
    view: PhaseView,
    block: Dim3 | None,
    warp: int | None,
    width: int,
    theme: CanvasTheme,
    *,
    chosen: int = NO_LANE,
    title: str = "",
    px: float = 1.0,
) -> AnnotatedPicture:
    """Draw the lanes of a warp, its last operation, and the shared memory of its block.

    Lanes that do not fit in one row continue below. Values read or written before the phase are
    paler. Without a block, the phase's is drawn, or the first; without a warp, the phase's, or the
    bits of all if phases end at warp operations. The lane `chosen` is marked, and the `title` is at
    the top. `px`, the device pixels per pixel, scales lines and text.
    Raises InputError if there is no such block or warp.
    """
    sheet = _PhaseSheet(width, theme, px)
    if title:
        sheet.draw_text(title)
    block = view.choose_block(block)
    warps = view.choose_warps(warp)
    for one in warps:
        lanes, operation = view.lanes(block, one), view.last_warp_operation(block, one)
        done = "no operation" if operation is None else operation.name
        sheet.draw_text(f"Warp {one} of {block_name(block)}: {done}")
        sheet.draw_bits(lanes, operation)
        if len(warps) == 1:
            sheet.draw_lanes(lanes, operation, chosen)
            sheet.draw_text(describe_lanes(lanes), dim=True)
    if view.phase.block is None and not warps:
        sheet.draw_text(f"In {block_name(block)}:")
    for array in view.shared_arrays(block):
        sheet.draw_shared(array)
    return sheet.build("phase")


def _make_mask(operation: WarpOperation | None) -> int | None:
    """Return the mask that an operation returned to its lanes, or None."""
    if operation is None or not any(word in operation.name for word in _MASKS):
        return None
    return next((mask & 0xFFFFFFFF for mask in operation.gets if mask is not None), None)


class _PhaseSheet(PictureBuilder):
    """The picture of a phase."""

    # A warp

    def draw_bits(self, lanes: Sequence[WarpLane], operation: WarpOperation | None) -> None:
        """Draw all lanes next to each other, as boxes: active lanes, masks, shuffles."""
        column = (self.width - self.gutter - 4 * self.px) / WARP
        ticks = range(0, WARP, 1 if column >= 18 * self.px else 8)
        self._ticks(ticks, column)
        active = sum(1 << lane.lane for lane in lanes if lane.active)
        self._boxes("active", active, column, (1 << len(lanes)) - 1, digits=False)
        mask = _make_mask(operation)
        if operation is not None and operation.sources:
            self._arrows(operation, column)
        elif operation is not None and "match" not in operation.name:
            brought = sum(1 << lane for lane, value in enumerate(operation.brings) if value)
            if "activemask" not in operation.name and "syncwarp" not in operation.name:
                self._boxes("brings", brought, column, operation.lanes)
        if mask is not None:
            self._boxes("gets", mask, column)
        self.y += 6 * self.px

    def _ticks(self, lanes: Sequence[int], column: float) -> None:
        height = BIT * self.px
        places = [[self.gutter + (lane + 0.5) * column, self.y + height / 2] for lane in lanes]
        texts = tuple(map(str, lanes))
        self.items.append(Texts(texts, np.array(places), 9 * self.px, self.dim))
        self.y += height

    def _boxes(
        self, name: str, mask: int, column: float, among: int = 0xFFFFFFFF, *, digits: bool = True
    ) -> None:
        """Draw a mask as 32 boxes, filled for 1; only lanes in `among` are drawn."""
        self.draw_row_name(name, BIT)
        gap, left = self.px if column > 5 * self.px else 0.0, self.gutter
        bottom = self.y + BIT * self.px - 2 * self.px
        for bit, fill in ((1, self.accent), (0, None)):
            lanes = [lane for lane in range(WARP) if among >> lane & 1 and mask >> lane & 1 == bit]
            boxes = [
                (left + lane * column, self.y, left + (lane + 1) * column - gap, bottom)
                for lane in lanes
            ]
            if lanes:
                self.items.append(Rects(np.rint(as_boxes(boxes)), fill, self.accent, self.px))
            if digits and column >= BIT * self.px:
                ink = pack_colour(self.theme.canvas) if bit else self.dim
                height = (BIT - 2) * self.px
                self.draw_texts([str(bit)] * len(lanes), lanes, column, ink, 10 * self.px, height)
        self.y += BIT * self.px

    def _arrows(self, operation: WarpOperation, column: float) -> None:
        """Draw a shuffle: arrows from each source lane to the lanes that get its value."""
        self.draw_row_name("shuffle", 40)
        top, bottom = self.y + 2 * self.px, self.y + 36 * self.px
        ends = [
            (
                self.gutter + (source + 0.5) * column,
                top,
                self.gutter + (lane + 0.5) * column,
                bottom,
            )
            for lane, source in enumerate(operation.sources)
            if source is not None
        ]
        for colour, vertical in ((self.dim, True), (self.accent, False)):
            segments = as_boxes([line for line in ends if (line[0] == line[2]) is vertical])
            if len(segments):
                self.items.append(Lines(segments, colour, 1.2 * self.px))
                curve = segments.reshape(-1, 2, 2)[:, [0, 0, 1]]
                self.items.append(Polygons(geometry.arrow_heads(curve, 5 * self.px), colour))
        self.y += 40 * self.px

    def draw_lanes(
        self, lanes: Sequence[WarpLane], operation: WarpOperation | None, chosen: int
    ) -> None:
        """Draw the state of each lane, in as many lines as necessary."""
        room = self.width - self.gutter - 4 * self.px
        rows = _rows(lanes, operation)
        longest = max(len(text) for _, texts, _ in rows for text in texts)
        needed = max(_LANE, SMALLEST * DIGIT * longest + 1) * self.px
        fits = next((count for count in (32, 16, 8) if room / count >= needed), 4)
        column = room / fits
        height = 1.4 * SIZE * self.px
        for first in range(0, len(lanes), fits):
            part, top = lanes[first : first + fits], self.y
            for name, texts, pale in rows:
                if not any(texts[lane.lane] for lane in part):
                    continue
                self.draw_row_name(name, 1.4 * SIZE)
                size = self._measure_text(texts, column)
                for dim in (False, True):
                    indices = [i for i, lane in enumerate(part) if (lane.lane in pale) is dim]
                    shown = [texts[part[i].lane] for i in indices]
                    self.draw_texts(
                        shown, indices, column, self.dim if dim else self.text, size, height
                    )
                self.y += height
            for index, lane in enumerate(part):
                left = self.gutter + index * column
                box = (left, top, left + column, self.y)
                self.areas.append((box, describe_lane(lane), lane.lane))
                if lane.lane == chosen:
                    self.items.append(Rects(np.rint(as_boxes([box])), None, self.accent, self.px))
            self.y += 6 * self.px

    # Shared memory

    def draw_shared(self, array: SharedArray) -> None:
        """Draw a shared variable: a colour for each value, and outlines around changed elements.

        A variable without rows is cut after the last used element.
        """
        if not array.written.any():
            self.draw_text(f"Shared {array.name}: not written yet", dim=True)
            return
        changed = f"{array.changed.size:,} of {array.values.size:,} changed"
        self.draw_text(f"Shared {array.name}: {changed}")
        is_row = array.columns == array.values.size
        used = int(np.flatnonzero(array.written)[-1]) + 1
        shades = _shades(array)[: used if is_row else None]
        values = array.texts[: shades.size]
        longest = max(map(len, values), default=1) or 1
        room, px = self.width - 8 * self.px, self.px
        columns = array.columns
        if is_row:  # it may wrap anywhere
            needed = SMALLEST * DIGIT * longest + 4 if shades.size <= _MAX_LABELLED else 7
            columns = max(1, min(shades.size, int(room / (needed * px))))
        side = max(min(room / columns, _WIDEST * px), 2.0)
        tall = max(min(side, _TALLEST * px), 2.0)
        rows = -(-shades.size // columns)
        x = np.rint(np.arange(columns + 1) * side + 4 * px).astype(np.int64)
        y = np.rint(np.arange(rows + 1) * tall + self.y).astype(np.int64)
        down, across = np.divmod(np.arange(shades.size), columns)
        boxes = np.stack([x[across], y[down], x[across + 1], y[down + 1]], axis=1).astype(float)
        cells = np.full(rows * columns, _UNWRITTEN, np.uint8)
        cells[: shades.size] = shades
        self.items.append(Image(cells.reshape(rows, columns), self.colours.table, x, y))
        if side >= 5 * px:
            self.items.append(Rects(boxes, stroke=with_alpha(pack_colour(self.theme.canvas), 0.6)))
        size = min(side * 0.9 / (DIGIT * longest), tall * 0.6, SIZE * px)
        if size >= SMALLEST * px * 0.8:
            self._values(values, boxes, shades, size)
        if array.changed.size:
            self.items += geometry.change_outlines(
                boxes[array.changed], px, tall / px, self.colours
            )
        for index, (box, value) in enumerate(zip(boxes.tolist(), values, strict=True)):
            tip = f" = {value}" if value else ", not written yet"
            self.areas.append((box, f"{array.name}[{index}]{tip}", NO_LANE))
        self.y = float(y[-1]) + 8 * px

    def _values(
        self,
        values: Sequence[str],
        boxes: Points,
        shades: npt.NDArray[np.uint8],
        size: float,
    ) -> None:
        middles = (boxes[:, :2] + boxes[:, 2:]) / 2
        for shade in np.unique(shades).tolist():
            indices = [i for i in np.flatnonzero(shades == shade).tolist() if values[i]]
            texts = tuple(values[i] for i in indices)
            if texts:
                self.items.append(Texts(texts, middles[indices], size, self.colours.inks[shade]))

    # Parts

    def _measure_text(self, texts: Sequence[str], column: float) -> float:
        """Return the font size in which all texts of a row fit, or the smallest."""
        longest = max(map(len, texts), default=1) or 1
        return max(min(SIZE * self.px, column * 0.75 / (DIGIT * longest)), SMALLEST * self.px)


def _shades(array: SharedArray) -> npt.NDArray[np.uint8]:
    """Return the palette index of each element: one colour for each value except 0."""
    shades = np.array(
        [
            FIRST_COLOUR + int(value) % len(HUES) if value else BACKGROUND
            for value in array.values.tolist()
        ],
        np.uint8,
    )
    shades[~array.written] = _UNWRITTEN
    return shades


_Row = tuple[str, list[str], frozenset[int]]
"""Name of a row, a text for each lane, and the lanes with pale text."""


def _rows(lanes: Sequence[WarpLane], operation: WarpOperation | None) -> list[_Row]:
    """Return the rows of text about lanes."""
    idle = frozenset(lane.lane for lane in lanes if not lane.active)
    end_state = ThreadState.ENDED
    rows: list[_Row] = [
        ("lane", [str(lane.lane) for lane in lanes], frozenset(range(WARP))),
        ("cell", ["" if lane.cell is None else "{},{}".format(*lane.cell) for lane in lanes], idle),
    ]
    for name, accesses in (
        ("read", [lane.read for lane in lanes]),
        ("wrote", [lane.write for lane in lanes]),
    ):
        pairs = enumerate(zip(lanes, accesses, strict=True))
        old = frozenset(i for i, (lane, one) in pairs if one and lane.is_earlier(one))
        if any(accesses):
            rows.append((name, ["" if one is None else one.value_text for one in accesses], old))
    if any(lane.state is end_state for lane in lanes):
        rows.append(("", ["end" if lane.state is end_state else "" for lane in lanes], idle))
    mask = _make_mask(operation)
    if mask is not None:
        for name, distances in (
            ("start", distances_from_run_start(mask)),
            ("end", distances_to_run_end(mask)),
        ):
            rows.append((name, _words(distances[: len(lanes)]), frozenset()))
    elif operation is not None:
        results = {"brings": operation.brings, "from": operation.sources, "gets": operation.gets}
        for name, values in results.items():
            if any(value is not None for value in values):
                rows.append((name, _words(values[: len(lanes)]), frozenset()))
    return rows


def _words(values: Sequence[int | None]) -> list[str]:
    return ["" if value is None else str(value) for value in values]
