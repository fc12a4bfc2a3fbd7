"""The tools: what each does to the grid, and what it shows before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from psygnal import SignalInstance
from support.models import inline_session

from ccl_viewer.grids.shapes import Box
from ccl_viewer.grids.text_art import format_grid
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.tools import PLAIN, Modifiers, Tool
from ccl_viewer.window.core.view_state import Pin

SHIFT, ALT = Modifiers(shift=True), Modifiers(alt=True)


@pytest.fixture
def session() -> Iterator[Session]:
    made = inline_session()
    yield made
    made.close()


@pytest.fixture
def blank(session: Session) -> Session:
    """A session on a grid of 8 x 6 background cells."""
    session.document.new(8, 6)
    return session


def shown(session: Session) -> str:
    assert session.document.grid is not None
    return format_grid(session.document.grid).strip()


def is_empty(session: Session) -> bool:
    return session.document.empty


def is_busy(session: Session) -> bool:
    return session.tools.busy


def use(
    session: Session,
    tool: Tool,
    *cells: tuple[int, int],
    erase: bool = False,
    modifiers: Modifiers = PLAIN,
) -> None:
    session.tools.set_tool(tool)
    session.tools.press(cells[0], erase=erase, modifiers=modifiers)
    for cell in cells[1:]:
        session.tools.drag(cell, modifiers=modifiers)
    session.tools.release()


def test_pencil_and_eraser(blank: Session) -> None:
    use(blank, Tool.PENCIL, (1, 1), (5, 1))
    assert shown(blank).splitlines()[1] == ".#####.."
    use(blank, Tool.PENCIL, (2, 1), erase=True)
    assert shown(blank).splitlines()[1] == ".#.###.."
    use(blank, Tool.ERASER, (4, 0), (4, 3))
    assert shown(blank).splitlines()[1] == ".#.#.#.."
    use(blank, Tool.ERASER, (4, 1), erase=True)
    assert shown(blank).splitlines()[1] == ".#.###.."


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
    assert blank.document.undo_title == tool.capitalize()
    blank.tools.undo()
    assert is_empty(blank)


def test_alt_draws_from_the_middle(blank: Session) -> None:
    use(blank, Tool.RECTANGLE, (3, 2), (5, 3), modifiers=ALT)
    assert shown(blank) == "........\n.#####..\n.#...#..\n.#####..\n........\n........"
    blank.tools.undo()
    use(blank, Tool.LINE, (3, 2), (5, 2), modifiers=ALT)
    assert shown(blank).splitlines()[2] == ".#####.."


def test_filled_shapes_and_wide_borders(blank: Session) -> None:
    blank.tools.set_filled(True)
    use(blank, Tool.RECTANGLE, (1, 1), (3, 2))
    assert shown(blank).count("#") == 6
    blank.tools.undo()
    blank.tools.set_filled(False)
    blank.tools.wider()
    use(blank, Tool.RECTANGLE, (0, 0), (5, 5))
    assert shown(blank).splitlines()[2] == "##..##.."


def test_a_shape_is_seen_before_it_is_drawn(blank: Session) -> None:
    told: list[frozenset[SignalInstance]] = []
    blank.tools.changed.connect(told.append)
    blank.tools.set_tool(Tool.RECTANGLE)
    blank.tools.press((1, 1))
    blank.tools.drag((4, 3))
    spans = blank.tools.preview.spans
    assert spans is not None
    assert sorted(spans.indices((6, 8)).tolist())[:4] == [9, 10, 11, 12]
    assert sum(blank.tools.preview_changed in fields for fields in told) == 2
    assert is_empty(blank)
    assert blank.tools.cancel()
    assert blank.tools.preview.spans is None
    blank.tools.drag((5, 5))
    blank.tools.release()
    assert is_empty(blank)
    assert not blank.document.can_undo


def test_a_stroke_is_cancelled_without_trace(blank: Session) -> None:
    blank.tools.press((1, 1))
    blank.tools.drag((5, 1))
    assert not is_empty(blank)
    assert blank.tools.cancel()
    assert is_empty(blank)
    assert not blank.document.can_undo
    assert not blank.tools.cancel()


@pytest.mark.parametrize(("connectivity", "filled"), [(4, 3), (8, 4)])
def test_filling_goes_as_far_as_the_connectivity(
    session: Session, connectivity: int, filled: int
) -> None:
    session.runs.configure(algorithm="two_pass", connectivity=connectivity)
    session.document.load_grid(np.array([[0, 0, 1], [0, 1, 0], [1, 1, 1]], np.uint8), "")
    use(session, Tool.FILL, (0, 0))
    assert shown(session).count("#") == 5 + filled
    assert session.document.undo_title == "Fill"


def test_picking_takes_the_value_and_says_so(blank: Session) -> None:
    use(blank, Tool.PICK, (1, 1))
    assert (blank.tools.front, blank.tools.back) == (0, 1)
    assert blank.view.pin == Pin((1, 1), component=True)
    use(blank, Tool.PENCIL, (2, 2), erase=True)
    use(blank, Tool.PICK, (2, 2))
    assert (blank.tools.front, blank.tools.back) == (1, 0)
    assert blank.view.pin == Pin((2, 2), component=True)


def test_the_brush_goes_through_its_widths(blank: Session) -> None:
    tools = blank.tools
    tools.narrower()
    widths = [tools.brush]
    for _ in range(4):
        tools.wider()
        widths.append(tools.brush)
    assert widths == [1, 2, 3, 5, 8]
    tools.narrower()
    use(blank, Tool.PENCIL, (3, 2))
    assert shown(blank).count("#") == 21
    for _ in range(20):
        tools.wider()
    assert tools.brush == 64


def test_at_the_cursor_a_shape_has_two_ends(blank: Session) -> None:
    blank.tools.use_at((1, 1))
    assert shown(blank).count("#") == 1
    assert not is_busy(blank)
    blank.tools.use_at((1, 1), erase=True)
    assert is_empty(blank)
    blank.tools.set_tool(Tool.LINE)
    blank.tools.use_at((0, 0))
    assert is_busy(blank)
    blank.tools.use_at((4, 0))
    assert shown(blank).count("#") == 5


def test_a_drag_selects_and_moves(blank: Session) -> None:
    use(blank, Tool.PENCIL, (0, 0), (1, 0))
    selection = blank.document.selection
    use(blank, Tool.SELECT, (0, 0), (1, 1))
    assert blank.tools.preview.outline == selection.box == Box(0, 0, 2, 2)
    blank.tools.press((0, 0))
    blank.tools.drag((3, 1))
    assert blank.tools.preview.patch is not None
    assert blank.tools.cancel()
    assert selection.box == Box(0, 0, 2, 2)
    use(blank, Tool.SELECT, (0, 0), (3, 1))
    use(blank, Tool.SELECT, (7, 5))  # a press beside it places it
    assert shown(blank).splitlines()[1] == "...##..."
    assert selection.box is None


def test_another_tool_places_what_floats(blank: Session) -> None:
    blank.tools.paste(np.ones((1, 2), np.uint8), (1, 0))
    assert blank.tools.tool is Tool.SELECT
    blank.tools.set_tool(Tool.PENCIL)
    assert shown(blank).splitlines()[0] == "##......"
    assert blank.document.selection.box is None


def test_another_tool_drops_the_shape_under_way(blank: Session) -> None:
    blank.tools.set_tool(Tool.ELLIPSE)
    blank.tools.press((1, 1))
    blank.tools.drag((5, 5))
    blank.tools.set_tool(Tool.PENCIL)
    blank.tools.release()
    assert is_empty(blank)


def test_undo_during_a_shape_drops_it_and_no_more(blank: Session) -> None:
    use(blank, Tool.PENCIL, (0, 0))
    blank.tools.set_tool(Tool.LINE)
    blank.tools.press((1, 1))
    blank.tools.undo()
    assert not is_busy(blank)
    assert shown(blank).count("#") == 1
    blank.tools.undo()
    assert is_empty(blank)


def test_without_a_grid_nothing_happens(session: Session) -> None:
    for tool in Tool:
        use(session, tool, (1, 1), (2, 2))
    assert session.document.grid is None


def test_values_follow_the_grid(blank: Session) -> None:
    tools = blank.tools
    tools.choose_value(7)
    assert tools.front == 1
    blank.document.load_grid(np.array([[0, 9]], np.uint8), "", multivalued=True)
    assert tools.value_count == 9
    tools.add_value()
    assert (tools.front, tools.value_count) == (10, 10)
    tools.choose_next_value()
    assert tools.front == 1
    tools.choose_previous_value()
    assert tools.front == 10
    use(blank, Tool.PENCIL, (0, 0))
    assert blank.document.grid is not None
    assert blank.document.grid[0, 0] == 10
    tools.swap()
    assert (tools.front, tools.back, tools.foreground_value) == (0, 10, 10)
    blank.document.set_multivalued(False)
    assert (tools.front, tools.back) == (0, 1)
