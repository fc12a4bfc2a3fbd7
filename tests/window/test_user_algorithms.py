"""File > Add algorithm: the question, and the code that runs before and after the answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, part, type_path, wait_idle

from ccl_viewer.algorithms.own import allowed_algorithms
from ccl_viewer.user_kernels.own import add_algorithm
from ccl_viewer.user_kernels.template import write_algorithm
from ccl_viewer.window.check.model import Checker
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.run_settings.widget import QtAlgorithmBox
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.user_algorithms.widget import QtUserAlgorithms

Button = QMessageBox.StandardButton


@pytest.fixture(autouse=True)
def allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of what is allowed for this test alone."""
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A new algorithm that leaves a file behind whenever its Python runs."""
    write_algorithm(tmp_path / "mine")
    plan = tmp_path / "mine" / "mine.py"
    plan.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n{plan.read_text()}")
    return tmp_path / "mine"


def question(window: MainWindow) -> QMessageBox | None:
    boxes = window.findChildren(QMessageBox)
    return next((box for box in boxes if box.isVisible()), None)


def answer(window: MainWindow, qtbot: QtBot, button: Button) -> None:
    qtbot.waitUntil(lambda: question(window) is not None)
    box = question(window)
    assert box is not None
    box.button(button).click()
    qtbot.waitUntil(lambda: question(window) is None)
    wait_idle(qtbot, window.session)


def test_code_runs_once_it_is_allowed_and_panels_show_it_as_any_other(
    make_window: MakeWindow, qtbot: QtBot, mine: Path, tmp_path: Path
) -> None:
    window = make_window("pattern:spiral?size=5")
    adding = window.session.user_algorithms
    adding.add(mine)
    box = question(window)
    assert box is not None
    assert box.text() == "May the code of mine run?"
    assert str(mine) in box.informativeText()
    assert box.defaultButton() is box.button(Button.Cancel)
    answer(window, qtbot, Button.Cancel)
    assert not (tmp_path / "ran").exists()
    assert not allowed_algorithms()
    assert window.session.runs.settings.algorithm != "own:mine"

    adding.add(mine)
    answer(window, qtbot, Button.Yes)
    recording = window.session.display.recording
    assert recording is not None
    assert recording.algorithm == "own:mine"
    assert recording.verdict is not None
    assert recording.verdict.correct
    assert (tmp_path / "ran").exists()
    box_of_algorithms = part(window, QtAlgorithmBox)
    box_of_algorithms.fill_groups()
    assert "own:mine" in box_of_algorithms.values

    adding.add(mine)  # nothing has changed
    wait_idle(qtbot, window.session)
    assert question(window) is None

    window.side_panel.show_panel("source")
    source = window.side_panel.widget("source")
    assert isinstance(source, QtSource)
    qtbot.waitUntil(lambda: "mine_propagate" in source.text.toPlainText())
    assert not source.edit_button.isEnabled()  # it is edited in its folder
    assert recording.ledger is not None  # small grids are counted
    checker = model_of(window.session, Checker)
    checker.start()
    qtbot.waitUntil(lambda: not checker.running)
    assert checker.report is not None
    assert checker.report.clean
    assert not checker.stale
    with (mine / "mine.cu").open("a") as kernels:
        kernels.write("// Changed.\n")
    assert checker.stale


def test_changed_code_is_asked_about_when_it_is_run(
    make_window: MakeWindow, qtbot: QtBot, mine: Path
) -> None:
    add_algorithm(mine)
    window = make_window("pattern:spiral?size=5")
    session = window.session
    session.user_algorithms.add(mine)
    wait_idle(qtbot, session)
    assert session.runs.settings.algorithm == "own:mine"
    plan = mine / "mine.py"
    plan.write_text(plan.read_text().replace('title="mine"', 'title="Mine, better"'))
    session.runs.run()
    answer(window, qtbot, Button.Cancel)
    session.runs.run()  # declined: not asked again for the same content
    wait_idle(qtbot, session)
    assert question(window) is None
    assert "was changed since you allowed it" in session.runs.failure
    plan.write_text(plan.read_text().replace("Mine, better", "Mine, best"))
    session.runs.run()
    answer(window, qtbot, Button.Yes)
    qtbot.waitUntil(lambda: not session.runs.failure)
    recording = session.display.recording
    assert recording is not None
    assert recording.algorithm == "own:mine"
    assert allowed_algorithms()["mine"].algorithm.title == "Mine, best"


def test_what_is_wrong_is_said_with_its_line(
    make_window: MakeWindow, qtbot: QtBot, mine: Path, tmp_path: Path
) -> None:
    window = make_window("pattern:spiral?size=5")
    session = window.session
    adding = session.user_algorithms
    adding.add(tmp_path)
    assert session.messages.message is not None
    assert "is missing" in session.messages.message.text
    plan = mine / "mine.py"
    plan.write_text(f"1 / 0\n{plan.read_text()}")
    adding.add(mine)
    answer(window, qtbot, Button.Yes)
    assert "mine.py:1 fails (ZeroDivisionError" in session.messages.message.text
    assert not allowed_algorithms()


def test_the_action_asks_for_a_folder(
    make_window: MakeWindow, qtbot: QtBot, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent)
    window = make_window()
    window.actions_by_name["add_algorithm"].trigger()
    type_path(qtbot, part(window, QFileDialog), mine)
    box = question(window)
    assert box is not None
    assert str(mine) in box.informativeText()
    answer(window, qtbot, Button.Cancel)


def test_code_that_is_removed_from_the_list_runs_no_more(
    make_window: MakeWindow, qtbot: QtBot, mine: Path
) -> None:
    add_algorithm(mine)
    window = make_window()  # without a grid, nothing runs but the question what it is
    session = window.session
    session.user_algorithms.add(mine)
    assert session.runs.settings.algorithm == "own:mine"
    with (mine / "mine.cu").open("a") as kernels:
        kernels.write("// Changed.\n")
    window.actions_by_name["user_algorithms"].trigger()
    dialog = part(window, QtUserAlgorithms)
    item = dialog.list.topLevelItem(0)
    assert item is not None
    assert [item.text(column) for column in range(3)] == [
        "mine",
        "changed since you allowed it",
        str(mine),
    ]
    dialog.remove.click()
    assert dialog.list.topLevelItemCount() == 0
    assert not dialog.remove.isEnabled()
    assert not allowed_algorithms()
    assert mine.is_dir()
    assert session.runs.settings.algorithm == "label_equivalence"
    session.user_algorithms.add(mine)
    answer(window, qtbot, Button.Yes)
    assert dialog.list.topLevelItemCount() == 1
    dialog.close()


def test_a_lesson_asks_before_code_beside_it_runs(
    make_window: MakeWindow, qtbot: QtBot, mine: Path, tmp_path: Path
) -> None:
    (tmp_path / "lesson.toml").write_text(
        """title = "Mine"
aims = ["Know it."]

[[scene]]
title = "First"
caption = "{kernel}."
grid = "pattern:spiral?size=5"
algorithm = "./mine"
"""
    )
    window = make_window()
    player = model_of(window.session, LessonPlayer)
    player.open(str(tmp_path / "lesson.toml"))
    answer(window, qtbot, Button.Cancel)
    assert not player.is_open
    assert not (tmp_path / "ran").exists()
    player.open(str(tmp_path / "lesson.toml"))
    answer(window, qtbot, Button.Yes)
    qtbot.waitUntil(lambda: player.is_open, timeout=240_000)
    assert player.scene is not None
    assert player.scene.recording.algorithm == "own:mine"
