"""What is shown and where the user looks."""

from __future__ import annotations

import pytest
from psygnal import SignalInstance

from ccl_viewer.render.layers import CellColours, Numbers
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.view_state import (
    Mode,
    Pin,
    Viewport,
    ViewState,
    cell_at,
    fit_placement,
    next_scale,
    to_grid,
)


@pytest.fixture
def view() -> ViewState:
    """The view of a grid of 6 columns and 4 rows."""
    made = ViewState()
    made.set_shape((4, 6))
    return made


def pin_of(view: ViewState) -> Pin | None:
    return view.pin


def cursor_of(view: ViewState) -> tuple[int, int] | None:
    return view.cursor


def follow(view: ViewState) -> list[frozenset[SignalInstance]]:
    """Return the list that changes are added to."""
    told: list[frozenset[SignalInstance]] = []
    view.changed.connect(told.append)
    return told


def test_the_mouse_hides_the_cursor_and_only_cells_of_the_grid_count(view: ViewState) -> None:
    view.put_cursor((1, 1))
    view.hover_at((6, 0))
    assert (view.hover, cursor_of(view)) == (None, (1, 1))
    view.hover_at((5, 3))
    assert (view.hover, view.cursor, view.inspected) == ((5, 3), None, (5, 3))


def test_the_cursor_begins_where_the_user_looked_and_stays_inside(view: ViewState) -> None:
    view.move_cursor(0, 0)
    assert cursor_of(view) == (3, 2)
    view.hover_at((5, 0))
    view.move_cursor(1, -1)
    assert cursor_of(view) == (5, 0)


def test_pinning_the_same_once_more_unpins(view: ViewState) -> None:
    view.toggle_pin((2, 2))
    view.toggle_pin((2, 2), component=True)
    assert pin_of(view) == Pin((2, 2), component=True)
    view.toggle_pin((2, 2), component=True)
    assert pin_of(view) is None
    view.toggle_pin((9, 9))
    assert pin_of(view) is None


def test_a_pinned_cell_can_be_pinned_again(view: ViewState) -> None:
    for _ in range(2):
        view.pin_cell((2, 2))
        assert pin_of(view) == Pin((2, 2))


def test_another_picture_takes_the_pin_away(view: ViewState) -> None:
    view.set_mode_for_origin("/a/picture.png")
    view.pin_cell((1, 1))
    view.set_mode_for_origin("/a/picture.png")
    assert pin_of(view) == Pin((1, 1))
    view.set_mode_for_origin("/another.png")
    assert pin_of(view) is None


def test_unpin_takes_the_pin_first_and_then_the_cursor(view: ViewState) -> None:
    view.pin_cell((2, 2))
    view.put_cursor((1, 1))
    assert view.unpin()
    assert pin_of(view) is None
    assert cursor_of(view) == (1, 1)
    assert view.unpin()
    assert cursor_of(view) is None
    assert not view.unpin()


def test_what_lies_outside_a_smaller_grid_is_dropped(view: ViewState) -> None:
    view.pin_cell((5, 3))
    view.put_cursor((1, 1))
    told = follow(view)
    view.set_shape((2, 2))
    assert (view.pin, view.cursor) == (None, (1, 1))
    assert told == [frozenset({view.pin_changed})]


def test_numbers_come_back_as_what_they_showed_last(view: ViewState) -> None:
    view.show_layers(numbers=Numbers.ROOT)
    view.switch_layer("numbers")
    assert view.layers.numbers == Numbers.NONE
    view.switch_layer("numbers")
    assert view.layers.numbers == Numbers.ROOT


def test_layers_that_stay_the_same_are_not_announced(view: ViewState) -> None:
    told = follow(view)
    view.show_layers(colours=view.layers.colours)
    assert not told
    view.show_layers(colours=CellColours.DEPTH, strength=0.0)
    assert view.layers.strength == pytest.approx(0.1)
    assert told == [frozenset({view.layers_changed})]


def test_a_pick_goes_to_who_asked_for_it(view: ViewState) -> None:
    picked: list[tuple[int, int]] = []
    assert not view.answer_with((1, 1))
    view.set_marks(Marks(asked=(0, 0)), picked.append)
    assert view.answering
    assert view.answer_with((1, 1))
    view.set_marks(Marks())
    assert not view.answer_with((2, 2))
    assert picked == [(1, 1)]


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("", Mode.DRAW),
        ("pattern:empty?width=9", Mode.DRAW),
        ("pattern:spiral?size=9", Mode.EXPLORE),
        ("/a/picture.png", Mode.EXPLORE),
    ],
)
def test_opened_grids_are_explored_and_new_ones_drawn_on(
    view: ViewState, source: str, mode: Mode
) -> None:
    view.set_mode_for_origin(source)
    assert view.mode is mode


def test_the_mode_that_the_user_chose_stays_while_the_grid_does(view: ViewState) -> None:
    view.set_mode_for_origin("/a/picture.png")
    view.set_mode(Mode.DRAW)
    view.set_mode_for_origin("/a/picture.png")
    assert view.mode is Mode.DRAW


def test_a_change_of_the_viewport_is_one_of_the_view(view: ViewState) -> None:
    told = follow(view)
    view.viewport.look_at((2.0, 2.0), 8.0)
    view.fit()
    assert told == [frozenset({view.viewport_changed})] * 2


def test_fitting_fills_the_canvas_at_any_scale() -> None:
    place = fit_placement((0, 0, 64, 64), (900, 560), margin=4)
    assert place.scale == pytest.approx(552 / 64)
    assert (place.x, place.y) == (174, 4)
    assert fit_placement((0, 0, 2048, 2048), (900, 560)).scale < 1
    assert fit_placement((0, 0, 2, 2), (900, 560)).scale == 96


def test_padding_is_fitted_with_the_grid() -> None:
    place = Viewport().placement((8, 8), (200, 100), window=(-1, -1, 9, 9))
    assert place.scale == 10
    assert (place.x, place.y) == (60, 10)


def test_canvases_that_share_a_viewport_show_the_same_middle() -> None:
    viewport = Viewport()
    viewport.look_at((10.0, 20.0), 8.0)
    for size in ((300, 200), (500, 400)):
        place = viewport.placement((64, 64), size)
        assert to_grid(place, size[0] / 2, size[1] / 2) == pytest.approx((10, 20), abs=0.1)


def test_part_of_the_grid_always_stays_in_sight() -> None:
    viewport = Viewport()
    viewport.look_at((1e6, -1e6), 8.0)
    place = viewport.placement((64, 64), (300, 200))
    assert place.x + 64 * 8 >= 48
    assert place.y <= 200 - 48


def test_zooming_gives_whole_pixels_or_whole_cells() -> None:
    assert next_scale(8.625, 1.25) == 11
    assert next_scale(8.625, 1 / 1.25) == 6
    assert next_scale(0.54, 1 / 1.25) == pytest.approx(1 / 3)
    assert next_scale(0.54, 1.25) == 1
    assert next_scale(128, 1.25) == 128


def test_the_cell_under_a_position() -> None:
    place = fit_placement((0, 0, 10, 10), (100, 100))
    assert cell_at(place, 99.5, 0) == (9, 0)
    assert cell_at(place, -1, 100) == (-1, 10)
