"""Neighbours differ in colour, and colours stay as they are while the user draws."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.grids import any_grid, noise

import ccl_viewer as ccl
from ccl_viewer import lessons
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.reference import find_roots, label_reference
from ccl_viewer.render.palette import Colouring, colour_grid, colour_run
from ccl_viewer.render.themes import DOTS, FIRST_DOTTED, LABEL_COLOURS

Components = npt.NDArray[np.int32]
Pairs: TypeAlias = set[tuple[int, int]]

PATTERNS = (
    "shibata",
    "spiral?size=31",
    "comb?width=40&height=40",
    "maze?width=41&height=41",
    "hilbert",
    "noise?width=48&height=48&density=0.6",
    "stairs?width=64&height=64",
)


def near(values: npt.NDArray[np.integer], reach: int = 2) -> Pairs:
    """Pairs of numbers above 0, the smaller first, with cells so close in rows and columns."""
    height, width = values.shape
    found: Pairs = set()
    for dy in range(reach + 1):
        for dx in range(-reach, reach + 1):
            if dy == 0 and dx <= 0:
                continue
            here = values[: max(height - dy, 0), max(0, -dx) : max(0, width - max(0, dx))]
            there = values[dy:, max(0, dx) : max(0, width - max(0, -dx))]
            meets = (here != there) & (here > 0) & (there > 0)
            one, other = here[meets].tolist(), there[meets].tolist()
            found |= {(min(pair), max(pair)) for pair in zip(one, other, strict=True)}
    return found


def clashes(components: Components, colours: npt.NDArray[np.uint8]) -> Pairs:
    """Neighbours of one colour, though a colour was free for one of them."""
    pairs = near(components)
    count = Counter(number for pair in pairs for number in pair)
    return {
        (a, b)
        for a, b in pairs
        if colours[a] == colours[b] and max(count[a], count[b]) < len(LABEL_COLOURS)
    }


def coloured(
    grid: npt.NDArray[np.uint8], connectivity: int, before: Colouring | None = None
) -> Colouring:
    components, _ = label_reference(grid, connectivity)
    return colour_grid(
        components, LabelLayout(grid.shape[0], grid.shape[1], grid.shape[1]), before=before
    )


@settings(max_examples=150)
@given(grid=any_grid(side=24), connectivity=st.sampled_from((4, 8)))
def test_no_component_shares_a_colour_with_one_within_two_cells(
    grid: npt.NDArray[np.uint8], connectivity: int
) -> None:
    colouring = coloured(grid, connectivity)
    assert not clashes(colouring.components, colouring.component_colours)


EDITS = st.lists(
    st.tuples(*[st.integers(0, 23)] * 2, *[st.integers(1, 6)] * 2, st.integers(0, 1)), max_size=6
)


@settings(max_examples=150)
@given(grid=any_grid(side=24), connectivity=st.sampled_from((4, 8)), edits=EDITS)
def test_an_edit_recolours_nothing_that_it_does_not_touch(
    grid: npt.NDArray[np.uint8], connectivity: int, edits: list[tuple[int, int, int, int, int]]
) -> None:
    before = coloured(grid, connectivity)
    for y, x, height, width, value in edits:
        grid = grid.copy()
        grid[y : y + height, x : x + width] = value
        after = coloured(grid, connectivity, before)
        kept = unchanged(before.components, after.components)
        for old, new in kept.items():
            assert after.component_colours[new] == before.component_colours[old]
        new_clashes = clashes(after.components, after.component_colours)
        assert all({a, b} <= set(kept.values()) for a, b in new_clashes)
        before = after


def unchanged(before: Components, after: Components) -> dict[int, int]:
    """Components that have the same cells in both, by their numbers before."""
    cells = {np.flatnonzero(after.ravel() == n).tobytes(): n for n in range(1, after.max() + 1)}
    old = {n: np.flatnonzero(before.ravel() == n).tobytes() for n in range(1, before.max() + 1)}
    return {number: cells[where] for number, where in old.items() if where in cells}


def test_what_grows_or_loses_cells_keeps_its_colour() -> None:
    grid = np.zeros((20, 40), np.uint8)
    grid[::4] = 1
    before = coloured(grid, 4)
    for row in range(0, 20, 4):
        cut = grid.copy()
        cut[row, 10] = 0  # into a part of 10 cells and one of 29
        after = coloured(cut, 4, before)
        assert (
            after.component_colours[after.components[row, 39]]
            == before.component_colours[before.components[row, 39]]
        )
        again = coloured(grid, 4, after)
        np.testing.assert_array_equal(again.component_colours, before.component_colours)


def test_of_two_components_that_are_joined_the_larger_gives_the_colour() -> None:
    grid = np.zeros((9, 30), np.uint8)
    grid[4, :10], grid[4, 13:] = 1, 1
    before = coloured(grid, 4)
    grid[4] = 1
    after = coloured(grid, 4, before)
    assert after.component_colours[1] == before.component_colours[2]


@pytest.mark.parametrize("key", lessons.lesson_names())
def test_labels_that_a_scene_asks_about_differ_in_colour(key: str) -> None:
    lesson = lessons.read_lesson(key)
    for number, scene in enumerate(lesson.scenes):
        cells = {*scene.highlight, *scene.follow}
        if scene.question is not None and scene.question.cell is not None:
            column, row = scene.question.cell
            cells |= {(column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        if scene.show.get("colours", "tree") not in {"label", "tree"}:
            continue
        shown = lessons.prepare_scene(lesson, number)
        run = shown.recording
        parents = run.parents(shown.step)
        named = parents if scene.show.get("colours") == "label" else find_roots(parents)
        height, width = run.image.shape
        there = [(x, y) for x, y in cells if 0 <= x < width and 0 <= y < height]
        asked = {int(named[y, x]) for x, y in there} - {-1}
        every = set(np.unique(named).tolist()) - {-1}
        colours = {cell: colour_of(colour_run(run), cell) for cell in every}
        different = every if len(every) <= len(LABEL_COLOURS) else asked
        assert len({colours[cell] for cell in different}) == len(different), f"scene {number + 1}"
        if len(asked) == 2:
            assert len({hue_of(colours[cell]) for cell in asked}) == 2, f"scene {number + 1}"


def colour_of(colouring: Colouring, cell: int) -> int:
    return int(colouring.colours[colouring.offsets(np.array([cell]))][0])


def hue_of(colour: int) -> int:
    return colour if colour < FIRST_DOTTED else DOTS[colour - FIRST_DOTTED]


def test_the_eight_trees_of_a_lesson_have_eight_colours() -> None:
    lesson = lessons.read_lesson("label-equivalence")
    run, step = (shown := lessons.prepare_scene(lesson, 1)).recording, shown.step
    roots = np.unique(find_roots(run.parents(step))[run.image != 0])
    assert roots.size == 8
    colouring = colour_run(run)
    assert len(set(colouring.colours[colouring.offsets(roots)].tolist())) == 8


def trees_of(
    run: Recording, colouring: Colouring, step: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The root of each cell, from 1, and its colour."""
    roots = find_roots(run.parents(step)).reshape(run.image.shape)
    return roots + 1, colouring.colours[colouring.offsets(np.maximum(roots, 0))]


