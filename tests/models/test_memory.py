"""Counts of memory accesses: when runs are counted, and what the model says of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.grids import noise
from support.models import inline_session
from support.qt_window import model_of

from ccl_viewer import record
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.recording import Recording
from ccl_viewer.window.core.run_settings import COUNTED_CELLS
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.memory.model import Memory, MemoryCount, Scope, group_counts, make_sparkline


def memory_of(session: Session) -> Memory:
    return model_of(session, Memory)


SMALL, LARGE = noise(20, 24, 0.5), noise(64, 65, 0.5)


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    session.runs.configure(algorithm="row_col_unify", device="emulator")
    yield session
    session.close()


def shown(session: Session) -> Recording:
    recording = session.display.recording
    assert recording is not None
    return recording


def figures(session: Session) -> dict[str, MemoryCount]:
    return {figure.name: figure for group in memory_of(session).groups.values() for figure in group}


def test_small_grids_are_counted_and_others_on_demand(session: Session) -> None:
    session.document.load_grid(SMALL, "small")
    assert shown(session).has_counts
    session.document.load_grid(LARGE, "large")
    assert LARGE.size > COUNTED_CELLS
    assert not shown(session).has_counts
    assert memory_of(session).groups == {}
    session.runs.run_counted()
    assert shown(session).has_counts
    assert not session.display.stale
    assert memory_of(session).groups


def test_counting_can_be_switched_off_and_on(session: Session) -> None:
    session.runs.set_counting(False)
    session.document.load_grid(SMALL, "small")
    assert not shown(session).has_counts
    session.runs.set_counting(True)
    assert shown(session).has_counts


def test_the_figures_are_those_of_the_ledger(session: Session) -> None:
    session.document.load_grid(SMALL, "small")
    for index, step in enumerate(shown(session).steps):
        session.display.go_to(index)
        ledger = step.ledger
        assert ledger is not None
        found, loads = figures(session), ledger.counts(AccessKind.LOAD)
        assert found["Loads"].value == f"{loads.accesses:,} in {loads.requests:,} requests"
        assert found["Coalescing"].value == f"{ledger.counts().efficiency:.0%}"
        assert found["Barriers"].value == f"{ledger.barriers:,}"
        assert ("Bank conflicts" in found) == bool(ledger.counts(shared=True).requests)


def test_scopes_sum_launches(session: Session) -> None:
    session.document.load_grid(SMALL, "small")
    steps = shown(session).steps
    session.display.go_to(1)
    loads = {}
    for scope in Scope:
        memory_of(session).set_scope(scope)
        ledger = memory_of(session).ledger
        assert ledger is not None
        loads[scope] = ledger.counts(AccessKind.LOAD).accesses
    each = [(s.stage, s.ledger.counts(AccessKind.LOAD).accesses) for s in steps if s.ledger]
    assert loads[Scope.STEP] == each[1][1]
    assert loads[Scope.STAGE] == sum(count for stage, count in each if stage is each[1][0])
    assert loads[Scope.RUN] == sum(count for _, count in each)


def test_every_word_is_in_the_glossary() -> None:
    from ccl_viewer.window.widgets.glossary import explain

    run = record(SMALL, "playne", device="emulator", ledger=True)
    walked = record(SMALL, "row_col_unify", device="emulator", ledger=True)
    for step in (*run.steps, *walked.steps):
        assert step.ledger is not None
        for counts in group_counts(step.ledger).values():
            assert all(explain(figure.word) for figure in counts if not figure.line)


@pytest.mark.parametrize(
    ("counts", "bars"), [((), ""), ((0, 0), ""), ((8, 0, 1, 0), "█·▂"), ((5,), "█")]
)
def test_a_histogram_is_a_row_of_bars(counts: tuple[int, ...], bars: str) -> None:
    assert make_sparkline(counts) == bars
