"""Colours of components, against choosing them one after the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise

from ccl_viewer.plan import LabelLayout
from ccl_viewer.reference import label_reference
from ccl_viewer.render import palette
from ccl_viewer.render.palette import (
    REACH,
    USUAL,
    colour_components,
    colour_grid,
    first_cells,
    spread,
)

COLOURS = USUAL
Components = npt.NDArray[np.int32]

CHECKERBOARD = (np.indices((9, 14)).sum(axis=0) % 2).astype(np.uint8)
RING = np.pad(np.pad(np.ones((3, 3), np.uint8), 1), 1, constant_values=1)
DOTS = np.tile(np.array([[1, 0], [0, 0]], np.uint8), (6, 9))
GRIDS = {
    "noise": noise(17, 23, 0.4),
    "thin noise": noise(19, 21, 0.15, seed=2),
    "row": noise(1, 60, 0.5, seed=3),
    "column": noise(60, 1, 0.5, seed=4),
    "checkerboard": CHECKERBOARD,
    "dots": DOTS,
    "ring": RING,
    "full": np.ones((4, 5), np.uint8),
    "empty": np.zeros((4, 5), np.uint8),
}


def firsts(components: Components) -> list[int]:
    cells = components.ravel().tolist()
    return [cells.index(number) for number in range(1, max(cells) + 1)]


def near(components: Components) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(int(components.max()) + 1)]
    for y, x in np.argwhere(components).tolist():
        rows, columns = slice(max(0, y - REACH), y + REACH + 1), slice(max(0, x - REACH), x + 3)
        here = int(components[y, x])
        found[here] |= {*components[rows, columns].ravel().tolist()} - {0, here}
    return found


def one_by_one(components: Components, tile: int) -> list[int]:
    """Colours of components, chosen in Python."""
    beside, width = near(components), components.shape[1]

    def turn(number: int) -> tuple[int, int]:
        y, x = divmod(firsts(components)[number - 1], width)
        crowded = len(beside[number]) >= COLOURS
        return -1 if crowded else y // tile % 2 * 2 + x // tile % 2, number

    chosen: dict[int, int] = {}
    for number in sorted(range(1, len(beside)), key=turn):
        first = int(spread(np.array(firsts(components)[number - 1 : number]), COLOURS)[0])
        taken = {chosen[other] for other in beside[number] if other in chosen}
        wanted = [(first + more) % COLOURS for more in range(COLOURS)]
        chosen[number] = next((colour for colour in wanted if colour not in taken), first)
    return [chosen[number] for number in sorted(chosen)]


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("name", GRIDS)
def test_colours_are_those_of_choosing_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, name: str, connectivity: int
) -> None:
    monkeypatch.setattr(palette, "_TILE", 3)
    components, _ = label_reference(GRIDS[name], connectivity)
    first = first_cells(components)
    assert first.tolist() == firsts(components)
    colours = colour_components(components, first)
    assert colours[1:].tolist() == one_by_one(components, 3)


def test_first_cells_are_found_across_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    components, _ = label_reference(GRIDS["noise"], 4)
    monkeypatch.setattr(palette, "_PAIR_CELLS", 7)
    assert first_cells(components).tolist() == firsts(components)


def test_it_is_asked_in_every_round_whether_colours_are_wanted() -> None:
    components, count = label_reference(np.tile(np.array([[1, 0]], np.uint8), (1, 40)), 4)
    asked: list[int] = []
    colour_components(components, first_cells(components), lambda: asked.append(1))
    assert len(asked) >= count, "each waits for the one before"


@pytest.mark.parametrize("connectivity", [4, 8])
def test_an_edit_keeps_the_colours_of_what_it_does_not_touch(connectivity: int) -> None:
    """Stroke after stroke, and no two neighbours ever share a colour."""
    grid = noise(60, 60, 0.5)
    components, _ = label_reference(grid, connectivity)
    layout = LabelLayout(60, 60, pitch=60, background=-1)
    before = colour_grid(components, layout)
    for x in range(2, 50, 3):
        changed = grid.copy()
        changed[x, x : x + 3] = [1, 0, 1]
        components, count = label_reference(changed, connectivity)
        after = colour_grid(components, layout, before=before)
        same = (components != 0) & (grid != 0)
        differs = after.component_colours[components] != before.component_colours[before.components]
        touched = np.unique(components[same & differs])
        near = np.unique(components[x - 1 : x + 2, x - 1 : x + 4])
        assert set(touched.tolist()) <= set(near.tolist())
        pairs = zip(*neighbours_of(components), strict=True)
        assert all(after.component_colours[a] != after.component_colours[b] for a, b in pairs)
        grid, before = changed, after
        assert count


def neighbours_of(components: Components) -> tuple[list[int], list[int]]:
    """Numbers of components that touch, also at corners."""
    one: list[int] = []
    other: list[int] = []
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        height, width = components.shape
        here = components[: height - dy, max(0, -dx) : width - max(0, dx)]
        there = components[dy:, max(0, dx) : width - max(0, -dx)]
        meets = (here != there) & (here != 0) & (there != 0)
        one += here[meets].tolist()
        other += there[meets].tolist()
    return one, other
