"""Trees: tidy layout, which nodes are shown, and the tree of the pinned component."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psygnal import SignalInstance
from support.grids import noise
from support.models import inline_session

from ccl_viewer import record
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording
from ccl_viewer.render.forest import Cells
from ccl_viewer.render.palette import label_indices
from ccl_viewer.window.core.analysis import HIDDEN_TEXT
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.tree.model import (
    TOP,
    DrawnForest,
    NodePositions,
    TreeDiagram,
    build_forest,
    lay_out_forest,
)

GAP = 0.5
ROW = 2.0


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    """Parents of up to sixty nodes, -1 for roots, and the nodes' widths: two bytes of each node."""
    drawn = draw(st.binary(min_size=2, max_size=120))
    parents = [byte % (node + 1) - 1 for node, byte in enumerate(drawn[1::2])]
    widths = [0.5 + 5.5 * byte / 255 for byte in drawn[: 2 * len(parents) : 2]]
    return parents, widths


def children_of(parents: Sequence[int]) -> list[list[int]]:
    return [
        [child for child, parent in enumerate(parents) if parent == node]
        for node in range(len(parents))
    ]


def place(parents: Sequence[int], widths: Sequence[float], aspect: float = 2.0) -> NodePositions:
    roots = [node for node, parent in enumerate(parents) if parent < 0]
    return lay_out_forest(children_of(parents), roots, widths, gap=GAP, row=ROW, aspect=aspect)


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


def test_trees_go_on_below_where_that_uses_the_room() -> None:
    parents = [-1] * 16
    wide, square = place(parents, [1.0] * 16, 100.0), place(parents, [1.0] * 16, 1.0)
    assert len(set(wide.y)) == 1
    assert len(set(square.y)) > 1
    assert square.width < wide.width


def test_long_chains_are_no_matter() -> None:
    count = 1500
    placed = place([node - 1 for node in range(count)], [1.0] * count)
    assert placed.height == pytest.approx(count * ROW)
    assert len(set(placed.x)) == 1


def test_nothing_has_no_size() -> None:
    assert place([], []) == NodePositions((), (), 0.0, 0.0)


# Which nodes are shown


def forest_of(parents: Sequence[int], *, pin: int = 0, **limits: Any) -> DrawnForest:
    """The forest of cells that point at these cells, -1 for none."""
    labels = np.array(parents, np.int32)
    layout = LabelLayout(1, len(parents), pitch=len(parents), background=-1)
    cells = np.arange(len(parents), dtype=np.int64)
    return build_forest(lambda wanted: labels[wanted], None, layout, cells, pin, **limits)


parents_lists = st.binary(min_size=1, max_size=120).map(
    lambda drawn: [byte % (len(drawn) + 1) - 1 for byte in drawn]
)


@given(parents_lists, st.integers(2, 30))
def test_every_cell_is_a_node_or_in_a_fold(parents: list[int], most: int) -> None:
    forest = forest_of(parents, most=most)
    labelled = sum(parent >= 0 for parent in parents)
    assert forest.cells == labelled
    assert forest.unlabelled == len(parents) - labelled
    shown = [node for node in forest.nodes if not node.folded]
    assert len(shown) + sum(node.folded for node in forest.nodes) == labelled
    for index, node in enumerate(forest.nodes):
        assert node.parent < index
        if node.parent >= 0 and not node.folded and not node.skipped and not forest.circles:
            assert forest.nodes[node.parent].cell == parents[node.cell]


def test_small_forests_are_whole() -> None:
    forest = forest_of([0, 0, 1, 3, 3])
    assert [node.folded for node in forest.nodes] == [0] * 5
    assert (forest.trees, forest.depth, forest.changed) == (2, 2, 5)
    assert forest.children == ((1,), (2,), (), (4,), ())


def test_many_siblings_are_folded_until_they_are_unfolded() -> None:
    star = [0] * 50
    forest = forest_of(star)
    (fold,) = (node for node in forest.nodes if node.folded)
    assert fold.folded == 50 - 1 - sum(not node.folded for node in forest.nodes[1:])
    assert len(forest_of(star, unfolded=frozenset({0})).nodes) == 50


def test_many_trees_are_folded_at_the_top() -> None:
    forest = forest_of(list(range(60)))
    fold = forest.nodes[-1]
    assert fold.cell == TOP
    assert fold.trees == fold.folded == 60 - len(forest.nodes) + 1


def test_circles_are_cut_and_counted() -> None:
    forest = forest_of([1, 2, 0, 0])
    assert forest.circles == 1
    assert forest.trees == 1


