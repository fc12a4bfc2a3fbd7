"""Selecting, moving, copying and turning parts of the grid; the history across several values."""

from __future__ import annotations

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid, parse
from ccl_viewer.session import MessageKind, Session
from ccl_viewer.session.editing.drawing import AT_ONCE_CELLS
from ccl_viewer.session.editing.hand import Tool


@pytest.fixture
def marked(session: Session) -> Session:
    """A session on a grid with three cells drawn, of which a box of 2 x 2 is selected."""
    session.drawing.put(parse("##....\n#.....\n......\n......"), "Grid")
    session.tools.take(Tool.SELECT)
    drag(session, (0, 0), (1, 1))
    return session


def shown(session: Session) -> str:
    assert session.grid is not None
    return format_grid(session.grid).strip()


def selected(session: Session) -> Box | None:
    return session.tools.selection.box


def has_run(session: Session) -> bool:
    return session.recording is not None


def foreground(session: Session) -> int:
    return 0 if session.grid is None else int(np.count_nonzero(session.grid))


def drag(session: Session, start: tuple[int, int], *cells: tuple[int, int]) -> None:
    session.tools.press(start)
    for cell in cells:
        session.tools.drag(cell)
    session.tools.release()


def test_a_drag_selects_and_a_click_does_not(marked: Session) -> None:
    assert selected(marked) == Box(0, 0, 2, 2)
    assert marked.tools.preview.outline == Box(0, 0, 2, 2)
    drag(marked, (4, 3))
    assert selected(marked) is None
    drag(marked, (4, 2), (40, 40))
    assert marked.tools.selection.box == Box(2, 4, 4, 6)


def test_moving_floats_until_it_is_placed(marked: Session) -> None:
    before = shown(marked)
    drag(marked, (0, 0), (2, 1), (3, 2))
    assert shown(marked) == before
    preview = marked.tools.preview
    assert preview.patch is not None
    assert (preview.patch.box, preview.hole) == (Box(2, 3, 4, 5), Box(0, 0, 2, 2))
    drag(marked, (0, 0))
    assert shown(marked) == "......\n......\n...##.\n...#.."
    assert marked.drawing.undo_title == "Move"
    assert marked.tools.preview.empty
    marked.edits.undo()
    assert shown(marked) == before


def test_what_floats_goes_back_when_cancelled(marked: Session) -> None:
    before = shown(marked)
    marked.edits.nudge(2, 1)
    assert marked.edits.can_undo
    marked.edits.undo()
    assert marked.tools.selection.patch is None
    assert marked.tools.selection.box == Box(0, 0, 2, 2)
    marked.edits.nudge(2, 1)
    assert marked.tools.cancel()
    assert marked.tools.cancel()
    assert not marked.tools.cancel()
    marked.tools.take(Tool.PENCIL)
    assert shown(marked) == before


def test_a_move_that_is_cancelled_goes_back_to_where_it_began(marked: Session) -> None:
    marked.tools.press((0, 0))
    marked.tools.drag((3, 1))
    assert marked.tools.cancel()
    assert marked.tools.selection.box == Box(0, 0, 2, 2)
    marked.tools.take(Tool.PENCIL)
    assert shown(marked).startswith("##....\n#.....")


def test_another_tool_places_what_floats(marked: Session) -> None:
    marked.edits.nudge(1, 0)
    marked.tools.take(Tool.PENCIL)
    assert shown(marked).startswith(".##...\n.#....")
    assert marked.tools.selection.box is None


def test_copy_and_paste(marked: Session) -> None:
    cells = marked.edits.copy()
    assert cells is not None
    assert format_grid(cells) == "##\n#.\n"
    marked.edits.deselect()
    marked.edits.paste(cells, (5, 3))
    assert marked.tools.hand.tool is Tool.SELECT
    assert marked.tools.selection.hole is None
    marked.edits.deselect()
    assert shown(marked) == "##....\n#.....\n....##\n....#."
    assert marked.drawing.undo_title == "Paste"
    whole = marked.edits.copy()
    assert whole is not None
    assert whole.shape == (4, 6)


def test_what_is_pasted_may_be_dropped(marked: Session) -> None:
    before = shown(marked)
    marked.edits.paste(np.ones((9, 9), np.uint8))
    marked.edits.delete()
    assert marked.tools.selection.patch is None
    marked.edits.paste(np.ones((9, 9), np.uint8))
    marked.tools.cancel()
    assert shown(marked) == before


def test_cut_and_delete(marked: Session) -> None:
    cells = marked.edits.cut()
    assert cells is not None
    assert marked.drawing.undo_title == "Cut"
    assert foreground(marked) == 0
    marked.edits.paste(cells)
    marked.edits.deselect()
    assert shown(marked).startswith("##....\n#.....")
    marked.edits.select_all()
    marked.edits.delete()
    assert foreground(marked) == 0
    assert marked.drawing.undo_title == "Delete"


def test_pasting_without_a_grid_begins_with_what_is_pasted(session: Session) -> None:
    session.edits.paste(parse("#.#"))
    assert shown(session) == "#.#"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("clear", "......\n......"),
        ("invert", "......\n.#...."),
        ("flip_across", "##....\n.#...."),
        ("flip_down", "#.....\n##...."),
        ("rotate_right", "##....\n.#...."),
        ("rotate_left", "#.....\n##...."),
    ],
)
def test_edits_of_the_selection_alone(marked: Session, edit: str, expected: str) -> None:
    before = shown(marked)
    getattr(marked.edits, edit)()
    assert shown(marked).startswith(expected)
    assert marked.tools.selection.box == Box(0, 0, 2, 2)
    marked.edits.undo()
    assert shown(marked) == before


