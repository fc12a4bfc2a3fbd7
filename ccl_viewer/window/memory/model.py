"""Memory accesses of launches: the emulator's counts of a step, its stage, or the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from psygnal import Signal

from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.ledger import (
    SECTOR_BYTES,
    AccessCounts,
    LaunchLedger,
    WalkCounts,
    sum_ledgers,
)
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.support.units import nbytes_text
from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.model import Model, watch

_MAX_LINES: Final = 40
_BARS: Final = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"


class Scope(StrEnum):
    """The launches to sum."""

    STEP = "step"
    STAGE = "stage"
    RUN = "run"


@dataclass(frozen=True)
class MemoryCount:
    """A name and a value as text; `word` is the glossary's term for it.

    The count of a place in the kernels' source has its file, and its line from 1.
    """

    name: str
    value: str
    word: str = ""
    tip: str = ""
    file: str = ""
    line: int = 0


class Memory(Model):
    """The counts of the analysed run."""

    scope_changed = Signal()
    display_changed = Signal()  # any other change that may affect the counts

    def __init__(self, analysis: RunAnalysis) -> None:
        super().__init__()
        self.scope = Scope.STEP
        self._analysis = analysis
        watch(
            partial(self._announce, self.display_changed),
            analysis.display_changed,
            analysis.recording_changed,
            analysis.count_changed,
            analysis.index_changed,
            analysis.hidden_answers_changed,
        )

    def set_scope(self, scope: Scope) -> None:
        self._set(self.scope_changed, scope)

    @property
    def hidden(self) -> bool:
        """Whether an open question asks for something that the counts show."""
        return HiddenInformation.TABLES in self._analysis.hidden_answers

    @property
    def counted(self) -> bool:
        recording = self._analysis.recording
        return recording is not None and recording.has_counts

    @property
    def ledger(self) -> LaunchLedger | None:
        """The sum of the ledgers in scope; None if nothing was counted."""
        recording, step = self._analysis.recording, self._analysis.step
        if recording is None or step is None or self.hidden:
            return None
        count = self._analysis.display.count
        steps = (step,) if self.scope is Scope.STEP else recording.steps[:count]
        if self.scope is Scope.STAGE:
            steps = tuple(each for each in steps if each.stage is step.stage)
        ledgers = [each.ledger for each in steps if each.ledger is not None]
        return sum_ledgers(ledgers) if ledgers else None

    @property
    def scope_title(self) -> str:
        step = self._analysis.step
        if step is None:
            return ""
        match self.scope:
            case Scope.STEP:
                return f"Step {step.index + 1:,}: {step.kernel}"
            case Scope.STAGE:
                return f"All launches of the stage {step.stage}"
            case Scope.RUN:
                return "All launches of the run"

    @property
    def groups(self) -> dict[str, tuple[MemoryCount, ...]]:
        """All counts, by the titles of groups; empty if nothing was counted."""
        ledger = self.ledger
        return {} if ledger is None else group_counts(ledger)


def group_counts(ledger: LaunchLedger) -> dict[str, tuple[MemoryCount, ...]]:
    """Return the counts of a ledger in words and numbers, by the titles of their groups."""
    groups = {
        "Device memory": tuple(_device_counts(ledger)),
        "Shared memory": tuple(_shared_counts(ledger.counts(shared=True))),
        "Walks along labels": tuple(_walk_counts(ledger.walks)),
        "Threads": tuple(_thread_counts(ledger)),
        "By source line": tuple(_line_counts(ledger)),
    }
    return {title: counts for title, counts in groups.items() if counts}


def _device_counts(ledger: LaunchLedger) -> Iterator[MemoryCount]:
    device = ledger.counts()
    yield MemoryCount(
        "Moved",
        f"{nbytes_text(ledger.transferred_bytes)} in {device.transactions:,} sectors",
        "sector",
    )
    yield MemoryCount("Coalescing", _share(device), "coalescing")
    for name, kind in zip(("Loads", "Stores", "Atomics"), AccessKind, strict=True):
        counts = ledger.counts(kind)
        if counts.requests:
            moved = nbytes_text(SECTOR_BYTES * counts.transactions)
            tip = f"{moved} moved, of which {_share(counts)} would be enough"
            yield MemoryCount(name, _accesses(counts), "request", tip)
    if ledger.contention:
        yield MemoryCount("Contention", f"{ledger.contention:,} at a time", "contention")


def _shared_counts(shared: AccessCounts) -> Iterator[MemoryCount]:
    if shared.requests:
        degree = shared.transactions / max(shared.minimum_transactions, 1)
        yield MemoryCount("Accesses", _accesses(shared), "request")
        conflicts = f"degree {degree:.2f}, at most {shared.worst_transactions:,}"
        yield MemoryCount("Bank conflicts", conflicts, "bank conflict")


def _walk_counts(walks: WalkCounts) -> Iterator[MemoryCount]:
    if walks.walks:
        mean = f"mean {walks.loads / walks.walks:.2f}"
        yield MemoryCount("Walks", f"{walks.walks:,}", "walk")
        yield MemoryCount("Loads of each", f"{mean}, at most {walks.longest:,}", "walk")
        yield MemoryCount(
            "Of 1, 2, \u2026 loads",
            make_sparkline(walks.lengths),
            "walk",
            ", ".join(f"{n:,}" for n in walks.lengths),
        )


def _thread_counts(ledger: LaunchLedger) -> Iterator[MemoryCount]:
    yield MemoryCount("Barriers", f"{ledger.barriers:,}", "barrier")
    if ledger.warp_operations:
        lanes = ledger.warp_lanes / ledger.warp_operations
        yield MemoryCount("Warp operations", f"{ledger.warp_operations:,}", "warp")
        yield MemoryCount("Active lanes", f"mean {lanes:.1f} of 32", "lane")


def _line_counts(ledger: LaunchLedger) -> Iterator[MemoryCount]:
    """Yield the counts of each line; the line that moves most comes first."""
    line_counts: dict[tuple[str, int, str], AccessCounts] = {}
    for site in ledger.sites:
        if site.line:
            access = f"{site.kind.verb} {site.memory or 'shared memory'}"
            key = site.file, site.line, access
            line_counts[key] = line_counts.get(key, AccessCounts()) + site.counts
    ordered = sorted(line_counts.items(), key=lambda entry: -entry[1].transactions)
    for (file, line, access), counts in ordered[:_MAX_LINES]:
        unit = "bank turns" if access.endswith("shared memory") else "sectors"
        value = f"{counts.transactions:,} {unit}, {_share(counts)}"
        tip = f"{_accesses(counts)}, {_share(counts)} of {unit} needed. Click to see the line."
        name = f"{line} {access}, {file.rpartition('/')[2]}"  # a narrow panel cuts its end
        yield MemoryCount(name, value, "", f"{name}\n{tip}", file, line)


def make_sparkline(counts: tuple[int, ...]) -> str:
    """Return counts as a row of bars, without empty ones at the end."""
    most = max(counts, default=0)
    if not most:
        return ""
    last = max(index for index, count in enumerate(counts) if count)
    steps = len(_BARS) - 1
    return "".join(
        _BARS[-(-count * steps // most)] if count else "\u00b7" for count in counts[: last + 1]
    )


def _accesses(counts: AccessCounts) -> str:
    return f"{counts.accesses:,} in {counts.requests:,} requests"


def _share(counts: AccessCounts) -> str:
    return f"{counts.efficiency:.0%}" if counts.transactions else "\N{EN DASH}"
