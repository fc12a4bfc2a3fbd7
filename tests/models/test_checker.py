"""The checker: what it finds, what a click shows, runs that go wrong, and cancelling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.grids import noise
from support.models import inline_session
from support.qt_window import model_of

from ccl_viewer.diagnostics.check import Defect, DefectKind
from ccl_viewer.window.check.model import CHECKED_CELLS, Checker, CheckFinding
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import Pin


def checker_of(session: Session) -> Checker:
    return model_of(session, Checker)


SMALL = noise(2, 33, 0.6)


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    session.runs.set_counting(False)
    yield session
    session.close()


def test_a_cell_is_shown_on_the_grid_that_was_checked_only(session: Session) -> None:
    session.document.load_grid(SMALL, "small")
    checker_of(session).start()
    defect = Defect(DefectKind.DEVICE_RACE, "Here.", "small", "sequential", cell=(3, 1))
    row = CheckFinding(("race",), "Here.", defect)
    checker_of(session).show_finding(row)
    checker_of(session).show_finding(row)
    assert session.view.pin == Pin((3, 1))
    session.view.unpin()
    session.document.invert()
    checker_of(session).show_finding(row)
    assert session.view.pin is None


def outdated(session: Session) -> bool:
    said = checker_of(session).summary.startswith(
        "The settings or the grid changed after this check."
    )
    assert said == checker_of(session).stale
    return said


def test_findings_of_older_settings_and_grids_say_so(session: Session) -> None:
    assert not outdated(session)
    runs = session.runs
    runs.configure(algorithm="ha4")
    session.document.load_grid(SMALL, "small")
    checker_of(session).start()
    settings = runs.settings
    assert not outdated(session)
    runs.configure(algorithm="playne", connectivity=8)
    assert outdated(session)
    runs.replace_settings(settings)
    assert not outdated(session)
    runs.configure(parameters={"variant": "printed"})
    assert outdated(session)
    runs.replace_settings(settings)
    session.document.invert()
    assert outdated(session)
    session.document.undo()
    runs.configure(schedule="random:7")  # the check uses other orders
    assert not outdated(session)


def test_large_grids_are_refused(session: Session) -> None:
    session.document.load_grid(np.zeros((1, CHECKED_CELLS + 1), np.uint8), "large")
    assert not checker_of(session).can_start
    checker_of(session).start()
    assert checker_of(session).report is None