def test_turning_the_whole_grid_changes_its_size(marked: Session, runner: HeldRunner) -> None:
    runner.work_all()
    marked.edits.deselect()
    marked.edits.rotate_right()
    assert marked.grid is not None
    assert marked.grid.shape == (6, 4)
    assert not has_run(marked)
    runner.work_all()
    assert marked.recording is not None
    assert marked.recording.image.shape == (6, 4)
    marked.edits.undo()
    runner.work_all()
    assert shown(marked).startswith("##....")
    assert marked.recording.image.shape == (4, 6)


def test_what_floats_is_turned_where_it_is(marked: Session) -> None:
    marked.edits.nudge(2, 2)
    marked.edits.flip_across()
    marked.edits.deselect()
    assert shown(marked) == "......\n......\n..##..\n...#.."


def test_random_fill_of_the_selection(marked: Session) -> None:
    marked.edits.random_fill(1.0, 3)
    assert shown(marked) == "##....\n##....\n......\n......"
    with pytest.raises(InputError):
        marked.edits.random_fill(2.0, 3)
    marked.edits.deselect()
    marked.edits.random_fill(0.5, 3)
    expected = np.random.RandomState(3).rand(4, 6) < 0.5
    assert marked.grid is not None
    assert np.array_equal(marked.grid, expected)


def test_a_resize_keeps_the_selection_inside(marked: Session) -> None:
    marked.tools.selection.select(Box(0, 0, 4, 6))
    marked.drawing.resize(3, 2)
    assert marked.tools.selection.box == Box(0, 0, 2, 3)
    assert shown(marked) == "##.\n#.."


def test_a_resize_keeps_what_a_floating_patch_left(marked: Session) -> None:
    selection = marked.tools.selection
    selection.select(Box(0, 0, 4, 6))
    selection.move(0, 1)
    marked.drawing.resize(5, 4)
    assert selection.hole == Box(0, 0, 4, 5)
    selection.place()
    assert shown(marked).splitlines()[0] == ".##.."


def test_edits_of_a_large_grid_are_made_by_the_worker(session: Session, runner: HeldRunner) -> None:
    side = int(AT_ONCE_CELLS**0.5) + 1
    session.drawing.new(side, side)
    session.edits.invert()
    assert foreground(session) == 0
    runner.work_all()
    assert foreground(session) == side * side
    session.edits.invert()
    session.tools.press((1, 1), second=True)
    session.tools.release()
    runner.work_all()
    assert foreground(session) == side * side - 1
    assert session.message is not None
    assert session.message.kind is MessageKind.WARNING


@pytest.mark.parametrize("multivalued", [False, True])
def test_a_few_cells_are_placed_at_once_in_a_large_grid(
    session: Session, runner: HeldRunner, multivalued: bool
) -> None:
    before = np.zeros((300, 310), np.uint8)
    before[10:13, 20:24] = 1
    session.drawing.reset(before, multivalued=multivalued)
    selection = session.tools.selection
    selection.select(Box(10, 20, 13, 24))
    selection.move(2, 5)
    selection.place()
    assert not session.busy
    expected = np.zeros_like(before)
    expected[12:15, 25:29] = 1
    np.testing.assert_array_equal(session.grid, expected)
    session.edits.paste(np.full((4, 4), 3, np.uint8), (309, 0))  # half of it outside
    selection.place()
    assert not session.busy
    assert session.grid is not None
    assert session.grid[:2, 307:].max() == (3 if multivalued else 1)
    assert session.drawing.undo_title == "Paste"
    session.drawing.undo()
    session.drawing.undo()
    np.testing.assert_array_equal(session.grid, before)


def test_cells_beside_the_grid_place_nothing(session: Session) -> None:
    session.drawing.reset(np.zeros((300, 310), np.uint8))
    session.edits.paste(np.ones((2, 2), np.uint8))
    session.tools.selection.move(500, 0)
    session.tools.selection.place()
    assert not session.busy
    assert not session.drawing.can_undo


@pytest.fixture
def pasted(session: Session) -> Session:
    """A session in which more cells float over a large grid than are placed at once."""
    session.drawing.reset(np.zeros((300, 310), np.uint8))
    session.edits.paste(np.ones((300, 310), np.uint8))
    return session


def test_what_floats_is_not_lost_if_placing_it_is_cancelled(
    pasted: Session, runner: HeldRunner
) -> None:
    pasted.edits.deselect()
    assert pasted.keeping.at_risk
    pasted.cancel()
    runner.work_all()
    assert foreground(pasted) == 0
    assert pasted.tools.selection.patch is not None
    assert pasted.keeping.at_risk
    pasted.edits.deselect()
    runner.work_all()
    assert foreground(pasted) == 300 * 310
    assert selected(pasted) is None


def test_what_waits_for_a_placing_shares_it(pasted: Session, runner: HeldRunner) -> None:
    waiting: list[str] = []
    pasted.tools.selection.place(lambda: waiting.append("first"))
    pasted.tools.selection.place(lambda: waiting.append("second"))
    pasted.tools.selection.select(Box(0, 0, 2, 2))
    assert len(runner.jobs) == 1
    runner.work(runner.jobs[0])
    assert waiting == ["first", "second"]
    assert selected(pasted) == Box(0, 0, 2, 2)
    assert pasted.tools.selection.patch is None


def test_what_was_moved_on_is_not_placed_where_it_was(pasted: Session, runner: HeldRunner) -> None:
    pasted.edits.deselect()
    pasted.edits.nudge(5, 0)
    runner.work_all()
    assert foreground(pasted) == 0
    assert selected(pasted) == Box(0, 5, 300, 315)
