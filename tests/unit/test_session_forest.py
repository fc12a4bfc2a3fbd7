"""The forest that is drawn: whole where it is small, folded where it is not, and never wrong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer import record
from ccl_viewer.plan import LabelLayout
from ccl_viewer.reference import label_reference
from ccl_viewer.session.tree.forest import TOP, Forest, Limits, Node, build_forest, cell_of
from ccl_viewer.session.tree.moves import Move, moved

Labels = npt.NDArray[np.int32]
ALL = Limits(few=10_000)


def line(*parents: int) -> tuple[Labels, LabelLayout]:
    """Labels of a grid of one row, in which they are the parents themselves; -1 for none."""
    labels = np.array([parents], np.int32)
    return labels, LabelLayout(1, len(parents), len(parents), background=-1)


def forest_of(
    *parents: int,
    before: tuple[int, ...] | None = None,
    focus: tuple[int, ...] = (),
    limits: Limits = ALL,
) -> Forest:
    labels, layout = line(*parents)
    old = labels if before is None else np.array([before], np.int32)
    return build_forest(labels, old, layout, np.arange(len(parents)), focus, limits)


def parents_of(forest: Forest) -> dict[int, int]:
    """The parent cell of each cell that is shown; a root's is itself."""
    return {
        node.cell: node.cell if node.parent < 0 else forest.nodes[node.parent].cell
        for node in forest.nodes
        if not node.folded
    }


def folds(forest: Forest) -> dict[int, int]:
    return {node.cell: node.folded for node in forest.nodes if node.folded}


def test_small_forests_are_shown_whole() -> None:
    forest = forest_of(0, 0, 1, 3, 3, -1)
    assert parents_of(forest) == {0: 0, 1: 0, 2: 1, 3: 3, 4: 3}
    assert (forest.cells, forest.trees, forest.depth, forest.unlabelled) == (5, 2, 2, 1)
    assert [forest.nodes[root].cell for root in forest.roots] == [0, 3]
    assert not folds(forest)


def test_what_changed_in_the_step_is_marked() -> None:
    forest = forest_of(0, 0, 0, before=(0, 1, 0))
    assert [node.cell for node in forest.nodes if node.changed] == [1]
    assert forest.changed == 1


def test_before_the_first_step_no_cell_has_a_label() -> None:
    labels, layout = line(0, 0, -1)
    forest = build_forest(labels, None, layout, np.arange(3))
    assert forest.changed == 2


def test_many_siblings_are_folded_and_can_be_unfolded() -> None:
    parents = (0,) * 60
    forest = forest_of(*parents, limits=Limits())
    assert sorted(parents_of(forest)) == [0, 1, 2, 3, 4, 5, 6]
    assert folds(forest) == {0: 53}
    assert forest.nodes[-1].parent == 0
    unfolded = forest_of(*parents, limits=Limits(unfolded=frozenset({0})))
    assert len(parents_of(unfolded)) == 60


def test_one_cell_is_not_folded_alone() -> None:
    forest = forest_of(*(0,) * 8, limits=Limits(few=4, siblings=6))
    assert not folds(forest)


