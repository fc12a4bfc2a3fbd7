"""Diagrams of a launch: how a few of its accesses meet banks, sectors, barriers and each other.

Each is computed from the events of the launch. its ``lines`` are the text;
:mod:`ccl_viewer.render.diagram_picture` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np

from ccl_viewer.devices.emulator.events import EventKind
from ccl_viewer.diagnostics.phases.cutting import block_name
from ccl_viewer.diagnostics.phases.model import Access
from ccl_viewer.diagnostics.phases.requests import SECTOR, WORD, WarpRequest, warp_requests
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import WARP, Dim3, linear_index
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.support.units import counted

_IsMeant: TypeAlias = Callable[[SourceLocation | None], bool]


@dataclass(frozen=True)
class BankDiagram:
    """One access of a warp to shared memory, bank by bank."""

    request: WarpRequest
    warp: int

    @property
    def title(self) -> str:
        """Its heading."""
        turns = counted(len(self.request.turns), "turn")
        return f"Warp {self.warp} {self.request.kind.verb} {self.request.memory}: {turns}"

    @property
    def lines(self) -> Iterator[str]:
        """The diagram as text."""
        yield self.title
        for number, turn in enumerate(self.request.turns, 1):
            served = ", ".join(f"{bank}: {format_ranges(lanes)}" for bank, lanes in turn.items())
            yield f"  Turn {number}, bank: lanes   {served}"
        yield self.example

    @property
    def example(self) -> str:
        """A sentence about two lanes that share a bank; empty if no lanes have to wait."""
        turns = self.request.turns
        if len(turns) < 2:
            return ""
        bank, (later, *_) = next(iter(turns[1].items()))
        sooner, elements = turns[0][bank][0], self.request.elements
        return (
            f"Lanes {sooner} and {later} want elements {elements[sooner]} and {elements[later]}: "
            f"both are in bank {bank}."
        )


@dataclass(frozen=True)
class SectorDiagram:
    """One access of a warp to global memory, in sectors of 32 bytes."""

    request: WarpRequest
    warp: int

    @property
    def title(self) -> str:
        """Its heading."""
        moved = counted(len(self.request.sectors), "sector")
        access = f"{self.request.kind.verb} {self.request.memory}"
        return f"Warp {self.warp} {access}: {moved} of 32 bytes"

    @property
    def elements_per_sector(self) -> int:
        """Elements of a sector."""
        return SECTOR // self.request.itemsize

    @property
    def lanes_by_element(self) -> dict[int, tuple[int, ...]]:
        """The lanes that access an element, by element."""
        lanes: dict[int, tuple[int, ...]] = {}
        for lane, element in self.request.elements.items():
            lanes[element] = (*lanes.get(element, ()), lane)
        return lanes

    @property
    def summary(self) -> str:
        """Number of the moved bytes that the lanes requested."""
        requested = len(self.lanes_by_element) * self.request.itemsize
        return f"The lanes asked for {requested} of the {SECTOR * len(self.request.sectors)} bytes."

    @property
    def lines(self) -> Iterator[str]:
        """The diagram as text."""
        yield self.title
        lanes = self.lanes_by_element
        for sector in self.request.sectors:
            first = sector * self.elements_per_sector
            row = [
                format_ranges(lanes.get(first + i, ())) or "."
                for i in range(self.elements_per_sector)
            ]
            numbers = f"{first} to {first + self.elements_per_sector - 1}"
            yield f"  elements {numbers:12}" + " ".join(word.rjust(2) for word in row)
        yield f"A number is the lane that asked for the element. {self.summary}"


@dataclass(frozen=True)
class RunStartDiagram:
    """How a lane counts the ones directly below its bit of a ballot, in three operations."""

    mask: int
    lane: int
    warp: int

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Lane {self.lane} of warp {self.warp} looks for the start of its run"

    @property
    def operations(self) -> tuple[tuple[str, int], ...]:
        """Name and 32 bits of the ballot, the shifted one, and its inverse."""
        shifted = self.mask << (WARP - self.lane) & 0xFFFFFFFF
        return (
            ("ballot", self.mask),
            (f"<< {WARP - self.lane}", shifted),
            ("~", ~shifted & 0xFFFFFFFF),
        )

    @property
    def leading_zeros(self) -> int:
        """Zeros at the left end of the last step."""
        return WARP - self.operations[-1][1].bit_length()

    @property
    def summary(self) -> str:
        """What the last operation finds."""
        return f"__clz counts the zeros at the left end: {self.leading_zeros}."

    @property
    def lines(self) -> Iterator[str]:
        """The diagram as text."""
        yield f"{self.title}; bit 31 is on the left, bit 0 on the right"
        for name, bits in self.operations:
            yield f"  {name:8}{bits:032b}"
        yield self.summary


@dataclass(frozen=True)
class ThreadArrivals:
    """A thread on its way to the barriers of its block.

    Parameters
    ----------
    thread : int
        Its linear index in the block.
    arrivals : tuple of int
        When it arrives at each barrier, as a number of steps of all threads.
    """

    thread: int
    arrivals: tuple[int, ...]


@dataclass(frozen=True)
class WaitDiagram:
    """The threads of a block, which work and wait at barriers."""

    block: Dim3
    courses: tuple[ThreadArrivals, ...]
    barriers: tuple[int, ...]
    """When all threads have come, as in :class:`ThreadArrivals`."""

    @property
    def title(self) -> str:
        """Its heading."""
        name = block_name(self.block)
        return f"Threads of {name}, up to {counted(len(self.barriers), 'barrier')}"

    @property
    def lines(self) -> Iterator[str]:
        """The diagram as text."""
        yield f"{self.title}: = works, . waits, | all have come"
        most = max(self.barriers)
        scale = min(1.0, 60 / most)
        for course in self.courses:
            row = ""
            for arrival, end in zip(course.arrivals, self.barriers, strict=True):
                row = row.ljust(round(arrival * scale), "=").ljust(round(end * scale), ".") + "|"
            yield f"  {course.thread:>4} {row}"


@dataclass(frozen=True)
class OrderEvent:
    """Accesses of one warp to an element that follow one another, or a barrier.

    Parameters
    ----------
    warp : int or None
        The warp; None for a barrier.
    access : Access or None
        The first of the accesses; None for a barrier.
    lanes : int
        How many lanes made them.
    """

    warp: int | None
    access: Access | None
    lanes: int

    @property
    def words(self) -> str:
        """What happens, without the warp."""
        if self.access is None:
            return "barrier"
        return f"{self.access.kind.verb} {self.access.value_text}"


@dataclass(frozen=True)
class OrderDiagram:
    """Who writes and reads one element of shared memory, in order, between barriers."""

    memory: str
    element: int
    warps: int
    events: tuple[OrderEvent, ...]

    @property
    def title(self) -> str:
        """Its heading."""
        return f"Who stores and reads {self.memory}[{self.element}], from top to bottom"

    @property
    def lines(self) -> Iterator[str]:
        """The diagram as text."""
        yield self.title
        for event in self.events:
            if event.warp is None:
                yield "  ---- barrier: all threads of the block have come"
            else:
                lanes = counted(event.lanes, "lane")
                yield f"  warp {event.warp} {event.words} ({lanes})"


Diagram: TypeAlias = BankDiagram | SectorDiagram | RunStartDiagram | WaitDiagram | OrderDiagram


def request_diagram(
    trace: LaunchTrace,
    block: Dim3,
    warp: int,
    index: int,
    *,
    shared: bool,
    at: _IsMeant = lambda _place: True,
) -> BankDiagram | SectorDiagram:
    """Return the banks, or the sectors, of one access of a warp.

    Parameters
    ----------
    trace : LaunchTrace
        The launch.
    block : tuple of three int
        The block.
    warp : int
        Its warp, from 0.
    index : int
        Which of the accesses, from 0, or from -1 backwards from the end.
    shared : bool
        Whether to draw accesses to shared memory, with banks; otherwise with sectors.
    at : callable
        Says of a place in the source whether its accesses count.

    Raises
    ------
    InputError
        If there is no such block, warp or access, or its elements are larger than four bytes.
    """
    requests = [
        request
        for request in warp_requests(trace, block, warp)
        if request.shared is shared and at(request.location)
    ]
    if not -len(requests) <= index < len(requests):
        where = "shared" if shared else "global"
        count = counted(len(requests), "such access", "such accesses")
        raise InputError(f"Warp {warp} makes {count} to {where} memory: there is no {index}.")
    request = requests[index]
    if request.itemsize > WORD:
        raise InputError(f"An element of {request.memory} has more than {WORD} bytes.")
    return BankDiagram(request, warp) if shared else SectorDiagram(request, warp)


def run_start_diagram(mask: int, lane: int, warp: int) -> RunStartDiagram:
    """Return how a lane finds the start of its run in a ballot.

    Raises
    ------
    InputError
        If it is lane 0, which has nothing to shift, or there is no such lane.
    """
    if not 0 < lane < WARP:
        raise InputError(f"There is no diagram of lane {lane}: name a lane from 1 to {WARP - 1}.")
    return RunStartDiagram(mask, lane, warp)


def wait_diagram(trace: LaunchTrace, block: Dim3, barriers: int) -> WaitDiagram:
    """Return how the threads of a block come to its first barriers.

    Raises
    ------
    InputError
        If there is no such block, it has fewer barriers, or more threads than a picture has room
        for.
    """
    trace.resolve_block(block)
    if trace.thread_count > 2 * WARP:
        raise InputError(f"The block has {trace.thread_count} threads: {2 * WARP} can be drawn.")
    log = trace.events.events
    events = log[log["block"] == linear_index(block, trace.launch.grid)]
    passed = np.flatnonzero(events["kind"] == EventKind.BARRIER)
    if not 0 < barriers <= passed.size:
        raise InputError(f"The block passes {counted(passed.size, 'barrier')}, not {barriers}.")
    # What a thread does takes one step; an arrival or a barrier takes none.
    clock = np.cumsum(events["kind"] <= EventKind.ATOMIC)
    ends = passed[:barriers].tolist()
    courses = []
    for thread in range(trace.thread_count):
        arrivals = np.flatnonzero(
            (events["kind"] == EventKind.ARRIVAL) & (events["thread"] == thread)
        )
        first = [int(arrivals[arrivals < end][-1]) for end in ends if (arrivals < end).any()]
        if len(first) == len(ends):
            courses.append(ThreadArrivals(thread, tuple(clock[first].tolist())))
    return WaitDiagram(block, tuple(courses), tuple(clock[ends].tolist()))


def order_diagram(trace: LaunchTrace, block: Dim3, memory: str, element: int) -> OrderDiagram:
    """Return which threads store and read one element of a shared variable, and when.

    Raises
    ------
    InputError
        If there is no such block, variable or element.
    """
    trace.resolve_block(block)
    variables = {variable.name: variable for variable in trace.events.shared}
    variable = variables.get(memory)
    if variable is None:
        names = ", ".join(variables) or "none"
        raise InputError(f"The kernel has no shared variable {memory!r}; it has {names}.")
    size = variable.dtype.itemsize
    if not 0 <= element < variable.nbytes // size:
        raise InputError(f"{memory} has elements 0 to {variable.nbytes // size - 1}.")
    log = trace.events.events
    in_block = log["block"] == linear_index(block, trace.launch.grid)
    events: list[tuple[int | None, Access | None]] = []
    for moment in np.flatnonzero(in_block & (log["kind"] <= EventKind.BARRIER)).tolist():
        kind = int(log[moment]["kind"])
        if kind == EventKind.BARRIER:
            events.append((None, None))
        elif kind <= EventKind.ATOMIC:
            access = trace.access_at(moment)
            if access.shared and access.memory == memory and access.index == element:
                events.append((int(log[moment]["thread"]) // WARP, access))
    return OrderDiagram(memory, element, trace.warp_count, tuple(_group_events(events)))


def _group_events(events: Sequence[tuple[int | None, Access | None]]) -> Iterator[OrderEvent]:
    """Put accesses together that one warp makes, one after the other, with one value."""

    def same(event: tuple[int | None, Access | None]) -> tuple[object, ...]:
        warp, access = event
        return (warp, None) if access is None else (warp, access.kind, access.value_text)

    for _, group in groupby(events, same):
        (warp, access), *rest = group
        yield OrderEvent(warp, access, 1 + len(rest))


def format_ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, with a dash in place of three or more in a row."""
    parts: list[str] = []
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run)
    return ",".join(parts)
