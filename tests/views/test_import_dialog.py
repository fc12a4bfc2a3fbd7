"""The import dialog: every field, the histogram, the crop, and what it brings into the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QWidget
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, answer, settled, wait_idle

from ccl_viewer.grids.import_settings import Background, Channel, Crop, ImportSettings, Kind
from ccl_viewer.grids.importing import Source
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.scaling import Method
from ccl_viewer.render.themes import BACKGROUND, canvas_theme
from ccl_viewer.session.files.importing import Offer
from ccl_viewer.views.importing.canvas import cell_image
from ccl_viewer.views.importing.dialog import ImportDialog
from ccl_viewer.views.looks.theme import DARK, LIGHT, Theme
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.process.side_work import SideWork

RAMP = np.repeat(np.arange(0, 240, 6, dtype=np.uint8)[None, :], 30, axis=0)  # 40 x 30
COLOURS = np.stack([RAMP, RAMP[:, ::-1], np.zeros_like(RAMP)], axis=2)

MakeDialog = Callable[..., ImportDialog]


@pytest.fixture
def make_dialog(qtbot: QtBot, side: SideWork) -> MakeDialog:
    def make(picture: Picture | None = None, *, labels_values: bool = True) -> ImportDialog:
        offer = Offer(Source(picture or Picture(COLOURS)), "ramp.png", ImportSettings())
        dialog = ImportDialog(
            offer, connectivity=4, labels_values=labels_values, runner=side, theme=DARK
        )
        side.listener = dialog.poll
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        settle(qtbot, dialog)
        return dialog

    return make


def settle(qtbot: QtBot, dialog: ImportDialog) -> None:
    """Wait until all is known of the grid."""
    qtbot.waitUntil(lambda: dialog.converted is not None and dialog.components is not None)


def choose(box: QComboBox, value: object) -> None:
    """Choose an entry as a person does."""
    index = next(i for i in range(box.count()) if box.itemData(i) == value)
    box.setCurrentIndex(index)
    box.activated.emit(index)


def grid_of(dialog: ImportDialog) -> list[list[int]]:
    assert dialog.converted is not None
    return [list(map(int, row)) for row in dialog.converted.grid]


def test_it_begins_with_otsus_threshold(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    assert dialog.controls.threshold.otsu.isChecked()
    assert "Otsu" in dialog.controls.threshold.otsu.text()
    assert "40" in dialog.facts.text()
    assert "4-connected" in dialog.facts.text()
    assert "Otsu" in dialog.note.text()


@pytest.mark.parametrize("size", [100, 200])
def test_it_fits_a_small_screen_and_its_slider_the_histogram(
    window: MainWindow, make_dialog: MakeDialog, size: int
) -> None:
    window.appearance.set_text_size(size)
    settled(window, 1280, 720)
    dialog = make_dialog()
    assert dialog.minimumSizeHint().width() <= 1200
    picker = dialog.controls.threshold
    assert picker.slider.geometry().left() == picker.histogram.geometry().left()
    assert picker.slider.width() == picker.histogram.width()


def test_slider_number_histogram_and_otsu_agree(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(Picture(RAMP))
    picker = dialog.controls.threshold
    picker.slider.setValue(100)
    assert dialog.settings.threshold == 100
    assert picker.box.value() == 100
    settle(qtbot, dialog)
    assert grid_of(dialog) == (RAMP > 100).astype(int).tolist()
    picker.box.setValue(31)
    assert (dialog.settings.threshold, picker.slider.value()) == (31, 31)
    middle = QPoint(picker.histogram.width() // 2, 20)
    QTest.mouseClick(picker.histogram, Qt.MouseButton.LeftButton, pos=middle)
    assert dialog.settings.threshold == pytest.approx(127, abs=2)
    assert not picker.otsu.isChecked()
    picker.otsu.click()
    assert dialog.settings == ImportSettings()
    settle(qtbot, dialog)
    assert picker.otsu.text() == "Otsu 117"
    assert picker.slider.value() == 117
    picker.otsu.click()
    assert dialog.settings.threshold == 117


def test_the_slider_moves_by_keys(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    slider = dialog.controls.threshold.slider
    slider.setValue(50)
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert dialog.settings.threshold == 51


def test_every_field_changes_its_setting(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    fields = dialog.controls
    choose(fields.channel, Channel.GREEN)
    fields.invert.click()
    assert dialog.settings == ImportSettings(channel=Channel.GREEN, invert=True)
    choose(fields.kind, Kind.LEVELS)
    fields.levels.setValue(7)
    choose(fields.background, Background.NONE)
    assert (dialog.settings.kind, dialog.settings.levels) == (Kind.LEVELS, 7)
    assert dialog.settings.background is Background.NONE
    settle(qtbot, dialog)
    assert dialog.converted is not None
    assert dialog.converted.multivalued
    assert dialog.converted.grid.max() == 7
    assert not fields.threshold.isVisible()
    assert fields.levels.isVisible()
    choose(fields.kind, Kind.BINARY)
    assert fields.threshold.isVisible()
    assert not fields.levels.isVisible()


def test_scaling_by_factors_and_to_a_size(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    fields = dialog.controls
    choose(fields.scale, 1)
    assert dialog.settings.factor == -2
    fields.factor.setValue(5)
    assert dialog.settings.factor == -5
    settle(qtbot, dialog)
    assert dialog.converted is not None
    assert dialog.converted.grid.shape == (6, 8)
    assert fields.method.isVisible()
    choose(fields.method, Method.NEAREST)
    assert dialog.settings.method is Method.NEAREST
    choose(fields.scale, 2)
    assert dialog.settings.factor == 5
    choose(fields.scale, 3)
    fields.target_width.setValue(13)
    fields.target_height.setValue(11)
    assert dialog.settings.target == (13, 11)
    settle(qtbot, dialog)
    assert dialog.converted is not None
    assert dialog.converted.grid.shape == (11, 13)
    choose(fields.scale, 0)
    assert dialog.settings == ImportSettings(method=Method.NEAREST)


def test_cropping_by_numbers_and_back(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    fields = dialog.controls
    fields.crop_width.setValue(10)
    fields.crop_x.setValue(25)
    fields.crop_height.setValue(7)
    fields.crop_y.setValue(3)
    assert dialog.settings.crop == Crop(25, 3, 10, 7)
    settle(qtbot, dialog)
    assert dialog.converted is not None
    assert dialog.converted.grid.shape == (7, 10)
    fields.whole.click()
    assert dialog.settings == ImportSettings()
    assert not fields.whole.isEnabled()
    assert fields.crop_width.value() == 40


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(widget, QPoint((start.x() + end.x()) // 2, (start.y() + end.y()) // 2))
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)


def test_cropping_by_the_mouse(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    canvas = dialog.canvas

    def at(x: int, y: int) -> QPoint:
        return canvas.place_of(Crop(x, y, 0, 0)).topLeft().toPoint()

    drag(canvas, at(10, 5), at(30, 25))
    assert dialog.settings.crop == Crop(10, 5, 20, 20)
    assert dialog.controls.crop_width.value() == 20
    drag(canvas, at(20, 15), at(25, 17))
    assert dialog.settings.crop == Crop(15, 7, 20, 20)
    drag(canvas, at(35, 27), at(39, 20))
    assert dialog.settings.crop == Crop(15, 7, 24, 13)
    drag(canvas, at(20, 10), at(39, 29))
    assert dialog.settings.crop == Crop(16, 17, 24, 13)
    drag(canvas, at(1, 1), at(4, 4))
    assert dialog.settings.crop == Crop(1, 1, 3, 3)


def test_cropping_by_keys(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    dialog.canvas.setFocus()
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert dialog.settings.crop == Crop(0, 0, 39, 29)
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Right)
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Down)
    assert dialog.settings.crop == Crop(1, 1, 39, 29)
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Right)
    assert dialog.settings.crop == Crop(1, 1, 39, 29)


def test_the_picture_alone_can_be_seen(make_dialog: MakeDialog) -> None:
    dialog = make_dialog(Picture(RAMP))
    middle = dialog.canvas.frame().center().toPoint()
    with_grid = dialog.canvas.grab().toImage().pixelColor(middle + QPoint(40, 0))
    dialog.compare.click()
    alone = dialog.canvas.grab().toImage().pixelColor(middle + QPoint(40, 0))
    assert with_grid != alone
    assert alone.red() == alone.green() == alone.blue()


def test_what_cannot_be_imported_says_why(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    many = np.arange(1200, dtype=np.uint16).reshape(30, 40)
    dialog = make_dialog(Picture(many))
    choose(dialog.controls.kind, Kind.VALUES)
    qtbot.waitUntil(lambda: "more than 255 values" in dialog.note.text(), timeout=PATIENCE)
    assert not dialog.accept_button.isEnabled()
    assert "counting" not in dialog.facts.text(), "there is nothing to count"
    choose(dialog.controls.kind, Kind.LEVELS)
    settle(qtbot, dialog)
    assert dialog.accept_button.isEnabled()


def test_it_says_that_another_algorithm_takes_over(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(labels_values=False)
    choose(dialog.controls.kind, Kind.LEVELS)
    settle(qtbot, dialog)
    assert "Label Equivalence takes over" in dialog.note.text()


def test_fields_fit_the_picture(make_dialog: MakeDialog) -> None:
    grey = make_dialog(Picture(RAMP))
    assert not grey.controls.channel.isVisible()
    deep = make_dialog(Picture(RAMP.astype(np.uint16) * 200))
    assert deep.controls.threshold.slider.maximum() == 65535
    share = make_dialog(Picture(RAMP / 234))
    assert share.controls.threshold.box.decimals() > 0
    share.controls.threshold.slider.setValue(400)
    assert share.settings.threshold == pytest.approx(0.4)
    clear = make_dialog(Picture(RAMP, np.full_like(RAMP, 9)))
    assert clear.controls.channel.count() == 2


def test_fields_have_names_and_can_be_reached(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    for field in dialog.findChildren(QWidget):
        if isinstance(field, QAbstractButton | QAbstractSpinBox | QComboBox) and field.isVisible():
            text = field.text() if isinstance(field, QAbstractButton) else ""
            assert field.accessibleName() or text, field
            assert field.focusPolicy() & Qt.FocusPolicy.TabFocus, field


# In the window


def test_return_imports(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    assert dialog.focusWidget() is dialog.canvas
    settings = dialog.settings
    QTest.keyClick(dialog.canvas, Qt.Key.Key_Return)
    assert dialog.result() == ImportDialog.DialogCode.Accepted
    assert dialog.settings == settings


@pytest.fixture
def photo(tmp_path: Path) -> str:
    path = tmp_path / "photo.png"
    Image.fromarray(COLOURS).save(path)
    return str(path)


def test_opening_a_picture_asks_and_imports(window: MainWindow, qtbot: QtBot, photo: str) -> None:
    def reply(dialog: ImportDialog) -> None:
        assert not window.canvas_panel.notices.busy.isVisible()
        dialog.change(channel=Channel.RED, threshold=100.0)
        dialog.accept_button.click()

    answer(window, ImportDialog, reply)
    window.intake.open(photo)
    qtbot.waitUntil(lambda: window.session.source == photo, timeout=PATIENCE)
    wait_idle(qtbot, window)
    np.testing.assert_array_equal(window.session.grid, RAMP > 100)
    assert window.session.recording is not None
    assert window.intake.recent.files == [photo]


def test_escape_leaves_all_as_it_was(window: MainWindow, qtbot: QtBot, photo: str) -> None:
    grid = window.session.grid
    closed: list[bool] = []

    def reply(dialog: ImportDialog) -> None:
        dialog.finished.connect(lambda _: closed.append(True))
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    answer(window, ImportDialog, reply)
    window.intake.open(photo)
    qtbot.waitUntil(lambda: bool(closed), timeout=PATIENCE)
    wait_idle(qtbot, window)
    assert window.session.grid is grid
    assert window.session.recording is not None
    assert window.intake.recent.files == []


def test_not_asking_again(window: MainWindow, qtbot: QtBot, photo: str, tmp_path: Path) -> None:
    def reply(dialog: ImportDialog) -> None:
        dialog.change(threshold=200.0)
        dialog.remember.click()
        dialog.accept()

    answer(window, ImportDialog, reply)
    window.intake.open(photo)
    qtbot.waitUntil(lambda: window.session.source == photo, timeout=PATIENCE)
    other = tmp_path / "other.png"
    Image.fromarray(RAMP).save(other)
    window.intake.open(str(other))
    qtbot.waitUntil(lambda: window.session.source == str(other), timeout=PATIENCE)
    np.testing.assert_array_equal(window.session.grid, RAMP > 200)
    answered: list[bool] = []

    def reply_again(dialog: ImportDialog) -> None:
        dialog.change(threshold=30.0)
        dialog.accept()
        answered.append(True)

    answer(window, ImportDialog, reply_again)
    assert window.actions_table["import_again"].isEnabled()
    window.actions_table["import_again"].trigger()
    qtbot.waitUntil(lambda: bool(answered), timeout=PATIENCE)
    wait_idle(qtbot, window)
    np.testing.assert_array_equal(window.session.grid, RAMP > 30)


def test_closing_the_window_closes_the_dialog(window: MainWindow, qtbot: QtBot, photo: str) -> None:
    answer(window, ImportDialog, lambda _dialog: window.close())
    window.intake.open(photo)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=PATIENCE)
    assert window.intake.dialog is None


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_previews_have_the_background_that_the_canvas_has(theme: Theme) -> None:
    shown = cell_image(np.array([[0, 1]], np.uint8), theme, multivalued=False)
    table = canvas_theme(theme.name).table()
    assert shown.pixelColor(0, 0) == QColor(*table[BACKGROUND, :3].tolist())
    assert shown.pixelColor(1, 0) == QColor(theme.accent)