@pytest.mark.parametrize("algorithm", ["label_equivalence", "stava_benes", "ha4", "playne"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_trees_that_touch_differ_and_all_do_where_they_are_few(
    algorithm: str, pattern: str
) -> None:
    run = ccl.record(f"pattern:{pattern}", algorithm, device="emulator")
    colouring = colour_run(run)
    for step in range(len(run)):
        roots, colours = trees_of(run, colouring, step)
        there, first = np.unique(roots, return_index=True)
        of = dict(zip(there.tolist(), colours.ravel()[first].tolist(), strict=True))
        of.pop(0, None)
        if len(of) <= len(LABEL_COLOURS):
            assert len(set(of.values())) == len(of)
        if 0 < len(of) <= 2 * len(LABEL_COLOURS):
            assert max(Counter(of.values()).values()) <= 2
        touching = near(roots, reach=1)
        assert sum(of[a] == of[b] for a, b in touching) <= len(touching) / 100
        large = {root for root, cells in Counter(roots.ravel().tolist()).items() if cells > 2}
        close = [pair for pair in near(roots) if large.issuperset(pair)]
        assert sum(of[a] == of[b] for a, b in close) <= len(close) / 50


@pytest.mark.parametrize("algorithm", ["label_equivalence", "ha4"])
def test_an_edit_recolours_no_tree_of_a_component_that_it_does_not_touch(algorithm: str) -> None:
    grid = noise(40, 40, 0.5)
    before = None
    for x in range(2, 38, 5):
        run = ccl.record(grid, algorithm, connectivity=4, device="emulator", schedule="synchronous")
        after = colour_run(run, before=None if before is None else before[1])
        if before is not None:
            old_run, old = before
            kept = np.isin(
                after.components, [*unchanged(old.components, after.components).values()]
            )
            for step in range(min(len(run), len(old_run)) - 1):
                roots, colours = trees_of(run, after, step)
                old_roots, old_colours = trees_of(old_run, old, step)
                same = kept & (roots == old_roots)
                assert same.any()
                np.testing.assert_array_equal(colours[same], old_colours[same])
        before = run, after
        grid = grid.copy()
        grid[x, x : x + 3] ^= 1
