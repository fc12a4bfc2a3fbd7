"""Colours for the labels of a small run: trees that meet, or take each other over, differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.reference import roots_of

Cells: TypeAlias = npt.NDArray[np.int64]

MOST_CELLS: Final = 1 << 12
"""Cells of the largest grids whose labels are compared: on larger ones trees are too many."""

MOST_LOOKED_AT: Final = 1 << 18
"""Cells times steps that are looked at, which takes some ten milliseconds; of more, a sample."""

_BESIDE: Final = ((0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0))
_TAKEN_OVER: Final = 4
"""As how many neighbours that look the same a cell counts that is taken over without a change."""


def is_small(recording: Recording) -> bool:
    """Return whether a run's grid is small enough for its labels to be compared."""
    return recording.image.size <= MOST_CELLS


def colour_takeovers(recording: Recording, wishes: Cells, fixed: Cells, colours: int) -> Cells:
    """Choose a colour for each cell's label, so that what meets differs as far as can be.

    Two labels meet where cells near each other have them, and where a cell has one after the
    other; so do two roots. Each meets the root that its cells end with, whose colour is thus not
    seen before it is final. Greedy, in raster order, which lets most colours stay as they are when
    a cell is drawn: each label takes the colour that costs least beside those before it, and of
    several the first from the one it would have had.

    Parameters
    ----------
    recording : Recording
        A run with at least one step.
    wishes : ndarray of int64, shape (cells,)
        Colour that each cell's label would have otherwise.
    fixed : ndarray of int64
        Linear indices of the cells whose labels keep it.
    colours : int
        Number of colours.

    Returns
    -------
    ndarray of int64, shape (cells,)
    """
    costs = _costs(recording)
    chosen: list[int] = wishes.tolist()
    settled = set(fixed.tolist())
    for label in sorted(costs.keys() - settled):
        bad = [0] * colours
        for other, cost in costs[label]:
            if other in settled:
                bad[chosen[other]] += cost
        wish = chosen[label]
        turns = [(wish + turn) % colours for turn in range(colours)]
        chosen[label] = min(turns, key=bad.__getitem__)
        settled.add(label)
    return np.array(chosen, np.int64)


def _costs(recording: Recording) -> dict[int, list[tuple[int, int]]]:
    """Return for each label those that it meets, and what it costs if both have one colour."""
    costs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    codes, counts = np.unique(np.concatenate([*_meetings(recording)]), return_counts=True)
    one, other = np.divmod(codes, recording.image.size)
    for a, b, count in zip(one.tolist(), other.tolist(), counts.tolist(), strict=True):
        costs[a].append((b, count))
        costs[b].append((a, count))
    return costs


def _meetings(recording: Recording) -> Iterator[Cells]:
    """Return codes of the labels, and of the roots, that meet after the steps, as often as that."""
    before: tuple[Cells, ...] = ()
    final = roots_of(recording.parents(-1))
    moving = [step.index for step in recording.steps if step.changed] or [0]
    stride = -(-len(moving) * recording.image.size // MOST_LOOKED_AT)
    for index in moving[::stride]:
        parents = recording.parents(index)
        parents = np.where(parents < parents.size, parents, -1)
        after = parents, roots_of(parents)
        for labels in after:
            for dy, dx in _BESIDE:
                yield _codes(*_beside(labels, dy, dx), parents.size)
            yield _codes(labels, final, parents.size)
        for old, new in zip(before, after, strict=False):
            yield np.repeat(_codes(old, new, parents.size), _TAKEN_OVER)
        before = after


def _beside(labels: Cells, dy: int, dx: int) -> tuple[Cells, Cells]:
    height, width = labels.shape
    here = labels[: height - dy, max(0, -dx) : width - max(0, dx)]
    return here, labels[dy:, max(0, dx) : width - max(0, -dx)]


def _codes(here: Cells, there: Cells, cells: int) -> Cells:
    """Return a number for each two labels that differ, whichever comes first."""
    meets = (here != there) & (here >= 0) & (there >= 0)
    one, other = here[meets], there[meets]
    codes: Cells = np.minimum(one, other) * cells + np.maximum(one, other)
    return codes
