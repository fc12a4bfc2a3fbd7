"""The export dialog by events: fields, preview, writing, asking, errors, clipboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QSpinBox,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid
from support.fakes import picture, recorded
from support.models import exporter_for, inline_session
from support.qt_window import answer_next, part, type_path

from ccl_viewer.export import EXPORT_FORMATS, Granularity, missing_requirement
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.export.widget import ExportDialog
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.widgets.fields import ChoiceBox, value_of
from ccl_viewer.window.widgets.style import DASH

Button = QMessageBox.StandardButton
RUN = recorded(picture("##.##\n#...#\n###.#"))


class MakeDialog(Protocol):
    """Makes a dialog on an export to run.gif; choices by name."""

    def __call__(self, *, still: bool = True, **choices: Any) -> ExportDialog: ...


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    session.display.show(ShownRun(RUN))
    yield session
    session.close()


@pytest.fixture
def make_dialog(qtbot: QtBot, session: Session, tmp_path: Path) -> Iterator[MakeDialog]:
    made: list[ExportDialog] = []

    def make(*, still: bool = True, **choices: Any) -> ExportDialog:
        exporter = exporter_for(session)
        exporter.change(path=str(tmp_path / "run.gif"), **choices)
        dialog = ExportDialog(exporter, still=still)
        dialog.show()
        made.append(dialog)
        return dialog

    yield make
    for dialog in made:
        if isValid(dialog):
            dialog.done(0)


def click(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))


def choose(box: QComboBox, index: int) -> None:
    """Choose an entry as a person does."""
    box.setCurrentIndex(index)
    box.activated.emit(index)


def combo(dialog: ExportDialog, name: str) -> ChoiceBox:
    field = dialog.fields[name]
    assert isinstance(field, ChoiceBox)
    return field


def switch(dialog: ExportDialog, name: str) -> QCheckBox:
    field = dialog.fields[name]
    assert isinstance(field, QCheckBox)
    return field


def number(dialog: ExportDialog, name: str) -> Any:
    field = dialog.fields[name]
    assert isinstance(field, (QSpinBox, QDoubleSpinBox))
    return field


def test_it_fits_a_small_screen_and_its_preview_grows(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    assert dialog.height() <= 640
    before = dialog.preview.frame.height()
    dialog.resize(dialog.width(), dialog.height() + 200)
    assert dialog.preview.frame.height() == before + 200


def test_every_field_changes_its_choice(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    exporter = dialog.exporter
    choose(combo(dialog, "each"), 2)
    for name, value in (("seconds", 0.5), ("hold", 0.25), ("scale", 9)):
        number(dialog, name).setValue(value)
    choose(combo(dialog, "theme"), 1)
    click(switch(dialog, "caption"))
    choices = exporter.choices
    assert choices.each is Granularity.STAGE
    assert (choices.seconds, choices.hold, choices.scale) == (0.5, 0.25, 9)
    assert (choices.theme, choices.caption) == ("light", False)


def test_format_and_suffix_follow_each_other(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    for row in EXPORT_FORMATS:
        choose(dialog.format, dialog.format.values.index(row.suffix))
        assert dialog.exporter.format is row
        assert value_of(dialog.fields["path"]).endswith(f"run{row.suffix}")
        assert dialog.fields["step"].isVisible() == row.one_step
        assert dialog.fields["seconds"].isVisible() == row.is_animated
    path = dialog.fields["path"]
    assert isinstance(path, QLineEdit)
    path.selectAll()
    QTest.keyClicks(path, "that.webp")
    assert dialog.exporter.format.suffix == ".webp"
    assert dialog.format.value == ".webp"


def test_formats_stand_in_groups_and_say_what_they_need(
    make_dialog: MakeDialog,
) -> None:
    box = make_dialog().format
    rows = {row.suffix: row for row in EXPORT_FORMATS}
    for index in range(box.count()):
        can_be_chosen = bool(box.model().flags(box.model().index(index, 0)) & ENABLED)
        row = rows.get(box.values[index])
        missing = "" if row is None else missing_requirement(row)
        assert can_be_chosen == (row is not None and not missing)
        assert not missing or missing in box.itemText(index)
    assert box.count() > len(rows)


ENABLED = Qt.ItemFlag.ItemIsEnabled


def test_a_page_has_a_theme_of_its_own(make_dialog: MakeDialog) -> None:
    dialog = make_dialog(theme="light")
    dialog.exporter.choose_format(".html")
    assert dialog.fields["page_theme"].isVisible()
    assert not dialog.fields["theme"].isVisible()
    assert dialog.exporter.options.theme == "auto"
    choose(combo(dialog, "page_theme"), 1)
    assert dialog.exporter.options.theme == "dark"
    dialog.exporter.choose_format(".gif")
    assert dialog.exporter.options.theme == "light"


def test_keys_go_to_the_ends_of_the_list_of_formats(make_dialog: MakeDialog) -> None:
    box = make_dialog().format
    box.showPopup()
    view, last = box.view(), box.count() - 1
    for key, row in (
        (Qt.Key.Key_End, last),
        (Qt.Key.Key_Home, 1),  # above it is a heading
        (Qt.Key.Key_PageDown, last),
        (Qt.Key.Key_PageUp, 1),
    ):
        for _ in range(box.count()):
            QTest.keyClick(view, key)
        assert view.currentIndex().row() == row, key
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert box.value == box.values[1]


def test_steps_section_and_range(make_dialog: MakeDialog, session: Session) -> None:
    session.playback.set_section(range(1, 3))
    dialog = make_dialog()
    box = combo(dialog, "span")
    choose(box, box.findText(f"section 2{DASH}3"))
    assert "2 steps" in dialog.facts.text()
    assert not dialog.fields["start"].isVisible()
    choose(box, box.findText("from … to …"))
    number(dialog, "end").setValue(4)
    number(dialog, "start").setValue(1)
    choices = dialog.exporter.choices
    assert (choices.start, choices.end) == (0, 3)
    choose(box, box.findText("the step on display"))
    assert "1 step" in dialog.facts.text()


def test_the_preview_plays_and_pauses(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(still=False, seconds=0.02, hold=0.0)
    preview = dialog.preview
    shown: set[int] = set()
    preview.slider.valueChanged.connect(shown.add)
    qtbot.waitUntil(lambda: len(shown) == len(RUN))
    click(preview.play)
    preview.slider.setValue(0)
    first = preview.frame.image
    preview.slider.setValue(2)
    assert preview.frame.image != first
    assert preview.count.text() == f"3 of {len(RUN)}"


def test_nothing_moves_where_motion_is_reduced(make_dialog: MakeDialog) -> None:
    preview = make_dialog(still=True).preview
    before = preview.playing
    preview.play.click()
    assert (before, preview.playing) == (False, True)


def test_data_is_shown_as_text(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    dialog.exporter.choose_format(".csv")
    assert dialog.preview.frame.text().startswith("step,")
    assert not dialog.preview.slider.isVisible()


def test_size_pace_and_command_are_told(make_dialog: MakeDialog) -> None:
    dialog = make_dialog(scale=8)
    frames = dialog.exporter.frames
    assert frames is not None
    assert all(str(side) in dialog.pixels.text() for side in frames.size)
    assert number(dialog, "seconds").text() == "usual (1.5 s)"
    assert "kB" in dialog.facts.text()
    dialog.command.actions()[0].trigger()
    line = QGuiApplication.clipboard().text()
    assert line == dialog.command.text()
    assert "--scale 8" in line
    assert "export the run as run.cclrec first" in dialog.note.text()


def test_it_writes_once_it_closed(
    make_dialog: MakeDialog, session: Session, tmp_path: Path
) -> None:
    dialog = make_dialog(seconds=0.1)
    QTest.keyClick(dialog.format, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    with Image.open(tmp_path / "run.gif") as image:
        assert getattr(image, "n_frames", 0) == len(RUN)
    message = session.messages.message
    assert message is not None
    assert message.text.startswith("Exported, ")
    assert message.action is not None
    assert message.action.text == "Show in folder"


@pytest.mark.parametrize("may", [True, False])
def test_it_asks_before_it_replaces_a_file(
    make_dialog: MakeDialog, tmp_path: Path, may: bool
) -> None:
    (tmp_path / "run.gif").write_text("mine")
    asked: list[str] = []

    def answer(box: QMessageBox) -> None:
        asked.append(box.text())
        box.button(Button.Yes if may else Button.Cancel).click()

    dialog = make_dialog()
    answer_next(QMessageBox, answer)
    dialog.accept()
    assert len(asked) == 1
    assert "run.gif" in asked[0]
    assert ((tmp_path / "run.gif").read_bytes() != b"mine") == may


def test_an_error_stands_in_the_dialog_and_nothing_is_lost(
    make_dialog: MakeDialog, tmp_path: Path
) -> None:
    dialog = make_dialog(seconds=0.7)
    dialog.exporter.change(path=str(tmp_path / "missing" / "run.gif"))
    dialog.accept()
    assert "cannot be written" in dialog.note.text()
    assert dialog.note.property("role") == "warning"
    assert number(dialog, "seconds").value() == 0.7


def test_runs_side_by_side(make_dialog: MakeDialog, session: Session) -> None:
    session.document.load_grid(RUN.image.copy(), "small")
    session.comparison.compare_with([("playne", {})])
    first, second = session.comparison.aligned_recordings
    dialog = make_dialog()
    assert [*dialog.exporter.recordings] == [first, second]
    choose(combo(dialog, "sync"), 2)
    assert dialog.exporter.options.sync == "share"
    sync = dialog.fields["sync"]
    assert isinstance(sync, ChoiceBox)
    texts = [sync.itemText(place) for place in range(sync.count())]
    widest = max(sync.fontMetrics().horizontalAdvance(text) for text in texts)
    assert widest + sync.height() < sync.width(), "with its arrow, each is read whole"
    click(switch(dialog, "beside"))
    assert not dialog.fields["sync"].isEnabled()
    assert [*dialog.exporter.recordings] == [first]
    click(switch(dialog, "beside"))
    for suffix, shown in ((".html", True), (".csv", False)):
        dialog.exporter.choose_format(suffix)
        assert dialog.fields["beside"].isVisible() == shown
        assert ("--sync share" in dialog.command.text()) == shown


def test_browsing_chooses_a_file(make_dialog: MakeDialog, tmp_path: Path, qtbot: QtBot) -> None:
    dialog = make_dialog()
    (tmp_path / "in").mkdir()
    click(dialog.browse)
    type_path(qtbot, part(dialog, QFileDialog), tmp_path / "other")
    assert value_of(dialog.fields["path"]) == str(tmp_path / "other.gif")
    qtbot.waitUntil(lambda: not dialog.findChildren(QFileDialog))
    dialog.exporter.choose_format("/")
    click(dialog.browse)
    type_path(qtbot, part(dialog, QFileDialog), tmp_path / "in")
    assert value_of(dialog.fields["path"]) == str(tmp_path / "in" / "other") + "/"


def test_fields_have_names(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    named = [field for field in dialog.fields.values() if not isinstance(field, QCheckBox)]
    assert all(field.accessibleName() for field in (dialog.format, *named, dialog.command))


def test_actions_can_be_done_once_there_is_a_run(window: MainWindow, tmp_path: Path) -> None:
    session, names = window.session, ("export", "export_again", "copy_picture", "copy_pictures")
    specs = {name: window.actions_by_name.specs[name] for name in names}
    enabled = {name for name, spec in specs.items() if spec.enabled()}
    assert enabled == {"export", "copy_picture"}
    session.settings.set_value("export", {"path": str(tmp_path / "run.gif")})
    assert specs["export_again"].enabled()
    session.display.clear()
    assert not any(spec.enabled() for spec in specs.values())
