"""Convert the ledgers of a recording's steps to and from a table of integers and the manifest.

A row of the table is a place in a kernel's code: the step, the array by its index in the manifest's
names (-1 for shared memory), the kind of access and its bytes, the source file by its index in the
manifest (-1 if unknown) and the line, the seven counts, and the walks. Totals of a launch are with
its step in the manifest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.ledger import (
    MAX_LEDGER_SITES,
    WALK_LENGTHS,
    AccessCounts,
    LaunchLedger,
    SiteCounts,
    WalkCounts,
)
from ccl_viewer.recording.data import Step
from ccl_viewer.recording.json_node import JsonNode
from ccl_viewer.support.cancellation import Check, never_cancel

Json: TypeAlias = dict[str, Any]
Table: TypeAlias = npt.NDArray[np.int64]

TABLE_TYPE: Final = np.dtype("<i8")
COLUMNS: Final = 16 + WALK_LENGTHS
ROW_BYTES: Final = 1000
"""Approximate bytes of memory of a row after reading."""

_NONE: Final = -1  # index of shared memory, and of an unknown file
_FILE: Final = re.compile(r"[\w./-]{1,200}", re.ASCII)
_MAX_NAMES: Final = 256
_MAX: Final = 2**53
_TOTALS: Final = ("barriers", "warp_operations", "warp_lanes", "rounds", "contention")


@dataclass(frozen=True)
class LedgerHead:
    """The manifest's entry about the ledgers: names of arrays and files, and rows of the table."""

    names: tuple[str, ...]
    files: tuple[str, ...]
    rows: int


def make_head(steps: Sequence[Step]) -> LedgerHead:
    """Return the manifest's entry about the ledgers of steps."""
    sites = [site for step in steps if step.ledger is not None for site in step.ledger.sites]
    names = dict.fromkeys(site.memory for site in sites if site.memory is not None)
    files = dict.fromkeys(site.file for site in sites if site.file)
    return LedgerHead(tuple(names), tuple(files), len(sites))


def head_from_json(node: JsonNode, steps: int) -> LedgerHead:
    """Read the manifest's entry about the ledgers; raise ValueError if it is invalid."""
    names, files = node.items("names"), node.items("files")
    if len(names) > _MAX_NAMES or len(files) > _MAX_NAMES:
        raise ValueError(f"the ledgers name more than {_MAX_NAMES} arrays or files")
    if not all(isinstance(one.value, str) and _FILE.fullmatch(one.value) for one in files):
        raise ValueError("the ledgers name a file that no kernel has")
    return LedgerHead(
        tuple(JsonNode({"name": name.value}, "ledgers").name_at("name") for name in names),
        tuple(str(one.value) for one in files),
        node.integer("rows", 0, steps * MAX_LEDGER_SITES),
    )


def totals_to_json(ledger: LaunchLedger) -> list[int]:
    """Return a ledger's totals, for the step's entry in the manifest."""
    return [getattr(ledger, name) for name in _TOTALS]


def totals_from_json(node: JsonNode, kernel: str) -> LaunchLedger:
    """Read a ledger's totals from a step's entry, without the places in the code."""
    totals = node.integers("ledger", len(_TOTALS), 0, _MAX)
    barriers, operations, lanes, rounds, contention = totals
    return LaunchLedger(kernel, (), barriers, operations, lanes, rounds, contention)


def make_table(steps: Sequence[Step], head: LedgerHead) -> Table:
    """Return the table of the ledgers of steps."""
    name_indices = {name: index for index, name in enumerate(head.names)}
    file_indices = {name: index for index, name in enumerate(head.files)}
    rows = [
        (
            step.index,
            _NONE if site.memory is None else name_indices[site.memory],
            site.kind.value,
            site.nbytes,
            file_indices.get(site.file, _NONE),
            site.line,
            *astuple(site.counts),
            *astuple(site.walks)[:3],
            *site.walks.lengths,
        )
        for step in steps
        if step.ledger is not None
        for site in step.ledger.sites
    ]
    return np.array(rows, TABLE_TYPE).reshape(len(rows), COLUMNS)


def with_sites(
    steps: Sequence[Step], head: LedgerHead, table: Table, check: Check = never_cancel
) -> list[Step]:
    """Add the places in the code from a table to steps; raise ValueError if it is damaged."""
    least = np.where(np.isin(np.arange(COLUMNS), (1, 4)), _NONE, 0)
    most = np.full(COLUMNS, _MAX)
    most[:5] = len(steps) - 1, len(head.names) - 1, len(AccessKind) - 1, _MAX, len(head.files) - 1
    if table.size and (
        (table < least).any() or (table > most).any() or (np.diff(table[:, 0]) < 0).any()
    ):
        raise ValueError("a ledger has a number out of bounds")
    starts = np.searchsorted(table[:, 0], np.arange(len(steps) + 1))
    completed = []
    for step, begin, end in zip(steps, starts[:-1], starts[1:], strict=True):
        check()
        if step.ledger is None and end > begin:
            raise ValueError("a ledger belongs to a step that has none")
        if step.ledger is None:
            completed.append(step)
            continue
        sites = tuple(_site(row, head) for row in table[begin:end].tolist())
        completed.append(replace(step, ledger=replace(step.ledger, sites=sites)))
    return completed


def _site(row: list[int], head: LedgerHead) -> SiteCounts:
    _, memory_index, kind, nbytes, file, line, *counts = row
    walks = WalkCounts(counts[7], counts[8], counts[9], tuple(counts[10:]))
    memory = None if memory_index == _NONE else head.names[memory_index]
    name = "" if file == _NONE else head.files[file]
    accesses = AccessCounts(*counts[:7])
    return SiteCounts(memory, AccessKind(kind), nbytes, accesses, walks, name, line)
