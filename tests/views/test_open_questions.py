"""Nothing on display answers the question that is open, whatever panels are shown beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from support.lessons import LESSON, write_lesson
from support.windows import PATIENCE, drawn, status_of, wait_idle, wait_in_sight

from ccl_viewer.session.lessons.asking import WITHHELD
from ccl_viewer.views.compare.table import CompareTable
from ccl_viewer.views.looks.theme import DARK
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.plots.panel import Plots
from ccl_viewer.views.steps.steps_panel import StepsPanel

_Panel = TypeVar("_Panel", bound=QWidget)

_COUNT = 1
_ROOTS_LEFT, _COURSE = 4, 5

_MORE = """
[[scene]]
title = "Roots left"
caption = "Look."
step = 1
[scene.question]
kind = "roots-left"

[[scene]]
title = "Rounds left"
caption = "Look."
step = 1
[scene.question]
kind = "iterations-left"
"""


@pytest.fixture
def taught(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """A window with a lesson that asks everything, and all panels shown beside it."""
    window.session.lesson.open(str(write_lesson(tmp_path, "all", LESSON + _MORE)))
    wait_idle(qtbot, window)
    for name in ("steps", "plots"):
        window.docks[name].show()
        window.docks[name].raise_()
    return window


def at_scene(window: MainWindow, qtbot: QtBot, index: int) -> None:
    lesson = window.session.lesson
    lesson.go_to(index)
    qtbot.waitUntil(lambda: lesson.index == index, timeout=PATIENCE)
    wait_idle(qtbot, window)


def panel(window: MainWindow, kind: type[_Panel]) -> _Panel:
    found = window.findChild(kind)
    assert isinstance(found, kind)
    return found


@pytest.mark.parametrize("scene", [_COUNT, _ROOTS_LEFT, _COURSE])
def test_tables_and_plots_wait_for_the_answer(taught: MainWindow, qtbot: QtBot, scene: int) -> None:
    steps, plots = panel(taught, StepsPanel), panel(taught, Plots)
    steps.fold.setChecked(True)
    at_scene(taught, qtbot, scene)
    wait_in_sight(qtbot, plots)
    qtbot.waitUntil(lambda: plots.hint.text() == WITHHELD, timeout=PATIENCE)
    assert plots.hint.isVisible()
    assert steps.withheld.isVisible()
    assert not any(part.isVisible() for part in (steps.table, steps.sums))
    assert not steps.copy.isEnabled()
    taught.session.lesson.skip()
    assert not steps.withheld.isVisible()
    assert all(part.isVisible() for part in (steps.table, steps.sums))
    assert steps.copy.isEnabled()
    qtbot.waitUntil(lambda: not plots.hint.isVisible(), timeout=PATIENCE)


def test_a_question_about_a_cell_hides_nothing(taught: MainWindow, qtbot: QtBot) -> None:
    at_scene(taught, qtbot, 3)
    assert panel(taught, StepsPanel).table.isVisible()


def test_the_timeline_tells_nothing_of_steps_that_would_answer(
    taught: MainWindow, qtbot: QtBot
) -> None:
    timeline = taught.step_panel.timeline
    at_scene(taught, qtbot, _COURSE)
    assert "Step 2" in timeline.describe(1)
    assert timeline.describe(2) == WITHHELD
    assert not taught.actions_table["go_converged"].isEnabled()
    taught.session.lesson.skip()
    assert taught.actions_table["go_converged"].isEnabled()
    assert "Step 3" in timeline.describe(2)
    at_scene(taught, qtbot, _COUNT)
    assert timeline.describe(taught.session.playback.position) == WITHHELD


def test_the_timeline_covers_what_follows_the_step_of_the_question(
    taught: MainWindow, qtbot: QtBot
) -> None:
    timeline = taught.step_panel.timeline
    at_scene(taught, qtbot, _COURSE)
    row = round(timeline._look().rows().marks.top()) + 2
    here, after = (round(timeline.x_of(taught.session.playback.position + n)) + 4 for n in (0, 1))
    concealed = drawn(timeline)
    assert concealed.pixel(after, row) == QColor(DARK.raised).rgb()
    assert concealed.pixel(here, row) != concealed.pixel(after, row)
    taught.session.lesson.skip()
    assert drawn(timeline).pixel(after, row) != concealed.pixel(after, row)


def test_counts_wait_for_the_answer(
    taught: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QPainter, "drawText", lambda *given: said.append(str(given[-1])))
    at_scene(taught, qtbot, _COUNT)
    said.clear()
    taught.step_panel.timeline.grab()
    assert "How many are there?" in said
    assert not any(re.match(r"roots \d", text) for text in said)
    taught.session.lesson.skip()
    qtbot.waitUntil(lambda: any(re.match(r"roots \d", text) for text in said), timeout=PATIENCE)


def test_no_milestone_tells_how_long_a_run_goes_on(
    taught: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline = taught.step_panel.timeline
    at_scene(taught, qtbot, _COURSE)
    step = taught.session.playback.position
    assert timeline.course.converged == step, "a flag would say that nothing changes any more"
    line = round(timeline._look().track(len(timeline.course)).left_of(step)) + 1
    row = round(timeline._look().rows().curves.bottom()) - 2
    concealed = drawn(timeline)
    assert "Converged" not in timeline.describe(step)
    assert concealed.pixel(line, row) != QColor(DARK.ok).rgb()
    taught.session.lesson.skip()
    assert "Converged" in timeline.describe(step)
    assert drawn(timeline).pixel(line, row) == QColor(DARK.ok).rgb()


def test_nothing_compares_a_step_with_the_end_while_it_is_asked_how_far_that_is(
    taught: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QPainter, "drawText", lambda *given: said.append(str(given[-1])))
    panel, step = taught.step_panel, taught.session.playback.position

    def told() -> str:
        said.clear()
        panel.timeline.grab()
        return "\n".join([*said, panel.explanation.plain, panel.timeline.describe(step)])

    at_scene(taught, qtbot, _COURSE)
    step = taught.session.playback.position
    qtbot.waitUntil(lambda: taught.session.insight.facts(step) is not None, timeout=PATIENCE)
    outlook = re.compile("final root|wrong root|each component|the one component")
    assert "roots" in told()
    assert not outlook.search(told())
    taught.session.lesson.skip()
    assert "wrong root 0" in told()
    assert "Every cell leads to its final root." in told()


def test_numbers_of_components_wait_for_the_answer(taught: MainWindow, qtbot: QtBot) -> None:
    cell = status_of(taught).cell
    at_scene(taught, qtbot, _COUNT)
    taught.session.look.hover_at((3, 1))
    assert "label" in cell.text()
    assert "component" not in cell.text()
    taught.session.lesson.skip()
    assert "component" in cell.text()


def test_a_comparison_tells_no_ends_before_the_answer(taught: MainWindow, qtbot: QtBot) -> None:
    comparison = taught.session.comparison
    at_scene(taught, qtbot, _COURSE)
    comparison.show(on=True)
    qtbot.waitUntil(lambda: len(comparison.recordings) == 2, timeout=PATIENCE)
    comparison.look(replace(comparison.view, table=True))
    count = len(taught.session.recording or ())
    cells = taught.canvas_panel.compare.area.shown
    table = panel(taught, CompareTable)
    assert not table.table.isVisible()
    assert table.notes.text() == WITHHELD
    assert cells[0].header.heading.place == "2, iteration 1"
    assert not any(cell.header.heading.fraction for cell in cells)
    taught.session.lesson.skip()
    assert cells[0].header.heading.place == f"2 / {count}, iteration 1"
    assert cells[0].header.heading.fraction
    assert table.table.isVisible()
    assert table.table.rowCount() == 2
