"""Where the flags of a timeline lie: never over each other, nor crossed by the position."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.views.timeline.flags import Box, flag_boxes, pieces_between

ROOM = Box(0, 10, 400, 46)


def test_the_second_of_two_flags_goes_below_the_first() -> None:
    one, other = flag_boxes([(100, 60), (120, 60)], ROOM, 14)
    assert one is not None
    assert other is not None
    assert one.bottom < other.top
    assert (one.left, other.left) == (100, 120)
    assert one.top == ROOM.top + 5, "the knob of the position lies above"


def test_where_there_is_one_row_two_flags_of_a_line_are_read_in_their_order() -> None:
    low = Box(0, 10, 400, 30)
    one, other = flag_boxes([(100, 60), (100, 60)], low, 14)
    assert one is not None
    assert other is not None
    assert (one.right, other.left) == (97, 100)
    assert flag_boxes([(100, 60), (100, 60), (100, 60)], low, 14)[2] is None
    start = flag_boxes([(20, 60), (20, 60)], low, 14)
    assert start[0] is not None
    assert (start[0].left, start[1]) == (20, None), "the first has a place in any case"


def test_flags_at_the_end_stay_inside() -> None:
    (flag,) = flag_boxes([(390, 60)], ROOM, 14)
    assert flag is not None
    assert flag.right == 387
    assert flag_boxes([(10, 60)], Box(0, 10, 50, 46), 14) == (None,), "there is no room"


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(20, 90)), max_size=5), st.integers(8, 60)
)
def test_no_flag_lies_over_another(flags: list[tuple[float, float]], line: int) -> None:
    places = [box for box in flag_boxes(flags, ROOM, line) if box is not None]
    for one, other in combinations(places, 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or one.bottom <= other.top or other.bottom <= one.top


def test_the_line_of_the_position_goes_behind_flags() -> None:
    boxes = [Box(0, 30, 50, 40), None, Box(20, 15, 60, 25), Box(70, 0, 90, 99)]
    assert list(pieces_between(30, (10, 60), boxes)) == [(10, 15), (25, 30), (40, 60)]
    assert list(pieces_between(65, (10, 60), boxes)) == [(10, 60)]
    assert list(pieces_between(80, (10, 60), boxes)) == []
    within = [Box(0, 0, 50, 40), Box(0, 10, 50, 20)]
    assert list(pieces_between(30, (0, 60), within)) == [(40, 60)]
    assert list(pieces_between(30, (10, 20), [Box(0, 30, 50, 40)])) == [(10, 20)]
