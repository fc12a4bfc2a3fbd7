"""Tests that at every size of text all can be read, and nothing lies over anything else."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QToolButton, QWidget
from support.windows import MakeWindow, settled

from ccl_viewer.views.elided import ElidedLabel
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.scrolling import ScrollingColumn
from ccl_viewer.views.step_panel import StepPanel
from ccl_viewer.views.steps_panel import StepsPanel

SIZES = (100, 125, 150, 175, 200)
PATTERN = "pattern:noise?width=24&height=16&density=0.6"


def large(make_window: MakeWindow, size: int) -> MainWindow:
    window = make_window(PATTERN)
    window.appearance.set_text_size(size)
    return settled(window, 1280, 720)


def within(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


def parts(root: QWidget) -> list[QWidget]:
    """The labels and buttons that are seen inside a widget."""
    found: list[QWidget] = [*root.findChildren(QAbstractButton), *root.findChildren(QLabel)]
    return [part for part in found if part.isVisible() and part.width() and part.height()]


def roots(window: MainWindow) -> list[QWidget]:
    column = window.canvas_panel.tools.findChildren(ScrollingColumn)[0].widget()
    assert column is not None
    return [window.source_bar, window.canvas_panel.strip, column, window.step_panel]


@pytest.mark.parametrize("size", SIZES)
def test_no_part_lies_over_another(make_window: MakeWindow, size: int) -> None:
    window = large(make_window, size)
    for root in roots(window):
        for one, other in combinations(parts(root), 2):
            if not (one.isAncestorOf(other) or other.isAncestorOf(one)):
                assert not within(one, root).intersects(within(other, root)), (one, other)


@pytest.mark.parametrize("size", SIZES)
def test_no_text_of_labels_and_buttons_is_cut(make_window: MakeWindow, size: int) -> None:
    window = large(make_window, size)
    for root in roots(window):
        for part in parts(root):
            if isinstance(part, ElidedLabel) or part.accessibleName() == "What this step does":
                continue
            icon_only = Qt.ToolButtonStyle.ToolButtonIconOnly
            if isinstance(part, QToolButton) and part.toolButtonStyle() is icon_only:
                continue  # its icon is drawn as large as there is room
            text = part.text() if isinstance(part, (QLabel, QAbstractButton)) else ""
            least = part.minimumSizeHint()
            assert part.width() >= least.width() or not text, (text, part.size(), least)
            assert part.height() >= part.fontMetrics().height() or not text, (text, part.size())


@pytest.mark.parametrize("size", SIZES)
def test_the_window_needs_no_more_than_it_has(make_window: MakeWindow, size: int) -> None:
    window = large(make_window, size)
    assert (window.width(), window.height()) == (1280, 720)
    middle = window.centralWidget()
    assert middle.height() >= middle.minimumSizeHint().height()
    assert middle.width() >= middle.minimumSizeHint().width()
    timeline = window.step_panel.timeline
    assert timeline.height() >= timeline.minimumSizeHint().height()
    steps, source = within(window.docks["steps"], window), within(window.docks["source"], window)
    assert not steps.intersects(source)
    assert not steps.intersects(within(middle, window))


@pytest.mark.parametrize("size", SIZES)
def test_titles_of_columns_are_never_cut(make_window: MakeWindow, size: int) -> None:
    window = large(make_window, size)
    table = window.panel(StepsPanel).table
    header = table.horizontalHeader()
    for place in range(header.count()):
        if not header.isSectionHidden(place):
            assert header.sectionSize(place) >= header.sectionSizeHint(place)


def test_what_is_told_of_a_step_goes_below_the_transport_on_a_narrow_projector(
    make_window: MakeWindow,
) -> None:
    window = make_window(PATTERN)
    window.appearance.set_text_size(150)
    window.projector.show(on=True)
    window.setMinimumSize(0, 0)
    settled(window, 800, 800)
    panel: StepPanel = window.step_panel
    assert panel.width() <= 800
    for part in (panel.title, panel.chip):
        assert part.width() >= part.minimumSizeHint().width()
        assert panel.rect().contains(within(part, panel))
    assert within(panel.heading, panel).top() > within(panel.buttons["play"], panel).top()


def test_a_long_explanation_ends_in_an_ellipsis_and_is_whole_in_its_tooltip(
    make_window: MakeWindow,
) -> None:
    window = large(make_window, 200)
    explanation = window.step_panel.explanation
    window.session.playback.go_to(0)
    explanation.setFixedWidth(200)
    settled(window, 1280, 720)
    assert "\u2026" in explanation.text()
    assert explanation.toolTip() == explanation.plain
    assert explanation.heightForWidth(explanation.width()) <= explanation.height()


def test_the_tools_scroll_where_the_window_is_low(make_window: MakeWindow) -> None:
    window = large(make_window, 200)
    area = window.canvas_panel.tools.findChildren(ScrollingColumn)[0]
    live = window.canvas_panel.tools.buttons["live"]
    live.setFocus(Qt.FocusReason.TabFocusReason)
    area.ensureWidgetVisible(live)
    assert area.viewport().rect().contains(within(live, area.viewport()).center())


def test_the_whole_title_of_an_algorithm_is_in_the_tooltip(make_window: MakeWindow) -> None:
    window = large(make_window, 200)
    window.session.configure(algorithm_key="bke")
    box = window.source_bar.algorithm
    assert box.toolTip().startswith(box.currentText())
    box.showPopup()
    assert box.view().width() >= box.view().sizeHintForColumn(0)
    box.hidePopup()
