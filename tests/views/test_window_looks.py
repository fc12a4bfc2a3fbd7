"""Theme, settings that are remembered, names for those who do not see."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QScrollBar,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.windows import (
    MakeWindow,
    color_at,
    make_all_parts,
    wait_idle,
)

from ccl_viewer.session.settings import SETTINGS_VARIABLE
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.main_window import MainWindow


def test_the_theme_can_be_switched(window: MainWindow) -> None:
    dark = window.grab().toImage().pixelColor(5, 5).lightness()
    window.actions_table["swap_theme"].trigger()
    assert window.theme.name == "light"
    window.appearance.settle()
    assert window.grab().toImage().pixelColor(5, 5).lightness() > 200 > dark
    window.actions_table["swap_theme"].trigger()
    assert window.theme.name == "dark"


def test_choices_are_remembered(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.session.configure(algorithm_key="shibata_fast", connectivity=4)
    first.session.look.switch("lines", False)
    first.set_theme("light")
    first.resize(1100, 650)  # as narrow as can be: the offscreen display is small
    first.close()
    second = make_window()
    assert second.session.settings.algorithm == "shibata_fast"
    assert second.session.settings.connectivity == 4
    assert not second.session.look.layers.lines
    assert second.theme.name == "light"
    assert second.size() == first.size()


def test_damaged_settings_are_survived(make_window: MakeWindow, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(
        '{"run/algorithm": "none", "run/connectivity": "many", "view/theme": "pink"}'
    )
    window = make_window("pattern:shibata")
    assert window.theme.name == "dark"
    assert window.session.recording is not None


def test_widgets_with_the_focus_have_names(window: MainWindow) -> None:
    unnamed = [
        type(widget).__name__
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", str)() or widget.toolTip())
        and not widget.objectName().startswith("qt_")
    ]
    assert unnamed == []


def test_dialogs_of_the_window_open(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def show(dialog: QDialog) -> int:
        opened.append(type(dialog).__name__)
        return 0

    monkeypatch.setattr(QDialog, "exec", show)
    window.actions_table["pattern"].trigger()
    window.actions_table["keys"].trigger()
    assert opened == ["PatternDialog", "KeysDialog"]


def test_cells_drawn_since_the_run_are_shown_without_a_label(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window("pattern:comb?width=140&height=140")
    window.canvas_panel.canvas.zoom(8.0)
    drawing = window.session.drawing
    empty, full = (71, 70), (70, 70)
    before = color_at(window, full).name()
    assert color_at(window, empty).name() != before
    erased = color_at(window, empty).name()
    drawing.press(empty, 1)
    drawing.release()
    drawing.press(full, 0)
    drawing.release()
    assert window.session.stale
    assert color_at(window, full).name() == erased
    assert color_at(window, empty).name() not in {before, erased}
    window.session.run()
    wait_idle(qtbot, window)
    assert color_at(window, full).name() == erased


def test_every_control_has_a_name_for_those_who_do_not_see(window: MainWindow) -> None:
    make_all_parts(window)
    kinds = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QAbstractSlider, QTableView)
    unnamed = []
    for kind in (*kinds, Canvas):
        for widget in window.findChildren(kind):
            inside = isinstance(widget.parent(), kinds) or isinstance(widget, QScrollBar)
            if inside or widget.objectName().startswith("qt_"):
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if not interface.text(QAccessible.Text.Name).strip():
                unnamed.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    assert unnamed == []


def test_it_is_said_once_that_nothing_can_be_remembered(
    make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no folder").write_text("")
    monkeypatch.setenv(SETTINGS_VARIABLE, str(tmp_path / "no folder" / "settings.json"))
    said = make_window().statusBar().currentMessage()
    assert said.startswith("Nothing will be remembered: ")
    assert "settings.json cannot be used" in said
    monkeypatch.setenv(SETTINGS_VARIABLE, str(tmp_path / "settings.json"))
    assert make_window().statusBar().currentMessage() == ""


def test_it_is_said_at_the_end_if_nothing_could_be_remembered(
    make_window: MakeWindow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    window = make_window()
    (tmp_path / "settings.json").unlink(missing_ok=True)
    (tmp_path / "settings.json").mkdir()
    window.close()
    told = capsys.readouterr().err
    assert "settings.json is a folder" in told


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b'{"run/algorithm": "no_such", "run/connectivity": "five"}',
        b'{"view/text_size": "huge", "view/theme": "plaid", "run/live": "perhaps"}',
        b'{"view/theme": 7, "view/text_size": {"a": []}, "recent/files": [3, null, "", {}]}',
    ],
)
def test_values_that_cannot_be_used_are_those_of_a_first_start(
    make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    usual = make_window()
    (tmp_path / "other.json").write_bytes(content)
    monkeypatch.setenv(SETTINGS_VARIABLE, str(tmp_path / "other.json"))
    window = make_window()
    assert window.session.settings == usual.session.settings
    assert window.appearance.choice == usual.appearance.choice
    assert window.appearance.text_size == usual.appearance.text_size
    assert window.session.live.on == usual.session.live.on
    assert window.session.message is None
    assert window.statusBar().currentMessage() == ""


def test_a_broken_file_is_set_aside_said_and_written_again(
    make_window: MakeWindow, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    path.write_text("[run]\nalgorithm=@Variant(PySide)\n")
    window = make_window()
    assert "could not be read (it is no JSON)" in window.statusBar().currentMessage()
    assert (tmp_path / "settings.json.broken").read_text().startswith("[run]")
    window.set_theme("light")
    window.close()
    again = make_window()
    assert again.theme.name == "light"
    assert again.statusBar().currentMessage() == ""
