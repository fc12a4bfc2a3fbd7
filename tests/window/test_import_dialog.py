"""The dialog in which a picture becomes a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialogButtonBox, QWidget
from pytestqt.qtbot import QtBot
from support.light_window import LightWindow

from ccl_viewer.grids.import_settings import (
    BackgroundSegment,
    Channel,
    Crop,
    ImportKind,
    ImportSettings,
)
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.scaling import ScalingMethod
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.opening.import_dialog import ImportDialog
from ccl_viewer.window.widgets.fields import ChoiceBox
from ccl_viewer.window.widgets.style import TIMES

GREY = np.add.outer(np.arange(30), np.arange(40)).astype(np.uint8) * 3
MakeDialog = Callable[..., ImportDialog]


@pytest.fixture
def make(session: Session, qtbot: QtBot) -> Iterator[MakeDialog]:
    """Makes dialogs for pictures, and waits for the preview."""
    host = QWidget()
    qtbot.addWidget(host)

    def make_one(picture: Picture | None = None) -> ImportDialog:
        session.imports.open_content(picture or Picture(GREY), "a program")
        qtbot.waitUntil(lambda: session.imports.pending is not None)
        dialog = ImportDialog(session.imports, session.runs, host)
        dialog.show()
        settle(qtbot, session)
        return dialog

    yield make_one
    for dialog in host.findChildren(ImportDialog):
        dialog.reject()


def settle(qtbot: QtBot, session: Session) -> None:
    """Wait until all is known of the grid."""
    qtbot.waitUntil(lambda: not session.imports.preview.counting)


def chosen(session: Session) -> ImportSettings:
    return session.imports.settings


def choose(box: ChoiceBox, value: object) -> None:
    """Choose an entry as a person does."""
    box.show_value(value)
    box.activated.emit(box.currentIndex())


def test_it_fits_a_small_screen(make: MakeDialog) -> None:
    assert make().height() <= 640


def test_fields_of_a_pair_are_as_wide_as_each_other(make: MakeDialog) -> None:
    x, y, width, height = (field.width() for field in make().fields.crop)
    assert abs(x - y) <= 1
    assert abs(width - height) <= 1


def test_it_begins_with_otsus_threshold(make: MakeDialog, session: Session) -> None:
    dialog = make()
    otsu = session.imports.preview.otsu
    assert otsu is not None
    assert dialog.fields.otsu.isChecked()
    assert dialog.fields.threshold.value() == dialog.fields.histogram.line.value() == otsu
    assert dialog.facts.text().startswith(f"40 {TIMES} 30 cells")
    assert "1 component (4-connected)" in dialog.facts.text()
    assert "Otsu" in dialog.note.text()


def test_number_line_and_otsu_agree(make: MakeDialog, session: Session, qtbot: QtBot) -> None:
    dialog, imports = make(), session.imports
    dialog.fields.threshold.setValue(60)
    assert chosen(session).threshold == 60
    assert dialog.fields.histogram.line.value() == 60
    assert not dialog.fields.otsu.isChecked()
    dialog.fields.histogram.line.setValue(80.4)  # as a drag does
    assert chosen(session).threshold == 80
    assert dialog.fields.threshold.value() == 80
    dialog.fields.otsu.click()
    assert chosen(session).threshold == "otsu"
    assert dialog.fields.threshold.value() == imports.preview.otsu
    settle(qtbot, session)


def test_the_page_of_a_file_is_chosen(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    path = tmp_path / "stack.tif"
    pages = [Image.fromarray(page) for page in (GREY, GREY[:20], 255 - GREY)]
    pages[0].save(path, save_all=True, append_images=pages[1:])
    imports = session.imports
    imports.open(str(path))
    qtbot.waitUntil(lambda: imports.pending is not None)
    dialog = ImportDialog(imports, session.runs, host)
    dialog.show()
    settle(qtbot, session)
    assert dialog.page.isVisible()
    assert dialog.page.text() == "1 of 3"
    dialog.fields.threshold.setValue(60)
    dialog.fields.crop[0].setValue(5)
    dialog.page.stepUp()
    assert not accept_button(dialog).isEnabled()
    qtbot.waitUntil(lambda: not imports.turning)
    settle(qtbot, session)
    assert dialog.facts.text().startswith(f"40 {TIMES} 20 cells")
    assert dialog.fields.threshold.value() == 60
    assert dialog.fields.crop[3].maximum() == 20
    assert chosen(session).crop is None, "a page of another size is shown whole"
    dialog.page.setValue(3)
    qtbot.waitUntil(lambda: not imports.turning)
    settle(qtbot, session)
    assert accept_button(dialog).isEnabled()
    accept_button(dialog).click()
    qtbot.waitUntil(lambda: session.document.grid is not None)
    np.testing.assert_array_equal(session.document.grid, 255 - GREY > 60)


def test_the_channel_of_an_array_is_chosen(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    path = tmp_path / "five.npy"
    np.save(path, np.stack([GREY, 255 - GREY], axis=-1))
    imports = session.imports
    imports.open(str(path))
    qtbot.waitUntil(lambda: imports.pending is not None)
    dialog = ImportDialog(imports, session.runs, host)
    dialog.show()
    settle(qtbot, session)
    assert (dialog.page.isVisible(), dialog.channel.isVisible()) == (False, True)
    assert dialog.channel.text() == "1 of 2"
    dialog.channel.stepUp()
    qtbot.waitUntil(lambda: not imports.turning)
    settle(qtbot, session)
    assert dialog.channel.text() == "2 of 2"
    dialog.fields.threshold.setValue(60)
    accept_button(dialog).click()
    qtbot.waitUntil(lambda: session.document.grid is not None)
    np.testing.assert_array_equal(session.document.grid, 255 - GREY > 60)


def accept_button(dialog: ImportDialog) -> QAbstractButton:
    (button,) = (
        each
        for each in dialog.buttons.buttons()
        if dialog.buttons.buttonRole(each) is QDialogButtonBox.ButtonRole.AcceptRole
    )
    return button


def test_of_one_picture_no_page_is_asked(make: MakeDialog) -> None:
    assert not make().page.isVisible()


def test_a_click_in_the_histogram_sets_the_threshold_and_a_drag_goes_on(
    make: MakeDialog, session: Session, qtbot: QtBot
) -> None:
    histogram = make().fields.histogram
    low, high = session.imports.preview.scale

    def value_at(share: float) -> float:
        return low + share * (high - low)

    def place_of(value: float) -> QPoint:
        at = histogram.line.getViewBox().mapViewToScene(QPointF(value, 0.5))
        place: QPoint = histogram.mapFromScene(at)
        return place

    view, left = histogram.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(view, left, pos=place_of(value_at(0.25)))
    assert chosen(session).threshold == pytest.approx(value_at(0.25), abs=2)
    QTest.mouseMove(view, place_of(value_at(0.5)))
    QTest.mouseMove(view, place_of(value_at(0.75)))
    QTest.mouseRelease(view, left, pos=place_of(value_at(0.75)))
    assert chosen(session).threshold == pytest.approx(value_at(0.75), abs=2)
    settle(qtbot, session)


def test_every_field_changes_its_setting(make: MakeDialog, session: Session, qtbot: QtBot) -> None:
    colours = np.stack([GREY, GREY[::-1], GREY], axis=2)
    dialog, imports = make(Picture(colours)), session.imports
    fields = dialog.fields
    choose(fields.channel, Channel.GREEN)
    fields.invert.click()
    choose(fields.kind, ImportKind.LEVELS)
    fields.levels.setValue(7)
    choose(fields.background, BackgroundSegment.COMMONEST)
    settle(qtbot, session)
    assert fields.levels.isVisible()
    assert not fields.histogram.isVisible()
    settings = chosen(session)
    assert (settings.channel, settings.kind, settings.levels) == (
        Channel.GREEN,
        ImportKind.LEVELS,
        7,
    )
    assert settings.invert
    assert settings.background is BackgroundSegment.COMMONEST
    assert imports.preview.converted is not None
    assert imports.preview.converted.multivalued


def test_scaling_by_factors_and_to_a_size(make: MakeDialog, session: Session, qtbot: QtBot) -> None:
    dialog = make()
    fields = dialog.fields
    for mode, size in ((1, (20, 15)), (2, (80, 60)), (3, (80, 60)), (0, (40, 30))):
        choose(fields.scale, mode)
        assert chosen(session).result_size((40, 30)) == size
        assert fields.factor.isVisible() == (mode in (1, 2))
        assert fields.target[0].isVisible() == (mode == 3)
        assert fields.method.isVisible() == (mode in (1, 3))
    choose(fields.scale, 3)
    fields.target[0].setValue(8)
    fields.target[1].setValue(6)
    choose(fields.method, ScalingMethod.NEAREST)
    assert chosen(session).target == (8, 6)
    assert chosen(session).method is ScalingMethod.NEAREST
    settle(qtbot, session)
    assert dialog.facts.text().startswith(f"8 {TIMES} 6 cells")


def test_cropping_by_numbers_and_by_the_frame(
    make: MakeDialog, session: Session, qtbot: QtBot
) -> None:
    dialog, imports = make(), session.imports
    dialog.fields.crop[0].setValue(5)
    assert chosen(session).crop == Crop(5, 0, 35, 30)
    assert dialog.picture.crop.pos().x() == 5
    dialog.picture.crop.setSize((10, 9))  # as a drag of a handle does
    dialog.picture.crop.setPos((2, 3))
    assert chosen(session).crop == Crop(2, 3, 10, 9)
    assert [field.value() for field in dialog.fields.crop] == [2, 3, 10, 9]
    settle(qtbot, session)
    assert imports.preview.cells is not None
    assert imports.preview.cells.shape == (9, 10)
    dialog.picture.crop.setPos((90, -9))  # not beyond the picture
    assert chosen(session).crop == Crop(30, 0, 10, 9)
    dialog.fields.whole.click()
    assert chosen(session).crop is None
    assert dialog.picture.crop.size().x() == 40
    settle(qtbot, session)


def test_what_cannot_be_imported_says_why(make: MakeDialog, session: Session, qtbot: QtBot) -> None:
    noise = np.random.RandomState(0).randint(0, 256, (60, 60, 3), np.uint8)
    dialog = make(Picture(noise))
    accept = dialog.buttons.buttons()[0]
    choose(dialog.fields.kind, ImportKind.VALUES)
    assert "more than 255 colours" in dialog.note.text()
    assert not accept.isEnabled()
    choose(dialog.fields.kind, ImportKind.LEVELS)
    settle(qtbot, session)
    assert accept.isEnabled()


def test_it_says_that_another_algorithm_takes_its_place(
    make: MakeDialog, session: Session, qtbot: QtBot
) -> None:
    session.runs.configure(algorithm="ha4")
    dialog = make()
    choose(dialog.fields.kind, ImportKind.LEVELS)
    settle(qtbot, session)
    assert "cannot label several values" in dialog.note.text()


def test_fields_fit_the_picture(make: MakeDialog) -> None:
    dialog = make(Picture((GREY / 255).astype(np.float32)))
    fields = dialog.fields
    assert fields.threshold.decimals() == 4
    assert not fields.channel.isVisible()


@pytest.mark.parametrize(
    ("values", "level"),
    [((0.0, 0.5, 1.0, 2.0), 0.75), ((-3.0, -0.25, 4.0), -0.125), ((0.0, 2e-6, 5e-6), 3.5e-6)],
)
def test_the_threshold_has_the_decimals_that_the_values_need(
    make: MakeDialog, session: Session, qtbot: QtBot, values: tuple[float, ...], level: float
) -> None:
    planes = np.array([values], np.float64)
    box = make(Picture(planes)).fields.threshold
    box.setValue(level)
    assert box.value() == pytest.approx(level)
    settle(qtbot, session)
    assert session.imports.preview.converted is not None
    np.testing.assert_array_equal(session.imports.preview.converted.grid, planes > level)


def test_a_threshold_is_named_with_all_its_digits_and_without_a_minus_before_0(
    make: MakeDialog, session: Session, qtbot: QtBot
) -> None:
    dialog = make(Picture(np.array([[-3_000_000, 0, 2_512_345, 9_000_000]], np.int32)))
    dialog.fields.threshold.setValue(2_512_345)
    settle(qtbot, session)
    assert "above 2512345 is foreground" in dialog.note.text()
    dialog.fields.histogram.line.setValue(-0.2)  # as a drag does
    settle(qtbot, session)
    assert "above 0 is foreground" in dialog.note.text()
    dialog.fields.otsu.click()
    settle(qtbot, session)
    assert "e+" not in dialog.fields.otsu.text() + dialog.note.text()


# In the window


@pytest.fixture
def window(session: Session, qtbot: QtBot) -> Iterator[LightWindow]:
    made = LightWindow(session)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.imports.close()
    made.files.close()


@pytest.fixture
def photo(tmp_path: Path) -> str:
    path = tmp_path / "photo.png"
    Image.fromarray(GREY).save(path)
    return str(path)


def asked(window: LightWindow, qtbot: QtBot) -> ImportDialog:
    """Wait for the dialog."""
    qtbot.waitUntil(lambda: window.imports.dialog is not None)
    assert isinstance(window.imports.dialog, ImportDialog)
    return window.imports.dialog


def test_opening_a_picture_asks_and_imports(window: LightWindow, qtbot: QtBot, photo: str) -> None:
    window.files.open_path(photo)
    dialog = asked(window, qtbot)
    dialog.fields.threshold.setValue(60)
    dialog.accept()
    document = window.session.document
    qtbot.waitUntil(lambda: document.source == photo)
    np.testing.assert_array_equal(document.grid, GREY > 60)
    window.session.imports.repeat()
    assert asked(window, qtbot).fields.threshold.value() == 60


def test_escape_leaves_all_as_it_was(window: LightWindow, qtbot: QtBot, photo: str) -> None:
    grid = window.session.document.grid
    window.files.open_path(photo)
    asked(window, qtbot).reject()
    assert window.imports.dialog is None
    assert window.session.imports.pending is None
    assert window.session.document.grid is grid


def test_not_asking_again(window: LightWindow, qtbot: QtBot, photo: str) -> None:
    window.files.open_path(photo)
    dialog = asked(window, qtbot)
    dialog.remember.click()
    dialog.accept()
    document = window.session.document
    qtbot.waitUntil(lambda: document.source == photo)
    document.new(3, 3)
    window.files.open_path(photo)
    qtbot.waitUntil(lambda: document.source == photo)
    assert window.imports.dialog is None


def test_closing_the_window_closes_it(window: LightWindow, qtbot: QtBot, photo: str) -> None:
    window.files.open_path(photo)
    asked(window, qtbot)
    window.imports.close()
    assert window.imports.dialog is None
