"""What actions do: every switch switches what it says, and the rest what nothing else tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from support.windows import answer_names, wait_idle

from ccl_viewer.grids import Grid
from ccl_viewer.views.actions import GROUPS
from ccl_viewer.views.main_window import MainWindow

SECTIONS = [section for group in GROUPS for section in group.sections]
CHOICES = {spec.name for section in SECTIONS if section.one_of for spec in section.specs}
SWITCHES = [spec for section in SECTIONS for spec in section.specs if spec.switch is not None]
ELSEWHERE = {"presenter_notes", "lesson_settings", "predict", "projector"}
"""They change what is open, and have tests of their own."""


def grid_of(window: MainWindow) -> Grid:
    assert window.session.grid is not None
    return window.session.grid


def test_every_switch_switches_and_shows_it(window: MainWindow, qtbot: QtBot) -> None:
    window.session.playback.go_to(1)
    left_out = set()
    for spec in SWITCHES:
        window.session.comparison.show(on=True)
        wait_idle(qtbot, window)
        action = window.actions_table[spec.name]
        if spec.name.startswith("panel_"):  # one that lies behind others comes to the front
            continue
        if spec.name in ELSEWHERE or not action.isEnabled():
            left_out.add(spec.name)
            continue
        assert spec.on is not None
        before = spec.on(window)
        action.trigger()
        assert spec.on(window) is (spec.name in CHOICES or not before), spec.name
        assert action.isChecked() is spec.on(window), spec.name
    assert left_out == ELSEWHERE


def test_the_whole_grid_is_edited(window: MainWindow, qtbot: QtBot) -> None:
    before = grid_of(window)
    for name, expected in (
        ("clear", np.zeros_like(before)),
        ("invert", 1 - before),
        ("flip_across", before[:, ::-1]),
        ("flip_down", before[::-1]),
        ("rotate_right", np.rot90(before, -1)),
        ("rotate_left", np.rot90(before)),
    ):
        window.actions_table[name].trigger()
        assert np.array_equal(grid_of(window), expected), name
        window.actions_table["undo"].trigger()
        assert np.array_equal(grid_of(window), before), name
    wait_idle(qtbot, window)


def test_times_are_measured(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_table["measure"].trigger()
    wait_idle(qtbot, window)
    assert window.session.measuring.timing is not None


def test_the_labels_of_the_step_on_display_are_saved(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run = tmp_path / "labels.npy", window.session.recording
    assert run is not None
    window.session.playback.go_to(1)
    answer_names(monkeypatch, lambda: (str(path), ""))
    window.actions_table["save_labels"].trigger()
    wait_idle(qtbot, window)
    assert np.array_equal(np.load(path), run.labels(1))


def test_the_focus_goes_round_both_ways(window: MainWindow) -> None:
    window.canvas.setFocus()
    window.actions_table["next_part"].trigger()
    assert not window.canvas.hasFocus()
    window.actions_table["previous_part"].trigger()
    assert window.canvas.hasFocus()


def test_zoom_goes_in_and_out_and_fits(window: MainWindow) -> None:
    canvas = window.canvas
    fitted = canvas.view.scale
    window.actions_table["zoom_out"].trigger()
    smaller = canvas.view.scale
    assert smaller < fitted
    window.actions_table["zoom_in"].trigger()
    assert canvas.view.scale > smaller
    window.actions_table["fit"].trigger()
    assert canvas.view.scale == fitted
