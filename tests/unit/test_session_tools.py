"""The tools on the session: what each does to the grid, and what it shows before."""

from __future__ import annotations

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.grids.text_art import format_grid
from ccl_viewer.session import Session
from ccl_viewer.session.editing.gestures import PLAIN, Modifiers
from ccl_viewer.session.editing.hand import Tool

SHIFT, ALT = Modifiers(shift=True), Modifiers(alt=True)


@pytest.fixture
def blank(session: Session) -> Session:
    """A session on a grid of 8 x 6 background cells."""
    session.drawing.new(8, 6)
    return session


def shown(session: Session) -> str:
    assert session.grid is not None
    return format_grid(session.grid).strip()


def is_busy(session: Session) -> bool:
    return session.tools.busy


def use(
    session: Session,
    tool: Tool,
    *cells: tuple[int, int],
    second: bool = False,
    modifiers: Modifiers = PLAIN,
) -> None:
    session.tools.take(tool)
    session.tools.press(cells[0], second=second, modifiers=modifiers)
    for cell in cells[1:]:
        session.tools.drag(cell, modifiers=modifiers)
    session.tools.release()


def test_pencil_and_eraser(blank: Session) -> None:
    use(blank, Tool.PENCIL, (1, 1), (5, 1))
    assert shown(blank).splitlines()[1] == ".#####.."
    use(blank, Tool.PENCIL, (2, 1), second=True)
    assert shown(blank).splitlines()[1] == ".#.###.."
    use(blank, Tool.ERASER, (4, 0), (4, 3))
    assert shown(blank).splitlines()[1] == ".#.#.#.."
    use(blank, Tool.ERASER, (4, 1), second=True)
    assert shown(blank).splitlines()[1] == ".#.###.."
    assert blank.drawing.undo_title == "Draw"


@pytest.mark.parametrize(
    ("tool", "modifiers", "picture"),
    [
        (Tool.LINE, Modifiers(), "#.......\n.#......\n..##....\n....#...\n.....#.."),
        (Tool.LINE, SHIFT, "#.......\n.#......\n..#.....\n...#....\n....#...\n.....#.."),
        (Tool.RECTANGLE, Modifiers(), "######..\n#....#..\n#....#..\n#....#..\n######.."),
        (Tool.RECTANGLE, SHIFT, "######..\n#....#..\n#....#..\n#....#..\n#....#..\n######.."),
        (Tool.ELLIPSE, Modifiers(), ".####...\n#....#..\n#....#..\n#....#..\n.####..."),
    ],
)
def test_shapes(blank: Session, tool: Tool, modifiers: Modifiers, picture: str) -> None:
    end = (5, 5) if modifiers is SHIFT and tool is Tool.LINE else (5, 4)
    use(blank, tool, (0, 0), (3, 3), end, modifiers=modifiers)
    assert shown(blank).splitlines()[: len(picture.splitlines())] == picture.splitlines()
    assert blank.drawing.undo_title == tool.capitalize()
    blank.edits.undo()
    assert blank.grid is not None
    assert not blank.grid.any()


def test_alt_draws_from_the_middle(blank: Session) -> None:
    use(blank, Tool.RECTANGLE, (3, 2), (5, 3), modifiers=ALT)
    assert shown(blank) == "........\n.#####..\n.#...#..\n.#####..\n........\n........"
    blank.edits.undo()
    use(blank, Tool.LINE, (3, 2), (5, 2), modifiers=ALT)
    assert shown(blank).splitlines()[2] == ".#####.."


def test_filled_shapes_and_wide_borders(blank: Session) -> None:
    blank.tools.fill_shapes(True)
    use(blank, Tool.RECTANGLE, (1, 1), (3, 2))
    assert blank.grid is not None
    assert blank.grid.sum() == 6
    blank.edits.undo()
    blank.tools.fill_shapes(False)
    blank.tools.wider()
    use(blank, Tool.RECTANGLE, (0, 0), (5, 5))
    assert shown(blank).splitlines()[2] == "##..##.."
    use(blank, Tool.RECTANGLE, (-4, -4), (20, 20), second=True)
    assert blank.grid.any()


def test_a_shape_is_seen_before_it_is_drawn(blank: Session) -> None:
    changed: list[bool] = []
    blank.tools.preview_changed.connect(lambda: changed.append(True))
    blank.tools.take(Tool.RECTANGLE)
    blank.tools.press((1, 1))
    blank.tools.drag((4, 3))
    spans = blank.tools.preview.spans
    assert spans is not None
    assert sorted(spans.indices((6, 8)).tolist())[:4] == [9, 10, 11, 12]
    assert blank.tools.preview.value == 1
    assert len(changed) == 2
    assert blank.grid is not None
    assert not blank.grid.any()
    assert blank.tools.cancel()
    assert blank.tools.preview.empty
    blank.tools.drag((5, 5))
    blank.tools.release()
    assert not blank.grid.any()
    assert not blank.drawing.can_undo


