"""A comparison whose own run fails, is run anew, or is broken off: lanes stay true and of use."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from support.sessions import HeldRunner
from support.windows import PATIENCE, wait_idle

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.errors import KernelFaultError
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import RunSettings, Session
from ccl_viewer.session.comparison.lane import LaneState
from ccl_viewer.session.runs import recording_work
from ccl_viewer.session.state import MessageKind
from ccl_viewer.views.main_window import MainWindow


def break_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object, **_named: object) -> None:
        raise KernelFaultError("The kernel stopped.")

    monkeypatch.setattr(recording_work, "open_device", fail)


def test_lanes_are_recorded_although_the_run_of_the_session_fails(
    labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled.configure(algorithm_key="ha4")
    with monkeypatch.context() as broken:
        break_runs(broken)
        labelled.run()
        runner.work_all()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR
    comparison = labelled.comparison
    comparison.remember([RunSettings("komura")])
    comparison.show(on=True)
    runner.work_all()
    (lane,) = comparison.lanes
    assert lane.state is LaneState.READY
    assert not lane.stale
    assert len(comparison.recordings) == 2


def test_a_comparison_closed_while_its_lanes_run_takes_nothing_over(
    labelled: Session, runner: HeldRunner
) -> None:
    comparison = labelled.comparison
    comparison.fill()
    comparison.show(on=False)
    runner.work_all()
    assert all(lane.recording is None for lane in comparison.slots)
    assert not comparison.working
    assert labelled.playback.lead is None


def test_an_algorithm_that_tells_no_values_apart_says_so_in_its_lane(
    labelled: Session, runner: HeldRunner
) -> None:
    refusing = next(row.key for row in ALGORITHMS.values() if not row.multivalued)
    labelled.configure(multivalued=True)
    labelled.run()
    runner.work_all()
    comparison = labelled.comparison
    comparison.remember([RunSettings(refusing)])
    comparison.show(on=True)
    runner.work_all()
    (lane,) = comparison.lanes
    assert lane.state is LaneState.FAILED
    assert algorithm(refusing).title in lane.failure
    assert len(comparison.recordings) == 1
    assert algorithm(comparison.rival().algorithm).multivalued


def test_an_old_baseline_of_another_size_is_not_compared(
    labelled: Session, runner: HeldRunner
) -> None:
    comparison = labelled.comparison
    comparison.pin_baseline()
    labelled.open("pattern:spiral?size=21")
    runner.work_all()
    comparison.remember([RunSettings("ha4")])
    comparison.show(on=True)
    comparison.look(replace(comparison.view, difference=True, sync=Sync.TIME))
    runner.work_all()
    assert comparison.baseline_row is None
    assert "another" in comparison.note
    assert comparison.count_of(comparison.lanes[0]) is not None
    comparison.measure()
    runner.work_all()
    assert comparison.baseline is not None
    assert labelled.measuring.timing_of(comparison.baseline.recording) is None


def test_the_table_tells_of_the_run_on_display(window: MainWindow, qtbot: QtBot) -> None:
    session, comparison = window.session, window.session.comparison
    comparison.remember([RunSettings("ha4")])
    comparison.show(on=True)
    qtbot.waitUntil(lambda: len(comparison.recordings) == 2, timeout=PATIENCE)
    window.actions_table["compare_table"].trigger()
    table = window.canvas_panel.compare.table.table
    model = table.model()

    def first(column: int) -> object:
        return model.index(0, column).data()

    assert first(0) == "Label Equivalence"
    session.configure(algorithm_key="komura")
    wait_idle(qtbot, window)
    session.run()
    wait_idle(qtbot, window)
    assert first(0) == "Komura"
    assert first(1) == "4"
