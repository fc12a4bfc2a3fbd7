"""The comparison in the window: panes, headers, bar, results, actions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.qt_window import part, wait_idle

from ccl_viewer.lessons import Question, QuestionKind
from ccl_viewer.recording.alignment import Sync
from ccl_viewer.support.units import duration
from ccl_viewer.window.compare.widget import QtComparison, QtPane
from ccl_viewer.window.core.comparison import Comparison, ComparisonOptions
from ccl_viewer.window.core.comparison_texts import make_rows
from ccl_viewer.window.core.run_settings import RunSettings
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtStatusBar
from ccl_viewer.window.run_settings.widget import QtSettingsBar

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def comparison(window: MainWindow, qtbot: QtBot) -> Comparison:
    """HA4 and Row-Col Unify beside Label Equivalence on Shibata's cells, at the first step."""
    comparison = window.session.comparison
    comparison.set_rival_settings([RunSettings("ha4"), RunSettings("row_col_unify")])
    trigger(qtbot, window, "compare")
    wait_for_panes(qtbot, comparison)
    window.session.playback.go_to_first()
    return comparison


def wait_for_panes(qtbot: QtBot, comparison: Comparison) -> None:
    qtbot.waitUntil(lambda: all(pane.ready or pane.failure for pane in comparison.panes))


def widget(window: MainWindow) -> QtComparison:
    return part(window, QtComparison)


