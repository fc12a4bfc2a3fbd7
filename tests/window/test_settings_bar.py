"""The line of settings and its form, and the start page."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QSpinBox, QStyleOptionComboBox
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, button_at, first_button, model_of, part, wait_idle

from ccl_viewer import exercises, lessons
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.copies import make_copy
from ccl_viewer.window.canvas.header import QtCanvasHeader
from ccl_viewer.window.core.run_settings import DEVICES
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.opening.import_dialog import ImportDialog
from ccl_viewer.window.opening.start_page import QtStartPage
from ccl_viewer.window.run_settings.widget import QtSettingsBar, group_algorithms
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets.fields import ChoiceBox


def settings_bar_of(window: MainWindow) -> QtSettingsBar:
    return part(window, QtSettingsBar)


def test_each_algorithm_is_in_one_group_with_a_line(window: MainWindow) -> None:
    keys = [row.key for _, rows in group_algorithms() for row in rows]
    assert sorted(keys) == sorted(ALGORITHMS)
    box = settings_bar_of(window).algorithm
    lines = [box.itemData(row, Qt.ItemDataRole.UserRole + 1) for row in range(box.count())]
    assert all(line and len(line) < 64 for line in lines if line is not None)
    assert sum(line is None for line in lines) == 4  # headings, which cannot be chosen


def test_choosing_an_algorithm_runs_a_small_grid(window: MainWindow, qtbot: QtBot) -> None:
    bar, session = settings_bar_of(window), window.session
    bar.algorithm.activated.emit(bar.algorithm.values.index("row_col_unify"))
    assert session.runs.settings.algorithm == "row_col_unify"
    assert not bar.connectivity.button(8).isEnabled()
    assert bar.connectivity.button(4).isChecked()
    wait_idle(qtbot, session)
    recording = session.display.recording
    assert recording is not None
    assert recording.algorithm == "row_col_unify"


def test_the_button_names_what_differs_from_the_default(window: MainWindow) -> None:
    bar, runs = settings_bar_of(window), window.session.runs
    assert bar.more.text() == "Settings"
    bar.open_form()
    bar.form.schedule.show_value("random")
    bar.form.schedule.activated.emit(bar.form.schedule.currentIndex())
    bar.form.seed.setValue(7)
    assert runs.settings.schedule == "random:7"
    assert "7" in bar.more.text()
    bar.form.defaults.click()
    assert bar.more.text() == "Settings"
    assert runs.settings.schedule == "auto"


def test_a_run_is_numbered_by_a_switch_of_the_form(window: MainWindow, qtbot: QtBot) -> None:
    bar, session = settings_bar_of(window), window.session
    bar.open_form()
    bar.form.consecutive.click()
    wait_idle(qtbot, session)
    recording = session.display.recording
    assert recording is not None
    assert recording.consecutive
    assert bar.more.text() == "Numbered"


def test_parameters_come_and_go_with_the_algorithm(window: MainWindow) -> None:
    bar, runs = settings_bar_of(window), window.session.runs
    runs.configure(algorithm="playne_block")
    bar.open_form()
    assert set(bar.form.parameters) == {"tile_width", "tile_height", "variant"}
    width = bar.form.parameters["tile_width"]
    assert isinstance(width, QSpinBox)
    width.setValue(16)
    assert runs.settings.parameters["tile_width"] == 16
    runs.configure(algorithm="ha4")
    bar.form.refresh()
    assert set(bar.form.parameters) == {"strip_height", "variant"}
    assert "tile_width" not in runs.settings.parameters


def test_a_variant_is_chosen_by_name_and_warns(window: MainWindow) -> None:
    bar, runs = settings_bar_of(window), window.session.runs
    runs.configure(algorithm="ha4")
    bar.open_form()
    box = bar.form.parameters["variant"]
    assert isinstance(box, ChoiceBox)
    assert box.currentText() == "paper"
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert runs.settings.parameters["variant"] == "printed"
    assert "Variant printed (labels can be wrong)" in bar.more.toolTip() + bar.more.text()


def test_a_list_shows_all_its_texts_in_full(window: MainWindow, qtbot: QtBot) -> None:
    window.session.runs.configure(algorithm="ha4")
    settings_bar_of(window).open_form()
    box = settings_bar_of(window).form.parameters["variant"]
    assert isinstance(box, ChoiceBox)
    box.setCurrentIndex(1)
    shown = box.fontMetrics().horizontalAdvance(box.currentText())
    assert box.width() > shown + 40  # padding and arrow
    for each in (
        box,
        settings_bar_of(window).form.schedule,
        part(window, QtCanvasHeader).colours,
    ):
        each.showPopup()
        view = each.view()
        qtbot.waitUntil(view.isVisible)
        for place in range(each.count()):
            room = view.visualRect(view.model().index(place, 0))
            assert view.viewport().rect().contains(room)
            assert room.width() > view.fontMetrics().horizontalAdvance(each.itemText(place)) + 8
        each.hidePopup()


def shown_by(box: ChoiceBox) -> str:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    return str(option.currentText)


def test_a_long_name_ends_in_dots(window: MainWindow) -> None:
    box, speed = settings_bar_of(window).algorithm, part(window, QtTransport).speed
    for size in (200, 100):
        window.appearance.set_text_size(size)
        QApplication.processEvents()  # layouts follow
        for number in range(speed.count()):
            speed.setCurrentIndex(number)
            assert shown_by(speed) == speed.currentText()
    box.setItemText(box.currentIndex(), "my_label_equivalence (copy of Label Equivalence), 2")
    assert shown_by(box).startswith("my_label_equivalence")
    assert shown_by(box).endswith("\N{HORIZONTAL ELLIPSIS}")


def test_a_gpu_that_is_not_here_cannot_be_chosen_and_says_why(
    window: MainWindow, qtbot: QtBot
) -> None:
    form = settings_bar_of(window).form
    settings_bar_of(window).open_form()
    qtbot.waitUntil(lambda: window.session.tasks.idle)
    row = [*DEVICES].index("cuda")
    if not form.device.model().flags(form.device.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled:
        assert form.device.itemData(row, Qt.ItemDataRole.ToolTipRole)
        assert "not available" in form.device.itemText(row)


def test_run_becomes_cancel_while_it_runs(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:noise?width=512&height=512")
    window.session.runs.configure(schedule="random:1")
    bar = settings_bar_of(window)
    bar.run_button.click()
    qtbot.waitUntil(lambda: bar.run_button.text() == "Cancel")
    bar.run_button.click()
    wait_idle(qtbot, window.session)
    assert bar.run_button.text().startswith("Run")  # or "Run again", if no step was recorded


def test_the_start_page_offers_lessons_and_recent_files(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    page, session = part(window, QtStartPage), window.session
    assert page.lessons.count() == len(lessons.lesson_names())
    assert page.exercises.count() == len(exercises.exercise_names())
    first = first_button(page.exercises)
    assert not first.isVisible()
    page.tabs.setCurrentIndex(1)
    assert first.isVisible()
    assert page.recent.count() == 1
    path = session.settings.path.parent / "<b>grid.txt"
    path.write_text("##.\n.#.\n")
    session.files.open(str(path))
    qtbot.waitUntil(lambda: session.document.grid is not None)
    wait_idle(qtbot, session)
    window.close_without_asking()
    again = make_window()
    button = first_button(part(again, QtStartPage).recent)
    assert "<b>grid.txt" in button.text()
    button.click()
    qtbot.waitUntil(lambda: again.session.document.grid is not None)
    wait_idle(qtbot, again.session)


def test_a_lesson_begins_from_the_start_page(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    first_button(part(window, QtStartPage).lessons).click()
    qtbot.waitUntil(window.guide.isVisible)
    assert window.side_panel.collapsed
    assert window.canvas.isVisible()
    wait_idle(qtbot, window.session)
    model_of(window.session, LessonPlayer).close_lesson()
    qtbot.waitUntil(lambda: not window.guide.isVisible())
    assert not window.side_panel.collapsed


def test_the_start_page_has_three_things_to_try(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window()
    page, session = part(window, QtStartPage), window.session
    spread, photo, race = (button_at(page.to_try, place) for place in range(3))

    spread.click()
    qtbot.waitUntil(lambda: session.display.recording is not None)
    wait_idle(qtbot, session)
    assert session.display.index == 0
    assert window.canvas.isVisible()

    race.click()
    qtbot.waitUntil(lambda: len(session.comparison.panes) == 4)
    wait_idle(qtbot, session)
    qtbot.waitUntil(lambda: all(pane.display.recording for pane in session.comparison.panes))
    wait_idle(qtbot, session)

    photo.click()
    qtbot.waitUntil(lambda: session.imports.pending is not None)
    dialog = part(window, ImportDialog)
    dialog.accept()
    qtbot.waitUntil(lambda: session.document.shape == (360, 480))
    wait_idle(qtbot, session)


def test_long_names_of_copies_do_not_run_into_the_text_beside_them(
    window: MainWindow, qtbot: QtBot
) -> None:
    name = "a_copy_with_a_name_that_is_much_longer_than_any_other_name_in_the_list_of_all"
    make_copy(name[:60], "ha4", "ha4")
    box = part(window, QtSettingsBar).algorithm
    box.showPopup()
    view, row = box.view(), box.findText(name[:60], Qt.MatchFlag.MatchStartsWith)
    view.scrollTo(box.model().index(row, 0))

    def ink() -> npt.NDArray[np.bool_]:
        QApplication.processEvents()
        place = view.visualRect(box.model().index(row, 0))
        picture = view.viewport().grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(picture.constBits(), np.uint32)
        pixels = pixels.reshape(picture.height(), picture.width())
        return np.asarray(pixels != pixels[2, -2], np.bool_)

    title, line = box.itemText(row), Qt.ItemDataRole.UserRole + 1
    text = box.itemData(row, line)
    box.setItemText(row, "")
    second = ink()
    box.setItemText(row, title)
    box.setItemData(row, "", line)
    first = ink()
    box.setItemData(row, text, line)
    box.hidePopup()
    assert first.any()
    assert second.any()
    assert not (first & second).any()
