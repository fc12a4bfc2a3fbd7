"""Fixtures of sessions without a window, for the folders of tests that import them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ccl_viewer import record
from ccl_viewer.grids import open_grid
from ccl_viewer.recording import Recording
from ccl_viewer.session import Session
from support.sessions import HeldRunner
from support.threads import left_since, threads

__all__ = ["labelled", "recording", "runner", "session"]


@pytest.fixture(scope="session")
def recording() -> Recording:
    """Label Equivalence on Shibata's ten by ten cells."""
    return record(open_grid("pattern:shibata").grid, algorithm="label_equivalence")


@pytest.fixture
def runner() -> HeldRunner:
    """Keeps the session's jobs until the test runs them."""
    return HeldRunner()


@pytest.fixture
def session(runner: HeldRunner) -> Iterator[Session]:
    """A session without a grid, which ends the threads that it began."""
    before = threads()
    session = Session(runner)
    yield session
    session.close()
    assert left_since(before) == []


@pytest.fixture
def labelled(session: Session, runner: HeldRunner) -> Session:
    """A session on Shibata's ten by ten cells, labelled."""
    session.open("pattern:shibata")
    runner.work_all()
    return session
