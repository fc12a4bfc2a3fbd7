"""The export dialog by events: fields, preview, progress, errors, memory, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from support.export_dialogs import MakeDialog, click, phase_of, settle
from support.windows import PATIENCE, MakeWindow, answer, wait_idle

from ccl_viewer.export import EXPORT_FORMATS, Each
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.session.exporting.choices import Choices, Span
from ccl_viewer.session.exporting.exporting import Phase
from ccl_viewer.views.exporting import fields as export_dialog_fields
from ccl_viewer.views.exporting.controls import ExportControls
from ccl_viewer.views.exporting.dialog import ExportDialog
from ccl_viewer.views.exporting.footer import progress_text, size_text, time_text
from ccl_viewer.views.exporting.preview import PreviewPane
from ccl_viewer.views.importing.dialog import ImportDialog
from ccl_viewer.views.main_window import MainWindow


def choose(box: QComboBox, index: int) -> None:
    """Choose an entry as a person does."""
    box.setCurrentIndex(index)
    box.activated.emit(index)


def is_playing(pane: PreviewPane) -> bool:
    return pane.playing


def choices_of(dialog: ExportDialog) -> Choices:
    return dialog.exporting.choices


def test_every_field_changes_its_choice(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    fields, exporting = dialog.controls, dialog.exporting
    choose(fields.each, 2)
    fields.fps.setValue(12.5)
    fields.hold.setValue(0.5)
    fields.scale.setValue(9)
    choose(fields.theme, 1)
    click_box(fields.caption)
    choose(fields.layers_of, 1)
    choices = exporting.choices
    assert choices.each is Each.STAGE
    assert (choices.fps, choices.hold, choices.scale) == (12.5, 0.5, 9)
    assert (choices.theme, choices.caption, choices.own_layers) == ("light", False, True)
    assert fields.layers.isVisible()
    click_box(fields.layers.switches["arrows"])
    choose(fields.layers.colours, 2)
    choose(fields.layers.numbers, 0)
    assert exporting.options.layers.arrows
    assert exporting.options.layers.colours == "component"
    assert exporting.options.numbers == "off"


def test_a_page_has_a_theme_of_its_own(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    fields, exporting = dialog.controls, dialog.exporting
    choose(fields.theme, 1)
    exporting.choose_format(".html")
    assert exporting.options.theme == "auto"
    assert fields.page_theme.isVisible()
    assert not fields.theme.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_T, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(fields.page_theme.hasFocus)
    choose(fields.page_theme, 1)
    click_box(fields.caption)
    assert (exporting.options.theme, exporting.options.caption) == ("dark", False)
    exporting.choose_format(".gif")
    assert (exporting.options.theme, fields.theme.isVisible()) == ("light", True)


def click_box(box: Any) -> None:
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def test_format_and_suffix_follow_each_other(make_dialog: MakeDialog) -> None:
    dialog = make_dialog()
    fields = dialog.controls
    for index, row in enumerate(EXPORT_FORMATS):
        choose(fields.format, index)
        assert dialog.exporting.format is row
        assert fields.path.text().endswith(f"run{row.suffix}")
        assert fields.step.isVisible() == row.one_step
        assert fields.fps.isVisible() == row.is_animated
    fields.path.selectAll()
    QTest.keyClicks(fields.path, "that.webp")
    assert dialog.exporting.format.suffix == ".webp"
    assert fields.format.currentData() == ".webp"


def test_what_is_not_installed_is_explained_and_cannot_be_chosen(
    monkeypatch: pytest.MonkeyPatch, make_dialog: MakeDialog
) -> None:
    monkeypatch.setattr(
        export_dialog_fields, "lacking", lambda row: "pip install it" if row.extra else ""
    )
    box = make_dialog().controls.format
    for index, row in enumerate(EXPORT_FORMATS):
        flags = box.model().flags(box.model().index(index, 0))
        assert bool(flags & Qt.ItemFlag.ItemIsEnabled) == (not row.extra)
        assert ("pip install it" in box.itemText(index)) == bool(row.extra)


def test_section_and_range(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog()
    fields, exporting = dialog.controls, dialog.exporting
    choose(fields.span, 2)
    assert exporting.choices.span is Span.SECTION
    settle(qtbot, dialog)
    assert "2 steps" in dialog.facts.text()
    assert not fields.range.isVisible()
    choose(fields.span, 1)
    assert fields.range.isVisible()
    fields.end.setValue(4)
    fields.start.setValue(2)
    assert (exporting.choices.start, exporting.choices.end) == (1, 3)
    assert (fields.range.start, fields.range.end) == (1, 3)
    assert fields.end.minimum() == 2


def test_the_range_slider_by_keys_and_mouse(make_dialog: MakeDialog) -> None:
    dialog = make_dialog(span=Span.CHOSEN)
    slider = dialog.controls.range
    last = choices_of(dialog).end
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert (choices_of(dialog).start, choices_of(dialog).end) == (0, last - 1)
    QTest.keyClick(slider, Qt.Key.Key_Space)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert (choices_of(dialog).start, choices_of(dialog).end) == (1, last - 1)
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert choices_of(dialog).start == last - 1
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(2, 10))
    assert choices_of(dialog).start == 0
    assert dialog.controls.start.value() == 1


def test_the_preview_plays_and_pauses(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(still=False, fps=50.0, hold=0.0)
    pane = dialog.preview
    assert is_playing(pane)
    shown: set[int] = set()
    pane.slider.valueChanged.connect(shown.add)
    count = len(dialog.exporting.subject.recording)
    qtbot.waitUntil(lambda: len(shown) == count, timeout=PATIENCE)
    click(pane.play)
    assert not is_playing(pane)
    pane.slider.setValue(0)
    first = pane.canvas.image
    pane.slider.setValue(2)
    assert pane.canvas.image != first
    assert pane.count.text() == f"3 of {count}"


def test_nothing_moves_where_motion_is_reduced(make_dialog: MakeDialog) -> None:
    pane = make_dialog(still=True).preview
    assert not is_playing(pane)
    click(pane.play)
    assert is_playing(pane)


def test_size_time_and_bytes_are_told(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(scale=8)
    reel, estimate = dialog.exporting.reel, dialog.exporting.estimate
    assert reel is not None
    assert estimate is not None
    assert [part in dialog.controls.pixels.text() for part in map(str, reel.size)] == [True, True]
    assert size_text(estimate.nbytes) in dialog.facts.text()
    dialog.controls.fps.setValue(10)
    assert f"{(reel.count - 1) / 10 + 2:.1f} s" in dialog.facts.text()


def test_it_writes_and_offers_folder_and_path(
    make_dialog: MakeDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = make_dialog(fps=10.0, still=False)
    QTest.keyClick(dialog.controls.format, Qt.Key.Key_Return)
    assert phase_of(dialog) is Phase.WRITING
    assert not dialog.controls.isEnabled()
    assert not is_playing(dialog.preview)
    assert dialog.footer.cancel_button.isVisible()
    qtbot.waitUntil(lambda: phase_of(dialog) is Phase.DONE, timeout=PATIENCE)
    path = tmp_path / "run.gif"
    with Image.open(path) as film:
        assert getattr(film, "n_frames", 0) == len(dialog.exporting.subject.recording)
    assert size_text(path.stat().st_size) in dialog.footer.made.text()
    click(dialog.footer.copy_path)
    assert QGuiApplication.clipboard().text() == str(path)
    assert dialog.footer.done_button.isDefault()
    click(dialog.footer.again_button)
    assert dialog.footer.export_button.isVisible()
    assert dialog.footer.export_button.isDefault()
    assert dialog.footer.export_button.text() == "Re&place"
    assert "will be replaced" in dialog.note.text()


def test_cancelling_leaves_nothing_and_keeps_the_dialog(
    make_dialog: MakeDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = make_dialog(scale=100)
    dialog.exporting.export()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: phase_of(dialog) in (Phase.CHOOSING, Phase.DONE), timeout=PATIENCE)
    assert dialog.isVisible()
    assert phase_of(dialog) is Phase.CHOOSING
    assert dialog.note.text() == "Stopped: nothing was written."
    assert list(tmp_path.iterdir()) == []
    assert dialog.controls.isEnabled()


def test_an_error_stands_in_the_dialog_and_nothing_is_lost(
    make_dialog: MakeDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = make_dialog(fps=7.0)
    dialog.controls.path.setText(str(tmp_path / "missing" / "run.gif"))
    dialog.controls.path.textEdited.emit(dialog.controls.path.text())
    click(dialog.footer.export_button)
    qtbot.waitUntil(lambda: phase_of(dialog) is Phase.CHOOSING, timeout=PATIENCE)
    assert "cannot be written" in dialog.note.text()
    assert dialog.note.property("role") == "warning"
    assert dialog.controls.fps.value() == 7.0


def test_the_command_line_is_shown_and_copied(make_dialog: MakeDialog, tmp_path: Path) -> None:
    dialog = make_dialog(scale=5)
    click(dialog.footer.copy_command)
    line = QGuiApplication.clipboard().text()
    assert line == dialog.footer.command.text()
    assert line.startswith("ccl-viewer export run.cclrec -o ")
    assert "--scale 5" in line
    assert "save the recording first" in dialog.note.text()


def test_runs_side_by_side(make_dialog: MakeDialog, qtbot: QtBot) -> None:
    dialog = make_dialog(lanes=2)
    fields = dialog.controls
    assert fields.beside.isVisible()
    reel = dialog.exporting.reel
    assert reel is not None
    choose(fields.sync, 2)
    assert dialog.exporting.options.sync == "share"
    click_box(fields.beside)
    settle(qtbot, dialog)
    assert not fields.sync.isEnabled()
    assert dialog.exporting.reel is not None
    assert dialog.exporting.reel.size[0] < reel.size[0]
    click_box(fields.beside)
    for suffix, shown in ((".html", True), (".csv", False)):
        dialog.exporting.choose_format(suffix)
        assert fields.beside.isVisible() == shown
        assert ("--sync share" in dialog.footer.command.text()) == shown


def test_browsing_chooses_a_file(
    make_dialog: MakeDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = make_dialog()
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_, **__: (str(tmp_path / "other"), "")
    )
    click(dialog.controls.browse_button)
    assert dialog.controls.path.text() == str(tmp_path / "other.gif")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "in"))
    dialog.exporting.choose_format("/")
    click(dialog.controls.browse_button)
    assert dialog.controls.path.text() == str(tmp_path / "in" / "other") + "/"


def test_every_field_can_be_reached_and_has_a_name(make_dialog: MakeDialog) -> None:
    dialog = make_dialog(lanes=2, own_layers=True, span=Span.CHOSEN)
    reached = set()
    field: QWidget | None = dialog.controls.format
    for _ in range(80):
        assert field is not None
        reached.add(field)
        field = field.nextInFocusChain()
    fields = dialog.controls
    for widget in (fields.format, fields.path, fields.range, fields.fps, fields.sync):
        assert widget in reached
        assert widget.accessibleName()


def in_dialog(window: MainWindow, act: Callable[[ExportDialog], None]) -> None:
    """Open the dialog by its key and act in it."""

    def reply(dialog: ExportDialog) -> None:
        try:
            act(dialog)
        finally:
            dialog.done(0)

    answer(window, ExportDialog, reply)
    QTest.keyClick(window.canvas, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)


def test_the_window_opens_it_and_remembers_what_was_chosen(
    window: MainWindow, make_window: MakeWindow, tmp_path: Path
) -> None:
    def change(dialog: ExportDialog) -> None:
        assert dialog.exporting.choices.step == window.session.playback.position
        assert "pattern:shibata" in dialog.footer.command.text()
        dialog.exporting.choose(path=str(tmp_path / "a.webp"), fps=8.0, caption=False, scale=6)

    in_dialog(window, change)
    window.close()
    again = make_window("pattern:shibata")
    found: list[Choices] = []
    in_dialog(again, lambda dialog: found.append(dialog.exporting.choices))
    (choices,) = found
    assert (choices.fps, choices.caption, choices.scale) == (8.0, False, 6)
    assert choices.path.endswith(".webp")
    assert Path(choices.path).parent == tmp_path


def test_fields_and_dialog_are_made_in_different_turns(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()

    def noting(kind: type[QWidget], name: str) -> Callable[..., None]:
        make: Callable[..., None] = kind.__init__

        def noted(made: QWidget, *given: Any, **options: Any) -> None:
            seen.append(name)
            make(made, *given, **options)

        return noted

    for kind, name in ((ExportControls, "fields"), (ExportDialog, "dialog")):
        monkeypatch.setattr(kind, "__init__", noting(kind, name))
    QTimer.singleShot(0, window, lambda: seen.append("turn"))
    in_dialog(window, lambda _dialog: None)
    assert seen == ["fields", "turn", "dialog"]


def test_what_is_asked_for_while_a_dialog_is_made_opens_no_other(window: MainWindow) -> None:
    opened = list[ExportDialog]()
    QTimer.singleShot(0, window, window.exports.ask)
    in_dialog(window, opened.append)
    assert len(opened) == 1
    assert window.intake.dialog is None


def test_a_run_that_comes_while_the_dialog_is_made_is_what_is_exported(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_turn = window.intake.take_turn

    def bring(_part: QWidget) -> bool:
        monkeypatch.setattr(window.intake, "take_turn", take_turn)
        window.session.open("pattern:spiral?size=9")
        wait_idle(qtbot, window)
        return True

    monkeypatch.setattr(window.intake, "take_turn", bring)
    named: list[str] = []
    runs: list[object] = []

    def note(dialog: ExportDialog) -> None:
        named.append(dialog.footer.command.text())
        runs.append(dialog.exporting.subject.recording)

    in_dialog(window, note)
    assert runs == [window.session.recording]
    assert "pattern:spiral" in named[0]


def test_a_picture_that_is_offered_meanwhile_is_asked_about_afterwards(
    window: MainWindow, qtbot: QtBot
) -> None:
    asked: list[str] = []

    def decline(dialog: ImportDialog) -> None:
        asked.append(dialog.windowTitle())
        dialog.reject()

    def bring(_dialog: ExportDialog) -> None:
        picture = Picture(np.arange(64, dtype=np.uint8).reshape(8, 8))
        window.session.importing.bring(picture, "ramp.png")
        qtbot.waitUntil(lambda: window.session.importing.offer is not None, timeout=PATIENCE)
        qtbot.wait(1)
        answer(window, ImportDialog, decline)

    in_dialog(window, bring)
    qtbot.waitUntil(lambda: bool(asked), timeout=PATIENCE)
    qtbot.waitUntil(lambda: window.session.importing.offer is None, timeout=PATIENCE)


def test_a_window_closed_while_a_dialog_is_made_asks_nothing(window: MainWindow) -> None:
    QTimer.singleShot(0, window, window.close)
    window.exports.ask()
    assert window.intake.dialog is None
    assert not window.findChildren(ExportDialog)


def test_closing_the_window_while_it_writes_leaves_nothing(
    window: MainWindow, tmp_path: Path
) -> None:
    def write_and_close(dialog: ExportDialog) -> None:
        dialog.exporting.choose(path=str(tmp_path / "out" / "a.gif"), scale=100)
        (tmp_path / "out").mkdir()
        dialog.exporting.export()
        window.close()

    in_dialog(window, write_and_close)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (123_456_789, "123 MB")]
)
def test_sizes_are_written_as_people_do(size: int, text: str) -> None:
    assert size_text(size) == text


def test_times_are_written_as_people_do() -> None:
    assert time_text(0.4) == "less than a second"
    assert time_text(12.3) == "about 12 s"
    assert time_text(600) == "about 10 min"


def test_progress_before_the_first_frame(make_dialog: MakeDialog) -> None:
    assert progress_text(make_dialog().exporting.progress) == "Preparing…"
