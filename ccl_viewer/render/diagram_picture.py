"""The diagrams of a launch as display lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ccl_viewer.diagnostics.phases.diagrams import (
    BankDiagram,
    Diagram,
    OrderDiagram,
    RunStartDiagram,
    SectorDiagram,
    WaitDiagram,
    format_ranges,
)
from ccl_viewer.diagnostics.phases.requests import BANKS, SECTOR
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import WARP
from ccl_viewer.render.display_list import Colour, Lines, Rects, Texts, as_boxes, with_alpha
from ccl_viewer.render.sheet import (
    BIT,
    DIGIT,
    NO_LANE,
    SIZE,
    SMALLEST,
    AnnotatedPicture,
    PictureBuilder,
)
from ccl_viewer.render.themes import CanvasTheme, pack_colour

_NARROW: Final = 14.0  # pixels of a bank that cannot show the number of a lane
_ROW: Final = 16.0  # height of a sector
_WIDEST: Final = 40.0  # an element of a sector
_COURSE: Final = 9.0  # height of a thread's row
_EVENT: Final = 22.0  # height of an access


def draw_diagram(
    diagram: Diagram, width: int, theme: CanvasTheme, *, px: float = 1.0
) -> AnnotatedPicture:
    """Draw a diagram. `px`, the device pixels per pixel, scales lines and text."""
    sheet = _DiagramSheet(width, theme, px)
    sheet.draw_text(diagram.title)
    match diagram:
        case BankDiagram():
            sheet.draw_banks(diagram)
        case SectorDiagram():
            sheet.draw_sectors(diagram)
        case RunStartDiagram():
            sheet.draw_bits(diagram)
        case WaitDiagram():
            sheet.draw_courses(diagram)
        case OrderDiagram():
            sheet.draw_order(diagram)
    return sheet.build("diagram")


class _DiagramSheet(PictureBuilder):
    """The picture of a diagram."""

    @property
    def _room(self) -> float:
        return self.width - self.gutter - 4 * self.px

    @property
    def _pale(self) -> Colour:
        return with_alpha(self.accent, 0.3)

    # Banks

    def draw_banks(self, diagram: BankDiagram) -> None:
        """Draw the lanes that each bank serves, one turn below the other."""
        fits = BANKS if self._room / BANKS >= _NARROW * self.px else BANKS // 2
        column = self._room / fits
        for first in range(0, BANKS, fits):
            banks = range(first, first + fits)
            self._numbers("bank", banks, column)
            for number, turn in enumerate(diagram.request.turns, 1):
                served = {bank - first: lanes for bank, lanes in turn.items() if bank in banks}
                if served:
                    self._turn(number, served, column, diagram, first)
            self.y += 6 * self.px
        self.draw_text("A box is a lane that the bank serves in this turn.", dim=True)
        if diagram.example:
            self.draw_text(diagram.example, dim=True)

    def _turn(
        self,
        number: int,
        served: Mapping[int, Sequence[int]],
        column: float,
        diagram: BankDiagram,
        first: int,
    ) -> None:
        self.draw_row_name(f"turn {number}", BIT)
        late = number > 1
        boxes = self._boxes(served, column, BIT, self._pale if late else self.accent)
        words = [str(*lanes) if len(lanes) == 1 else f"{len(lanes)}x" for lanes in served.values()]
        ink = self.text if late else pack_colour(self.theme.canvas)
        size = (9 if max(map(len, words)) <= 2 else 7) * self.px
        self.draw_texts(words, [*served], column, ink, size, (BIT - 2) * self.px)
        elements = diagram.request.elements
        for box, (bank, lanes) in zip(boxes, served.items(), strict=True):
            summary = f"lane {format_ranges(lanes)}, element {elements[lanes[0]]}"
            self.areas.append((box, f"Bank {bank + first}, turn {number}: {summary}", NO_LANE))
        self.y += BIT * self.px

    def _numbers(self, name: str, numbers: Sequence[int], column: float) -> None:
        """Write numbers above columns, dim."""
        self.draw_row_name(name, BIT)
        words, places = [*map(str, numbers)], range(len(numbers))
        self.draw_texts(words, places, column, self.dim, SMALLEST * self.px, BIT * self.px)
        self.y += BIT * self.px

    def _boxes(
        self,
        columns: Sequence[int] | Mapping[int, object],
        column: float,
        height: float,
        fill: Colour | None,
        stroke: Colour | None = None,
    ) -> list[tuple[float, float, float, float]]:
        """Draw boxes in some columns of a row, and return them."""
        gap, left, bottom = 1.5 * self.px, self.gutter, self.y + (height - 2) * self.px
        boxes = [
            (left + index * column, self.y, left + (index + 1) * column - gap, bottom)
            for index in columns
        ]
        if boxes:
            shape = np.rint(as_boxes(boxes))
            self.items.append(Rects(shape, fill, stroke or self.accent, self.px))
        return boxes

    # Sectors

    def draw_sectors(self, diagram: SectorDiagram) -> None:
        """Draw a row of elements for each sector, with the lanes that asked for them."""
        self.gutter = 74 * self.px
        each, lanes_by_element = diagram.elements_per_sector, diagram.lanes_by_element
        column = min(self._room / each, _WIDEST * self.px)
        for sector in diagram.request.sectors:
            first = sector * each
            self.draw_row_name(f"{first}\N{EN DASH}{first + each - 1}", _ROW - 2)
            requested = [index for index in range(each) if first + index in lanes_by_element]
            unused = [index for index in range(each) if first + index not in lanes_by_element]
            self._boxes(unused, column, _ROW, None, self.dim)
            boxes = self._boxes(requested, column, _ROW, self.accent)
            words = [format_ranges(lanes_by_element[first + index]) for index in requested]
            ink = pack_colour(self.theme.canvas)
            self.draw_texts(words, requested, column, ink, 10 * self.px, (_ROW - 2) * self.px)
            for index, box, lanes in zip(requested, boxes, words, strict=True):
                tip = f"{diagram.request.memory}[{first + index}], for lane {lanes}"
                self.areas.append((box, tip, NO_LANE))
            self.y += _ROW * self.px
        self.y += 4 * self.px
        self.draw_text(f"A row is a sector of {SECTOR} bytes; left are its elements.", dim=True)
        self.draw_text("A filled box has the number of the lane that asked for it.", dim=True)
        self.draw_text(diagram.summary, dim=True)

    # Bits

    def draw_bits(self, diagram: RunStartDiagram) -> None:
        """Draw the ballot, shifted and inverted, with the highest bit on the left."""
        column = self._room / WARP
        size = min(10 * self.px, column * 0.9 / DIGIT)
        every = 1 if column >= _NARROW * self.px else 4
        numbers = [str(WARP - 1 - i) if (WARP - 1 - i) % every == 0 else "" for i in range(WARP)]
        self.draw_row_name("bit", BIT)
        wide, height = max(column, 14 * self.px), BIT * self.px
        places = [[self.gutter + (i + 0.5) * column, self.y + height / 2] for i in range(WARP)]
        shown = [i for i in range(WARP) if numbers[i]]
        self.items.append(
            Texts(
                tuple(numbers[i] for i in shown),
                np.array([places[i] for i in shown]),
                min(SMALLEST * self.px, wide * 0.6),
                self.dim,
            )
        )
        self.y += height
        at = WARP - 1 - diagram.lane
        ends = (
            range(at + 1, at + 1 + diagram.leading_zeros),
            *(2 * [range(diagram.leading_zeros)]),
        )
        for (name, bits), counted in zip(diagram.operations, ends, strict=True):
            self.draw_row_name(name, BIT)
            for bit, fill in ((1, self.accent), (0, None)):
                positions = [i for i in range(WARP) if bits >> (WARP - 1 - i) & 1 == bit]
                self._boxes(positions, column, BIT, fill)
                ink = pack_colour(self.theme.canvas) if bit else self.dim
                self.draw_texts(
                    [str(bit)] * len(positions), positions, column, ink, size, (BIT - 2) * self.px
                )
            if diagram.leading_zeros:
                self._frame(counted[0], counted[-1], column)
            if name == "ballot":
                self._write_below(at, column, f"lane {diagram.lane}")
            self.y += BIT * self.px + (12 * self.px if name == "ballot" else 2 * self.px)
        self.y += 4 * self.px
        self.draw_text(diagram.summary, dim=True)
        text = f"ones directly to the right of bit {diagram.lane} in the ballot"
        self.draw_text(f"Framed: the {text}.", dim=True)

    def _frame(self, first: int, last: int, column: float) -> None:
        """Frame some boxes of the row."""
        left, right = self.gutter + first * column, self.gutter + (last + 1) * column
        box = (left - 2 * self.px, self.y - 2 * self.px, right, self.y + BIT * self.px)
        self.items.append(Rects(np.rint(as_boxes([box])), None, self.text, 2 * self.px))

    def _write_below(self, position: int, column: float, words: str) -> None:
        """Write below a box of the row."""
        x = self.gutter + (position + 0.5) * column
        at = np.array([[x, self.y + (BIT + 5) * self.px]])
        self.items.append(Texts((words,), at, 9 * self.px, self.text))

    # Barriers

    def draw_courses(self, diagram: WaitDiagram) -> None:
        """Draw a row for each thread: where it works, where it waits, and the barriers."""
        scale = self._room / diagram.barriers[-1]
        top, step = self.y, _COURSE * self.px
        works: list[Sequence[float]] = []
        waits: list[Sequence[float]] = []
        for row, course in enumerate(diagram.courses):
            begin, high = 0, top + row * step
            for arrival, end in zip(course.arrivals, diagram.barriers, strict=True):
                for boxes, start, stop in ((works, begin, arrival), (waits, arrival, end)):
                    left, right = self.gutter + start * scale, self.gutter + stop * scale
                    if stop > start:
                        boxes.append((left, high, right, high + step - 2 * self.px))
                begin = end
            line = (self.gutter, high, self.gutter + self._room, high + step)
            self.areas.append((line, f"Thread {course.thread}", NO_LANE))
        for boxes, fill in ((works, self.accent), (waits, self._pale)):
            self.items.append(Rects(np.rint(as_boxes(boxes)), fill))
        bottom = top + len(diagram.courses) * step
        x, half = self.gutter - 5 * self.px, step / 2 - self.px
        names = str(diagram.courses[0].thread), "thread", str(diagram.courses[-1].thread)
        places = np.array([[x, top + half], [x, (top + bottom) / 2], [x, bottom - step + half]])
        self.items.append(Texts(names, places, 9 * self.px, self.dim, "right"))
        ends = [self.gutter + end * scale for end in diagram.barriers]
        lines = as_boxes([(at, top - 2 * self.px, at, bottom + 2 * self.px) for at in ends])
        self.items.append(Lines(lines, self.text, 2 * self.px))
        words = tuple(f"barrier {number}" for number in range(1, len(ends) + 1))
        places = np.array([[at, bottom + 9 * self.px] for at in ends])
        self.items.append(Texts(words, places, 9 * self.px, self.text, "right"))
        self.y = bottom + 20 * self.px
        self.draw_text("Dark: the thread works. Pale: it waits at the barrier.", dim=True)
        self.draw_text("From left to right: the emulator's order of all steps.", dim=True)

    # Order

    def draw_order(self, diagram: OrderDiagram) -> None:
        """Draw a column for each warp that takes part, and its accesses from top to bottom."""
        warps = sorted({event.warp for event in diagram.events if event.warp is not None})
        self.gutter = 8 * self.px
        column = self._room / max(len(warps), 1)
        height, top = _EVENT * self.px, self.y
        names = [f"warp {warp}" for warp in warps]
        self.draw_texts(names, range(len(warps)), column, self.text, SIZE * self.px, height)
        self.y += height
        threads = [self.gutter + (i + 0.5) * column for i in range(len(warps))]
        bottom = self.y + height * len(diagram.events)
        lines = as_boxes([(x, top + height, x, bottom) for x in threads])
        self.items.append(Lines(lines, self.dim, self.px))
        for event in diagram.events:
            middle = self.y + height / 2
            if event.warp is None:
                line = as_boxes([(self.gutter, middle, self.gutter + self._room, middle)])
                self.items.append(Lines(line, self.text, 2 * self.px, (4, 3)))
                at, halo = np.array([[self.width / 2, middle]]), pack_colour(self.theme.canvas)
                texts = Texts(("barrier",), at, 9 * self.px, self.text, halo=halo, bold=True)
                self.items.append(texts)
            else:
                index = warps.index(event.warp)
                stores = event.access is not None and event.access.kind is AccessKind.STORE
                fill = self.accent if stores else pack_colour(self.theme.canvas)
                left = self.gutter + index * column + 4 * self.px
                box = (left, self.y + 2 * self.px, left + column - 8 * self.px, self.y + height)
                self.items.append(Rects(np.rint(as_boxes([box])), fill, self.accent, self.px))
                ink = pack_colour(self.theme.canvas) if stores else self.text
                self.draw_texts(
                    [event.words], [index], column, ink, 10 * self.px, height + 2 * self.px
                )
            self.y += height
        self.y += 4 * self.px
