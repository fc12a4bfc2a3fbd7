"""Tidy trees: nothing overlaps, parents are centred, equal trees look alike, time is linear."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.session.tree.layout import Placement, place_forest

GAP = 0.5
ROW = 2.0


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    """Parents of up to sixty nodes, -1 for roots, and the nodes' widths."""
    count = draw(st.integers(1, 60))
    parents = [draw(st.integers(-1, node - 1)) for node in range(count)]
    widths = [draw(st.floats(0.5, 6.0)) for _ in range(count)]
    return parents, widths


def children_of(parents: Sequence[int]) -> list[list[int]]:
    return [
        [child for child, parent in enumerate(parents) if parent == node]
        for node in range(len(parents))
    ]


def place(parents: Sequence[int], widths: Sequence[float], aspect: float = 2.0) -> Placement:
    roots = [node for node, parent in enumerate(parents) if parent < 0]
    return place_forest(children_of(parents), roots, widths, gap=GAP, row=ROW, aspect=aspect)


@given(forests(), st.floats(0.2, 8.0))
def test_no_two_nodes_overlap(forest: tuple[list[int], list[float]], aspect: float) -> None:
    parents, widths = forest
    placed = place(parents, widths, aspect)
    rows: dict[float, list[int]] = {}
    for node, y in enumerate(placed.y):
        rows.setdefault(round(y, 6), []).append(node)
    for row in rows.values():
        row.sort(key=lambda node: placed.x[node])
        for left, right in pairwise(row):
            apart = placed.x[right] - placed.x[left]
            assert apart >= (widths[left] + widths[right]) / 2 + GAP - 1e-6


@given(forests())
def test_parents_are_in_the_middle_over_their_children(
    forest: tuple[list[int], list[float]],
) -> None:
    parents, widths = forest
    placed = place(parents, widths)
    for node, children in enumerate(children_of(parents)):
        if children:
            middle = (placed.x[children[0]] + placed.x[children[-1]]) / 2
            assert placed.x[node] == pytest.approx(middle, abs=1e-6)
            assert all(placed.y[child] == pytest.approx(placed.y[node] + ROW) for child in children)


@given(forests())
def test_children_keep_their_order_and_all_is_inside(
    forest: tuple[list[int], list[float]],
) -> None:
    parents, widths = forest
    placed = place(parents, widths)
    for children in children_of(parents):
        assert all(placed.x[a] < placed.x[b] for a, b in pairwise(children))
    for node, width in enumerate(widths):
        assert placed.x[node] - width / 2 >= -1e-6
        assert placed.x[node] + width / 2 <= placed.width + 1e-6
        assert 0 <= placed.y[node] <= placed.height


def test_equal_subtrees_look_alike() -> None:
    parents = [-1, 0, 0, 1, 1, 3, 2, 2, 6]
    placed = place(parents, [1.0] * len(parents))
    shift = placed.x[2] - placed.x[1]
    for left, right in ((3, 6), (4, 7), (5, 8)):
        assert placed.x[right] - placed.x[left] == pytest.approx(shift)


def test_small_subtrees_are_spread_between_large_ones() -> None:
    # A wide subtree, two leaves, a wide subtree: the leaves do not stick to the left.
    parents = [-1, 0, 0, 0, 0, *([1] * 5), *([4] * 5)]
    placed = place(parents, [1.0] * len(parents))
    gaps = [placed.x[b] - placed.x[a] for a, b in pairwise((1, 2, 3, 4))]
    assert gaps == pytest.approx([gaps[0]] * 3)


def test_trees_go_on_below_where_that_uses_the_room() -> None:
    parents = [-1] * 16
    wide, square = place(parents, [1.0] * 16, 100.0), place(parents, [1.0] * 16, 1.0)
    assert len(set(wide.y)) == 1
    assert len(set(square.y)) > 1
    assert square.width < wide.width


def test_long_chains_are_no_matter() -> None:
    count = 5000
    placed = place([node - 1 for node in range(count)], [1.0] * count)
    assert placed.height == pytest.approx(count * ROW)
    assert len(set(placed.x)) == 1


def test_nothing_has_no_size() -> None:
    assert place([], []) == Placement((), (), 0.0, 0.0)
