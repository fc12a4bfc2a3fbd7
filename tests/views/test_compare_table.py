"""The table of a comparison: folded where lanes need the room, unfolded by a click."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, press, settled

from ccl_viewer import record
from ccl_viewer.session import RunSettings
from ccl_viewer.session.comparison.table import COLUMNS, LaneRow, headline_of, row_of, table_of
from ccl_viewer.session.state import RunStatus, Standing
from ccl_viewer.views.compare.view import CompareView
from ccl_viewer.views.main_window import MainWindow

PATTERN = "pattern:noise?width=40&height=24&density=0.6"


@pytest.fixture(scope="module")
def row() -> LaneRow:
    return replace(row_of(record(np.ones((2, 2), np.uint8), algorithm="ha4")), milliseconds=2.0)


def test_the_headline_names_the_least_time_and_what_is_wrong(row: LaneRow) -> None:
    slow = replace(row, name="Slow", milliseconds=3.0)
    assert headline_of([row, slow]) == "Least time on the emulator: HA4, 2,000 µs; all right"
    wrong = replace(slow, verdict=RunStatus(Standing.ERROR, "3 of 4"))
    assert headline_of([row, wrong]).endswith("; wrong: Slow")
    untimed = replace(slow, milliseconds=float("nan"))
    assert headline_of([row, untimed]) == "All right", "there is no other time"
    gpu = replace(slow, emulated=False, milliseconds=1.0)
    assert headline_of([row, gpu]) == "All right", "times of two kinds"
    assert headline_of([]) == ""


def test_times_stand_in_line_beside_their_differences(row: LaneRow) -> None:
    slow, quick = replace(row, milliseconds=24.0), replace(row, milliseconds=0.041)
    place, digit = COLUMNS.index("Time"), "\N{FIGURE SPACE}"
    assert [cells[place] for cells in table_of([slow, quick], row)] == [
        "24.00 ms  +1100 %",
        f"0.04 ms  {digit * 2}-98 %",
        f"2.00 ms  {digit * 7}",
    ]
    assert [cells[place] for cells in table_of([row])] == ["2,000 µs"]


def four(make_window: MakeWindow, qtbot: QtBot, height: int) -> tuple[MainWindow, CompareView]:
    window = settled(make_window(PATTERN), 1280, height)
    comparison, view = window.session.comparison, window.canvas_panel.compare
    comparison.remember([RunSettings(key) for key in ("ha4", "playne", "komura")])
    comparison.show(on=True)
    comparison.look(replace(comparison.view, table=True))
    qtbot.waitUntil(lambda: len(comparison.recordings) == 4, timeout=PATIENCE)
    return settled(window, 1280, height), view


def scale_of(view: CompareView) -> float:
    (scale,) = {cell.canvas.view.scale for cell in view.area.shown}
    return scale


def test_where_there_is_little_room_lanes_have_it_and_the_table_is_a_line(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window, view = four(make_window, qtbot, 720)
    table = view.table
    assert table.folded
    assert not table.table.isVisible()
    assert table.notes.text().startswith("Least time")
    assert table.height() <= 2 * table.fontMetrics().height()
    assert scale_of(view) == view.area.width() // 4 // 40, "the width is used up"
    table.fold.click()
    settled(window, 1280, 720)
    assert table.table.isVisible()
    assert "emulator" in table.notes.text()
    assert table.height() <= view.area.height()
    table.fold.setFocus()
    press(table.fold, Qt.Key.Key_Space)
    assert table.folded


def test_whether_the_table_is_folded_is_remembered(make_window: MakeWindow, qtbot: QtBot) -> None:
    _, view = four(make_window, qtbot, 720)
    view.table.fold.click()
    view.window().close()
    _, again = four(make_window, qtbot, 720)
    assert not again.table.folded


def test_with_room_the_table_is_whole(make_window: MakeWindow, qtbot: QtBot) -> None:
    window, view = four(make_window, qtbot, 1080)
    table = view.table.table
    assert not view.table.folded
    assert table.isVisible()
    assert not table.verticalScrollBar().isVisible()
    window.appearance.set_text_size(200)
    settled(window, 1280, 1080)
    line = table.verticalHeader().defaultSectionSize()
    assert line >= table.fontMetrics().height()
