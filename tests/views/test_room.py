"""What the window does where there is little room for its text, and undoes where there is more."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, settled, status_of, wait_idle

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.session import MessageKind
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.notices.text import NoticeText
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel
from ccl_viewer.views.widgets.room import first_size
from ccl_viewer.views.widgets.scrolling import ScrollingColumn

PATTERN = "pattern:noise?width=24&height=16&density=0.6"


def at_size(window: MainWindow, text: int, width: int = 1280, height: int = 720) -> MainWindow:
    window.appearance.set_text_size(text)
    return settled(window, width, height)


def arrangement(window: MainWindow) -> list[list[str]]:
    """Which panels lie behind each other."""
    stacks = []
    for name in window.docks.panels:
        stack = sorted(
            [name, *(dock.objectName() for dock in window.tabifiedDockWidgets(window.docks[name]))]
        )
        if stack not in stacks:
            stacks.append(stack)
    return stacks


ROOMY = [["steps"], ["plots", "source", "tree"]]
FOLDED = [["plots", "source", "steps", "tree"]]


def test_panels_share_one_place_in_a_low_window_and_part_again(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 100)
    assert arrangement(window) == ROOMY
    at_size(window, 200)
    assert arrangement(window) == FOLDED
    assert window.panel(StepsPanel).isVisible()
    at_size(window, 100)
    assert arrangement(window) == ROOMY


def test_there_are_rows_and_a_grid_to_be_seen_in_the_largest_text(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 200)
    table = window.panel(StepsPanel).table
    rows = table.viewport().height() // table.verticalHeader().defaultSectionSize()
    assert rows >= 6
    assert window.canvas.height() >= 180


def test_the_settings_take_as_much_room_as_if_the_window_had_always_been_so_low(
    make_window: MakeWindow,
) -> None:
    window = at_size(make_window(PATTERN), 200, 1280, 1300)
    bar = window.source_bar
    settled(window, 1280, 720)
    assert bar.height() < 3 * bar.fontMetrics().height()


def test_the_title_of_the_grid_can_be_read_in_the_largest_text_and_after_a_restart(
    make_window: MakeWindow,
) -> None:
    window = at_size(make_window(PATTERN), 200)
    strip = window.canvas_panel.strip
    seen = strip.title.width()
    assert seen >= strip.title.fontMetrics().horizontalAdvance("Checkerboard")
    assert strip.scale.isHidden()
    at_size(window, 100)
    assert strip.scale.isVisible()
    at_size(window, 175, 1320, 720)
    assert strip.scale.isHidden()  # the title has its place
    assert strip.buttons["zoom_in"].isVisible()
    at_size(window, 200, 1800, 720)
    assert strip.scale.width() >= strip.scale.fontMetrics().horizontalAdvance("1/16 px")
    settled(window, 1280, 720)
    window.close()
    again = settled(make_window(PATTERN), 1280, 720).canvas_panel.strip
    assert again.title.width() == seen


def test_panels_that_were_hidden_or_brought_forward_while_folded_stay_so(
    make_window: MakeWindow,
) -> None:
    window = at_size(make_window(PATTERN), 200)
    window.docks.show("tree", on=False)
    window.docks.show("plots", on=True)
    at_size(window, 100)
    assert arrangement(window)[0] == ["steps"]
    assert not window.docks.is_open("tree")
    assert window.docks["plots"].visibleRegion().isEmpty() is False


def test_the_layout_with_room_is_the_one_that_is_remembered(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 200)
    window.appearance.set_text_size(100)  # the same window, folded until the next turn
    window.close()
    second = make_window(PATTERN)
    assert arrangement(settled(second, 1280, 720)) == ROOMY


def test_putting_the_panels_back_keeps_them_folded_while_there_is_no_room(
    make_window: MakeWindow,
) -> None:
    window = at_size(make_window(PATTERN), 200)
    window.docks.reset()
    assert arrangement(window) == FOLDED
    at_size(window, 100)
    assert arrangement(window) == ROOMY


def test_a_projector_leaves_the_panels_as_they_are(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 100)
    QTest.keyClick(window.canvas, Qt.Key.Key_F11)
    settled(window, 800, 500)
    QTest.keyClick(window.canvas, Qt.Key.Key_F11)
    assert arrangement(settled(window, 1280, 720)) == ROOMY


def test_the_source_grows_with_the_text(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 100)
    pane = window.panel(SourcePane)
    code, kernel = pane.text.font().pointSizeF(), pane.header.kernel.font().pointSizeF()
    at_size(window, 200)
    assert pane.text.font().pointSizeF() == pytest.approx(2 * code)
    assert pane.header.kernel.font().pointSizeF() == pytest.approx(2 * kernel)


@pytest.mark.parametrize("text", [80, 125, 200])
def test_the_explanation_has_the_height_that_it_needs(make_window: MakeWindow, text: int) -> None:
    window = at_size(make_window(PATTERN), 100)
    window.session.playback.go_to(1)
    explanation = window.step_panel.explanation
    at_size(window, text, 1280, 1000)
    assert explanation.heightForWidth(explanation.width()) <= explanation.height()


def test_an_explanation_that_is_cut_says_so_where_it_ends(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 200)
    explanation = window.step_panel.explanation
    explanation.setFixedWidth(300)
    settled(window, 1280, 720)
    assert explanation.text().endswith("\u2026")
    assert explanation.toolTip() == explanation.plain


def test_the_settings_of_every_algorithm_lie_in_one_line(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 100)
    bar = window.source_bar
    for key, row in ALGORITHMS.items():
        window.session.configure(algorithm_key=key)
        settled(window, 1280, 720)
        tops = {
            box.mapTo(bar, box.rect().bottomLeft()).y() // 8
            for box in (bar.open_button, bar.algorithm, bar.device, bar.schedule)
        }
        assert len(tops) == 1, key
        if not row.parameters:
            assert bar.algorithm.width() >= bar.algorithm.sizeHint().width(), key


def test_the_hint_in_the_status_bar_is_whole_in_its_tooltip(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = at_size(make_window(PATTERN), 200)
    cell = status_of(window).cell
    assert "wheel zooms" in cell.toolTip()
    window.session.look.hover_at((2, 1))
    qtbot.waitUntil(lambda: "x 2, y 1" in cell.toolTip(), timeout=PATIENCE)


def test_a_banner_takes_one_line_where_there_is_little_room(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = at_size(make_window("pattern:shibata"), 200)
    window.session.configure(algorithm_key="shibata_naive", parameters={"passes": 1})
    wait_idle(qtbot, window)
    banner = window.canvas_panel.banner
    qtbot.waitUntil(banner.isVisible, timeout=PATIENCE)
    settled(window, 1280, 720)
    assert banner.height() < 3 * banner.fontMetrics().height()
    assert "before convergence" in banner.toolTip()
    assert window.canvas.height() >= 120


def test_the_empty_page_keeps_its_buttons_whole(make_window: MakeWindow) -> None:
    window = at_size(make_window(), 200)
    for button in window.canvas_panel.empty.buttons:
        assert button.height() >= button.sizeHint().height()


def test_fields_of_another_algorithm_have_no_captions_either_where_there_is_little_room(
    make_window: MakeWindow,
) -> None:
    window = at_size(make_window(PATTERN), 200)
    window.session.configure(algorithm_key="stava_benes")
    settled(window, 1280, 720)
    fields = window.source_bar.parameters
    captions = fields.findChildren(QLabel)
    assert len(captions) == len(fields.boxes) == 3
    assert not any(caption.isVisible() for caption in captions)
    for caption, box in zip(captions, fields.boxes.values(), strict=True):
        assert box.accessibleName() == caption.text()
        assert box.toolTip().startswith(f"{caption.text()}: ")
    at_size(window, 100)
    assert all(caption.isVisible() for caption in captions)


LONG = f"The file /home/x/{'a_very_long_name_' * 8}.png cannot be read. " + "Take another. " * 20


def reached_by_tab(text: NoticeText) -> bool:
    return text.overflows and bool(text.focusPolicy() & Qt.FocusPolicy.TabFocus)


def test_a_long_message_can_be_read_to_its_end_by_keys(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 200)
    window.session.say(MessageKind.ERROR, LONG)
    settled(window, 1280, 720)
    notices = window.canvas_panel.notices
    parent, text = notices.parentWidget(), notices.message.text
    assert parent is not None
    assert notices.geometry().bottom() <= parent.rect().bottom()
    assert reached_by_tab(text)
    assert text.viewport().width() >= text.document().idealWidth()
    text.setFocus()
    bar = text.verticalScrollBar()
    QTest.keyClick(text, Qt.Key.Key_PageDown)
    assert bar.value() > 0
    window.session.say(MessageKind.ERROR, "Short.")
    settled(window, 1280, 720)
    assert not reached_by_tab(text)


@pytest.mark.parametrize("size", [100, 125, 150, 175, 200])
def test_a_short_message_is_a_line_in_the_middle(make_window: MakeWindow, size: int) -> None:
    window = at_size(make_window(PATTERN), size)
    window.session.say(MessageKind.INFO, "Saved shibata.cclrec.")
    settled(window, 1280, 720)
    message = window.canvas_panel.notices.message
    text = message.text
    assert not text.overflows
    assert text.viewport().width() == text.width()
    assert text.height() < 2 * text.fontMetrics().height()
    for part in (text, message.symbol, message.dismiss):
        assert abs(part.geometry().center().y() - message.rect().center().y()) <= 2


def test_a_message_is_as_high_as_its_text(make_window: MakeWindow) -> None:
    window = at_size(make_window(PATTERN), 100)
    window.session.say(MessageKind.INFO, LONG)
    settled(window, 1280, 720)
    text = window.canvas_panel.notices.message.text
    assert not text.overflows
    assert text.height() >= text.document().size().height()
    assert text.height() < text.document().size().height() + 2 * text.fontMetrics().height()


def test_the_first_window_fits_on_the_screen_with_its_frame() -> None:
    assert first_size(QSize(1920, 1080)).toTuple() == (1280, 720)
    assert first_size(QSize(1280, 720)).height() < 720 - 30


def test_measuring_a_message_leaves_nothing_behind(qtbot: QtBot) -> None:
    text = NoticeText()
    qtbot.addWidget(text)
    text.show_text(LONG)
    assert text.heightForWidth(200) > 2 * text.heightForWidth(800)

    def documents() -> int:
        return sum(isinstance(thing, QTextDocument) for thing in gc.get_objects())

    before = documents()
    for width in range(200, 230):
        text.heightForWidth(width)
    assert documents() <= before


def test_all_tools_are_seen_under_a_banner_and_beside_values(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = settled(make_window("pattern:noise?width=40&height=24"), 1280, 720)
    (column,) = window.findChildren(ScrollingColumn)
    room = column.verticalScrollBar()
    window.session.configure(algorithm_key="shibata_naive", parameters={"passes": 3})
    wait_idle(qtbot, window)
    settled(window, 1280, 720)
    assert window.canvas_panel.banner.isVisible()
    assert room.maximum() == 0
    window.session.configure(parameters={"passes": None}, multivalued=True)
    wait_idle(qtbot, window)
    settled(window, 1280, 720)
    assert room.maximum() == 0
