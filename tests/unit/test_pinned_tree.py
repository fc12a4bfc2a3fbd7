"""The tree of the pinned component, as the session has it."""

from __future__ import annotations

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer.render.palette import label_indices
from ccl_viewer.session import Session
from ccl_viewer.session.tree import pinned_tree
from ccl_viewer.session.tree.pinned_tree import PinnedTree


def test_hints_say_what_is_missing(session: Session) -> None:
    tree = PinnedTree(session)
    assert tree.hint == pinned_tree.NO_RUN
    assert tree.forest is None
    assert tree.summary == ""
    assert tree.colours.size == 0
    assert not tree.can_pin
    tree.pin_largest()
    assert session.look.pinned is None


def test_background_has_no_tree(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    assert tree.hint == pinned_tree.NO_PIN
    assert labelled.grid is not None
    y, x = np.argwhere(labelled.grid == 0)[0].tolist()
    labelled.look.pin((x, y))
    assert tree.hint == pinned_tree.BACKGROUND


def test_the_largest_component_can_be_pinned(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    colouring, pinned = labelled.colouring, labelled.look.pinned
    assert colouring is not None
    assert pinned is not None
    sizes = np.bincount(colouring.components.reshape(-1))[1:]
    assert sizes[colouring.components[pinned[1], pinned[0]] - 1] == sizes.max()
    assert tree.forest is not None
    assert tree.forest.cells == sizes.max()
    assert tree.hint == ""


def test_a_component_without_labels_yet_has_no_nodes(session: Session, runner: HeldRunner) -> None:
    session.configure(algorithm_key="two_pass")
    session.open("pattern:shibata", step=0)
    runner.work_all()
    tree = PinnedTree(session)
    tree.pin_largest()
    nodes = []
    for index in range(session.playback.count):
        session.playback.go_to(index)
        assert tree.forest is not None
        assert tree.colours.shape == (len(tree.forest.nodes),)
        nodes.append(len(tree.forest.nodes))
    assert nodes[0] == 0
    assert nodes[-1] > 0


def test_the_tree_changes_with_the_steps(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    heard: list[int] = []
    tree.changed.connect(lambda: heard.append(labelled.playback.position))
    trees = []
    for index in range(labelled.playback.count):
        labelled.playback.go_to(index)
        assert tree.forest is not None
        trees.append(tree.forest.trees)
        assert tree.forest.cells == trees[0]
    assert trees[0] > 1
    assert trees[-1] == 1
    assert trees == sorted(trees, reverse=True)
    assert heard == list(range(labelled.playback.count))
    assert tree.summary.startswith(f"{trees[0]} cells in 1 tree, depth 1")


def test_nodes_have_the_colours_of_the_canvas(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    labelled.playback.go_to(1)
    colouring, labels, forest = labelled.colouring, labelled.labels, tree.forest
    assert colouring is not None
    assert labels is not None
    assert forest is not None
    shown = label_indices(labels, colouring)
    for node, colour in zip(forest.nodes, tree.colours.tolist(), strict=True):
        cell = tree.place(node)
        if cell is not None:
            assert shown[cell[1], cell[0]] == colour


def test_pressing_a_node_pins_its_cell(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    assert tree.forest is not None
    cell = tree.place(tree.forest.nodes[3])
    tree.press(3)
    assert labelled.look.pinned == cell
    tree.press(99_999)
    tree.press(tree.forest.places[cell[1] * 10 + cell[0]] if cell else 0)
    assert labelled.look.pinned == cell


def test_pressing_a_fold_unfolds_until_it_is_folded_again(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    assert tree.forest is not None
    before = len(tree.forest.nodes)
    fold = next(index for index, node in enumerate(tree.forest.nodes) if node.folded)
    assert "click to unfold" in tree.describe(tree.forest.nodes[fold])
    tree.press(fold)
    assert len(tree.forest.nodes) > before
    tree.fold()
    assert len(tree.forest.nodes) == before


def test_another_run_folds_again(labelled: Session, runner: HeldRunner) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    assert tree.forest is not None
    whole = len(tree.forest.nodes)
    tree.press(whole - 1)
    assert len(tree.forest.nodes) > whole
    labelled.run()
    runner.work_all()
    assert len(tree.forest.nodes) == whole


def test_cells_that_are_folded_away_are_shown_by_their_fold(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    colouring, forest, pinned = labelled.colouring, tree.forest, labelled.look.pinned
    assert colouring is not None
    assert forest is not None
    assert pinned is not None
    number = colouring.components[pinned[1], pinned[0]]
    for y, x in np.argwhere(colouring.components == number).tolist():
        index = tree.showing((x, y))
        assert index is not None
        node = forest.nodes[index]
        assert node.folded or tree.place(node) == (x, y)
    y, x = np.argwhere(colouring.components != number)[0].tolist()
    assert tree.showing((x, y)) is None


def test_descriptions_name_cells_and_labels(labelled: Session) -> None:
    tree = PinnedTree(labelled)
    tree.pin_largest()
    labelled.playback.go_to(0)
    assert tree.forest is not None
    texts = [tree.describe(node) for node in tree.forest.nodes]
    assert "a root, changed in this step" in texts[0]
    assert "more trees with" in texts[-1]
    labelled.playback.go_to(1)
    child = next(node for node in tree.forest.nodes if node.parent >= 0)
    assert f"label {child.label}" in tree.describe(child)


def test_of_huge_components_only_what_is_near_is_looked_at(
    session: Session, runner: HeldRunner
) -> None:
    session.open("pattern:full?width=300&height=300")
    runner.work_all()
    tree = PinnedTree(session)
    session.look.pin((150, 150), component=True)
    assert tree.forest is not None
    assert tree.forest.cells < 300 * 300
    assert "only cells near the pin, of 90,000" in tree.summary


def test_a_component_is_found_band_by_band(
    session: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open("pattern:spiral?size=31")
    runner.work_all()
    whole, banded = PinnedTree(session), PinnedTree(session)
    whole.pin_largest()
    session.playback.go_to(1)
    assert whole.forest is not None
    monkeypatch.setattr(pinned_tree, "PIECE", 1)
    assert banded.forest is not None
    assert banded.forest.cells == whole.forest.cells > 31
    assert banded.forest.places == whole.forest.places
    assert banded.forest.nodes == whole.forest.nodes


def test_room_decides_how_many_nodes_are_shown(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:spiral?size=63")
    runner.work_all()
    tree = PinnedTree(session)
    tree.pin_largest()
    session.playback.go_to(1)
    tree.make_room(24)
    assert tree.forest is not None
    few = len(tree.forest.nodes)
    tree.make_room(200)
    assert len(tree.forest.nodes) > few