def test_a_stroke_is_cancelled_without_trace(blank: Session) -> None:
    blank.tools.press((1, 1))
    blank.tools.drag((5, 1))
    assert blank.grid is not None
    assert blank.grid.any()
    assert blank.tools.cancel()
    assert not blank.grid.any()
    assert not blank.drawing.can_undo
    assert not blank.tools.cancel()


@pytest.mark.parametrize(("connectivity", "filled"), [(4, 3), (8, 4)])
def test_filling_goes_as_far_as_the_connectivity(
    session: Session, runner: HeldRunner, connectivity: int, filled: int
) -> None:
    session.configure(algorithm_key="shibata_fast", connectivity=connectivity)
    session.configure(algorithm_key="two_pass", connectivity=connectivity)
    session.drawing.put(np.array([[0, 0, 1], [0, 1, 0], [1, 1, 1]], np.uint8), "Grid")
    assert session.settings.connectivity == connectivity
    use(session, Tool.FILL, (0, 0))
    assert session.grid is not None
    assert session.grid.sum() == 5 + filled
    assert session.drawing.undo_title == "Fill"


def test_picking_takes_the_value_and_pins(labelled: Session) -> None:
    assert labelled.grid is not None
    y, x = np.argwhere(labelled.grid == 0)[0].tolist()
    use(labelled, Tool.PICK, (x, y))
    assert (labelled.tools.hand.front, labelled.tools.hand.back) == (0, 1)
    assert labelled.look.pinned == (x, y)
    y, x = np.argwhere(labelled.grid == 1)[0].tolist()
    use(labelled, Tool.PICK, (x, y))
    assert (labelled.tools.hand.front, labelled.tools.hand.back) == (1, 0)
    assert labelled.look.pin_of is not None
    assert labelled.look.pin_of.component


def test_the_brush_goes_through_its_widths(blank: Session) -> None:
    tools = blank.tools
    tools.narrower()
    assert tools.hand.brush == 1
    widths = []
    for _ in range(4):
        tools.wider()
        widths.append(tools.hand.brush)
    assert widths == [2, 3, 5, 8]
    tools.narrower()
    use(blank, Tool.PENCIL, (3, 2))
    assert blank.grid is not None
    assert blank.grid.sum() == 21
    for _ in range(20):
        tools.wider()
    assert tools.hand.brush == 64


def test_exchanging_the_buttons(blank: Session) -> None:
    blank.tools.swap()
    use(blank, Tool.PENCIL, (1, 1), second=True)
    use(blank, Tool.PENCIL, (1, 1), (2, 1))
    assert blank.grid is not None
    assert not blank.grid.any()
    blank.tools.swap()
    use(blank, Tool.PENCIL, (1, 1))
    assert blank.grid.sum() == 1


def test_at_the_cursor_a_shape_has_two_ends(blank: Session) -> None:
    blank.tools.point((1, 1))
    assert blank.grid is not None
    assert blank.grid.sum() == 1
    assert not is_busy(blank)
    blank.tools.point((1, 1), second=True)
    assert not blank.grid.any()
    blank.tools.take(Tool.LINE)
    blank.tools.point((0, 0))
    assert is_busy(blank)
    blank.tools.point((4, 0))
    assert blank.grid.sum() == 5


def test_without_a_grid_nothing_happens(session: Session) -> None:
    for tool in Tool:
        use(session, tool, (1, 1), (2, 2))
    session.edits.undo()
    session.edits.invert()
    session.edits.rotate_right()
    session.edits.select_all()
    session.edits.delete()
    assert session.edits.copy() is None
    assert session.edits.cut() is None
    assert session.grid is None


def test_another_tool_drops_the_shape_under_way(blank: Session) -> None:
    blank.tools.take(Tool.ELLIPSE)
    blank.tools.press((1, 1))
    blank.tools.drag((5, 5))
    blank.tools.take(Tool.PENCIL)
    blank.tools.release()
    assert blank.grid is not None
    assert not blank.grid.any()


def test_undo_during_a_shape_drops_it_and_no_more(blank: Session) -> None:
    use(blank, Tool.PENCIL, (0, 0))
    blank.tools.take(Tool.LINE)
    blank.tools.press((1, 1))
    assert blank.edits.can_undo
    blank.edits.undo()
    assert not blank.tools.busy
    assert blank.grid is not None
    assert blank.grid.sum() == 1
    blank.edits.undo()
    assert not blank.grid.any()
