"""Facts about labels, counted by NumPy, to compare with the kernels of facts.cu."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.recording.grid_kernels import ChangeCounts, TreeCounts
from ccl_viewer.reference import Verdict, find_roots, judge_parents, label_reference
from ccl_viewer.support.cancellation import Check, never_cancel

Cells = npt.NDArray[np.int64]
Frame = npt.NDArray[np.int32]
Image = npt.NDArray[np.uint8]

NOT_COUNTED = -1
NO_ROOT = -2  # equal to no cell's root, and not to a missing one


def compare_parents(
    parents: Cells,
    image: npt.NDArray[Any],
    connectivity: int,
    *,
    multivalued: bool = False,
    check: Check = never_cancel,
) -> Verdict:
    """Compare finished labels, given as the cells that they point at, with the reference."""
    expected, count = label_reference(image, connectivity, multivalued=multivalued, check=check)
    return judge_parents(parents, expected, count, check)


def count_roots(
    labels: npt.NDArray[np.int32], image: npt.NDArray[np.uint8], layout: LabelLayout
) -> int:
    """Count the foreground cells that are labelled with their own address.

    Works in bands of rows that fit the cache: a few milliseconds for 2048 x 2048 cells.

    Parameters
    ----------
    labels : ndarray of int32, shape (height, width)
        Raw labels, without padding.
    image : ndarray of uint8, shape (height, width)
        The grid.
    layout : LabelLayout
        What the labels mean.
    """
    band = max(1, (1 << 16) // layout.width)
    columns = np.arange(layout.width, dtype=np.int32)
    corner = layout.addresses(0)
    roots = 0
    for top in range(0, layout.height, band):
        rows = slice(top, min(top + band, layout.height))
        starts = corner + layout.pitch * np.arange(rows.start, rows.stop, dtype=np.int64)
        is_root = labels[rows] - starts.astype(np.int32)[:, None] == columns
        roots += int(np.count_nonzero(is_root & (image[rows] != 0)))
    return roots


def count(cells: npt.NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(cells))


def changes_of(
    image: Image, before: Frame | None, after: Frame, layout: LabelLayout
) -> ChangeCounts:
    """The changes from one frame to another."""
    if before is None:
        before = np.full(image.shape, layout.background, np.int32)
    indices = np.arange(image.size).reshape(image.shape)
    was, now = before != layout.background, after != layout.background
    parents = layout.parents(after)
    root = (parents == indices) & (image != 0)
    was_root = (layout.parents(before) == indices) & (image != 0)
    named = parents[(image != 0) & (parents >= 0) & (parents < image.size)]
    return ChangeCounts(
        first=count(now & ~was),
        smaller=count(now & was & (after < before)),
        larger=count(now & was & (after > before)),
        lost=count(was & ~now),
        roots=count(root),
        hooked=count(was_root & ~root),
        made=count(root & ~was_root),
        indirect=count(~root.ravel()[named]),
        unlabelled=count((image != 0) & (parents == -1)),
    )


def wanted_of(components: Frame, last: Cells, *, right: bool) -> Cells:
    """The final root of each cell; -1 for cells that do not count, -2 for a missing root."""
    if right:
        return last
    rooted = np.flatnonzero((components.ravel() != 0) & (last.ravel() >= 0))[::-1]
    of_component = np.full(int(components.max(initial=0)) + 1, NO_ROOT, np.int64)
    # Of several values for one element NumPy keeps the last, here that of the first cell.
    of_component[components.ravel()[rooted]] = last.ravel()[rooted]
    of_component[0] = NOT_COUNTED
    return of_component[components]


def depths_of(parents: Cells) -> int:
    """Labels on the longest path to a root."""
    flat, roots = parents.ravel(), find_roots(parents).ravel()
    cells = np.flatnonzero(roots >= 0)
    depth = 0
    while (cells := np.unique(flat[cells[flat[cells] != cells]])).size:
        depth += 1
    return depth


def trees_of(
    image: Image, labels: Frame, last: Frame, layout: LabelLayout, components: Frame, *, right: bool
) -> TreeCounts:
    """The trees of a frame compared with those of the last one."""
    parents = layout.parents(labels)
    roots, ends = find_roots(parents), find_roots(layout.parents(last))
    expected = wanted_of(components, ends, right=right)
    indices = np.arange(image.size).reshape(image.shape)
    labelled = np.flatnonzero(parents.ravel() != -1)
    named, flat = parents.ravel()[labelled], components.ravel()
    inside = (named >= 0) & (named < image.size)
    mixed = flat[named[inside]] != flat[labelled[inside]]
    return TreeCounts(
        wrong=count((roots != expected) & (expected != NOT_COUNTED)),
        mixed=count(mixed) + count(~inside),
        depth=depths_of(parents),
        left=count((image != 0) & (expected == NOT_COUNTED)),
        apart=count((roots >= 0) & (roots != ends)),
        trees=count(roots == indices),
    )


def wrong_cells(recording: Recording, index: int) -> int:
    """Cells that do not lead to their component's final root after a step."""
    return oracle_trees(recording, index).wrong


def oracle_trees(recording: Recording, index: int) -> TreeCounts:
    """The trees after a step compared with those at the end of the run."""
    image, verdict = recording.image, recording.verdict
    components, _ = label_reference(
        image, recording.connectivity, multivalued=recording.multivalued
    )
    right = verdict is not None and verdict.correct
    frames = (recording.labels(index), recording.labels(-1))
    return trees_of(image, *frames, recording.layout, components, right=right)