def test_the_pinned_cell_is_shown_with_its_ancestors() -> None:
    chain = [max(cell - 1, 0) for cell in range(200)]
    forest = forest_of(chain, most=30, pin=199)
    assert 199 in forest.index_by_cell
    assert 0 in forest.index_by_cell
    assert any(node.skipped for node in forest.nodes)


# The tree of the pinned component

GRID = noise(24, 31, 0.6)


@pytest.fixture(scope="module")
def run() -> Recording:
    return record(GRID, algorithm="label_equivalence", connectivity=4)


@pytest.fixture
def session(run: Recording) -> Iterator[Session]:
    session = inline_session()
    session.view.set_shape(GRID.shape)
    session.display.show(ShownRun.prepare(run))
    yield session
    session.close()


@pytest.fixture
def tree(session: Session) -> Iterator[TreeDiagram]:
    tree = TreeDiagram(session.analysis, session.view, session.labels)
    yield tree
    tree.close()


def members(session: Session) -> Cells:
    colouring, pin = session.display.colouring, session.view.pin
    assert colouring is not None
    assert pin is not None
    number = colouring.components[pin.cell[1], pin.cell[0]]
    return np.flatnonzero(colouring.components == number)


def test_a_question_about_a_root_withholds_the_tree(session: Session, tree: TreeDiagram) -> None:
    tree.pin_largest()
    assert "tree" in tree.summary
    session.analysis.set_hidden_answers([HiddenInformation.PATHS])
    assert tree.forest is None
    assert tree.summary == ""
    assert tree.pinned is None
    assert tree.empty_text == HIDDEN_TEXT
    session.analysis.set_hidden_answers(())
    assert "tree" in tree.summary
    assert tree.empty_text == ""


def test_the_tree_changes_with_the_steps(
    session: Session, tree: TreeDiagram, run: Recording
) -> None:
    tree.pin_largest()
    told: list[frozenset[SignalInstance]] = []
    tree.changed.connect(told.append)
    trees = []
    for index in range(len(run)):
        session.display.go_to(index)
        assert tree.forest is not None
        cells = members(session)
        parents = run.parents(index).reshape(-1)
        trees.append(tree.forest.trees)
        assert tree.forest.trees == np.count_nonzero(parents[cells] == cells)
        before = run.labels(index - 1).reshape(-1)[cells] if index else run.layout.background
        changed = np.count_nonzero(run.labels(index).reshape(-1)[cells] != before)
        assert tree.forest.changed == changed
    assert trees[-1] == 1
    assert len(told) == len(run) - 1


def test_nodes_have_the_colours_of_the_canvas(
    session: Session, tree: TreeDiagram, run: Recording
) -> None:
    session.display.go_to(2)
    tree.pin_largest()
    assert tree.forest is not None
    assert session.display.colouring is not None
    painted = label_indices(run.labels(2), session.display.colouring).reshape(-1)
    for node, colour in zip(tree.forest.nodes, tree.colours, strict=True):
        if not node.folded:
            assert painted[node.cell] == colour


def test_cells_that_are_folded_away_are_shown_by_their_fold(
    session: Session, tree: TreeDiagram
) -> None:
    session.display.go_to(session.display.count - 1)
    tree.pin_largest()
    assert tree.forest is not None
    width = GRID.shape[1]
    hidden = next(c for c in members(session).tolist() if c not in tree.forest.index_by_cell)
    node = tree.node_of((hidden % width, hidden // width))
    assert node is not None
    assert tree.forest.nodes[node].folded
    shown = next(iter(tree.forest.index_by_cell))
    assert tree.node_of((shown % width, shown // width)) == tree.forest.index_by_cell[shown]
    y, x = np.argwhere(GRID == 0)[0].tolist()
    assert tree.node_of((x, y)) is None
    session.view.hover_at((shown % width, shown // width))
    assert tree.pointed == tree.forest.index_by_cell[shown]


def test_descriptions_name_cells_and_labels(session: Session, tree: TreeDiagram) -> None:
    session.display.go_to(session.display.count - 1)
    tree.pin_largest()
    assert tree.forest is not None
    texts = [tree.describe(node) for node in tree.forest.nodes]
    assert "a root" in texts[0]
    assert any("label" in text for text in texts)
    assert any("click to unfold" in text for text in texts)


def test_room_decides_how_many_nodes_are_shown(session: Session, tree: TreeDiagram) -> None:
    session.display.go_to(1)
    tree.pin_largest()
    counts = []
    for room in (24, 240):
        tree.set_most(room)
        assert tree.forest is not None
        counts.append(sum(not node.folded for node in tree.forest.nodes))
    assert counts[0] <= 24 < counts[1]
