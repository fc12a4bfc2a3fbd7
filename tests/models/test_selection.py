"""Selecting, moving, copying and turning parts of the grid."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid, parse
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.selection import Selection

GRID = "##....\n#.....\n......\n......"


@pytest.fixture
def document() -> Document:
    """A grid with three drawn cells, and a selected box of 2 x 2."""
    made = Document()
    made.load_grid(parse(GRID), "")
    made.selection.select(Box(0, 0, 2, 2))
    return made


@pytest.fixture
def selection(document: Document) -> Selection:
    return document.selection


def shown(document: Document) -> str:
    assert document.grid is not None
    return format_grid(document.grid).strip()


def box_of(selection: Selection) -> Box | None:
    return selection.box


def test_a_selection_lies_in_the_grid(selection: Selection) -> None:
    selection.select(Box(2, 4, 41, 41))
    assert box_of(selection) == Box(2, 4, 4, 6)
    selection.select(Box(10, 10, 12, 12))
    assert box_of(selection) is None
    selection.select_all()
    assert box_of(selection) == Box(0, 0, 4, 6)


def test_what_is_moved_floats_until_it_is_placed(document: Document, selection: Selection) -> None:
    selection.move(3, 2)
    assert shown(document) == GRID
    assert selection.floating_patch is not None
    assert (selection.floating_patch.box, selection.hole) == (Box(2, 3, 4, 5), Box(0, 0, 2, 2))
    assert selection.place()
    assert not selection.place()
    assert shown(document) == "......\n......\n...##.\n...#.."
    assert box_of(selection) == Box(2, 3, 4, 5)
    assert document.undo_title == "Move"
    document.undo()
    assert shown(document) == GRID


def test_what_floats_goes_back_when_it_is_cancelled(
    document: Document, selection: Selection
) -> None:
    selection.move(2, 1)
    document.undo()
    assert (selection.floating_patch, selection.box) == (None, Box(0, 0, 2, 2))
    selection.move(2, 1)
    assert selection.cancel()
    assert selection.cancel()
    assert not selection.cancel()
    assert shown(document) == GRID


def test_copy_and_paste(document: Document, selection: Selection) -> None:
    cells = selection.copy_cells()
    assert cells is not None
    assert format_grid(cells) == "##\n#.\n"
    selection.clear()
    selection.paste(cells, (5, 3))
    assert selection.hole is None
    selection.clear()
    assert shown(document) == "##....\n#.....\n....##\n....#."
    assert document.undo_title == "Paste"
    whole = selection.copy_cells()
    assert whole is not None
    assert whole.shape == (4, 6)


def test_what_is_pasted_may_be_dropped(document: Document, selection: Selection) -> None:
    selection.paste(np.ones((9, 9), np.uint8))
    selection.delete()
    assert selection.floating_patch is None
    selection.paste(np.ones((9, 9), np.uint8))
    selection.cancel()
    assert shown(document) == GRID


def test_cut_and_delete(document: Document, selection: Selection) -> None:
    cells = selection.cut_cells()
    assert cells is not None
    assert (document.undo_title, document.empty) == ("Cut", True)
    selection.paste(cells)
    selection.clear()
    assert shown(document) == GRID
    selection.select_all()
    selection.delete()
    assert (document.undo_title, document.empty) == ("Delete", True)


def test_pasting_without_a_grid_begins_with_what_is_pasted() -> None:
    document = Document()
    document.selection.paste(parse("#.#"))
    assert shown(document) == "#.#"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("clear", "......\n......"),
        ("invert", "......\n.#...."),
        ("flip_left_right", "##....\n.#...."),
        ("flip_top_bottom", "#.....\n##...."),
        ("rotate_right", "##....\n.#...."),
        ("rotate_left", "#.....\n##...."),
    ],
)
def test_edits_of_the_selection_alone(document: Document, edit: str, expected: str) -> None:
    getattr(document, edit)()
    assert shown(document).startswith(expected)
    assert box_of(document.selection) == Box(0, 0, 2, 2)
    document.undo()
    assert shown(document) == GRID


def test_what_floats_is_turned_where_it_is(document: Document, selection: Selection) -> None:
    selection.move(2, 2)
    document.flip_left_right()
    selection.clear()
    assert shown(document) == "......\n......\n..##..\n...#.."


def test_resizing_places_what_floats_and_keeps_the_box_inside(
    document: Document, selection: Selection
) -> None:
    selection.move(1, 0)
    document.resize(2, 3)
    assert shown(document) == ".#\n.#\n.."
    assert selection.floating_patch is None
    assert box_of(selection) == Box(0, 1, 2, 2)


@pytest.mark.parametrize("multivalued", [False, True])
def test_cells_are_placed_in_a_large_grid_as_far_as_they_lie_in_it(multivalued: bool) -> None:
    document = Document()
    document.load_grid(np.zeros((300, 310), np.uint8), "", multivalued=multivalued)
    document.selection.paste(np.full((4, 4), 3, np.uint8), (309, 0))
    document.selection.place()
    assert document.grid is not None
    assert document.grid[:2, 307:].max() == (3 if multivalued else 1)
    document.selection.paste(np.ones((2, 2), np.uint8))
    document.selection.move(0, 500)
    document.selection.place()
    assert document.undo_title == "Paste"
    document.undo()
    assert document.empty
    assert not document.can_undo


def test_a_move_of_a_whole_large_grid_is_one_edit() -> None:
    document = Document()
    grid = (np.random.RandomState(0).rand(1100, 1200) < 0.5).astype(np.uint8)
    document.load_grid(grid, "")
    document.selection.select_all()
    document.selection.move(7, -3)
    document.selection.place()
    assert document.grid is not None
    assert np.array_equal(document.grid[:-3, 7:], grid[3:, :-7])
    assert not document.grid[-3:].any()
    document.undo()
    assert np.array_equal(document.grid, grid)
