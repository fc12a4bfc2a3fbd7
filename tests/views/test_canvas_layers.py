"""Every layer of the canvas: its key, its switch, and what it changes in the picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import MakeWindow, press, settled, status_of, wait_idle

from ccl_viewer.session import Cell, CellColours, Numbers
from ccl_viewer.session.showing import frames
from ccl_viewer.views.canvas.layers_panel import COLOURS
from ccl_viewer.views.looks.text import TIMES
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.rest import wait_until_at_rest

SHIFT = Qt.KeyboardModifier.ShiftModifier
KEYS = {
    "n": "numbers",
    "a": "arrows",
    "c": "changed",
    "s": "structure",
    "k": "contours",
    "g": "lines",
    "u": "onion",
    "d": "only",
}


def at(window: MainWindow, cell: Cell) -> QPoint:
    return window.canvas.centre_of(cell).toPoint()


def picture(window: MainWindow) -> npt.NDArray[np.int16]:
    """The canvas as it is painted, shape (height, width, 3)."""
    image = window.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return raw[:, : image.width(), 2::-1].astype(np.int16)


def share_changed(before: npt.NDArray[np.int16], after: npt.NDArray[np.int16]) -> float:
    """The share of pixels that differ visibly."""
    return float((np.abs(before - after).max(axis=2) > 24).mean())


def inside(window: MainWindow, cell: Cell) -> npt.NDArray[np.int16]:
    """The pixels of a cell."""
    scale = int(window.canvas.view.scale)
    left, top = (int(place) for place in window.canvas.view.corner(*cell))
    return picture(window)[top : top + scale, left : left + scale]


def colours_of(window: MainWindow, grid: npt.NDArray[np.uint8]) -> set[tuple[int, ...]]:
    """The colours of the foreground, from one picture of the canvas."""
    shown = picture(window)
    corners = (window.canvas.view.corner(x, y) for y, x in np.argwhere(grid).tolist())
    return {tuple(shown[int(top) + 9, int(left) + 9].tolist()) for left, top in corners}


def test_each_layer_has_a_key(window: MainWindow) -> None:
    look = window.session.look
    for key, name in KEYS.items():
        before = look.layers
        press(window.canvas, key)
        changed = {
            other for other in KEYS.values() if look.layers.shows(other) != before.shows(other)
        }
        assert changed == {name}, key
        assert window.actions_table[name].isChecked() == look.layers.shows(name), key
        press(window.canvas, key)
        assert look.layers == before, key


def test_each_layer_is_seen(window: MainWindow) -> None:
    window.session.playback.go_to(2)
    look = window.session.look
    for name in ("numbers", "arrows", "changed", "structure", "contours", "lines"):
        look.switch(name, on=False)
        before = picture(window)
        look.switch(name, on=True)
        after = picture(window)
        assert 0.001 < share_changed(before, after) < 0.9, name
        look.switch(name, on=False)
        assert share_changed(before, picture(window)) == 0, name


def test_onion_skin_rims_changed_cells_with_their_old_colour(window: MainWindow) -> None:
    look, playback = window.session.look, window.session.playback
    for name in ("numbers", "lines", "changed"):
        look.switch(name, on=False)
    playback.go_to(1)
    step = window.session.recording
    assert step is not None
    changed = np.argwhere(step.labels(1) != step.labels(0)).tolist()
    y, x = next(
        place
        for place in changed
        if (inside(window, (place[1], place[0]))[9, 9] != _at_step(window, 0, place)).any()
    )
    old, new = _at_step(window, 0, [y, x]), _at_step(window, 1, [y, x])
    look.switch("onion", on=True)
    cell = inside(window, (x, y))
    assert (cell[2, 9] == old).all()
    assert (cell[9, 9] == new).all()


def _at_step(window: MainWindow, index: int, place: list[int]) -> npt.NDArray[np.int16]:
    """The colour of the middle of a cell, given as row and column, at a step."""
    position = window.session.playback.position
    window.session.playback.go_to(index)
    color: npt.NDArray[np.int16] = inside(window, (place[1], place[0]))[9, 9]
    window.session.playback.go_to(position)
    return color


def test_each_colouring_is_shown(window: MainWindow) -> None:
    window.session.look.switch("numbers", on=False)
    window.session.playback.go_to(1)
    grid = window.session.grid
    assert grid is not None
    for kind in CellColours:
        window.session.look.show(colours=kind)
        assert window.session.colouring is not None
        colours = colours_of(window, grid)
        assert (len(colours) == 1) == (kind in {CellColours.INPUT, CellColours.COMPONENT}), kind


def test_a_tree_has_the_colour_of_its_root(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="playne", parameters={})
    wait_idle(qtbot, window)
    window.session.look.switch("numbers", on=False)
    window.session.playback.go_to(2)
    window.session.look.show(colours=CellColours.TREE)
    recording = window.session.recording
    assert recording is not None
    assert recording.step(2).roots == 1
    assert len(colours_of(window, recording.image)) == 1


def test_numbers_can_be_root_or_component(window: MainWindow) -> None:
    look = window.session.look
    window.session.playback.go_to(1)
    pictures = []
    for kind in (Numbers.RAW, Numbers.ROOT, Numbers.COMPONENT, Numbers.NONE):
        look.show(numbers=kind)
        pictures.append(picture(window))
    for first in range(4):
        for second in range(first):
            assert share_changed(pictures[first], pictures[second]) > 0


def test_a_recorded_array_can_be_the_numbers(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window("pattern:shibata")
    window.session.configure(algorithm_key="label_equivalence_sizes", parameters={})
    wait_idle(qtbot, window)
    panel = window.canvas_panel.layers
    raw = picture(window)
    panel.numbers.setCurrentIndex(panel.numbers.findText("sizes"))
    panel.numbers.activated.emit(panel.numbers.currentIndex())
    assert window.session.look.layers.numbers == "layer:sizes"
    assert share_changed(raw, picture(window)) > 0.001


@pytest.mark.parametrize("large", [1, 1 << 18], ids=["decoded in part", "decoded as a whole"])
def test_marks_lie_over_the_structure_and_follow_the_numbers(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    monkeypatch.setattr(frames, "AHEAD_CELLS", large)
    window = make_window("pattern:noise?width=9&height=6&density=0.7")
    window.session.configure(algorithm_key="label_equivalence_hawick", parameters={})
    wait_idle(qtbot, window)
    run, look = window.session.recording, window.session.look
    assert run is not None
    window.session.playback.go_to(1)
    look.show(structure=True, changed=False, numbers="layer:references")
    view = window.canvas.view
    window.canvas.look_at(view)  # where it stays, whatever room the key takes
    wait_until_at_rest(window)
    without = picture(window)
    look.show(changed=True)
    wait_until_at_rest(window)
    marked = picture(window)
    now, before = (run.layer("references", step) for step in (1, 0))
    for y, x in np.argwhere(run.image != 0).tolist():
        left, top = (int(place) for place in view.corner(x + 1, y))
        corner = (slice(top + 2, top + 5), slice(left - 4, left - 1))
        assert (marked[corner] != without[corner]).any() == (now[y, x] != before[y, x])


def test_padding_is_fitted_and_painted_with_the_structure(window: MainWindow) -> None:
    canvas, look = window.canvas, window.session.look
    assert canvas.legend.isEmpty()
    scale = canvas.view.scale
    look.switch("structure", on=True)
    shown = picture(window)
    left, top = canvas.view.corner(-1, -1)
    right, bottom = canvas.view.corner(11, 11)
    assert canvas.view.scale < scale
    assert 0 <= left < right <= canvas.width()
    assert 0 <= top < bottom <= canvas.legend.top()
    half = int(canvas.view.scale / 2)
    padding = shown[int(top) + 4 : int(top) + half, int(left) + 4 : int(right) - 4]
    assert len(np.unique(padding.reshape(-1, 3), axis=0)) > 3
    look.switch("structure", on=False)
    assert canvas.view.scale == scale
    assert share_changed(shown, picture(window)) > 0.05


def test_ctrl_click_pins_a_component_and_dims_the_rest(window: MainWindow) -> None:
    look = window.session.look
    window.session.configure(connectivity=4)
    window.session.look.switch("numbers", on=False)
    window.session.playback.go_to(0)
    grid = window.session.grid
    assert grid is not None
    y, x = np.argwhere(grid)[0].tolist()
    before = grid.copy()
    QTest.mouseClick(
        window.canvas,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ControlModifier,
        at(window, (x, y)),
    )
    assert look.pinned == (x, y)
    assert look.pin_of is not None
    assert look.pin_of.component
    assert np.array_equal(grid, before)
    background = inside(window, (9, 9))[9, 9].copy()
    press(window.canvas, "d")
    assert (inside(window, (9, 9))[9, 9] != background).any()
    press(window.canvas, Qt.Key.Key_Escape)
    assert look.pinned is None


def test_the_cell_cursor_is_moved_and_pins_by_keyboard(window: MainWindow) -> None:
    look, canvas = window.session.look, window.canvas
    look.hover_at((2, 2))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key, SHIFT)
    assert look.cursor == (2, 4)
    assert "x 2, y 4" in status_of(window).cell.text()
    position = window.session.playback.position
    press(canvas, Qt.Key.Key_Return)
    assert look.pinned == (2, 4)
    QTest.keyClick(canvas, Qt.Key.Key_Up, SHIFT)
    QTest.keyClick(canvas, Qt.Key.Key_Return, SHIFT)
    assert look.pin_of is not None
    assert (look.pin_of.cell, look.pin_of.component) == ((2, 3), False)
    assert window.session.playback.position == position


def test_the_cursor_comes_into_sight(make_window: MakeWindow) -> None:
    window = make_window("pattern:noise?width=90&height=90")
    canvas = window.canvas
    for _ in range(12):
        canvas.zoom(1.5)
    for _ in range(80):
        QTest.keyClick(canvas, Qt.Key.Key_Right, SHIFT)
    cursor = window.session.look.cursor
    assert cursor is not None
    assert canvas.rect().contains(at(window, cursor))


def test_the_status_bar_tells_of_the_component(window: MainWindow) -> None:
    window.session.look.hover_at((1, 2))
    text = status_of(window).cell.text()
    assert f"component 1: 32 cells, box 8 {TIMES} 8 at (1, 1)" in text
    cell = status_of(settled(window, 1280, 720)).cell
    assert cell.fontMetrics().horizontalAdvance(text) <= cell.contentsRect().width()


def test_colours_and_numbers_go_round_by_keyboard(window: MainWindow) -> None:
    look = window.session.look
    seen = []
    for _ in CellColours:
        QTest.keyClick(window.canvas, Qt.Key.Key_C, SHIFT)
        seen.append(look.layers.colours)
    assert sorted(seen) == sorted(CellColours)
    numbers = []
    for _ in Numbers:
        QTest.keyClick(window.canvas, Qt.Key.Key_N, SHIFT)
        numbers.append(look.layers.numbers)
    assert sorted(numbers) == sorted(Numbers)


def test_the_panel_shows_and_switches_all_layers(window: MainWindow) -> None:
    QTest.keyClick(window.canvas, Qt.Key.Key_L, SHIFT)
    panel, look = window.canvas_panel.layers, window.session.look
    assert panel.isVisible()
    for name, box in panel.switches.items():
        was = look.layers.shows(name)
        box.click()
        assert look.layers.shows(name) != was
        look.switch(name, on=was)
        assert box.isChecked() == was
    for index, kind in enumerate(COLOURS):
        panel.colours.activated.emit(index)
        assert look.layers.colours == kind
        assert panel.colours.currentIndex() == index
    panel.strength.setValue(40)
    assert look.layers.strength == 0.4
    press(panel, Qt.Key.Key_Escape)
    assert not panel.isVisible()


def test_layers_are_remembered(make_window: MakeWindow) -> None:
    first = make_window()
    first.session.look.show(
        colours=CellColours.DEPTH, numbers=Numbers.ROOT, arrows=True, lines=False, strength=0.5
    )
    layers = first.session.look.layers
    first.close()
    assert make_window().session.look.layers == layers


def test_weak_colours_show_the_input(window: MainWindow) -> None:
    window.session.look.switch("numbers", on=False)
    strong = inside(window, (1, 2))[9, 9]
    window.session.look.show(strength=0.1)
    weak = inside(window, (1, 2))[9, 9]
    assert np.ptp(weak) < np.ptp(strong)


def test_small_cells_light_up_where_they_changed(make_window: MakeWindow) -> None:
    window = make_window("pattern:noise?width=100&height=80&density=0.6")
    assert window.canvas.view.scale < 10
    window.session.playback.go_to(2)
    window.session.look.switch("changed", on=False)
    before = picture(window)
    window.session.look.switch("changed", on=True)
    after = picture(window)
    assert share_changed(before, after) > 0.005
    assert after.sum() > before.sum()


def test_marks_step_back_with_their_cells(make_window: MakeWindow) -> None:
    window = make_window("pattern:noise?width=12&height=8&density=0.6")
    recording, look = window.session.recording, window.session.look
    assert recording is not None
    window.session.playback.go_to(1)
    roots = recording.parents(-1)
    y, x = np.nonzero(recording.labels(1) != recording.labels(0))
    cells: list[Cell] = list(zip(x.tolist(), y.tolist(), strict=True))
    own = [cell for cell in cells if roots[cell[::-1]] == roots[y[-1], x[-1]]]
    other = next(cell for cell in cells if cell not in own)
    look.pin(own[-1], component=True)
    look.show(only=True, changed=False)
    before = [inside(window, cell) for cell in (own[0], other)]
    look.show(changed=True)
    mine, others = (inside(window, cell) for cell in (own[0], other))
    assert (mine != before[0]).any()
    assert (others == before[1]).all()


def test_pinned_cells_survive_a_new_run(window: MainWindow, qtbot: QtBot) -> None:
    window.session.look.pin((1, 2), component=True)
    window.session.configure(algorithm_key="playne", parameters={})
    wait_idle(qtbot, window)
    QApplication.processEvents()
    assert window.session.look.pinned == (1, 2)


def test_depths_have_a_legend_beside_the_grid(window: MainWindow) -> None:
    canvas = window.canvas
    window.session.look.show(colours=CellColours.DEPTH)
    picture(window)
    assert not canvas.legend.isEmpty()
    assert canvas.view.corner(0, 10)[1] <= canvas.legend.top()
    window.session.look.show(colours=CellColours.LABEL)
    picture(window)
    assert canvas.legend.isEmpty()
