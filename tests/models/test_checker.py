"""The checker: what it finds, what a click shows, runs that go wrong, and cancelling."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.grids import noise
from support.models import inline_session, pump, threaded_session
from support.qt_window import model_of

from ccl_viewer.algorithms.copies import make_copy, save_copy
from ccl_viewer.diagnostics import check as checking
from ccl_viewer.diagnostics.check import Defect, DefectKind, find_wrong_step
from ccl_viewer.grids import Grid
from ccl_viewer.user_kernels import process as copy_process
from ccl_viewer.window.check import model as module
from ccl_viewer.window.check.model import CHECKED_CELLS, Checker, CheckFinding
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.view_state import Pin


def checker_of(session: Session) -> Checker:
    return model_of(session, Checker)


SMALL = noise(2, 33, 0.6)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(module, "ORDERS", 4)
    session = inline_session()
    session.runs.set_counting(False)
    yield session
    session.close()


def checked(session: Session, grid: Grid = SMALL) -> tuple[CheckFinding, ...]:
    """Check HA4 without its second barrier."""
    session.runs.configure(algorithm="ha4", parameters={"variant": "printed"})
    session.document.load_grid(grid, "small")
    checker_of(session).start()
    return checker_of(session).findings


def races(rows: tuple[CheckFinding, ...]) -> list[CheckFinding]:
    return [row for row in rows if row.words[0] == "race in shared memory"]


def test_a_race_is_found_and_named(session: Session) -> None:
    rows = checked(session)
    race = races(rows)[0]
    _, place, memory, kernel, block, thread, times = race.words
    assert kernel == "ha4_strip_labeling"
    assert memory
    assert block
    assert thread
    assert int(times) >= 1
    assert "no barrier orders the two" in race.text
    assert checker_of(session).summary.startswith("HA4, variant printed, 4 neighbours: ")
    shown: list[tuple[str, int]] = []
    session.view.line_chosen.connect(lambda *place: shown.append(place))
    checker_of(session).show_finding(race)
    if sys.platform == "linux":
        assert place.startswith("ha4.cu:")
        assert shown == [(place.split(":")[0], int(place.split(":")[1]))]


def test_a_run_that_goes_wrong_opens_at_its_step(session: Session) -> None:
    rows = checked(session, noise(4, 96, 0.6))
    row = next(row for row in rows if row.run is not None and row.run.schedule != "sequential")
    assert row.words[0].startswith("wrong under order ")
    checker_of(session).show_finding(row)
    recording = session.display.recording
    assert row.run is not None
    assert recording is not None
    assert recording.schedule == row.run.schedule == session.runs.settings.schedule
    assert session.display.index == find_wrong_step(recording)[0]
    assert not session.display.stale
    assert checker_of(session).findings == rows


def test_the_smallest_grid_opens_and_undo_brings_ours_back(session: Session) -> None:
    grid = noise(4, 96, 0.6)
    checked(session, grid)
    report = checker_of(session).report
    assert report is not None
    assert report.counterexample is not None
    checker_of(session).open_smallest()
    assert session.document.grid is not None
    assert session.document.grid.size < grid.size
    assert session.display.recording is report.counterexample.recording
    assert session.display.index == report.counterexample.step
    assert not session.display.stale
    session.document.undo()
    assert np.array_equal(session.document.grid, grid)


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


def test_a_clean_algorithm_is_said_to_be_so(session: Session) -> None:
    session.runs.configure(algorithm="playne", connectivity=4)
    session.document.load_grid(SMALL, "small")
    checker_of(session).start()
    assert checker_of(session).summary.startswith(
        "Playne-Hawick, direct, 4 neighbours: no defect. "
    )
    assert "in 5 runs on small" in checker_of(session).summary
    assert {row.words[0] for row in checker_of(session).findings} <= {"harmless race"}


def outdated(session: Session) -> bool:
    said = checker_of(session).summary.startswith(
        "The settings or the grid changed after this check."
    )
    assert said == checker_of(session).stale
    return said


def test_findings_of_older_settings_and_grids_say_so(session: Session) -> None:
    assert not outdated(session)
    checked(session)
    runs = session.runs
    settings = runs.settings
    assert not outdated(session)
    runs.configure(algorithm="playne", connectivity=8)
    assert outdated(session)
    runs.replace_settings(settings)
    assert not outdated(session)
    runs.configure(parameters={})
    assert outdated(session)
    runs.replace_settings(settings)
    session.document.invert()
    assert outdated(session)
    session.document.undo()
    runs.configure(schedule="random:7")  # the check uses other orders
    assert not outdated(session)


def test_difficult_grids_are_checked_too(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "default_grids", lambda: (("comb", SMALL),))
    session.runs.configure(algorithm="playne")
    session.document.load_grid(SMALL, "small")
    checker_of(session).set_difficult_grids(True)
    checker_of(session).start()
    assert "in 12 runs on 4 grids of 66 to 114,688 cells" in checker_of(session).summary


def test_large_grids_are_refused(session: Session) -> None:
    session.document.load_grid(np.zeros((1, CHECKED_CELLS + 1), np.uint8), "large")
    assert not checker_of(session).can_start
    checker_of(session).start()
    assert checker_of(session).report is None


def test_a_check_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ORDERS", 100_000)
    session = threaded_session()
    session.document.load_grid(SMALL, "small")
    checker_of(session).start()
    assert checker_of(session).running
    pump(
        session,
        lambda: (task := checker_of(session).task) is not None and task.fraction,
    )
    checker_of(session).cancel()
    pump(session, lambda: not checker_of(session).running)
    assert checker_of(session).summary == "The check was stopped: no defect until then."
    assert session.messages.message is None
    session.close()


def test_a_copy_is_checked_in_processes_of_its_own(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path))
    monkeypatch.setattr(module, "ORDERS", 0)
    monkeypatch.setattr(checking, "MAX_TRIALS", 1)
    copy = make_copy("mine", "ha4", "ha4")
    session.document.load_grid(SMALL, "small")
    session.runs.configure(algorithm=copy.key)
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_relabeling(")) + 1
    read = "__shared__ int seen[4]; labels[0] |= seen[3];"
    save_copy(copy, f"{text[:place]} {read} {text[place:]}")
    checker_of(session).start()
    (found,) = (row for row in checker_of(session).findings if row.words[0] == "uninitialised read")
    assert found.words[3] == "ha4_relabeling"
    if sys.platform == "linux":
        assert found.words[2] == "seen[3]"
        assert found.words[1].startswith("mine.cu:")
    report = checker_of(session).report
    assert report is not None
    assert report.counterexample is not None
    checker_of(session).open_smallest()
    recording = session.display.recording
    assert recording is not None
    assert recording.algorithm == copy.key
    assert not checker_of(session).stale
    save_copy(copy, text)
    assert checker_of(session).stale


def test_a_copy_that_crashes_is_a_defect_and_the_check_goes_on(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path))
    monkeypatch.setattr(module, "ORDERS", 1)
    monkeypatch.setattr(checking, "MAX_TRIALS", 0)
    copy = make_copy("mine", "ha4", "ha4")
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_relabeling(")) + 1
    save_copy(copy, f"{text[:place]} __builtin_trap(); {text[place:]}")
    session.document.load_grid(SMALL, "small")
    session.runs.configure(algorithm=copy.key)
    checker_of(session).start()
    assert {row.words[0] for row in checker_of(session).findings} == {
        "fault",
        "wrong under sequential",
        "wrong under order 1",
    }
    assert "1 defect; 1 of 1 random orders go wrong" in checker_of(session).summary


def test_a_copy_that_does_not_end_ends_the_check_and_is_opened(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path))
    monkeypatch.setattr(checking, "MAX_ENDLESS", 0.0)
    monkeypatch.setattr(copy_process, "GRACE", 0.2)
    copy = make_copy("mine", "ha4", "ha4")
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_relabeling(")) + 1
    loop = "volatile int turn = 1; again: if (turn) goto again;"
    save_copy(copy, f"{text[:place]} {loop} {text[place:]}")
    session.document.load_grid(SMALL, "small")
    session.runs.configure(algorithm=copy.key, seconds=0.5)
    checker_of(session).start()
    assert {row.words[0] for row in checker_of(session).findings} == {
        "endless loop",
        "wrong under sequential",
    }
    summary = checker_of(session).summary
    assert "1 defect; a run does not end, so the check stopped there." in summary
    checker_of(session).open_smallest()
    assert session.display.fault is not None
    assert session.display.fault.kernel == "ha4_relabeling"
