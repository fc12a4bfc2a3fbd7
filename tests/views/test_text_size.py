"""Tests that at every size of text all can be read, and nothing lies over anything else."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QToolButton, QWidget
from support.windows import MakeWindow, project, settled

from ccl_viewer.views.dialogs.resize import ResizeDialog
from ccl_viewer.views.exporting.dialog import ExportDialog
from ccl_viewer.views.lessons.notes import NotesWindow
from ccl_viewer.views.looks.theme import DARK, LIGHT, Theme
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.steps.columns import NAMES
from ccl_viewer.views.steps.step_panel import StepPanel
from ccl_viewer.views.steps.steps_panel import StepsPanel
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.field_label import FieldLabel
from ccl_viewer.views.widgets.scrolling import ScrollingColumn

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
    project(window, on=True)
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


@pytest.mark.parametrize("size", [100, 200])
def test_no_field_of_an_export_is_cut(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    window = large(make_window, size)
    cut, uneven = [], []

    def look(dialog: QWidget) -> None:
        assert isinstance(dialog, ExportDialog)
        dialog.show()
        settled(window, 1280, 720)
        controls = dialog.controls
        cut.append(
            controls.minimumSizeHint().width() - controls.visibleRegion().boundingRect().width()
        )
        for title in controls.findChildren(FieldLabel):
            field = title.buddy()
            if title.isVisible() and field is not None:
                middles = [within(part, controls).center().y() for part in (title, field)]
                uneven.append(abs(middles[0] - middles[1]))
        dialog.reject()

    monkeypatch.setattr(window.intake, "run", look)
    window.exports.ask()
    assert max(cut) <= 0
    assert max(uneven) <= 1


def test_shapes_of_stages_and_icons_of_lanes_grow_with_the_text(make_window: MakeWindow) -> None:
    window = make_window(PATTERN)
    table = window.panel(StepsPanel).table
    usual = (
        table.iconSize().width(),
        window.canvas_panel.compare.area.cells[0].header.more.iconSize(),
    )
    window.appearance.set_text_size(200)
    window.session.comparison.show(on=True)
    settled(window, 1280, 720)
    assert table.iconSize().width() > 1.5 * usual[0]
    cell = table.steps.index(0, NAMES.index("stage"))
    assert table.columnWidth(cell.column()) >= table.sizeHintForColumn(cell.column())
    mark = cell.data(Qt.ItemDataRole.DecorationRole)
    assert mark.actualSize(QSize(99, 99)).width() == table.iconSize().width()
    header = window.canvas_panel.compare.area.cells[1].header
    assert header.more.iconSize() == usual[1] * 2
    assert header.chip.sizeHint().height() >= table.iconSize().height()


def test_swatches_of_values_grow_with_the_text(make_window: MakeWindow) -> None:
    window = make_window("pattern:stripes?width=8&height=8")
    values = window.canvas_panel.tools.values
    usual = values.rect_of(2).width()
    window.appearance.set_text_size(200)
    settled(window, 1280, 720)
    assert values.rect_of(2).width() > 1.5 * usual
    assert values.size() == values.sizeHint()
    area = values.parentWidget()
    assert area is not None
    assert values.width() <= area.width()


@pytest.mark.parametrize("size", [100, 200])
def test_buttons_of_places_are_square_and_near_their_title(
    make_window: MakeWindow, size: int
) -> None:
    window = large(make_window, size)
    dialog = ResizeDialog((8, 8), DARK, parent=window)
    dialog.show()
    title = next(part for part in dialog.findChildren(QLabel) if part.text() == "The grid stays")
    places = [within(button, dialog) for button in dialog.anchors.values()]
    assert {(place.width(), place.height()) for place in places} == {(places[0].width(),) * 2}
    assert 0 <= places[0].top() - within(title, dialog).bottom() <= 10
    dialog.close()
    dialog.deleteLater()


def test_the_window_of_notes_grows_with_the_text(make_window: MakeWindow) -> None:
    window = large(make_window, 175)
    notes = NotesWindow(window.session.lesson, window)
    assert notes.width() > 1.5 * 420
    notes.deleteLater()


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_hints_in_fields_have_contrast(make_window: MakeWindow, theme: Theme) -> None:
    window = make_window()
    window.appearance.set_theme(theme.name)
    window.appearance.settle()
    field = QLineEdit(window)
    field.ensurePolished()
    hint = field.palette().color(QPalette.ColorRole.PlaceholderText)
    assert hint.name() == theme.dim
    assert hint.alpha() == 255
