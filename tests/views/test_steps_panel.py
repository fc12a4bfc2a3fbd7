"""The table of steps: columns, sums by stage, times with their spread, and CSV."""

from __future__ import annotations

import csv
import io
import math

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from support.sessions import HeldRunner
from support.windows import PATIENCE, MakeWindow, press, settled, status_of, wait_idle

from ccl_viewer.counted import duration, scale_of
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.timing import Spread, StepPlace, StepTiming
from ccl_viewer.session import MessageKind, Session
from ccl_viewer.session.facts import measuring
from ccl_viewer.session.facts.step_table import HEADINGS, Row, as_csv, sums_of
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.steps.columns import COLUMNS, NAMES, fitting
from ccl_viewer.views.steps.steps_panel import StepsPanel

WIDTHS = dict.fromkeys(NAMES, 50)


@pytest.fixture(autouse=True)
def _few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "REPEATS", 3)


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot) -> StepsPanel:
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    return window.panel(StepsPanel)


def shown_columns(panel: StepsPanel) -> set[str]:
    return {name for place, name in enumerate(NAMES) if not panel.table.isColumnHidden(place)}


# Without a window


def test_sums_by_stage(recording: Recording) -> None:
    rows = [Row(step) for step in recording.steps]
    sums = sums_of(rows)
    assert [found.stage for found in sums] == ["init", "scan", "analysis"]
    assert sum(found.launches for found in sums) == len(recording)
    assert sum(found.changed for found in sums) == sum(step.changed for step in recording.steps)
    assert math.isclose(sum(found.milliseconds for found in sums), recording.milliseconds)
    assert math.isclose(sum(found.share for found in sums), 1)


def test_sums_take_the_measured_times(recording: Recording) -> None:
    rows = [Row(step, timing_of(step)) for step in recording.steps]
    assert sum(found.milliseconds for found in sums_of(rows)) == 2 * len(recording)


def timing_of(step: Step) -> StepTiming:
    place = StepPlace(step.stage, step.kernel, step.iteration, step.level, turn=0)
    return StepTiming(place, Spread(2.0, 1.0, 4.0, 1.5, 3.0), 3)


def test_csv_has_what_is_known(recording: Recording) -> None:
    timing = timing_of(recording.step(1))
    text = as_csv([Row(recording.step(0)), Row(recording.step(1), timing, merged=7, wrong=0)])
    first, second = csv.DictReader(io.StringIO(text))
    assert list(first) == list(HEADINGS)
    assert (first["step"], first["iteration"], first["median_ms"], first["wrong"]) == (
        "1",
        "",
        "",
        "",
    )
    assert (second["step"], second["iteration"], second["merged"], second["wrong"]) == (
        "2",
        "1",
        "7",
        "0",
    )
    assert (second["minimum_ms"], second["maximum_ms"]) == ("1.0", "4.0")
    assert float(second["milliseconds"]) == recording.step(1).milliseconds
    assert second["kernel"] == recording.step(1).kernel


def test_columns_come_as_there_is_room(recording: Recording) -> None:
    always = {"step", "iteration", "stage", "kernel", "time", "changed", "roots"}
    assert fitting(recording.steps, WIDTHS, 0) == always
    assert fitting(recording.steps, WIDTHS, 50 * 8) == always | {"wrong"}
    assert fitting(recording.steps, WIDTHS, 50 * 9) == always | {"wrong", "launch"}
    assert fitting(recording.steps, WIDTHS, 5000) == always | {
        "wrong",
        "launch",
        "merged",
        "atomics",
    }
    assert "iteration" not in fitting(recording.steps[:1], WIDTHS, 5000)


# In a session


def test_times_belong_to_the_run_that_was_measured(labelled: Session, runner: HeldRunner) -> None:
    labelled.measuring.measure()
    before = labelled.recording
    runner.work_all()
    assert labelled.recording is before
    timing = labelled.measuring.timing
    assert timing is not None
    assert timing.runs == 3
    for index in range(labelled.playback.count):
        found = labelled.measuring.at(index)
        assert found is not None
        assert found.spread.minimum <= found.spread.median <= found.spread.maximum
    assert labelled.measuring.at(labelled.playback.count) is None
    assert labelled.message is not None
    assert "not recorded" in labelled.message.text
    labelled.run()
    runner.work_all()
    assert labelled.measuring.timing is None
    assert labelled.measuring.at(0) is None


def test_measuring_can_be_cancelled(labelled: Session, runner: HeldRunner) -> None:
    labelled.measuring.measure()
    labelled.cancel()
    runner.work_all()
    assert labelled.measuring.timing is None
    assert labelled.recording is not None
    assert not labelled.stale


def test_a_device_that_fails_is_told(
    labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_named: object) -> None:
        raise CCLViewerError("There is no such device here.")

    monkeypatch.setattr(measuring, "time_plan", fail)
    labelled.measuring.measure()
    runner.work_all()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR
    assert labelled.measuring.timing is None


def test_without_a_run_nothing_is_measured(session: Session, runner: HeldRunner) -> None:
    session.measuring.measure()
    assert not runner.jobs
    assert session.message is not None


# In the window


