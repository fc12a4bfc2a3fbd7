"""What phases, threads and warps of a launch are described with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import WARP
from ccl_viewer.devices.emulator.lines import SourceLocation
from ccl_viewer.devices.emulator.memcheck import AccessKind
from ccl_viewer.execution.plan import Array, Dim3

Indices: TypeAlias = npt.NDArray[np.int64]
Cell: TypeAlias = tuple[int, int]
"""Column and row of a cell of the grid."""


class PhaseBy(StrEnum):
    """What ends a phase."""

    BARRIER = "barrier"
    """A barrier of a block, or its end."""
    WARP = "warp"
    """A warp operation: a vote, a shuffle, ``__syncwarp``."""
    ROUND = "round"
    """A round of the synchronous schedule: each thread that can run goes on to its next store."""


class ThreadState(StrEnum):
    """Where a thread is at the end of a phase."""

    NOT_BEGUN = "not begun"
    RUNNING = "running"
    WAITING = "waiting"
    ENDED = "ended"


@dataclass(frozen=True)
class Phase:
    """A stretch of a launch.

    Parameters
    ----------
    index, count : int
        Its place among the phases that it was cut with, from 0, and how many they are.
    by : PhaseBy
        What ends it.
    title : str
        Which phase it is, in plain words: ``"Tile of block (1, 0), after barrier 2 of 5"``.
    begin, end : int
        Its events, from `begin` up to but without `end`.
    block : tuple of three int or None
        The block that it was cut for, or whose barrier or end it is; None for a round of all.
    warp : int or None
        The warp in `block`, from 0, that it was cut for or whose operation ends it.
    round : int
        The round of the schedule in which it begins, from 0.
    operation : str
        The barrier or warp operation that ends it; empty if none does.
    """

    index: int
    count: int
    by: PhaseBy
    title: str
    begin: int
    end: int
    block: Dim3 | None
    warp: int | None
    round: int
    operation: str


def word_text(value: float, hex_digits: int) -> str:
    """Return a value as people read it: a mask in hexadecimal digits, a number, with none, as one.

    Parameters
    ----------
    value : int or float
        The value.
    hex_digits : int
        How many digits a mask has; 0 for a number.
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
        Column and row of the element in the grid; None if the memory does not lie over the grid.
    before, value : int or float
        What the element held before and after; of a load, both are what was read.
    moment : int
        Index of the event.
    hex_digits : int
        How many digits a mask has; 0 for a number.
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
    def text(self) -> str:
        """Its value as people read it."""
        return word_text(self.value, self.hex_digits)


@dataclass(frozen=True)
class Lane:
    """A thread of a warp at the end of a phase.

    Parameters
    ----------
    lane : int
        0 to 31.
    thread : tuple of three int
        Its index in the block.
    cell : tuple of int or None
        Column and row of the cell that it works on: its own where the launch has one thread for
        each cell, else the one whose pixel or label it read last.
    state : ThreadState
        Where it is.
    operation : str
        The barrier or warp operation that it waits in; empty if it does not.
    active : bool
        Whether it did anything in the phase.
    read, write : Access or None
        What it read and wrote last, in this phase or before it.
    location : SourceLocation or None
        File and line of what it did last; None if that is not known.
    """

    lane: int
    thread: Dim3
    cell: Cell | None
    state: ThreadState
    operation: str
    active: bool
    read: Access | None
    write: Access | None
    location: SourceLocation | None


@dataclass(frozen=True)
class WarpOperation:
    """A vote, shuffle or the like, once all lanes have got their results.

    The tuples have an element for each lane; None for those that took no part.

    Parameters
    ----------
    name : str
        ``"__ballot_sync"``, ``"__shfl_sync"``, ...
    mask : int
        The mask that was given: bit i names lane i.
    lanes : int
        The lanes that took part, as bits.
    brings : tuple of int or None
        What each lane brought: 0 or 1 to a vote, a value to a shuffle (signed).
    gets : tuple of int or None
        What each lane got: all the same mask from a ballot (not negative), a value from a shuffle.
    sources : tuple of int or None
        Of a shuffle, the lane whose value each lane got; empty for other operations.
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


def start_distances(mask: int) -> tuple[int | None, ...]:
    """Return how far each set bit of a mask is from the start of its run, as HA4 asks of a ballot.

    Parameters
    ----------
    mask : int
        32 bits, lane 0 lowest.

    Returns
    -------
    tuple of int or None
        For each lane: 0 at the start of a run; None where the bit is not set.
    """
    found: list[int | None] = []
    for lane in range(WARP):
        before = found[-1] if lane else None
        found.append((0 if before is None else before + 1) if mask >> lane & 1 else None)
    return tuple(found)


def end_distances(mask: int) -> tuple[int | None, ...]:
    """Return how many bits of its run lie from each set bit on, itself counted.

    At the start of a run that is the run's length. See :func:`start_distances`.
    """
    mirrored = int(f"{mask:032b}"[::-1], 2)
    distances = reversed(start_distances(mirrored))
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
        Those that some thread has written since the block began; the others have no value yet.
    changed : ndarray of int64
        Indices of the elements that this phase changed, rising.
    columns : int
        How many elements make a row of a picture: as many as the block has threads across, or two
        more if the block's tile has a border around it; n for one row.
    hex_digits : int
        How many digits its elements have if they are masks; 0 for numbers.
    """

    name: str
    values: Array
    written: npt.NDArray[np.bool_]
    changed: Indices
    columns: int
    hex_digits: int = 0

    @property
    def texts(self) -> list[str]:
        """Its elements as people read them; empty where nobody has written yet."""
        pairs = zip(self.values.tolist(), self.written.tolist(), strict=True)
        return [word_text(value, self.hex_digits) if known else "" for value, known in pairs]
