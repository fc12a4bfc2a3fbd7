"""A phase as a display list: the lanes of a warp, what they exchange, and shared memory.

The warp is a row of 32 boxes. Below it stand the bits of the last ballot with the distances to the
starts of runs, or a shuffle with an arrow from the lane whose value each lane gets, and what the
lanes read and wrote. Shared memory is a box for each element; what the phase changed is outlined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ccl_viewer.devices.emulator.events import WARP
from ccl_viewer.phases import (
    Access,
    Lane,
    PhaseView,
    SharedArray,
    ThreadState,
    WarpOperation,
    start_distances,
)
from ccl_viewer.plan import Dim3
from ccl_viewer.render.display_list import (
    Colour,
    DisplayList,
    Item,
    Layer,
    Lines,
    Measure,
    Rects,
    Texts,
    boxes_of,
)
from ccl_viewer.render.themes import CanvasTheme, mixed, packed

_MARGIN: Final = 12
_NAMES: Final = 68
"""Pixels left of the boxes, for what a row shows."""

_SMALLEST_BOX, _LARGEST_BOX = 14, 34
_TEXT: Final = 12.0
_LEAST_TEXT: Final = 6.0
_MOST_COLUMNS: Final = 34
_MOST_ELEMENTS: Final = 1400


@dataclass
class _Page:
    """A picture that grows downwards."""

    width: int
    theme: CanvasTheme
    measure: Measure
    y: float = _MARGIN
    items: list[Item] = field(default_factory=list)

    @property
    def box(self) -> int:
        room = (self.width - 2 * _MARGIN - _NAMES) // WARP
        return max(_SMALLEST_BOX, min(_LARGEST_BOX, room))

    @property
    def left(self) -> int:
        return _MARGIN + _NAMES

    def colour(self, name: str, share: float = 0.0) -> Colour:
        """Return a colour of the theme, mixed with so much of the canvas."""
        return packed(mixed(getattr(self.theme, name), self.theme.canvas, share))

    def write(self, text: str, *, bold: bool = False, dim: bool = False) -> None:
        """Write a line, cut where the picture ends."""
        size = _TEXT + 1 if bold else _TEXT
        while text and self.measure(text, size) > self.width - 2 * _MARGIN:
            text = f"{text[:-2]}\N{HORIZONTAL ELLIPSIS}"
        colour = self.colour("dim" if dim else "text")
        place = boxes_of([(_MARGIN, self.y + 9, 0, 0)])[:, :2]
        self.items.append(Texts((text,), place, size, colour, "left", bold))
        self.y += 20

    def row(
        self,
        name: str,
        texts: Sequence[str],
        fills: Sequence[Colour | None],
        strokes: Sequence[Colour | None] = (),
        faint: Sequence[bool] = (),
    ) -> None:
        """Draw boxes in a row, each with a text; those without a fill are only outlined."""
        box, left = self.box, self.left
        places = [
            (left + i * box + 1, self.y, left + (i + 1) * box - 1, self.y + box - 2)
            for i in range(len(texts))
        ]
        line = self.colour("dim", 0.6)
        looks = [(fill, strokes[i] if strokes else None) for i, fill in enumerate(fills)]
        for look in dict.fromkeys(looks):
            boxes = [place for place, own in zip(places, looks, strict=True) if own == look]
            fill, stroke = look
            width = 2.0 if stroke is not None else 1.0
            self.items.append(Rects(boxes_of(boxes), fill, stroke or line, width))
        self._texts(texts, places, faint)
        middle = boxes_of([(left - 6, self.y + box / 2 - 1, 0, 0)])[:, :2]
        self.items.append(Texts((name,), middle, _TEXT, self.colour("dim"), "right"))
        self.y += box

    def _texts(
        self,
        texts: Sequence[str],
        places: Sequence[tuple[float, float, float, float]],
        faint: Sequence[bool],
    ) -> None:
        """Write into boxes in one size in which all fit, or leave out those that cannot."""
        room = self.box - 4
        size = min(_TEXT, self.box * 0.55)
        widest = max((self.measure(text, size) for text in texts), default=0.0)
        size = max(_LEAST_TEXT, min(size, size * room / widest if widest else size))
        for dim in (False, True):
            mine = [
                (text, (place[0] + place[2]) / 2, (place[1] + place[3]) / 2)
                for i, (text, place) in enumerate(zip(texts, places, strict=True))
                if text and bool(faint and faint[i]) == dim and self.measure(text, size) <= room + 3
            ]
            if mine:
                spots = boxes_of([(x, y, 0, 0) for _, x, y in mine])[:, :2]
                colour = self.colour("dim", 0.3) if dim else self.colour("text")
                self.items.append(Texts(tuple(text for text, _, _ in mine), spots, size, colour))

    def arrows(self, sources: Sequence[int | None]) -> None:
        """Draw a line from the box of each source above to the box of its lane below."""
        box, left, top = self.box, self.left, self.y
        self.y += 1.6 * box
        lines = [
            (left + (source + 0.5) * box, top, left + (lane + 0.5) * box, self.y - 3)
            for lane, source in enumerate(sources)
            if source is not None
        ]
        own = [line for line in lines if line[0] == line[2]]
        others = [line for line in lines if line[0] != line[2]]
        self.items.append(Lines(boxes_of(own), self.colour("dim", 0.6)))
        self.items.append(Lines(boxes_of(others), self.colour("accent"), 1.5, cap="round"))


def phase_picture(
    view: PhaseView,
    block: Dim3 | None,
    warp: int | None,
    width: int,
    theme: CanvasTheme,
    measure: Measure,
) -> DisplayList:
    """Return a phase as a picture; it is as high as it needs to be.

    Parameters
    ----------
    view : PhaseView
        The phase.
    block : tuple of three int or None
        Whose shared memory is shown; None for the phase's own, if it has one.
    warp : int or None
        Whose lanes are shown; None for the phase's own, or none.
    width : int
        Pixels across; a warp takes at least 540.
    theme : CanvasTheme
        The colours.
    measure : callable
        Tells how wide texts are.

    Raises
    ------
    InputError
        If there is no such block or warp.
    """
    page = _Page(width, theme, measure)
    page.write(view.phase.title, bold=True)
    block = block or view.phase.block
    warp = view.phase.warp if warp is None else warp
    if block is not None and warp is not None:
        _draw_warp(page, view, block, warp)
    if block is not None:
        for array in view.shared(block):
            _draw_shared(page, array)
    layer = Layer("phase", tuple(page.items))
    height = round(page.y) + _MARGIN
    return DisplayList(width, height, packed(theme.canvas), (layer,))


def _draw_warp(page: _Page, view: PhaseView, block: Dim3, warp: int) -> None:
    lanes = view.lanes(block, warp)
    active, idle = page.colour("accent", 0.55), page.colour("background")
    ended = [lane.state is ThreadState.ENDED for lane in lanes]
    page.row(
        "lane",
        [str(lane.lane) for lane in lanes],
        [active if lane.active else idle for lane in lanes],
        faint=ended,
    )
    operation = view.last_operation(block, warp)
    if operation is not None:
        _draw_operation(page, operation)
    begin = view.phase.begin
    _draw_accesses(page, "read", [lane.read for lane in lanes], begin)
    _draw_accesses(page, "wrote", [lane.write for lane in lanes], begin)
    page.write(_whereabouts(lanes), dim=True)
    page.y += 8


def _whereabouts(lanes: Sequence[Lane]) -> str:
    """Return the cells of lanes, and the lines at which those stand that have not ended."""
    cells = [lane.cell for lane in lanes if lane.cell is not None]
    at = sorted(
        {
            str(lane.location)
            for lane in lanes
            if lane.location is not None and lane.state is not ThreadState.ENDED
        }
    )
    parts = []
    if cells:
        xs, ys = zip(*cells, strict=True)
        parts.append(f"Cells ({min(xs)}, {min(ys)}) to ({max(xs)}, {max(ys)})")
    if at:
        parts.append(f"at {', '.join(at)}")
    return "; ".join(parts)


def _draw_operation(page: _Page, operation: WarpOperation) -> None:
    page.y += 6
    page.write(f"{operation.name}, mask 0x{operation.mask:08x}")
    idle, lit = page.colour("background"), page.colour("accent")
    if operation.sources:
        part = [idle if value is not None else None for value in operation.brings]
        page.row("brings", _words(operation.brings), part)
        page.arrows(operation.sources)
        page.row("gets", _words(operation.gets), part)
        return
    brought = [value is not None and value != 0 for value in operation.brings]
    page.row("brings", [""] * WARP, [lit if bit else idle for bit in brought])
    for got in dict.fromkeys(value for value in operation.gets if value is not None):
        bits = [got >> lane & 1 for lane in range(WARP)]
        distances = start_distances(got) if operation.name == "__ballot_sync" else ()
        page.row("gets", [""] * WARP, [lit if bit else idle for bit in bits])
        if distances:
            page.row("from start", _words(distances), [idle] * WARP)


def _draw_accesses(page: _Page, verb: str, accesses: Sequence[Access | None], begin: int) -> None:
    """Draw what lanes read or wrote; dim where that was in an earlier phase."""
    found = [access for access in accesses if access is not None]
    if not found:
        return
    memories = ", ".join(dict.fromkeys(access.memory for access in found))
    page.y += 6
    page.write(f"{verb.capitalize()} last: {memories}", dim=True)
    idle = page.colour("background")
    fills = [None if access is None else idle for access in accesses]
    faint = [access is not None and access.moment < begin for access in accesses]
    for name, texts in (
        ("element", ["" if one is None else str(one.index) for one in accesses]),
        ("value", ["" if one is None else str(one.value) for one in accesses]),
    ):
        page.row(name, texts, fills, (), faint)


def _draw_shared(page: _Page, array: SharedArray) -> None:
    changed = set(array.changed.tolist())
    page.y += 4
    size = array.values.size
    page.write(f"Shared {array.name}: {len(changed):,} of {size:,} elements changed")
    if size > _MOST_ELEMENTS:
        page.write("Too many elements to be drawn.", dim=True)
        return
    columns = array.columns if array.columns <= _MOST_COLUMNS else WARP
    idle, mark = page.colour("background"), page.colour("led")
    for first in range(0, size, columns):
        places = range(first, min(first + columns, size))
        page.row(
            str(first),
            [str(array.values[i]) if array.written[i] else "" for i in places],
            [idle if array.written[i] else None for i in places],
            [mark if i in changed else None for i in places],
        )


def _words(values: Sequence[int | None]) -> list[str]:
    return ["" if value is None else str(value) for value in values]