def test_measuring_shows_times_with_their_spread(
    window: MainWindow, panel: StepsPanel, qtbot: QtBot
) -> None:
    assert panel.measure.isEnabled()
    press(window.canvas_panel.canvas, Qt.Key.Key_F6)
    assert window.session.busy
    assert not panel.measure.isEnabled()
    wait_idle(qtbot, window)
    model, column = panel.table.steps, NAMES.index("time")
    scale = window.session.measuring.scale
    for row in range(model.rowCount()):
        found = window.session.measuring.at(row)
        assert found is not None
        index = model.index(row, column)
        assert index.data() == scale.write_around(found.spread.median, found.spread.margin)
        assert "3 runs: median" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "median of 3" in panel.told.text()
    # Whatever else tells a time tells the same one.
    total, step = window.session.measuring.timing, window.session.measuring.at(model.rowCount() - 1)
    assert total is not None
    assert step is not None
    assert status_of(window).run.text().endswith(duration(total.total.median))
    assert window.step_panel.facts.text().endswith(scale.write(step.spread.median))


def test_the_sums_unfold(panel: StepsPanel) -> None:
    assert not panel.sums.isVisible()
    QTest.mouseClick(panel.fold, Qt.MouseButton.LeftButton)
    assert panel.sums.isVisible()
    shown = [
        [panel.sums.model().index(r, c).data() for c in (0, 1, 2, 4)]
        for r in range(panel.sums.rowCount())
    ]
    expected = sums_of(panel.table.steps.rows())
    scale = scale_of(s.milliseconds for s in expected)
    assert shown == [
        [str(s.stage), str(s.launches), scale.write(s.milliseconds), f"{s.changed:,}"]
        for s in expected
    ]


def test_no_name_of_a_stage_is_cut_in_the_sums(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:noise?width=32&height=32")
    window.session.configure(algorithm_key="ha4")
    window.session.run()
    wait_idle(qtbot, window)
    panel = settled(window, 1280, 720).panel(StepsPanel)
    panel.fold.click()
    settled(window, 1280, 720)
    assert panel.sums.columnWidth(0) >= panel.sums.sizeHintForColumn(0)


def test_words_of_another_run_with_as_many_steps_have_room(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:noise?width=32&height=32")
    table, stage = window.panel(StepsPanel).table, NAMES.index("stage")
    widths = []
    for key in ("stava_benes", "ha4"):  # "merge" and "strip-merge", each among three steps
        window.session.configure(algorithm_key=key)
        wait_idle(qtbot, window)
        assert table.steps.rowCount() == 3
        widths.append(table.columnWidth(stage))
    assert widths[1] > widths[0]


def test_columns_can_be_chosen(panel: StepsPanel) -> None:
    before = shown_columns(panel)
    menu = panel.table.column_menu()
    actions = {action.objectName(): action for action in menu.actions()}
    assert not actions["step"].isEnabled()
    actions["launch"].trigger() if "launch" not in before else None
    actions["kernel"].trigger()
    assert "kernel" not in shown_columns(panel)
    assert "launch" in shown_columns(panel)
    assert "kernel" not in panel.table.columns
    panel.table.choose_columns("auto")
    assert shown_columns(panel) == before
    with pytest.raises(ValueError, match="no such columns"):
        panel.table.choose_columns("step,colour")


def test_columns_and_sums_are_remembered(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.panel(StepsPanel).table.choose_columns("step,launch,wrong")
    first.panel(StepsPanel).fold.setChecked(True)
    first.close()
    panel = make_window("pattern:shibata").panel(StepsPanel)
    assert shown_columns(panel) == {"step", "launch", "wrong"}
    assert panel.fold.isChecked()


def test_rows_are_copied_as_csv(panel: StepsPanel) -> None:
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [row["step"] for row in rows] == [
        str(n + 1) for n in range(panel.table.steps.rowCount())
    ]
    model, selection = panel.table.steps, panel.table.selectionModel()
    rows_too = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    selection.clearSelection()
    for row in (1, 3):
        selection.select(model.index(row, 0), rows_too)
    QTest.mouseClick(panel.copy, Qt.MouseButton.LeftButton)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [row["step"] for row in rows] == ["2", "4"]


def test_at_the_least_size_nothing_scrolls_sideways(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:noise?width=300&height=300&density=0.6")
    panel = window.panel(StepsPanel)
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: not window.session.insight.working, timeout=PATIENCE)
    assert not panel.table.horizontalScrollBar().isVisible()
    assert {"stage", "kernel", "time", "changed", "roots"} <= shown_columns(panel)


def test_every_column_says_what_it_is(panel: StepsPanel) -> None:
    model = panel.table.steps
    for place, column in enumerate(COLUMNS.values()):
        title = model.headerData(place, Qt.Orientation.Horizontal)
        told = model.headerData(place, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert title == column.title
        assert column.help in told


def test_the_step_on_display_stays_in_sight_when_the_table_becomes_lower(
    panel: StepsPanel, window: MainWindow, qtbot: QtBot
) -> None:
    table = panel.table
    window.session.playback.last()

    def in_sight() -> bool:
        row = table.visualRect(table.currentIndex())
        return table.viewport().rect().contains(row.center())

    qtbot.waitUntil(in_sight, timeout=PATIENCE)
    table.setFixedHeight(table.height() // 2)
    qtbot.waitUntil(in_sight, timeout=PATIENCE)


def test_the_last_step_is_in_sight_when_another_run_has_more(
    window: MainWindow, panel: StepsPanel, qtbot: QtBot
) -> None:
    table, drawing = settled(window, 1280, 720).panel(StepsPanel).table, window.session.drawing
    counts = []
    for value, last in ((1, 9), (0, 4)):  # one component, and then one that takes longer
        drawing.press((0, 0), value)
        drawing.drag((last, 0))
        drawing.release()
        wait_idle(qtbot, window)
        counts.append(table.steps.rowCount())
    assert counts[0] < counts[1]
    row = table.visualRect(table.currentIndex())
    assert table.currentIndex().row() == counts[1] - 1
    assert table.viewport().rect().contains(row.center())
