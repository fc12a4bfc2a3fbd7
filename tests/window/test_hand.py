"""What a user does, with keys, mouse and menus, and what the window then shows and says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from support.hand import RIGHT, Hand
from support.qt_window import MakeWindow

from ccl_viewer import record
from ccl_viewer.exercises import exercise_names, load_exercise
from ccl_viewer.lessons import read_lesson
from ccl_viewer.lessons.model import QuestionKind

Open = Callable[[str], Hand]


@pytest.fixture
def use(make_window: MakeWindow, qtbot: QtBot) -> Open:
    """Opens a window on a file or pattern, for a hand to use."""
    return lambda source: Hand(make_window(source), qtbot)


NOISE = "pattern:noise?width=12&height=8&seed=3"

LESSON = "label-equivalence"


def test_the_key_for_the_previous_iteration_goes_back_to_the_first_step(use: Open) -> None:
    hand = use(NOISE)
    hand.key(Qt.Key.Key_End)
    while hand.step > 1:
        before = hand.step
        hand.key(Qt.Key.Key_PageUp)
        assert hand.step < before


def test_cells_that_were_moved_and_deleted_are_gone_from_where_they_were(use: Open) -> None:
    hand = use("pattern:empty?width=6&height=4")
    hand.press(1, 1)
    hand.choose("Tools", "Select")
    hand.drag((0, 0), (2, 2))
    hand.drag((1, 1), (3, 1))
    hand.key(Qt.Key.Key_Delete)
    hand.choose("Edit", "Select all")
    assert hand.copy_grid() == ["......"] * 4
    hand.choose("Edit", "Undo")
    hand.choose("Edit", "Select all")
    assert hand.copy_grid() == ["......", ".#....", "......", "......"]


def test_run_in_another_pane_runs_all_that_are_out_of_date(use: Open) -> None:
    hand = use("pattern:noise?width=300&height=230")
    hand.choose("Compare", "Compare runs")
    hand.wait_for_part("HA4, 3 / 3")
    hand.pick("Algorithm", "Row-Col")
    hand.wait_for("Result of the run", "Out of date")
    hand.choose("Compare", "Next pane")
    hand.choose("Run", "Run")
    hand.wait_for_part("Row-Col Unify, ")
    hand.choose("Compare", "Next pane")
    hand.wait_for("Result of the run", "correct")


def test_removing_a_pane_goes_on_with_the_one_before_it(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Compare", "Compare four algorithms")
    for name in ("HA4", "Row-Col Unify"):
        hand.choose("Compare", "Next pane")
        hand.wait_for_choice("Algorithm", name)
    hand.choose("Compare", "Remove pane")
    hand.wait_for_choice("Algorithm", "HA4")


def test_an_opened_recording_goes_out_of_date_with_the_grid(use: Open, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    record("pattern:noise?width=300&height=230", "ha4").save(path)
    hand = use(str(path))
    hand.wait_for("Result of the run", "correct")
    hand.choose("Edit", "Invert")
    hand.wait_for("Result of the run", "Out of date")


def test_a_new_grid_is_not_named_after_a_file_that_is_still_being_saved(
    use: Open, tmp_path: Path
) -> None:
    hand = use("pattern:noise?width=2000&height=2000")
    hand.choose("File", "Save grid as")
    hand.name_file(tmp_path / "old.png")
    hand.choose("File", "New grid")
    hand.click("Create")
    hand.wait_for_part("Message")
    assert "New grid" in hand.window.windowTitle()


def test_cells_that_float_over_a_scene_are_kept_with_its_grid(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Lessons", "4  Shibata")
    hand.wait_for_part("Caption")
    hand.choose("View", "Draw on the grid")
    hand.choose("Edit", "Clear")
    hand.press(0, 0)
    hand.choose("Tools", "Select")
    hand.drag((0, 0), (1, 1))
    hand.drag((0, 0), (8, 8))
    hand.click("Keep this grid")
    hand.choose("Edit", "Select all")
    assert hand.copy_grid() == ["." * 10] * 8 + ["." * 8 + "#."] + ["." * 10]


def test_another_exercise_begins_without_hints(use: Open) -> None:
    hand = use(NOISE)
    first, second = (load_exercise(name).title for name in exercise_names()[:2])
    hand.choose("Lessons", "Exercises", first)
    hand.click("Show a hint")
    hand.wait_for_part("Hints")
    hand.choose("Lessons", "Exercises", second)
    hand.wait_for_part(second)
    assert not hand.shows("Hints")


def test_starting_over_ends_the_judging(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Lessons", "Exercises", load_exercise(exercise_names()[0]).title)
    hand.click("Judge")
    hand.click("Start over")
    assert "then press Judge." in hand.says("Judgement")


def test_the_pin_stays_when_its_node_is_pressed(use: Open) -> None:
    hand = use("pattern:empty?width=6&height=4")
    hand.press(1, 1)
    hand.choose("View", "Pin component")
    hand.choose("View", "Panels", "Tree")
    hand.wait_for_part("Tree of the pinned component")
    hand.click("Tree of the pinned component")
    assert not hand.read("Pin a component to see its tree")


def test_the_command_for_an_edited_pattern_asks_for_its_recording(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Edit", "Clear")
    hand.wait_for("Result of the run", "Empty grid")
    hand.choose("File", "Export")
    hand.wait_for_part("Command line that exports the same")
    assert "run.cclrec" in hand.says("Command line that exports the same")


def open_picture(hand: Hand, path: Path, width: int) -> None:
    """Open a grey picture of some columns, up to the questions about its import."""
    Image.fromarray(np.tile(np.arange(width, dtype=np.uint8) * 8, (10, 1))).save(path)
    hand.choose("File", "Open")
    hand.name_file(path)
    hand.wait_for_part("Scale")


def test_the_size_of_one_picture_is_not_that_of_the_next(use: Open, tmp_path: Path) -> None:
    hand = use(NOISE)
    open_picture(hand, tmp_path / "first.png", 20)
    hand.pick("Scale", "To a size")
    hand.click("Import")
    hand.wait_for_grid(20)
    open_picture(hand, tmp_path / "second.png", 30)
    hand.wait_for_choice("Scale", "A cell for each pixel")
    hand.click("Import")
    hand.wait_for_grid(30)


def test_moving_the_cursor_does_not_zoom(use: Open) -> None:
    hand = use("pattern:noise?width=300&height=230")
    before = hand.says("Zoom")
    hand.key(Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    hand.wait_for("Cell under the mouse", "x 150, y 115")
    assert hand.says("Zoom") == before


def test_the_right_button_erases_nothing_while_a_question_is_open(use: Open) -> None:
    kinds = [scene.question and scene.question.kind for scene in read_lesson(LESSON).scenes]
    hand = use("pattern:shibata")
    hand.choose("Lessons", "Label Equivalence")
    hand.wait_for_part("Caption")
    for _ in range(kinds.index(QuestionKind.ROOT)):
        before = hand.says("Caption")
        hand.choose("Lessons", "Next")
        hand.wait_until(partial(differs, hand, before))
    hand.wait_for("Cell under the mouse", "Click the cell that is the answer")
    hand.choose("View", "Draw on the grid")
    drawn = hand.copy_grid()
    for y, line in enumerate(drawn):
        if "#" in line:
            hand.press(line.index("#"), y, RIGHT)
    assert hand.copy_grid() == drawn


def differs(hand: Hand, caption: str) -> bool:
    """Return whether a scene has another caption."""
    return hand.says("Caption") != caption


def test_a_section_ends_at_the_step_of_the_menu(use: Open) -> None:
    hand = use(NOISE)
    hand.key(Qt.Key.Key_Home)
    for _ in range(3):
        hand.choose("Playback", "Step forward")
    hand.choose_in_menu_of("Steps of the run", "Section ends at step 4")
    hand.pick("Speed", "15")
    hand.click("Play")
    played: list[int] = []

    def began_again() -> bool:
        played.append(hand.step)
        return played[-1] < max(played)

    hand.wait_until(began_again)
    assert max(played) == 4


def test_turning_the_wheel_to_the_right_goes_on(use: Open) -> None:
    hand = use(NOISE)
    hand.key(Qt.Key.Key_Home)
    hand.turn_wheel("Steps of the run", QPoint(-120, 0))  # to the right, as Qt has it
    assert hand.step == 2
    hand.turn_wheel("Steps of the run", QPoint(120, 0))
    assert hand.step == 1


def test_a_stroke_that_escape_takes_back_leaves_the_run_as_it_was(
    use: Open, tmp_path: Path
) -> None:
    path = tmp_path / "run.cclrec"
    record("pattern:noise?width=300&height=230", "ha4").save(path)
    hand = use(str(path))
    hand.choose("View", "Draw on the grid")
    with hand.held_stroke((10, 10), (40, 40)):
        hand.wait_for("Result of the run", "Out of date")
        hand.key(Qt.Key.Key_Escape)
        hand.wait_for("Result of the run", "correct")


def test_several_values_come_back_with_redo(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Tools", "Several values")
    hand.choose("Edit", "Undo")
    hand.choose("Edit", "Redo")
    assert hand.entry("Tools", "Several values").isChecked()


def test_an_edited_grid_is_not_measured_as_its_pattern(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Edit", "Clear")
    hand.choose("Run", "Benchmark")
    bench = hand.dialog("Benchmark")
    before = bench.says("Grids")
    bench.choose_below("Add grids", "This grid")
    bench.wait_to_read("Save the grid first")
    assert bench.says("Grids") == before


def test_a_stopped_benchmark_keeps_all_that_was_measured(use: Open) -> None:
    hand = use(NOISE)
    hand.choose("Run", "Benchmark")
    bench = hand.dialog("Benchmark")
    bench.pick("Device", "Emulator")
    bench.click("Run")
    bench.wait_until(lambda: any(bench.read(f"({number} of 9)") for number in range(3, 9)))
    bench.click("Cancel")
    bench.wait_to_read("Stopped after")
    (said,) = bench.read("Stopped after")
    assert int(said.split()[2]) >= 4
