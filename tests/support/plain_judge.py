"""Whether labels are right, in plain Python and straight from the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout

Grid = npt.NDArray[np.uint8]
Cell = tuple[int, int]


def plain_components(image: Grid, connectivity: int, *, multivalued: bool) -> list[set[Cell]]:
    """The cells (y, x) of each component, by flood fill."""
    height, width = image.shape
    unseen = {(int(y), int(x)) for y, x in np.argwhere(image)}
    components = []
    while unseen:
        found, border = set(), [min(unseen)]
        while border:
            cell = border.pop()
            if cell not in unseen:
                continue
            unseen.remove(cell)
            found.add(cell)
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    near = cell[0] + down, cell[1] + right
                    beside = down == 0 or right == 0 or connectivity == 8
                    inside = 0 <= near[0] < height and 0 <= near[1] < width
                    if beside and inside and (not multivalued or image[near] == image[cell]):
                        border.append(near)
        components.append(found)
    return components


def is_partition(labels: npt.NDArray[Any], components: list[set[Cell]]) -> bool:
    """Whether each component has a number other than 0 for itself, and background has 0."""
    numbers = [{int(labels[cell]) for cell in component} for component in components]
    used = set().union(*numbers)
    covered = sum(map(len, components))
    return (
        all(len(number) == 1 for number in numbers)
        and len(used) == len(components)
        and 0 not in used
        and int(np.count_nonzero(labels)) == covered
    )


def names_components(
    labels: npt.NDArray[Any], layout: LabelLayout, components: list[set[Cell]]
) -> bool:
    """Whether each component's cells share the address of one of them, and background has none."""
    for component in components:
        addresses = {
            (y + layout.margin) * layout.pitch + x + layout.margin + layout.origin
            for y, x in component
        }
        if len(found := {int(labels[cell]) for cell in component}) != 1 or not found <= addresses:
            return False
    foreground: set[Cell] = set().union(*components)
    return all(
        cell in foreground or int(label) == layout.background
        for cell, label in np.ndenumerate(labels)
    )
