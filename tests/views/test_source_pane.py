"""The source: files, links, find, copy, what was given to the kernel, size of type."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow, kernel_of, press, settled, wait_idle

from ccl_viewer.devices.source import read_source
from ccl_viewer.resources import kernel_path
from ccl_viewer.session import SPEEDS
from ccl_viewer.views.looks.text import TIMES
from ccl_viewer.views.looks.theme import LIGHT
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.source.pane import SourcePane

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def ha4(make_window: MakeWindow, qtbot: QtBot) -> MainWindow:
    """A window on HA4's first step, whose source includes two files."""
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="ha4")
    wait_idle(qtbot, window)
    window.session.playback.go_to(0)
    window.docks.show("source", on=True)
    window.activateWindow()
    pane = window.panel(SourcePane)
    pane.text.setFocus()
    qtbot.waitUntil(pane.text.hasFocus, timeout=PATIENCE)
    return window


def line_with(pane: SourcePane, text: str) -> int:
    lines = pane.text.toPlainText().split("\n")
    return next(number for number, line in enumerate(lines) if text in line)


def put_caret(pane: SourcePane, text: str) -> None:
    cursor = QTextCursor(pane.text.document())
    cursor.setPosition(pane.text.toPlainText().index(text) + 1)
    pane.text.setTextCursor(cursor)
    pane.text.centerCursor()


def click_on(pane: SourcePane, text: str) -> None:
    put_caret(pane, text)
    where = pane.text.cursorRect().center()
    QTest.mouseMove(pane.text.viewport(), where)
    QTest.mouseClick(pane.text.viewport(), Qt.MouseButton.LeftButton, pos=where)


def entries(pane: SourcePane) -> list[str]:
    """Texts of the context menu of the source."""
    menu = QMenu()
    pane.text.menu_wanted.emit(menu)
    return [entry.text() for entry in menu.actions()]


def test_the_header_says_how_the_kernel_was_launched(ha4: MainWindow) -> None:
    header, step = ha4.panel(SourcePane).header, ha4.session.step
    assert step is not None
    assert header.kernel.text() == "ha4_strip_labeling"
    assert f"32 {TIMES} 4 threads" in header.launch.text()
    assert header.launch.toolTip().startswith("ha4_strip_labeling<<<dim3(")
    shown = header.arguments.text().replace("&nbsp;", " ")
    for name, value in (("width", "10"), ("labels", f"10 {TIMES} 10"), ("BLOCK_H", "4")):
        assert name in shown
        assert value in shown
    assert "const unsigned char * image = " in header.arguments.toolTip()
    assert "Hennequin" in header.citation.text()


def test_the_header_shows_the_values_of_the_cell_under_the_mouse(ha4: MainWindow) -> None:
    header = ha4.panel(SourcePane).header
    assert "Point at a cell" in header.values.text()
    labels = ha4.session.labels
    assert labels is not None
    ha4.session.look.hover_at((3, 2))
    assert "(3,&nbsp;2)" in header.values.text()
    assert f">{labels[2, 3]}<".replace("-", "&#8209;") in header.values.text()
    ha4.session.look.hover_at(None)
    assert "Point at a cell" in header.values.text()


def test_values_of_many_arrays_are_not_cut_in_the_middle(ha4: MainWindow, qtbot: QtBot) -> None:
    ha4.session.configure(algorithm_key="ha4_features")
    wait_idle(qtbot, ha4)
    values = settled(ha4, 1280, 720).panel(SourcePane).header.values
    ha4.session.look.hover_at((3, 2))
    assert values.sizeHint().width() <= values.width()
    assert values.text().endswith("…")
    assert "max_y" not in values.text()
    assert "max_y" in values.toolTip()


