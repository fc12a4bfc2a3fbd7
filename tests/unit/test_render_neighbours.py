"""Colours of components, against choosing them one after the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise

from ccl_viewer.reference import label_reference
from ccl_viewer.render import neighbours
from ccl_viewer.render.palette import REACH, colour_components, first_cells, spread

COLOURS = 5
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
    monkeypatch.setattr(neighbours, "_TILE", 3)
    components, _ = label_reference(GRIDS[name], connectivity)
    first = first_cells(components)
    assert first.tolist() == firsts(components)
    colours = colour_components(components, first, COLOURS)
    assert colours[1:].tolist() == one_by_one(components, 3)


def test_first_cells_are_found_across_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    components, _ = label_reference(GRIDS["noise"], 4)
    monkeypatch.setattr(neighbours, "_BAND_CELLS", 7)
    assert first_cells(components).tolist() == firsts(components)


def test_it_is_asked_in_every_round_whether_colours_are_wanted() -> None:
    components, count = label_reference(np.tile(np.array([[1, 0]], np.uint8), (1, 40)), 4)
    asked: list[int] = []
    colour_components(components, first_cells(components), COLOURS, lambda: asked.append(1))
    assert len(asked) >= count, "each waits for the one before"


def test_an_edit_keeps_the_colours_of_what_it_does_not_touch() -> None:
    grid = noise(60, 60, 0.5)
    before, _ = label_reference(grid, 4)
    grid[2, 2:5] = [1, 0, 1]
    after, _ = label_reference(grid, 4)
    assert before.max() != after.max()
    same = before != 0
    colours = colour_components(before, first_cells(before), COLOURS)[before]
    again = colour_components(after, first_cells(after), COLOURS)[after]
    assert np.count_nonzero(colours[same] != again[same]) < 0.1 * np.count_nonzero(same)
