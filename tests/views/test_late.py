"""Parts that nobody has seen do not exist; those that come late look as all others do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QTableWidget, QWidget
from pytestqt.qtbot import QtBot
from support.windows import project, wait_idle

from ccl_viewer.views.canvas.layers_panel import LayersPanel
from ccl_viewer.views.compare.bar import CompareBar
from ccl_viewer.views.compare.lane_header import LaneHeader
from ccl_viewer.views.compare.table import CompareTable
from ccl_viewer.views.lessons.notes import NotesWindow
from ccl_viewer.views.lessons.panel import LessonPanel
from ccl_viewer.views.lessons.predict_panel import PredictPanel
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.source.find_bar import FindBar
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel

LESSON = "what-is-a-component"


@dataclass(frozen=True)
class Case:
    """A part, and how it is shown and hidden."""

    kind: type[QWidget]
    show: Callable[[MainWindow], object]
    hide: Callable[[MainWindow], object] | None = None
    """None for what is left in the window."""


def open_lesson(window: MainWindow) -> None:
    window.session.lesson.open(LESSON)


def close_lesson(window: MainWindow) -> None:
    window.session.lesson.close()


def open_notes(window: MainWindow) -> None:
    window.lesson_docks.show_notes(on=True)
    open_lesson(window)


def predict(window: MainWindow) -> None:
    window.session.predictor.switch(on=True)


def stop_predicting(window: MainWindow) -> None:
    window.session.predictor.switch(on=False)


def compare(window: MainWindow) -> None:
    window.session.comparison.show(on=True)


def tabulate(window: MainWindow) -> None:
    comparison = window.session.comparison
    comparison.look(replace(comparison.view, table=True))
    comparison.show(on=True)


def stop_comparing(window: MainWindow) -> None:
    window.session.comparison.show(on=False)


def find(window: MainWindow) -> None:
    window.panel(SourcePane).header.find_button.click()


def add_up(window: MainWindow) -> None:
    window.panel(StepsPanel).fold.click()


CASES = (
    Case(LessonPanel, open_lesson, close_lesson),
    Case(NotesWindow, open_notes),
    Case(PredictPanel, predict, stop_predicting),
    Case(CompareBar, compare, stop_comparing),
    Case(CompareTable, tabulate, stop_comparing),
    Case(LaneHeader, compare, stop_comparing),
    Case(LayersPanel, lambda window: window.actions_table["layers"].trigger()),
    Case(FindBar, find),
    Case(QTableWidget, add_up, add_up),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind.__name__)
def test_a_part_comes_when_it_is_shown_and_looks_as_all_others_do(
    window: MainWindow, qtbot: QtBot, case: Case
) -> None:
    def act(does: Callable[[MainWindow], object]) -> None:
        does(window)
        wait_idle(qtbot, window)
        qtbot.waitUntil(lambda: window.lesson_docks.settled)

    assert window.findChildren(case.kind) == []
    look_like(window, "light", 150)
    act(case.show)
    part = next(part for part in window.findChildren(case.kind) if part.isVisible())
    check_looks(window, part)
    if case.hide is not None:
        act(case.hide)
        assert window.findChildren(case.kind) == []
    look_like(window, "dark", 125)
    act(case.show)
    assert part.isVisible()
    check_looks(window, part)


def look_like(window: MainWindow, theme: str, text_size: int) -> None:
    window.set_theme(theme)
    window.appearance.set_text_size(text_size)
    window.appearance.settle()


def check_looks(window: MainWindow, part: QWidget) -> None:
    """A part has the window's size of text, icons that go with it, and the theme's colours."""
    labels = [label for label in part.findChildren(QLabel) if label.property("role") == "dim"]
    for widget in (part, *labels):
        assert widget.font().pointSizeF() == window.font().pointSizeF()
    for button in part.findChildren(QAbstractButton):
        usual = button.property("iconAtScale1")
        assert button.iconSize() == usual * window.appearance.scale, button.accessibleName()
    for label in labels:
        assert label.palette().windowText().color().name() == window.theme.dim
    for widget in (part, *part.findChildren(QWidget)):
        assert widget.palette().link().color().name() == window.theme.accent


def test_what_comes_late_knows_that_the_window_is_on_a_projector(
    window: MainWindow, qtbot: QtBot
) -> None:
    project(window, on=True)
    open_lesson(window)
    wait_idle(qtbot, window)
    button = window.lesson_docks.panel.settings_button
    assert button.isHidden()
    project(window, on=False)
    assert button.isVisible()
