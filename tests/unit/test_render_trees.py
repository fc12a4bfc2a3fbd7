"""Roots, depths and arrows of the trees that labels form, held against following them singly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.render import forest, geometry
from ccl_viewer.render.themes import (
    DARK,
    DEEPEST,
    FIRST_DEPTH,
    UNLABELLED,
    canvas_colours,
    depth_indices,
)

LAYOUTS = st.sampled_from(
    [
        LabelLayout(5, 7, 7, background=-1),
        LabelLayout(5, 7, 9, margin=1),
        LabelLayout(5, 7, 8, margin=1, origin=3, background=-9),
    ]
)
CELLS = np.arange(35).reshape(5, 7)


def random_labels(layout: LabelLayout, seed: int) -> npt.NDArray[np.int32]:
    """Trees and bare cells: every cell points at itself, at one before it, or nowhere."""
    rng = np.random.default_rng(seed)
    parents = np.array([rng.integers(max(0, cell - 4), cell + 1) for cell in range(35)])
    labels = layout.addresses(parents).astype(np.int32)
    labels[rng.random(35) < 0.2] = layout.background
    return labels.reshape(5, 7)


def followed(layout: LabelLayout, labels: npt.NDArray[np.int32], cell: int) -> tuple[int, int]:
    """Root and depth of a cell, a step at a time."""
    parents = layout.parents(labels).reshape(-1)
    if parents[cell] == -1:
        return forest.NO_CELL, -1
    depth = 0
    while parents[cell] not in {cell, -1}:
        cell, depth = int(parents[cell]), depth + 1
    return cell, depth


@given(LAYOUTS, st.integers(0, 2**32 - 1))
def test_roots_and_depths_are_those_found_singly(layout: LabelLayout, seed: int) -> None:
    labels = random_labels(layout, seed)
    expected = [followed(layout, labels, cell) for cell in range(35)]
    roots, depths = forest.roots_and_depths(forest.lookup_in_frame(labels), layout, CELLS, 100)
    assert roots.reshape(-1).tolist() == [root for root, _ in expected]
    assert depths.reshape(-1).tolist() == [depth for _, depth in expected]
    found = forest.root_labels(forest.lookup_in_frame(labels), layout, CELLS)
    together = forest.root_labels_in_frame(labels, layout, CELLS)
    np.testing.assert_array_equal(together, found)
    for cell, (root, _) in enumerate(expected):
        kept = labels.reshape(-1)[cell] if root == forest.NO_CELL else None
        wanted = kept if kept is not None else layout.addresses(root)
        assert found.reshape(-1)[cell] == wanted


def test_depths_darken_from_the_root() -> None:
    colours = (
        canvas_colours(DARK).rgb_table[FIRST_DEPTH : FIRST_DEPTH + DEEPEST + 1].astype(np.float64)
    )
    light = colours @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light[:-2]) < 0).all()
    assert len({tuple(colour) for colour in colours.tolist()}) == DEEPEST + 1
    indices = depth_indices(np.array([-1, 0, 3, 500], np.int32), np.array([True] * 4))
    assert indices.tolist() == [UNLABELLED, FIRST_DEPTH, FIRST_DEPTH + 3, FIRST_DEPTH + DEEPEST]
    assert not depth_indices(np.array([2], np.int32), np.array([False])).any()


@given(st.integers(0, 34), st.integers(0, 34))
def test_arrows_lead_from_a_cell_to_its_parent(cell: int, parent: int) -> None:
    if cell == parent:
        return
    curve = geometry.arrow_curves(np.array([cell]), np.array([parent]), 7)[0]
    middles = [np.array([place % 7, place // 7]) + 0.5 for place in (cell, parent)]
    assert np.hypot(*(curve[0] - middles[0])) < 0.5
    assert np.hypot(*(curve[2] - middles[1])) < 0.5
    away = np.hypot(*(curve[1] - (middles[0] + middles[1]) / 2))
    length = np.hypot(*(middles[1] - middles[0]))
    assert (away > 0) == (length > 1.5)
    tip, first, second = geometry.arrow_heads(curve[None], 0.2)[0]
    assert np.allclose(tip, curve[2])
    assert np.hypot(*(first - middles[1])) > np.hypot(*(tip - middles[1]))
    assert np.isclose(np.hypot(*(first - second)), 0.2)


def test_arrows_of_a_row_lie_side_by_side() -> None:
    curves = geometry.arrow_curves(np.arange(2, 9), np.zeros(7, np.int64), 9)
    heights = curves[:, 1, 1]
    assert len(set(heights.round(6).tolist())) == 7