def trigger(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Do what a key does, once it can be done."""
    qtbot.waitUntil(window.actions_by_name[name].isEnabled)
    window.actions_by_name[name].trigger()


def panes(window: MainWindow) -> list[QtPane]:
    return [pane for pane in widget(window).panes if pane.isVisible()]


def test_each_pane_has_a_canvas_of_its_own_and_a_header(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    own, second, third = panes(window)
    assert own.canvas is window.canvas
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: own.canvas.width() > 450)
    assert own.canvas.height() == second.canvas.height()
    assert second.canvas.display is comparison.panes[1].display
    assert [pane.header.title.text() for pane in (own, second, third)] == [
        "Label Equivalence",
        "HA4",
        "Row-Col Unify",
    ]
    heights = {pane.header.height() for pane in (own, second, third)}
    assert len(heights) == 1
    trigger(qtbot, window, "compare_close")
    assert panes(window) == [own]
    assert not own.header.isVisible()
    assert not widget(window).bar.isVisible()


def test_the_side_panel_gives_way_to_narrow_panes(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    panel = window.side_panel
    window.resize(1280, 720)
    assert not panel.collapsed
    window.appearance.set_text_size(150)
    window.resize(960, 600)
    qtbot.waitUntil(lambda: panel.collapsed)
    qtbot.waitUntil(lambda: all(pane.width() > 260 for pane in panes(window)))
    panel.toggle()  # the user wants it nevertheless
    comparison.remove(comparison.panes[2])
    assert not panel.collapsed
    window.resize(1280, 720)
    assert not panel.collapsed
    window.resize(960, 600)
    qtbot.waitUntil(lambda: panel.collapsed)
    assert not panel.collapsed_by_hand
    trigger(qtbot, window, "compare_close")
    qtbot.waitUntil(lambda: not panel.collapsed)
    trigger(qtbot, window, "compare")
    qtbot.waitUntil(lambda: panel.collapsed)
    window.full_screen.enter()
    assert not panel.isVisible()
    window.full_screen.leave()
    trigger(qtbot, window, "compare_close")
    panel.collapse()
    trigger(qtbot, window, "compare")
    trigger(qtbot, window, "compare_close")
    assert panel.collapsed_by_hand


def test_zoom_and_pan_are_linked(comparison: Comparison, window: MainWindow, qtbot: QtBot) -> None:
    first, _, third = panes(window)
    third.canvas.zoom(2.0)
    third.canvas.pan(10, 10)
    assert first.canvas.placement.logical_cell_size == third.canvas.placement.logical_cell_size
    assert first.canvas.viewport is third.canvas.viewport


def test_a_click_on_a_header_makes_the_pane_active(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    third = panes(window)[2]
    QTest.mouseClick(third.header, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(8, 6))
    assert comparison.active == 2
    assert window.session.analysis.display is third.pane.display
    assert third.header.property("active") == "true"
    assert panes(window)[0].header.property("active") == "false"
    qtbot.waitUntil(lambda: part(window, QtSettingsBar).algorithm.value == "row_col_unify")
    QTest.mouseClick(panes(window)[1].canvas, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(2, 2))
    assert comparison.active == 1


def test_the_status_bar_tells_of_the_active_pane(
    comparison: Comparison, window: MainWindow
) -> None:
    window.session.view.pin_cell((7, 5))
    said = set()
    for active, run in [*enumerate(comparison.aligned_recordings)][::-1]:
        comparison.set_active(active)
        part(window, QtStatusBar).refresh()
        assert duration(run.milliseconds) in part(window, QtStatusBar).totals.text()
        said.add(part(window, QtStatusBar).cell.text())
    assert len(said) > 1


def test_the_line_of_settings_changes_the_active_pane(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    comparison.set_active(1)
    box = part(window, QtSettingsBar).algorithm
    box.setCurrentIndex(box.values.index("playne"))
    box.activated.emit(box.currentIndex())
    wait_for_panes(qtbot, comparison)
    assert comparison.panes[1].settings.algorithm == "playne"
    assert window.session.runs.settings.algorithm == "label_equivalence"
    assert panes(window)[1].header.title.text() == "Playne-Hawick, direct"


def test_four_headers_side_by_side_are_read_whole(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    while len(comparison.panes) < 4:
        comparison.add_rival()
        wait_for_panes(qtbot, comparison)
    trigger(qtbot, window, "last")
    for pane in panes(window):
        for label in (pane.header.title, pane.header.place, pane.header.spent):
            needed = label.fontMetrics().horizontalAdvance(label.text())
            assert needed <= label.contentsRect().width(), label.text()


def test_the_keys_of_playback_move_all_panes_and_finished_ones_say_so(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    trigger(qtbot, window, "last")
    for pane in panes(window):
        assert pane.pane.shows_result
        assert pane.header.finished.text() == "✓"
        assert "finished" in pane.header.place.text()
    trigger(qtbot, window, "first")
    assert {pane.pane.display.index for pane in panes(window)} == {0}
    assert panes(window)[0].header.finished.text() == ""


def test_differences_are_counted_in_headers(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    trigger(qtbot, window, "compare_difference")
    window.session.playback.go_to(1)
    assert "differ" in panes(window)[2].header.spent.text()
    trigger(qtbot, window, "compare_difference")
    assert "differ" not in panes(window)[2].header.spent.text()


def test_the_bar_chooses_how_runs_keep_in_step(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    bar = widget(window).bar
    race = [*Sync].index(Sync.TIME)
    assert bar.sync.itemText(race) == "Race by emulator time"
    bar.sync.activated.emit(race)
    assert comparison.options.sync is Sync.TIME
    assert "emulator" in bar.clock.text()
    assert "Emulator time" in bar.note.text()
    comparison.set_options(sync=Sync.BYTES)
    window.session.playback.go_to_last()
    assert bar.clock.text().endswith(" moved")
    assert bar.clock.text() in {pane.header.spent.text() for pane in panes(window)}
    comparison.set_options(sync=Sync.ITERATION)
    assert comparison.options == ComparisonOptions(Sync.ITERATION)
    assert bar.sync.currentText() == "By iteration"


def test_panes_are_added_up_to_four_and_removed(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    trigger(qtbot, window, "compare_add")
    wait_for_panes(qtbot, comparison)
    assert len(panes(window)) == 4
    assert comparison.active == 3, "settings are of the new pane"
    assert widget(window).bar.add.isHidden()
    remove, (own, *_, last) = window.actions_by_name["compare_remove"], comparison.panes
    comparison.set_active(1)
    qtbot.waitUntil(lambda: comparison.panes[1].title in remove.text())
    trigger(qtbot, window, "compare_remove")
    assert len(panes(window)) == 3
    assert comparison.panes[2] is last
    comparison.set_active(0)
    qtbot.waitUntil(lambda: not remove.isEnabled())
    assert comparison.panes[0] is own


def test_results_are_a_line_a_table_and_csv(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    results = widget(window).results
    assert results.headline.text().startswith("Fewest launches: HA4")
    assert not results.table.isVisible()
    trigger(qtbot, window, "compare_table")
    assert results.table.isVisible()
    assert results.area.height() >= results.table.sizeHint().height(), "no row is cut"
    text = results.table.text()
    assert text.count("<tr>") == 1 + 3
    assert "HA4" in text
    assert ">correct<" in text
    assert "emulator" in text
    trigger(qtbot, window, "compare_copy")
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith("run,device,emulated")
    assert len(copied) == 4


def test_a_large_grid_is_counted_on_request(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.document.load_grid(noise(70, 70, 0.5), "noise")
    window.session.runs.run()
    wait_idle(qtbot, window.session)
    wait_for_panes(qtbot, comparison)
    comparison.set_options(table=True)
    results = widget(window).results
    assert [row.nbytes for row in make_rows(comparison)] == [None] * 3
    assert "press Count" in results.table.text()
    qtbot.waitUntil(results.count.isVisible)
    results.count.click()
    qtbot.waitUntil(lambda: all(row.nbytes and not row.awaits for row in make_rows(comparison)))
    qtbot.waitUntil(lambda: not results.count.isVisible())
    assert "compare the counts instead" in results.table.text()


def test_the_table_leaves_room_for_panes_and_scrolls(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(960, 600)
    comparison.add_rivals_until_full()
    wait_for_panes(qtbot, comparison)
    area = widget(window).results.area
    qtbot.waitUntil(lambda: all(pane.canvas.height() > 130 for pane in panes(window)))
    assert area.isVisible()
    assert area.height() >= 60


def test_the_field_of_a_race_is_read_whole(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    sync = widget(window).bar.sync
    qtbot.waitUntil(lambda: sync.width() >= sync.sizeHint().width())
    needed = sync.fontMetrics().horizontalAdvance("Race by emulator time")
    assert sync.width() > needed + sync.height()  # with its arrow


def test_a_question_hides_results_and_how_far_it_is(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    from ccl_viewer.lessons import answer
    from ccl_viewer.window.core.questions import AskedQuestion

    recording = comparison.aligned_recordings[0]
    question = Question(QuestionKind.ITERATIONS_LEFT)
    asked = AskedQuestion(question, "?", answer(question, recording, 0), 0)
    window.session.analysis.set_hidden_answers(asked.hidden_answers)
    assert "Not shown" in widget(window).results.headline.text()
    assert "/" not in panes(window)[1].header.place.text()
    window.session.analysis.set_hidden_answers(())
    assert "/" in panes(window)[1].header.place.text()


def test_a_failure_stands_in_the_header(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.runs.set_multivalued(True)
    session.comparison.set_rival_settings([RunSettings("ha4")])
    session.comparison.set_open(True)
    wait_for_panes(qtbot, session.comparison)
    header = panes(window)[1].header
    assert "values" in header.place.text()
    assert header.place.property("role") == "failed"


def test_a_pane_shows_a_fault_at_its_last_step_alone(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.copies.edit("label_equivalence", "label_equivalence")
    copy = session.copies.copy
    assert copy is not None
    text = session.copies.text
    outside = text.replace("    if (minl < l)", "    labels[l + (1 << 24)] = 0;\n    if (minl < l)")
    assert outside != text
    copy.path.write_text(outside, "utf-8")
    session.comparison.compare_with([(copy.key, {})])
    header = panes(window)[1].header
    qtbot.waitUntil(lambda: "Fault" in header.place.text())
    window.actions_by_name["last"].trigger()
    assert "Fault" in header.place.text()
    assert header.place.property("role") == "failed"
    assert header.finished.text() == ""  # the run broke off
    assert "Fault" in header.accessibleName()
    window.actions_by_name["first"].trigger()
    assert "Fault" not in header.place.text()
    assert header.place.property("role") == "dim"


def test_panes_and_view_are_remembered(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    comparison.set_options(difference=True, sync=Sync.SHARE)
    view, chosen = comparison.options, comparison.rival_settings
    window.close_without_asking()
    other = MainWindow()
    qtbot.addWidget(other)
    assert other.session.comparison.options == view
    assert other.session.comparison.rival_settings == chosen
    assert not other.session.comparison.open
    other.close_without_asking()


def test_the_canvas_of_a_removed_pane_follows_nothing_any_more(
    comparison: Comparison, window: MainWindow, qtbot: QtBot
) -> None:
    removed = panes(window)[-1].canvas  # the name keeps it, as a reference cycle would
    with qtbot.waitSignal(removed.destroyed):
        comparison.set_open(False)
    window.session.document.invert()
    window.session.tools.wider()
    window.session.view.switch_layer("arrows")


def test_nothing_moves_or_rescales_during_a_stroke_in_live_mode(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Rows of runs that are made again are grey until they have."""
    session, comparison = window.session, window.session.comparison
    session.document.load_grid(noise(48, 64, 0.55), "noise")
    wait_idle(qtbot, session)
    session.view.set_mode(Mode.DRAW)
    session.runs.set_live(True)
    comparison.set_rival_settings(
        [RunSettings("ha4"), RunSettings("shibata_naive"), RunSettings("playne")]
    )
    trigger(qtbot, window, "compare")
    comparison.set_options(table=True)
    wait_for_panes(qtbot, comparison)
    wait_idle(qtbot, session)
    canvas, results = window.canvas, widget(window).results
    QApplication.processEvents()  # the panes are laid out in the next turn
    heights = [pane.canvas.size() for pane in panes(window)]
    placement, table = canvas.placement, results.area.height()
    seen = set()
    QTest.mousePress(canvas, LEFT, pos=canvas.centre_of((5, 5)).toPoint())
    for step in range(6):
        at = canvas.centre_of((5 + 9 * step, 5 + 7 * step)).toPoint()
        QTest.mouseMove(canvas, at)
        qtbot.waitUntil(lambda: not session.runs.running or session.tasks.current is not None)
        QCoreApplication.processEvents()
        assert canvas.placement == placement
        assert [pane.canvas.size() for pane in panes(window)] == heights
        assert results.area.height() == table
        assert results.table.text().count("<tr>") == 1 + 4
        seen |= {row.awaits for row in make_rows(comparison)}
    assert seen & {"running", "waiting"}
    QTest.mouseRelease(canvas, LEFT, pos=at)
    wait_for_panes(qtbot, comparison)
    assert canvas.placement == placement
    drawn = session.document.grid
    assert drawn is not None
    assert drawn[26, 32]
