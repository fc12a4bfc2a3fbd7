"""What is shown: layers, cell cursor, hover and pin, without a window."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer import record
from ccl_viewer.render.layers import array_of
from ccl_viewer.session.showing import components as session_components
from ccl_viewer.session.showing.components import component_table
from ccl_viewer.session.showing.inspect import CellInfo, inspect_cell
from ccl_viewer.session.showing.look import (
    LAYER_PREFIX,
    SWITCHES,
    CellColours,
    Layers,
    Look,
    Numbers,
    Pin,
    next_of,
    numbers_of,
)
from ccl_viewer.session.state import Cell


@pytest.fixture
def look() -> Look:
    made = Look()
    made.fit((4, 6))
    return made


def cursor(look: Look) -> Cell | None:
    return look.cursor


def pinned(look: Look) -> Cell | None:
    return look.pinned


def changes(look: Look) -> list[str]:
    """Which signals were given, from now on."""
    seen: list[str] = []
    look.layers_changed.connect(lambda: seen.append("layers"))
    look.hover_changed.connect(lambda: seen.append("hover"))
    look.pin_changed.connect(lambda: seen.append("pin"))
    return seen


@pytest.mark.parametrize("name", SWITCHES)
def test_each_layer_is_switched_and_said_once(look: Look, name: str) -> None:
    was = look.layers.shows(name)
    seen = changes(look)
    for on in (not was, not was, was):
        look.switch(name, on)
        assert look.layers.shows(name) == on
    assert seen == ["layers", "layers"]


def test_numbers_come_back_as_they_were(look: Look) -> None:
    look.show(numbers=Numbers.ROOT)
    look.switch("numbers", on=False)
    assert look.layers.numbers == Numbers.NONE
    look.switch("numbers", on=True)
    assert look.layers.numbers == Numbers.ROOT


def test_layers_survive_being_written_down() -> None:
    layers = Layers(
        colours=CellColours.DEPTH,
        numbers=f"{LAYER_PREFIX}sizes",
        arrows=True,
        changed=False,
        strength=0.35,
    )
    assert Layers.from_values(layers.to_values()) == layers
    assert Layers.from_values({}) == Layers()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("colours", "plaid"),
        ("numbers", "letters"),
        ("arrows", "maybe"),
        ("strength", "lots"),
        ("strength", "nan"),
    ],
)
def test_damaged_values_are_left_out(name: str, text: str) -> None:
    assert Layers.from_values({name: text, "lines": "false"}) == Layers(lines=False)


def test_strength_has_limits(look: Look) -> None:
    look.show(strength=7.0)
    assert look.layers.strength == 1.0
    look.show(strength=-7.0)
    assert look.layers.strength == 0.1


def test_the_cursor_stays_inside_and_gives_way_to_the_mouse(look: Look) -> None:
    look.move_cursor(1, 0)
    assert cursor(look) == (3, 2)
    for _ in range(9):
        look.move_cursor(1, -1)
    assert cursor(look) == look.inspected == (5, 0)
    look.hover_at((1, 1))
    assert cursor(look) is None
    assert look.inspected == (1, 1)
    look.move_cursor(-1, 0)
    assert cursor(look) == (0, 1)
    assert look.hover is None


def test_leaving_with_the_mouse_keeps_the_cursor(look: Look) -> None:
    look.move_cursor(0, 0)
    look.hover_at(None)
    assert cursor(look) is not None


def test_a_pin_is_put_moved_and_taken_away(look: Look) -> None:
    seen = changes(look)
    look.pin((2, 3), component=True)
    assert look.pin_of == Pin((2, 3), component=True)
    assert pinned(look) == look.inspected == (2, 3)
    look.pin((2, 3))
    assert look.pin_of == Pin((2, 3))
    look.pin((2, 3))
    assert pinned(look) is None
    look.pin((1, 1))
    assert look.unpin()
    assert not look.unpin()
    assert seen == ["pin"] * 5


def test_unpinning_hides_the_cursor_last(look: Look) -> None:
    look.move_cursor(0, 0)
    look.pin((1, 1))
    assert look.unpin()
    assert cursor(look) is not None
    assert look.unpin()
    assert cursor(look) is None


def test_every_move_of_mouse_and_cursor_is_told_once(look: Look) -> None:
    seen = changes(look)
    look.hover_at((1, 1))
    look.hover_at((1, 1))
    look.move_cursor(0, 1)
    assert cursor(look) == (1, 2)
    look.hover_at(None)  # the cursor hid it
    look.point_at((4, 2))
    look.point_at((9, 9))
    look.hover_at((4, 2))
    look.hover_at(None)
    assert seen == ["hover"] * 5
    look.move_cursor(0, 0)
    look.unpin()
    assert seen == ["hover"] * 7


def test_without_a_grid_there_is_no_cursor() -> None:
    for shape in ((0, 5), (5, 0)):
        look = Look()
        look.fit(shape)
        look.move_cursor(1, 1)
        assert look.cursor is None


def test_another_grid_keeps_what_lies_in_it(look: Look) -> None:
    look.pin((5, 3))
    look.hover_at((1, 1))
    seen = changes(look)
    look.fit((4, 7))
    assert pinned(look) == (5, 3)
    look.fit((2, 2))
    assert pinned(look) is None
    assert seen == ["hover", "hover", "pin"]
    assert look.hover == (1, 1)
    look.fit((1, 1))
    assert look.hover is None


def test_another_grid_is_told_of_without_what_lay_outside(look: Look) -> None:
    look.pin((5, 3))
    look.hover_at((4, 3))
    heard: list[object] = []
    look.hover_changed.connect(lambda: heard.append(look.inspected))
    look.fit((2, 2))
    assert heard == [None]


def test_choices_follow_each_other() -> None:
    assert numbers_of(("sizes",)) == ("", "raw", "root", "component", f"{LAYER_PREFIX}sizes")
    assert next_of(("a", "b"), "b") == "a"
    assert next_of(("a", "b", "c"), "a") == "b"
    assert next_of(("a", "b"), "gone") == "a"


@pytest.mark.parametrize("piece", [1, 9, 1 << 17])
def test_components_have_area_and_box(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(session_components, "PIECE", piece)
    components = np.array([[1, 0, 2, 2], [1, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 1]], np.int32)
    table = component_table(components)
    for number in (1, 2, 3):
        rows, columns = np.nonzero(components == number)
        found = table.at((int(columns[0]), int(rows[0])))
        assert found is not None
        assert (found.number, found.area) == (number, rows.size)
        box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        assert found.box == box
    assert table.at((1, 0)) is None
    assert table.at((9, 0)) is None
    assert component_table(np.zeros((2, 3), np.int32)).at((0, 0)) is None


def test_cells_outside_the_grid_are_neither_hovered_nor_pinned(look: Look) -> None:
    look.pin((5, 3))
    seen = changes(look)
    for cell in ((6, 0), (0, 4), (297, 1), (-1, 0), (0, -1)):
        look.hover_at(cell)
        look.point_at(cell)
        look.pin(cell, component=True)
    assert seen == []
    assert look.hover is None
    assert pinned(look) == (5, 3)
    assert look.inspected == (5, 3)


def test_arrays_that_name_cells_are_those_whose_numbers_are_shown() -> None:
    assert array_of("layer:references", ("references",)) == "references"
    for numbers in ("", "raw", "references", "layer:sizes"):
        assert array_of(numbers, ("references",)) == ""


@pytest.mark.parametrize("cell", [(6, 0), (0, 4), (-1, 0), (0, -1)])
def test_outside_the_grid_is_background(cell: Cell) -> None:
    grid = np.ones((4, 6), np.uint8)
    run = record(grid, algorithm="ha4")
    labels = run.labels(-1).ravel()
    assert inspect_cell(grid, lambda place: labels[place], run, None, cell) == CellInfo(cell, 0)