def test_many_trees_are_folded_with_their_cells() -> None:
    parents = tuple(cell // 2 * 2 for cell in range(60))
    forest = forest_of(*parents, limits=Limits())
    assert folds(forest) == {TOP: 48}
    last = forest.nodes[-1]
    assert (last.trees, last.parent) == (24, -1)
    unfolded = forest_of(*parents, limits=Limits(unfolded=frozenset({TOP})))
    assert unfolded.nodes[-1].trees == 0


def test_changed_children_are_shown_before_others() -> None:
    parents, before = [0] * 60, [0] * 60
    before[50] = 50
    forest = forest_of(*parents, before=tuple(before), limits=Limits())
    assert 50 in parents_of(forest)


def test_the_cell_in_focus_is_shown_with_its_ancestors() -> None:
    parents = (0, *range(40), *(0,) * 20)
    forest = forest_of(*parents, focus=(40,), limits=Limits(few=4, most=30))
    shown = parents_of(forest)
    assert shown.keys() >= set(range(41))
    assert all(shown[cell] == cell - 1 for cell in range(1, 41))


def test_of_a_long_chain_both_ends_are_shown() -> None:
    forest = forest_of(0, *range(999), focus=(999,), limits=Limits(most=60))
    shown = parents_of(forest)
    assert {0, 1, 998, 999} <= shown.keys()
    skipped = [node for node in forest.nodes if node.skipped]
    assert len(skipped) == 1
    above = forest.nodes[skipped[0].parent]
    assert skipped[0].cell - above.cell == skipped[0].skipped + 1


def test_circles_are_cut_and_counted() -> None:
    forest = forest_of(1, 2, 0, 2, 4)
    assert forest.circles == 1
    assert [forest.nodes[root].cell for root in forest.roots] == [0, 4]
    assert len(parents_of(forest)) == 5


def test_labels_that_name_no_cell_are_no_links() -> None:
    forest = forest_of(0, 99, 1)
    assert parents_of(forest).keys() == {0, 2}
    assert forest.unlabelled == 1


def test_ancestors_beside_the_cells_are_added() -> None:
    labels, layout = line(0, 0, 1, 3)
    forest = build_forest(labels, labels, layout, np.array([2]))
    assert parents_of(forest) == {0: 0, 1: 0, 2: 1}


def test_no_cells_have_an_empty_forest() -> None:
    forest = forest_of(-1, -1)
    assert forest == Forest(unlabelled=2)
    assert moved(forest, None, Move.UP) is None


def test_numbers_are_those_of_the_paper() -> None:
    layout = LabelLayout(2, 3, 5, margin=1, origin=0, background=0)
    own = np.array([[6, 7, 8], [11, 12, 13]], np.int32)
    forest = build_forest(own, own, layout, np.arange(6))
    assert [node.address for node in forest.nodes] == own.reshape(-1).tolist()
    assert cell_of(4, layout) == (1, 1)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=120), st.integers(1, 50))
def test_every_cell_is_shown_or_folded_below_its_nearest_shown_ancestor(
    seeds: list[int], most: int
) -> None:
    parents = [seed % (cell + 1) for cell, seed in enumerate(seeds)]
    limits = Limits(few=5, most=most, siblings=3)
    forest = forest_of(*parents, focus=(len(parents) - 1,), limits=limits)
    shown = parents_of(forest)
    expected: dict[int, int] = {}
    for cell in range(len(parents)):
        above = cell
        while above not in shown and parents[above] != above:
            above = parents[above]
        if cell not in shown:
            place = above if above in shown else TOP
            expected[place] = expected.get(place, 0) + 1
    assert folds(forest) == expected
    assert sum(1 for node in forest.nodes if not node.folded) <= max(most, 5) + 48


def test_the_forest_of_a_run_ends_as_one_tree() -> None:
    image = np.ones((6, 7), np.uint8)
    image[2, :5] = 0
    recording = record(image, algorithm="label_equivalence")
    components, _ = label_reference(image, recording.connectivity)
    cells = np.flatnonzero(components == 1)
    last = len(recording) - 1
    before, labels = recording.labels(last - 1), recording.labels(last)
    forest = build_forest(labels, before, recording.layout, cells)
    assert (forest.trees, forest.depth, forest.cells) == (1, 1, cells.size)
    assert forest.changed == 0


def test_keys_go_up_down_and_along_a_level() -> None:
    nodes = tuple(Node(i, i, i, parent) for i, parent in enumerate((-1, 0, 0, 1, 2, -1)))
    forest = Forest(nodes)
    assert moved(forest, None, Move.DOWN) == 0
    assert moved(forest, 0, Move.DOWN) == 1
    assert moved(forest, 1, Move.RIGHT) == 2
    assert moved(forest, 3, Move.RIGHT) == 4
    assert moved(forest, 4, Move.RIGHT) == 4
    assert moved(forest, 0, Move.RIGHT) == 5
    assert moved(forest, 3, Move.UP) == 1
    assert moved(forest, 0, Move.UP) == 0
    assert moved(forest, 3, Move.DOWN) == 3
    assert moved(forest, 0, Move.LEFT) == 0
