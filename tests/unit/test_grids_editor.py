"""Strokes, and a history that takes everything back and makes everything again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grids import any_grid

from ccl_viewer.grids.brush import brush_offsets, line_cells
from ccl_viewer.grids.editor import GridEditor
from ccl_viewer.grids.edits import diff_grids
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.text_art import format_grid

coordinates = st.integers(-30, 30)
grids = any_grid(12)


def invert(editor: GridEditor) -> None:
    editor.replace(editor.grid == 0, "Invert")


@given(coordinates, coordinates, coordinates, coordinates)
def test_a_line_joins_its_ends_and_stays_close(y0: int, x0: int, y1: int, x1: int) -> None:
    cells = line_cells(y0, x0, y1, x1)
    assert cells[0].tolist() == [y0, x0]
    assert cells[-1].tolist() == [y1, x1]
    length = max(abs(y1 - y0), abs(x1 - x0))
    assert len(cells) == length + 1
    assert (np.abs(np.diff(cells, axis=0)).max(axis=1) == 1).all()
    if length:
        along = np.arange(length + 1)[:, None] / length
        ideal = np.array([y0, x0]) + along * np.array([y1 - y0, x1 - x0])
        assert np.abs(cells - ideal).max() <= 0.5 + 1e-9


def test_bresenhams_line() -> None:
    assert line_cells(0, 0, 2, 5).tolist() == [[0, 0], [0, 1], [1, 2], [1, 3], [2, 4], [2, 5]]


@pytest.mark.parametrize(
    ("brush", "picture"),
    [
        (1, "#"),
        (2, "##\n##"),
        (3, "###\n###\n###"),
        (4, ".##.\n####\n####\n.##."),
        (5, ".###.\n#####\n#####\n#####\n.###."),
    ],
)
def test_brushes_are_round(brush: int, picture: str) -> None:
    grid = np.zeros((brush, brush), np.uint8)
    y, x = (brush_offsets(brush) + (brush - 1) // 2).T
    grid[y, x] = 1
    assert format_grid(grid).strip() == picture


def test_a_stroke_is_one_edit() -> None:
    editor = GridEditor(np.zeros((5, 8)))
    editor.begin_stroke(1, 1, 1)
    editor.extend_stroke(1, 6)
    editor.extend_stroke(3, 6)
    assert editor.end_stroke()
    drawn = "........\n.######.\n......#.\n......#.\n........\n"
    assert format_grid(editor.grid) == drawn
    assert editor.undo_title == "Draw"
    assert editor.undo()
    assert not editor.grid.any()
    assert not editor.can_undo
    assert not editor.undo()
    assert editor.redo_title == "Draw"
    assert editor.redo()
    assert format_grid(editor.grid) == drawn
    assert not editor.redo()


def test_a_stroke_that_crosses_itself_is_taken_back_whole() -> None:
    original = (np.random.RandomState(2).rand(9, 9) < 0.5).astype(np.uint8)
    editor = GridEditor(original)
    editor.begin_stroke(4, 0, 1, brush=3)
    for y, x in [(4, 8), (0, 4), (8, 4), (4, 0)]:
        editor.extend_stroke(y, x)
    editor.end_stroke()
    editor.undo()
    np.testing.assert_array_equal(editor.grid, original)


def test_erasing() -> None:
    editor = GridEditor(np.ones((1, 5)))
    editor.begin_stroke(0, 3, 0)
    editor.extend_stroke(0, 20)
    editor.end_stroke()
    assert format_grid(editor.grid) == "###..\n"
    assert editor.undo_title == "Erase"


def test_a_stroke_without_effect_leaves_no_entry() -> None:
    editor = GridEditor(np.ones((3, 3)))
    revision = editor.revision
    editor.begin_stroke(1, 1, 1)
    editor.extend_stroke(40, 40)
    assert not editor.can_undo
    assert not editor.end_stroke()
    editor.begin_stroke(-9, -9, 0)
    assert not editor.end_stroke()
    assert not editor.can_undo
    assert editor.revision == revision


def test_a_stroke_is_cancelled_without_trace() -> None:
    editor = GridEditor(np.zeros((3, 3)))
    editor.begin_stroke(0, 0, 1)
    editor.extend_stroke(2, 2)
    editor.cancel_stroke()
    assert not editor.grid.any()
    assert not editor.can_undo
    assert not editor.can_redo
    assert not editor.is_drawing


def test_other_edits_end_a_stroke_first() -> None:
    editor = GridEditor(np.zeros((2, 2)))
    editor.begin_stroke(0, 0, 1)
    assert editor.can_undo
    assert editor.undo_title == "Draw"
    assert editor.undo()
    assert not editor.grid.any()
    editor.begin_stroke(0, 0, 1)
    invert(editor)
    assert format_grid(editor.grid) == ".#\n##\n"
    assert editor.undo()
    assert editor.undo()
    assert not editor.grid.any()


def test_a_new_edit_leaves_nothing_to_redo() -> None:
    editor = GridEditor(np.zeros((2, 2)))
    invert(editor)
    editor.undo()
    assert editor.redo_title == "Invert"
    editor.begin_stroke(0, 0, 1)
    editor.end_stroke()
    assert not editor.can_redo
    assert not editor.redo()


edits = st.one_of(
    st.tuples(
        st.just("stroke"),
        st.integers(0, 1),
        st.integers(1, 4),
        st.lists(st.tuples(st.integers(-3, 14), st.integers(-3, 14)), min_size=1, max_size=4),
    ),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
    st.tuples(st.just("replace"), grids),
)


def perform(editor: GridEditor, edit: tuple[Any, ...]) -> None:
    match edit:
        case ("stroke", value, brush, [(y, x), *others]):
            editor.begin_stroke(y, x, value, brush)
            assert editor.is_drawing
            for y, x in others:
                editor.extend_stroke(y, x)
            editor.end_stroke()
        case ("replace", grid):
            editor.replace(grid)
        case (name,):
            getattr(editor, name)()


@given(grids, st.lists(edits, max_size=12))
def test_everything_is_taken_back_and_made_again(
    original: Grid, steps: list[tuple[Any, ...]]
) -> None:
    editor = GridEditor(original)
    for step in steps:
        perform(editor, step)
    while editor.redo():
        pass
    final = editor.grid.copy()
    states = [final]
    while editor.undo():
        states.append(editor.grid.copy())
    np.testing.assert_array_equal(editor.grid, original)
    for state in reversed(states[:-1]):
        assert editor.redo()
        np.testing.assert_array_equal(editor.grid, state)
    assert not editor.can_redo
    np.testing.assert_array_equal(editor.grid, final)


def test_work_is_at_risk_until_it_is_kept() -> None:
    editor = GridEditor(np.eye(3))
    opened = np.zeros((2, 2), np.uint8)
    risks = [editor.at_risk]
    for change in (
        invert,
        GridEditor.undo,
        GridEditor.redo,
        lambda editor: editor.mark_saved(editor.last_edit),
        lambda editor: editor.apply_edit(diff_grids(editor.grid, opened), "Open", work=False),
        invert,
        GridEditor.undo,
        lambda editor: editor.begin_stroke(0, 0, 1),
        GridEditor.cancel_stroke,
        GridEditor.undo,
        GridEditor.undo,
        invert,  # what was kept is in no history any more
    ):
        change(editor)
        risks.append(editor.at_risk)
    expected = "-!-!--!-!---!"
    assert "".join("!" if risk else "-" for risk in risks) == expected


def test_an_unsaved_grid_is_at_risk_until_it_is_kept() -> None:
    editor = GridEditor(np.eye(3), unsaved=True)
    assert not editor.can_undo
    assert editor.at_risk
    invert(editor)
    editor.undo()
    assert editor.at_risk
    editor.mark_saved(editor.last_edit)
    assert not editor.at_risk


def test_a_stroke_of_several_pieces_is_made_again_whole() -> None:
    editor = GridEditor(np.zeros((60, 60)))
    editor.begin_stroke(3, 3, 1)
    for place in ((3, 20), (30, 20), (30, 3), (3, 3)):
        editor.extend_stroke(*place)
    editor.end_stroke()
    drawn = editor.grid.copy()
    assert np.count_nonzero(drawn) == 2 * (17 + 27)
    for _ in range(2):
        assert editor.undo()
        assert not editor.grid.any()
        assert editor.redo()
        np.testing.assert_array_equal(editor.grid, drawn)
