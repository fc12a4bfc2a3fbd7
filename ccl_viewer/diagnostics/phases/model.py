"""Data types of phases, threads and warps of a launch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import WARP, Array, Dim3
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.support.arrays import Indices


class PhaseBoundary(StrEnum):
    """Events that end a phase."""

    BARRIER = "barrier"
    """A barrier of a block, or its end."""
    WARP = "warp"
    """A warp operation: a vote, a shuffle, ``__syncwarp``."""
    ROUND = "round"
    """A round of the synchronous schedule: each runnable thread continues to its next store."""


class ThreadState(StrEnum):
    """Where a thread is at the end of a phase."""

    NOT_BEGUN = "not begun"
    RUNNING = "running"
    WAITING = "waiting"
    ENDED = "ended"


@dataclass(frozen=True, eq=False)
class Phase:
    """A stretch of each of some blocks, or of some warps if phases end at warp operations.

    Each block or warp has its own stretches. A phase of several has the first of each, the second
    of each, and so on; a block or warp that has ended has none.

    Parameters
    ----------
    index, count : int
        Its index among the phases of the same division, from 0, and their number.
    by : PhaseBoundary
        What ends it.
    title : str
        Its name for the user: ``"Block (1, 0), after barrier 2 of 5"``.
    events : ndarray of int64
        Indices of its events in the log, ascending.
    block : tuple of three int or None
        The block; None for all.
    warp : int or None
        The warp in `block`, from 0; None for all.
    operation : str
        The barrier or warp operation that ends it; empty if there is none.
    """

    index: int
    count: int
    by: PhaseBoundary
    title: str
    events: Indices
    block: Dim3 | None
    warp: int | None
    operation: str


def word_text(value: float, hex_digits: int) -> str:
    """Return a value as text: a mask in hexadecimal, a number in decimal.

    Parameters
    ----------
    value : int or float
        The value.
    hex_digits : int
        Digits of a mask; 0 for a number.
    """
    return f"0x{int(value):0{hex_digits}x}" if hex_digits else str(value)


@dataclass(frozen=True)
class Access:
    """One access of one thread.

    Parameters
    ----------
    kind : AccessKind
        Load, store or atomic.
    memory : str
        Name of the buffer or shared variable.
    shared : bool
        Whether it is shared memory.
    index : int
        Element, from 0.
    cell : tuple of int or None
        Column and row of the element in the grid; None if the memory does not map to the grid.
    before, value : int or float
        The element's value before and after; equal for a load.
    moment : int
        Index of the event.
    hex_digits : int
        Digits of a mask; 0 for a number.
    """

    kind: AccessKind
    memory: str
    shared: bool
    index: int
    cell: Cell | None
    before: int | float
    value: int | float
    moment: int
    hex_digits: int = 0

    @property
    def value_text(self) -> str:
        """Its value as text."""
        return word_text(self.value, self.hex_digits)


@dataclass(frozen=True)
class WarpLane:
    """A thread of a warp at the end of a phase.

    Parameters
    ----------
    lane : int
        0 to 31.
    thread : tuple of three int
        Its index in the block.
    cell : tuple of int or None
        Column and row of the cell that it works on: its own if the launch has one thread per cell,
        otherwise the one of the pixel or label that it read last.
    state : ThreadState
        Its state.
    operation : str
        The barrier or warp operation that it waits in; empty if it does not wait.
    begin : int or None
        Index of its first event in the phase; None if it did nothing.
    read, write : Access or None
        Its last read and its last write, in this phase or before.
    location : SourceLocation or None
        File and line of its last action; None if unknown.
    """

    lane: int
    thread: Dim3
    cell: Cell | None
    state: ThreadState
    operation: str
    begin: int | None
    read: Access | None
    write: Access | None
    location: SourceLocation | None

    @property
    def active(self) -> bool:
        """Whether it did anything in the phase."""
        return self.begin is not None

    def is_earlier(self, access: Access) -> bool:
        """Return whether it made one of its accesses before the phase."""
        return self.begin is None or access.moment < self.begin


@dataclass(frozen=True)
class WarpOperation:
    """A completed vote, shuffle or similar operation.

    The tuples have one element for each lane; None for lanes that did not take part.

    Parameters
    ----------
    name : str
        ``"__ballot_sync"``, ``"__shfl_sync"``, ...
    mask : int
        The mask argument: bit i names lane i.
    lanes : int
        The lanes that took part, as bits.
    brings : tuple of int or None
        Input of each lane: 0 or 1 for a vote, a signed value for a shuffle.
    gets : tuple of int or None
        Result of each lane: for a ballot, the same non-negative mask for all; for a shuffle, a
        value.
    sources : tuple of int or None
        For a shuffle, the source lane of each lane; empty for other operations.
    moment : int
        Index of its last event.
    """

    name: str
    mask: int
    lanes: int
    brings: tuple[int | None, ...]
    gets: tuple[int | None, ...]
    sources: tuple[int | None, ...]
    moment: int


def distances_from_run_start(mask: int) -> tuple[int | None, ...]:
    """Return the distance of each set bit of a mask from the start of its run, as in HA4.

    Parameters
    ----------
    mask : int
        32 bits, lane 0 lowest.

    Returns
    -------
    tuple of int or None
        For each lane: 0 at the start of a run; None if the bit is not set.
    """
    distances: list[int | None] = []
    for lane in range(WARP):
        before = distances[-1] if lane else None
        distances.append((0 if before is None else before + 1) if mask >> lane & 1 else None)
    return tuple(distances)


def distances_to_run_end(mask: int) -> tuple[int | None, ...]:
    """Return the number of bits of its run from each set bit on, including itself.

    At the start of a run that is the run's length. See :func:`distances_from_run_start`.
    """
    mirrored = int(f"{mask:032b}"[::-1], 2)
    distances = reversed(distances_from_run_start(mirrored))
    return tuple(None if distance is None else distance + 1 for distance in distances)


@dataclass(frozen=True, eq=False)
class SharedArray:
    """A shared variable of a block at the end of a phase.

    Parameters
    ----------
    name : str
        Its name in the source, or ``"shared"``.
    values : ndarray, shape (n,), read-only
        Its elements.
    written : ndarray of bool, shape (n,)
        Elements that a thread has written since the block began; other elements have no value yet.
    changed : ndarray of int64
        Indices of the elements that this phase changed, ascending.
    columns : int
        Elements in a row of a picture: the block's width in threads, or two more if its tile has a
        border; n for one row.
    hex_digits : int
        Digits of its elements if they are masks; 0 for numbers.
    """

    name: str
    values: Array
    written: npt.NDArray[np.bool_]
    changed: Indices
    columns: int
    hex_digits: int = 0

    @property
    def texts(self) -> list[str]:
        """Its elements as texts; empty for unwritten ones."""
        pairs = zip(self.values.tolist(), self.written.tolist(), strict=True)
        return [word_text(value, self.hex_digits) if written else "" for value, written in pairs]
