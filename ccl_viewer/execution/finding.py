"""Findings of the memory check: races, uninitialised memory, and what C leaves undefined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum, IntFlag
from typing import Any, TypeAlias

from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import Dim3
from ccl_viewer.execution.source_location import SourceLocation


class FindingKind(Enum):
    """Kinds of wrong accesses; values as in ``runtime/memcheck.h``."""

    SHARED_RACE = 0
    UNINITIALISED_SHARED = 1
    UNINITIALISED_DEVICE = 2
    BEYOND_SHARED = 3
    DEVICE_RACE = 4
    UNDEFINED = 5
    BEYOND_ARRAY = 6


class StoreEffect(IntFlag):
    """What stores of an element that race do; bits as in ``runtime/memcheck.h``."""

    DIFFERS = 1
    RISES = 2
    FALLS = 4
    SECOND_WRITER = 8


@dataclass(frozen=True)
class Finding:
    """A wrong access or operation at one place in a kernel's code, as first seen in a launch.

    Parameters
    ----------
    kind : FindingKind
        Kind of the wrong access.
    module, kernel : str
        Names of the kernel's module and of the kernel.
    block, thread : tuple of three int
        The thread.
    access : AccessKind
        The thread's access.
    memory : str or None
        Name of the buffer; None for shared memory.
    variable : str
        Name of the shared variable; empty if unknown, and for buffers.
    offset : int
        The byte, from the start of the buffer or of the shared variable.
    nbytes : int
        Number of bytes that the thread accesses.
    size : int
        Bytes of the shared variable; 0 for a buffer.
    element : int
        Bytes of an element of the buffer; in shared memory, the accessed bytes.
    location : SourceLocation or None
        The place in the source, if known.
    cell : tuple of int or None
        Column and row of the cell, if the buffer has one element per cell.
    other : tuple of three int or None
        For a race, the other thread.
    other_block : tuple of three int or None
        The other thread's block; the same for shared memory.
    other_location : SourceLocation or None
        The other thread's place in the source, if known; None for races in shared memory.
    other_access : AccessKind or None
        The other thread's earlier access.
    times : int
        Number of occurrences in this launch.
    effects : StoreEffect
        For a race, what the stores and atomics of all occurrences did: two threads stored different
        values, a store raised or lowered a value, two threads stored.
    operation : str
        What the thread does that C leaves undefined; empty for accesses of memory.
    """

    kind: FindingKind
    module: str
    kernel: str
    block: Dim3
    thread: Dim3
    access: AccessKind
    memory: str | None
    variable: str
    offset: int
    nbytes: int
    size: int
    element: int
    location: SourceLocation | None
    cell: tuple[int, int] | None
    other: Dim3 | None
    other_block: Dim3 | None
    other_location: SourceLocation | None
    other_access: AccessKind | None
    times: int
    effects: StoreEffect
    operation: str = ""

    @property
    def index(self) -> int | None:
        """The accessed element; None if the access is not to a whole element."""
        if self.operation:
            return None
        whole = self.element and self.offset % self.element == 0
        return self.offset // self.element if whole else None

    def __str__(self) -> str:
        """Return one sentence about it."""
        where = self.kernel if self.location is None else f"{self.kernel} ({self.location})"
        who = f"{where}: thread {self.thread} of block {self.block}"
        if self.operation:
            return f"{who} {self.operation}."
        what = f"{self.access.verb} {self._describe_location()}"
        match self.kind:
            case FindingKind.SHARED_RACE if self.other_access is not None:
                verb = self.other_access.verb
                order = "and no barrier orders the two"
                return f"{who} {what}, which thread {self.other} {verb}, {order}."
            case FindingKind.DEVICE_RACE if self.other_access is not None:
                other = f"thread {self.other} of block {self.other_block}"
                verb = self.other_access.verb
                at = "" if self.other_location is None else f" ({self.other_location})"
                return f"{who} {what}, which {other} {verb} in the same launch{at}."
            case FindingKind.BEYOND_SHARED:
                return f"{who} {what}, out of bounds."
            case _:
                return f"{who} {what}, which is uninitialised."

    def _describe_location(self) -> str:
        element = f"byte {self.offset}" if self.index is None else f"element {self.index}"
        if self.memory is not None:
            return f"{element} of {self.memory}"
        name = f"{self.variable} in shared memory" if self.variable else "a shared variable"
        if self.index is None:
            return f"{element} of {name}, of {self.size} bytes"
        return f"{element} of {name}, of {self.size // self.element} elements"


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as numbers, texts, lists and mappings, for :func:`finding_from`."""
    plain = asdict(finding)
    return plain | {
        name: None if plain[name] is None else plain[name].value
        for name in ("kind", "access", "other_access")
    }


def finding_from(plain: Mapping[str, Any]) -> Finding:
    """Return the finding from the result of :func:`finding_as_json`."""

    def made(name: str, make: Callable[[Any], Any]) -> Any:
        return None if plain[name] is None else make(plain[name])

    tuples = ("block", "thread", "cell", "other", "other_block")
    places = ("location", "other_location")
    return Finding(
        **{
            **plain,
            **{name: made(name, tuple) for name in tuples},
            **{name: made(name, lambda values: SourceLocation(**values)) for name in places},
            "kind": FindingKind(plain["kind"]),
            "effects": StoreEffect(plain["effects"]),
            "access": AccessKind(plain["access"]),
            "other_access": made("other_access", AccessKind),
        }
    )


FindingSink: TypeAlias = Callable[[Finding], None]
"""Called with the findings of the memory check."""