def test_the_files_that_are_included_have_tabs(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    names = [pane.tabs.tabText(index) for index in range(pane.tabs.count())]
    assert names[0] == "ha4.cu"
    assert names == [path.name for path in read_source(kernel_path("ha4")).paths]
    pane.tabs.setCurrentIndex(names.index("union_find.cuh"))
    assert pane.file == "common/union_find.cuh"
    assert pane.text.marked is None
    assert "find_root" in pane.text.toPlainText()
    pane.tabs.setCurrentIndex(0)
    assert pane.text.marked is not None


def test_a_click_on_an_include_opens_the_file(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    click_on(pane, '"common/runs.cuh"')
    assert pane.file == "common/runs.cuh"


def test_a_click_on_a_function_goes_to_it_and_escape_back(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    click_on(pane, "merge(labels, k -")
    assert pane.file == "common/union_find.cuh"
    assert pane.text.textCursor().block().text().count("merge(")
    press(pane.text, Qt.Key.Key_Escape)
    assert pane.file == "ha4.cu"
    assert pane.text.marked is not None
    assert pane.text.textCursor().blockNumber() == pane.text.marked[0]


def test_enter_follows_the_name_at_the_caret(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    put_caret(pane, "start_distance(pixels_y, tx)")
    press(pane.text, Qt.Key.Key_Return)
    assert pane.file == "common/runs.cuh"
    QTest.mouseClick(pane.header.home_button, Qt.MouseButton.LeftButton)
    assert pane.file == "ha4.cu"
    put_caret(pane, "const int tx")
    press(pane.text, Qt.Key.Key_Return)
    assert pane.file == "ha4.cu"


def test_the_way_back_from_a_link_is_a_key_of_the_whole_window(
    ha4: MainWindow, qtbot: QtBot
) -> None:
    pane = ha4.panel(SourcePane)
    click_on(pane, "merge(labels, k -")
    assert "Back to the kernel\tEsc" in entries(pane)
    ha4.docks.show("plots", on=True)
    ha4.canvas.setFocus()
    QTest.keyClick(ha4.canvas, Qt.Key.Key_K, CTRL | Qt.KeyboardModifier.AltModifier)
    assert pane.file == "ha4.cu"
    assert not pane.visibleRegion().isEmpty()
    assert ha4.focusWidget() is ha4.canvas
    assert "Back to the kernel\tCtrl+Alt+K" in entries(pane)  # Esc is the window's there
    assert "Ctrl+Alt+K" in pane.header.home_button.toolTip()


def test_find_counts_and_goes_round(ha4: MainWindow, qtbot: QtBot) -> None:
    pane = ha4.panel(SourcePane)
    bar = pane.find_bar
    QTest.keyClick(pane.text, Qt.Key.Key_F, CTRL)
    qtbot.waitUntil(bar.field.hasFocus, timeout=PATIENCE)
    press(bar.field, "__syncthreads")
    count = pane.text.toPlainText().count("__syncthreads")
    assert len(bar.places) == count
    assert bar.count.text() == f"{bar.current + 1} of {count}"
    assert pane.text.textCursor().selectedText() == "__syncthreads"
    first = bar.current
    press(bar.field, Qt.Key.Key_Return)
    assert bar.current == (first + 1) % count
    QTest.keyClick(bar.field, Qt.Key.Key_Return, SHIFT)
    assert bar.current == first
    for _ in range(count):
        QTest.keyClick(bar.field, Qt.Key.Key_F3)
    assert bar.current == first
    QTest.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    QTest.mouseClick(bar.previous, Qt.MouseButton.LeftButton)
    assert bar.current == first
    press(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert pane.text.textCursor().selectedText() == "__syncthreads"
    qtbot.waitUntil(pane.text.hasFocus, timeout=PATIENCE)


@pytest.mark.parametrize("place", ["behind", "hidden", "afloat"])
def test_the_source_is_looked_through_from_anywhere(
    window: MainWindow, qtbot: QtBot, place: str
) -> None:
    window.activateWindow()
    window.docks.show("plots", on=place != "hidden")
    window.docks["source"].setHidden(place == "hidden")
    window.docks["source"].setFloating(place == "afloat")
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus, timeout=PATIENCE)
    QTest.keyClick(window.canvas, Qt.Key.Key_F, CTRL)
    field = window.panel(SourcePane).find_bar.field
    qtbot.waitUntil(field.hasFocus, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not field.visibleRegion().isEmpty(), timeout=PATIENCE)
    press(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(window.canvas.hasFocus, timeout=PATIENCE)


def test_a_search_goes_on_while_the_focus_is_elsewhere(ha4: MainWindow) -> None:
    bar = ha4.panel(SourcePane).find_bar
    bar.open()
    bar.field.setText("int")
    ha4.canvas.setFocus()
    first, count = bar.current, len(bar.places)
    press(ha4.canvas, Qt.Key.Key_F3)
    assert bar.current == (first + 1) % count
    QTest.keyClick(ha4.canvas, Qt.Key.Key_F3, SHIFT)
    assert bar.current == first


def test_find_says_if_there_is_nothing(ha4: MainWindow) -> None:
    bar = ha4.panel(SourcePane).find_bar
    bar.open()
    bar.field.setText("no such words")
    assert bar.count.text() == "Not found"
    assert not bar.next.isEnabled()
    bar.field.clear()
    assert bar.count.text() == ""
    QTest.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_find_looks_in_the_file_that_is_shown(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    pane.find_bar.open()
    pane.find_bar.field.setText("int")
    pane.tabs.setCurrentIndex(pane.tabs.count() - 1)
    text = pane.text.toPlainText()
    assert len(pane.find_bar.places) == text.lower().count("int") > 0


def test_the_selection_is_what_is_looked_for(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    put_caret(pane, "shared_pixels[BLOCK_H]")
    cursor = pane.text.textCursor()
    cursor.select(QTextCursor.SelectionType.WordUnderCursor)
    pane.text.setTextCursor(cursor)
    pane.find_bar.open()
    assert pane.find_bar.field.text() == "shared_pixels"


def test_the_whole_kernel_can_be_copied(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    QTest.keyClick(pane.text, Qt.Key.Key_C, CTRL | SHIFT)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("// Algorithm 3")
    assert copied.endswith("}\n")
    assert "void ha4_strip_labeling(" in copied


def test_the_kernel_of_the_step_is_copied_from_anywhere(ha4: MainWindow) -> None:
    ha4.docks.show("source", on=False)
    ha4.session.playback.last()
    QTest.keyClick(ha4.canvas, Qt.Key.Key_C, CTRL | SHIFT)
    assert f"void {kernel_of(ha4)}(" in QGuiApplication.clipboard().text()


def test_lines_that_are_not_compiled_are_dimmed(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    pane.set_theme(LIGHT)
    compiled = line_with(pane, "all rows have read")
    default = line_with(pane, "#define BARRIERS")

    def colors(line: int) -> set[str]:
        layout = pane.text.document().findBlockByNumber(line).layout()
        return {part.format.foreground().color().name() for part in layout.formats()}

    assert LIGHT.comment in colors(compiled)
    assert len(colors(default)) == 1
    assert not colors(default) & {LIGHT.comment, LIGHT.keyword, LIGHT.number}


def test_the_size_of_type_and_wrapping_are_remembered(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:shibata")
    pane = window.panel(SourcePane)
    before = pane.text.font().pointSizeF()
    turn = QWheelEvent(
        QPointF(50, 50),
        QPointF(pane.text.viewport().mapToGlobal(QPoint(50, 50))),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        CTRL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    pane.text.wheelEvent(turn)
    assert pane.text.font().pointSizeF() == pytest.approx(before * 1.21, rel=0.02)
    pane.set_wrapped(True)
    size = pane.text.font().pointSizeF()
    window.close()
    again = make_window().panel(SourcePane)
    assert again.text.font().pointSizeF() == pytest.approx(size, rel=0.01)
    assert again.text.lineWrapMode() is again.text.LineWrapMode.WidgetWidth
    with pytest.raises(ValueError, match="finite"):
        next(again.memories()).write("nan")


def test_the_menu_offers_everything(ha4: MainWindow) -> None:
    pane = ha4.panel(SourcePane)
    menu = QMenu()
    pane.text.menu_wanted.emit(menu)
    actions = {action.text().partition("\t")[0]: action for action in menu.actions()}
    assert not actions["Copy"].isEnabled()
    actions["Wrap long lines"].trigger()
    assert pane.text.lineWrapMode() is pane.text.LineWrapMode.WidgetWidth
    before = pane.text.font().pointSizeF()
    actions["Larger type"].trigger()
    assert pane.text.font().pointSizeF() > before
    actions["Usual type"].trigger()
    assert pane.text.font().pointSizeF() == pytest.approx(before)


def test_without_a_run_the_pane_is_empty(make_window: MakeWindow) -> None:
    pane = make_window().panel(SourcePane)
    assert pane.header.kernel.text() == "No kernel yet"
    assert pane.text.toPlainText() == ""
    assert pane.text.placeholderText()
    pane.copy_kernel()
    pane.find_bar.open()
    pane.find_bar.field.setText("x")
    assert pane.find_bar.count.text() == "Not found"


def test_keys_of_the_window_work_in_the_source(ha4: MainWindow, qtbot: QtBot) -> None:
    pane = ha4.panel(SourcePane)
    press(pane.text, Qt.Key.Key_Right)
    assert ha4.session.playback.position == 1
    ha4.session.playback.set_speed(SPEEDS[-1])
    press(pane.text, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not ha4.session.playback.playing, timeout=PATIENCE)


def test_a_hidden_pane_catches_up_when_it_is_shown(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    window.session.playback.first()
    pane = window.panel(SourcePane)
    qtbot.waitUntil(lambda: pane.header.kernel.text() == kernel_of(window), timeout=PATIENCE)
    before = pane.header.kernel.text()
    window.docks.show("source", on=False)
    window.session.playback.forward()
    QApplication.processEvents()
    assert pane.header.kernel.text() == before
    window.docks.show("source", on=True)
    assert pane.header.kernel.text() != before
