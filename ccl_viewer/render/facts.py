"""What a step did to the forest of labels, counted from the labels before and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.pieces import bands
from ccl_viewer.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import final_roots, wrong_cells

Labels = npt.NDArray[np.int32]
Indices = npt.NDArray[np.int64]
NOT_COUNTED = -1
"""Final root of a cell that cannot be wrong: background, or left without a label."""

_BAND = 1 << 18
"""Cells that are looked at in one go: few enough to stop at once, and to stay in the cache."""


@dataclass(frozen=True)
class Facts:
    """What a step did.

    Parameters
    ----------
    first, smaller, larger, lost : int
        Cells that had no label before; that took a smaller or a larger one; that have none now.
    roots_before, roots : int
        Foreground cells that are their own parent, before and after.
    hooked, made : int
        Cells that were roots and are no longer; that were none and are now.
    indirect_before, indirect : int
        Cells whose parent is no root, before and after: 0 if all trees are flat.
    layers : tuple of (str, int)
        Each array that is recorded beside the labels, and how many of its cells changed.
    components : int or None
        Components of the grid; None if that is not known.
    wrong : int or None
        Cells that do not lead to the root that their component ends with; None if not known.
    unlabelled : int
        Foreground cells that have no label now.
    waiting : int
        Those of them that count as wrong, because the run does not leave them without.
    """

    first: int = 0
    smaller: int = 0
    larger: int = 0
    lost: int = 0
    roots_before: int = 0
    roots: int = 0
    hooked: int = 0
    made: int = 0
    indirect_before: int = 0
    indirect: int = 0
    layers: tuple[tuple[str, int], ...] = ()
    components: int | None = None
    wrong: int | None = None
    unlabelled: int = 0
    waiting: int = 0

    def without_outlook(self) -> Facts:
        """Return the same without what compares the step with the end of its run."""
        return replace(self, components=None, wrong=None)

    @property
    def changed(self) -> int:
        """Cells whose label changed."""
        return self.first + self.smaller + self.larger + self.lost


@dataclass(frozen=True, eq=False)
class Forest:
    """The labels of a step, as trees.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels.
    is_root : ndarray of bool, shape (height, width)
        Foreground cells that are their own parent.
    roots, indirect, unlabelled : int
        How many roots there are, how many foreground cells have a parent that is no root, and how
        many have no parent.
    """

    labels: Labels
    is_root: npt.NDArray[np.bool_]
    roots: int
    indirect: int
    unlabelled: int = 0


def no_forest(layout: LabelLayout) -> Forest:
    """Return the forest before the first step, when no cell has a label."""
    shape = (layout.height, layout.width)
    return Forest(
        np.full(shape, layout.background, np.int32), np.zeros(shape, np.bool_), roots=0, indirect=0
    )


def forest_of(
    labels: Labels, image: npt.NDArray[np.uint8], layout: LabelLayout, check: Check = unchecked
) -> Forest:
    """Return the trees of a step's labels.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels.
    image : ndarray of uint8, shape (height, width)
        The grid.
    layout : LabelLayout
        What the labels mean.
    check : callable
        Called every few milliseconds.
    """
    is_root = np.zeros(labels.shape, np.bool_)
    own = np.arange(layout.width, dtype=np.int64)
    for rows in bands(labels.shape, _BAND):
        check()
        starts = layout.width * np.arange(rows.start, rows.stop, dtype=np.int64)
        parents = layout.parents(labels[rows])
        is_root[rows] = (parents == starts[:, None] + own) & (image[rows] != 0)
    flat, indirect, unlabelled = is_root.ravel(), 0, 0
    for rows in bands(labels.shape, _BAND):
        check()
        parents = layout.parents(labels[rows])[image[rows] != 0]
        unlabelled += int(np.count_nonzero(parents < 0))
        # A faulty run may point anywhere.
        inside = parents[(parents >= 0) & (parents < flat.size)]
        indirect += int(inside.size) - int(np.count_nonzero(flat[inside]))
    return Forest(labels, is_root, int(np.count_nonzero(is_root)), indirect, unlabelled)


def difference(
    before: Forest, after: Forest, layout: LabelLayout, check: Check = unchecked
) -> Facts:
    """Return what led from one forest to the next.

    Parameters
    ----------
    before, after : Forest
        Of two steps.
    layout : LabelLayout
        What the labels mean.
    check : callable
        Called every few milliseconds.

    Returns
    -------
    Facts
        Without layers, components and wrong cells.
    """
    counts = np.zeros(6, np.int64)
    for rows in bands(after.labels.shape, _BAND):
        check()
        old, new = before.labels[rows], after.labels[rows]
        was, now = old != layout.background, new != layout.background
        both = was & now
        roots_then, roots_now = before.is_root[rows], after.is_root[rows]
        counts += [
            np.count_nonzero(found)
            for found in (
                now & ~was,
                both & (new < old),
                both & (new > old),
                was & ~now,
                roots_then & ~roots_now,
                roots_now & ~roots_then,
            )
        ]
    first, smaller, larger, lost, hooked, made = (int(count) for count in counts)
    return Facts(
        first=first,
        smaller=smaller,
        larger=larger,
        lost=lost,
        roots_before=before.roots,
        roots=after.roots,
        hooked=hooked,
        made=made,
        indirect_before=before.indirect,
        indirect=after.indirect,
        unlabelled=after.unlabelled,
    )


def changed_layers(recording: Recording, index: int) -> tuple[tuple[str, int], ...]:
    """Return how many cells of each recorded layer a step changed, if any.

    Before the first step there is nothing that a layer could be compared with.
    """
    if index == 0:
        return ()
    counts = (
        (name, np.count_nonzero(recording.layer(name, index) != recording.layer(name, index - 1)))
        for name in recording.layers
    )
    return tuple((name, int(count)) for name, count in counts if count)


def facts_at(recording: Recording, index: int) -> Facts:
    """Return all that a step did; for a single step, or for grids that are small.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        The step, from 0.
    """
    layout, image = recording.layout, recording.image
    before = no_forest(layout)
    if index > 0:
        before = forest_of(recording.labels(index - 1), image, layout)
    found = difference(before, forest_of(recording.labels(index), image, layout), layout)
    if recording.verdict is None:
        return completed(found, recording, index, wrong=None)
    final = final_roots(recording)
    wrong = wrong_cells(recording, index, final)
    return completed(found, recording, index, wrong, left_without(final, image))


def left_without(final: Indices, image: npt.NDArray[np.uint8]) -> int:
    """Return how many foreground cells a run leaves without a label, rightly.

    Parameters
    ----------
    final : ndarray of int64, shape (height, width)
        What :func:`~ccl_viewer.recording.metrics.final_roots` returns.
    image : ndarray of uint8, of the same shape
        The grid.
    """
    return int(np.count_nonzero(image)) - int(np.count_nonzero(final != NOT_COUNTED))


def completed(
    facts: Facts, recording: Recording, index: int, wrong: int | None, left: int = 0
) -> Facts:
    """Return facts with what is known of a step besides its labels.

    Parameters
    ----------
    facts : Facts
        Counted from the labels before and after the step.
    recording : Recording
        The run.
    index : int
        The step, from 0.
    wrong : int or None
        Its wrong cells; None if they were not counted.
    left : int
        Cells that the run leaves without a label: see :func:`left_without`.
    """
    verdict = recording.verdict
    if verdict is not None and not verdict.correct and not wrong:
        wrong = None  # all agree with how the run ended, which is not how it should have
    return replace(
        facts,
        layers=changed_layers(recording, index),
        components=None if verdict is None else verdict.expected,
        wrong=wrong,
        waiting=max(facts.unlabelled - left, 0),
    )


def count_wrong_if_flat(
    forest: Forest, final: Indices, layout: LabelLayout, check: Check = unchecked
) -> int | None:
    """Count the wrong cells of trees in which every cell names its root; None for others.

    Parameters
    ----------
    forest : Forest
        The trees after a step.
    final : ndarray of int64, shape (height, width)
        What :func:`~ccl_viewer.recording.metrics.final_roots` returns.
    layout : LabelLayout
        What the labels mean.
    check : callable
        Called every few milliseconds.

    Returns
    -------
    int or None
        What :func:`~ccl_viewer.recording.metrics.wrong_cells` returns, sooner.
    """
    if forest.indirect:
        return None
    wrong = 0
    for rows in bands(forest.labels.shape, _BAND):
        check()
        wanted = final[rows]
        parents = layout.parents(forest.labels[rows])
        wrong += int(np.count_nonzero((parents != wanted) & (wanted != NOT_COUNTED)))
    return wrong
