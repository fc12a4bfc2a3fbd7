"""Orders in which the emulator runs the threads of a launch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ccl_viewer.errors import InputError

DEFAULT_RESIDENCY = 65_536
"""Resident threads, about as many as on a mid-range GPU."""

_SYNCHRONOUS_CELLS = 128 * 128
_LARGEST_SEED = 2**63 - 1


class Order(StrEnum):
    """The kinds of schedule."""

    SEQUENTIAL = "sequential"
    REVERSE = "reverse"
    SYNCHRONOUS = "synchronous"
    RANDOM = "random"

    @property
    def interleaves(self) -> bool:
        """Whether threads can alternate at memory accesses."""
        return self in {Order.SYNCHRONOUS, Order.RANDOM}


@dataclass(frozen=True)
class Schedule:
    """A schedule of the emulator.

    Parameters
    ----------
    order : Order
        ``sequential``: block after block, thread after thread, on all cores. ``reverse``: the last
        thread of the last block first. ``synchronous``: every thread in turn runs until just before
        its next store or atomic to device memory. ``random``: any thread that can run, at every
        access.
    seed : int
        Seed of the random order, not negative.
    residency : int
        Resident threads in the interleaving orders; larger grids run in waves of whole blocks, at
        least one.
    """

    order: Order = Order.SEQUENTIAL
    seed: int = 0
    residency: int = DEFAULT_RESIDENCY

    def __str__(self) -> str:
        return f"{self.order}:{self.seed}" if self.order is Order.RANDOM else str(self.order)

    @classmethod
    def parse(cls, text: object) -> Schedule:
        """Return the schedule with a name.

        Parameters
        ----------
        text : object
            ``"sequential"``, ``"synchronous"``, ``"reverse"`` or ``"random:SEED"``.

        Raises
        ------
        InputError
            If the text names no schedule.
        """
        if not isinstance(text, str):
            raise InputError(f"A schedule is a text such as 'sequential', not {text!r}.")
        if text in {Order.SEQUENTIAL, Order.SYNCHRONOUS, Order.REVERSE}:
            return cls(Order(text))
        match = re.fullmatch(r"random:([0-9]{1,19})", text, re.ASCII)
        if match is None or int(match[1]) > _LARGEST_SEED:
            raise InputError(
                f"There is no schedule {text!r}: choose sequential, synchronous, reverse or "
                "random:SEED, with a whole number for SEED."
            )
        return cls(Order.RANDOM, seed=int(match[1]))


SEQUENTIAL = Schedule()


def choose_schedule(text: str, cells: int) -> Schedule:
    """Return the schedule that a text names.

    ``"auto"`` depends on the number of cells: the clearest for small grids, then the fastest.

    Raises
    ------
    InputError
        If the text names no schedule.
    """
    if text != "auto":
        return Schedule.parse(text)
    return Schedule(Order.SYNCHRONOUS if cells <= _SYNCHRONOUS_CELLS else Order.SEQUENTIAL)
