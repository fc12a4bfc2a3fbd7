"""Colours of components stay as they are while the user draws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise

from ccl_viewer.plan import LabelLayout
from ccl_viewer.reference import label_reference
from ccl_viewer.render.palette import colour_grid

Components = npt.NDArray[np.int32]


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
