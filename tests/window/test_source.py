"""The panel of the source: which lines are shown and marked, links, finding, a fault's line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.qt_window import wait_idle

from ccl_viewer import record
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.widgets.source_text import LEAD, SourceText


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> QtSource:
    image = session.display.image
    assert image is not None
    session.display.show(ShownRun.prepare(record(image, algorithm="ha4", connectivity=4)))
    panel = QtSource(session)
    qtbot.addWidget(panel)
    panel.resize(420, 600)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def marked_text(panel: QtSource) -> str:
    assert panel.text.marked
    first, last = panel.text.marked[0], panel.text.marked[-1]
    return "\n".join(panel.text.toPlainText().split("\n")[first : last + 1])


def go_to_word(panel: QtSource, word: str) -> None:
    at = panel.text.toPlainText().index(word) + 1
    cursor = QTextCursor(panel.text.document())
    cursor.setPosition(at)
    panel.text.setTextCursor(cursor)
    panel.text.ensureCursorVisible()


@pytest.mark.parametrize("wrapped", [False, True])
def test_source_without_room_is_painted(panel: QtSource, wrapped: bool) -> None:
    text, bar = panel.text, panel.text.verticalScrollBar()
    text.set_wrapped(wrapped)
    for width, height in ((400, 3), (60, 1), (30, 300), (5, 20), (1, 1), (0, 0)):
        for line in (0, 100, text.blockCount() + 99):
            text.setFixedSize(width, height)
            text.go_to_line(line)
            bar.setValue(bar.maximum())
            QApplication.processEvents()
            panel.grab()


def test_the_kernel_of_the_step_is_marked(panel: QtSource, session: Session) -> None:
    assert panel.file == "ha4.cu"
    assert "ha4_strip_labeling(" in marked_text(panel)
    session.display.go_to(1)
    assert panel.kernel.text() == "ha4_strip_merge"
    assert "ha4_strip_merge(" in marked_text(panel)
    assert "threads" in panel.launch.text()
    assert "Hennequin" in panel.paper.text()
    first = panel.text.firstVisibleBlock().blockNumber()
    assert panel.text.marked
    assert first <= panel.text.marked[0]


def test_a_name_that_is_cut_keeps_its_end(panel: QtSource, session: Session) -> None:
    session.display.go_to(1)
    panel.kernel.resize(panel.kernel.fontMetrics().horizontalAdvance("ha4_strip_m"), 20)
    assert panel.kernel.elided_text.startswith("\N{HORIZONTAL ELLIPSIS}")
    assert panel.kernel.elided_text.endswith("_merge")


@pytest.mark.parametrize("collapsed", [False, True])
def test_the_kernel_is_in_sight_when_the_panel_is_first_shown(
    collapsed: bool, window: MainWindow, qtbot: QtBot
) -> None:
    if collapsed:
        window.side_panel.collapse()
    window.session.display.go_to(2)
    window.side_panel.show_panel("source")
    panel = window.side_panel.widget("source")
    assert isinstance(panel, QtSource)

    def lead() -> int:
        """Lines above the marked ones that are in sight."""
        assert "label_equivalence_analysis(" in marked_text(panel)
        assert panel.text.marked
        return panel.text.marked[0] - panel.text.firstVisibleBlock().blockNumber()

    for width in (window.side_panel.width(), 600, 280):
        window.splitter.setSizes([1280 - width, 0, width])
        qtbot.waitUntil(lambda: lead() == LEAD)


def test_lines_wrap_by_default_and_need_not(panel: QtSource, session: Session) -> None:
    modes = QPlainTextEdit.LineWrapMode
    assert panel.text.lineWrapMode() is modes.WidgetWidth
    panel.set_wrapped(False)
    assert panel.text.lineWrapMode() is modes.NoWrap
    assert session.settings.value("source/wrapped") is False


def test_a_broken_line_goes_on_further_right_than_it_begins(qtbot: QtBot) -> None:
    text = SourceText()
    qtbot.addWidget(text)
    text.set_wrapped(True)
    text.show_source(f"    {'word ' * 30}\n{' ' * 60}deep {'word ' * 30}\n    short;")
    step, margin = text.fontMetrics().horizontalAdvance(" "), text.document().documentMargin()
    for width in (300, 500, 260):
        text.resize(width, 400)
        text.show()
        first, second, _ = text.lines_in_sight(text.height())
        for number, limit in ((0, 8 * step + margin), (1, width / 2)):
            layout = text.document().findBlockByNumber(number).layout()
            broken = [layout.lineAt(place) for place in range(1, layout.lineCount())]
            assert len({line.x() for line in broken}) == 1
            assert 4 * step < broken[0].x() <= limit
            assert all(line.x() + line.naturalTextWidth() <= width for line in broken)
        assert second[1] - first[1] == first[2] > text.fontMetrics().lineSpacing()


def test_a_broken_comment_goes_on_below_its_first_word(qtbot: QtBot) -> None:
    text = SourceText()
    qtbot.addWidget(text)
    text.set_wrapped(True)
    text.show_source(f"// {'word ' * 30}\n    // {'word ' * 30}\n// - {'word ' * 30}")
    step, margin = (
        QFontMetricsF(text.font()).horizontalAdvance(" "),
        text.document().documentMargin(),
    )
    text.resize(400, 400)
    text.show()
    text.lines_in_sight(text.height())
    for number, column in enumerate((3, 7, 5)):
        layout = text.document().findBlockByNumber(number).layout()
        assert layout.lineAt(0).x() == margin
        edges = {layout.lineAt(place).x() for place in range(1, layout.lineCount())}
        assert list(edges) == pytest.approx([margin + column * step], abs=0.1)


def test_the_menu_leads_to_a_definition_and_back(panel: QtSource) -> None:
    go_to_word(panel, "find_root(")
    menu = panel.make_menu(panel.text.cursorRect().center())
    actions = {action.text(): action for action in menu.actions()}
    actions["Go to the definition of find_root"].trigger()
    assert panel.file == "common/union_find.cuh"
    assert "find_root" in panel.text.textCursor().block().text()
    actions["Back to the kernel"].trigger()
    assert panel.file == "ha4.cu"
    menu.close()


def test_tabs_lead_to_the_files(panel: QtSource) -> None:
    names = [panel.tabs.tabText(place) for place in range(panel.tabs.count())]
    assert names[0] == "ha4.cu"
    panel.tabs.setCurrentIndex(names.index("warp.cuh"))
    assert panel.file.endswith("warp.cuh")
    assert not panel.text.marked
    panel.home.click()
    assert panel.file == "ha4.cu"


def test_finding(panel: QtSource) -> None:
    panel.find_button.click()
    bar, text = panel.find_bar, panel.text.toPlainText().lower()
    bar.field.setText("pixels")
    count, first = text.count("pixels"), panel.text.textCursor().position()
    assert count > 1
    assert panel.text.textCursor().selectedText().lower() == "pixels"
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert panel.text.textCursor().position() != first
    QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert panel.text.textCursor().position() == first
    for _ in range(count):  # after the last comes the first
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert panel.text.textCursor().position() == first
    bar.field.setText("no such phrase")
    assert bar.note.text() == "Not found"
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_the_whole_kernel_is_copied(panel: QtSource, session: Session) -> None:
    session.display.go_to(2)
    panel.copy.click()
    text = QGuiApplication.clipboard().text()
    assert "ha4_relabeling(" in text
    assert text.startswith("// ")
    assert text.endswith("}\n")


def test_values_at_the_cell_under_the_mouse(panel: QtSource, session: Session) -> None:
    session.view.hover_at((3, 2))
    recording = session.display.recording
    assert recording is not None
    label = recording.labels(0)[2, 3]
    assert panel.values.text().startswith("At (3, 2):")
    assert f"label {label}" in panel.values.text()
    session.view.hover_at(None)
    assert panel.values.text().startswith("Point at a cell")


def test_the_line_of_a_fault_is_marked(panel: QtSource, session: Session, qtbot: QtBot) -> None:
    """HA4 without its second barrier reads outside of labels in this order of the threads."""
    session.runs.configure(algorithm="ha4", schedule="random:1", parameters={"variant": "printed"})
    session.document.load_grid(noise(4, 96, 0.6), "noise")
    wait_idle(qtbot, session)
    fault, count = session.display.fault, session.display.count
    assert fault is not None
    assert "before the start of labels" in session.analysis.describe_step(count - 1)
    if fault.line is None or fault.file is None:
        pytest.skip("modules have no line tables here")
    assert panel.file == fault.file.partition("kernels/")[2] or panel.file == fault.file
    assert panel.text.single == fault.line - 1


def test_lines_that_are_not_compiled_are_dimmed_and_code_has_colours(panel: QtSource) -> None:
    first = panel.text.document().firstBlock()
    assert first.layout().formats()


def test_the_size_of_type(panel: QtSource) -> None:
    before, width = panel.text.font().pointSizeF(), panel.text.numbers.width()
    panel.text.zoomIn(6)
    assert panel.text.font().pointSizeF() == pytest.approx(before + 6)
    assert panel.text.numbers.width() > width
    next(
        action
        for action in panel.make_menu(QPoint()).actions()
        if action.text() == "Normal text size"
    ).trigger()
    assert panel.text.font().pointSizeF() == pytest.approx(before)


def test_the_line_above_the_source_has_room_for_a_name(window: MainWindow) -> None:
    window.resize(960, 600)
    for size in (200, 100):
        window.appearance.set_text_size(size)
        window.side_panel.show_panel("source")
        QApplication.processEvents()
        panel = window.side_panel.widget("source")
        assert isinstance(panel, QtSource)
        button = panel.edit_button
        assert button.width() >= button.sizeHint().width()
        assert panel.kernel.width() >= panel.kernel.fontMetrics().horizontalAdvance("label")
        assert bool(button.text()) == (size == 100)


def test_without_a_run_there_is_no_source(panel: QtSource, session: Session) -> None:
    session.display.clear()
    assert panel.kernel.text() == "No kernel yet"
    assert panel.text.toPlainText() == ""
    assert not panel.tabs.isVisible()
