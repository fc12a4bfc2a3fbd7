"""The oracle: what a correct labelling is, and whether a run ended with one.

Two methods that share no code: a vectorised one, fast enough for every finished run, and the
two-pass union-find in its textbook form, against which the first is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, WrongLabelsError

Image: TypeAlias = npt.NDArray[Any]
Labels: TypeAlias = npt.NDArray[np.int32]
Indices: TypeAlias = npt.NDArray[np.int64]

_MOST_CELLS = 2**31 - 1
_SPARSE = 4  # values spread over more than this many times the cells are sorted, not tabulated


@dataclass(frozen=True)
class Verdict:
    """What a comparison with the reference found.

    Parameters
    ----------
    correct : bool
        Whether the labels divide the cells exactly as the reference does.
    expected, found : int
        Components of the reference and of the labels.
    wrong_cells : int
        Cells whose label is wrong: foreground without a label, background with one, and cells that
        differ from the first labelled cell of their component, or share its label with another
        component that came first.
    first_wrong : tuple of int or None
        The first wrong cell in raster order, as (y, x).
    fault : str or None
        Why the labels could not be read at all, as a sentence; None if they could.
    """

    correct: bool
    expected: int
    found: int
    wrong_cells: int = 0
    first_wrong: tuple[int, int] | None = None
    fault: str | None = None

    @property
    def sentence(self) -> str:
        """The verdict in words, for the user."""
        if self.correct:
            return f"{_count(self.found, 'component')}, as the reference finds."
        if self.fault is not None:
            return f"WRONG: {self.fault}"
        place = ""
        if self.first_wrong is not None:
            y, x = self.first_wrong
            place = f", the first at x = {x}, y = {y}"
        return (
            f"WRONG: {_count(self.found, 'component')} where the reference finds "
            f"{self.expected:,}; {_count(self.wrong_cells, 'cell')} with a wrong label{place}."
        )


def label_reference(
    image: Image, connectivity: int, multivalued: bool = False
) -> tuple[Labels, int]:
    """Label the connected components of an image.

    The runs of each row are found first; runs of consecutive rows that touch are the edges of a
    graph, whose components are found by hooking every root to its smallest neighbour and jumping
    pointers until no edge joins two roots.

    Parameters
    ----------
    image : ndarray, shape (height, width)
        Non-zero is foreground.
    connectivity : int
        4 or 8.
    multivalued : bool
        Whether only cells of equal value connect, instead of all foreground.

    Returns
    -------
    labels : ndarray of int32, shape (height, width)
        0 on background; 1 to `count` in raster order of each component's first cell.
    count : int
        Number of components.

    Raises
    ------
    InputError
        If the image is not two-dimensional, is empty or has 2^31 cells or more, or the
        connectivity is neither 4 nor 8.
    """
    segments = _segments(image, connectivity, multivalued)
    starts, ends, values = _runs(segments)
    first, second = _touching(starts, ends, pitch=segments.shape[1] + 1, connectivity=connectivity)
    if multivalued:
        equal = values[first] == values[second]
        first, second = first[equal], second[equal]
    roots = _graph_components(starts.size, first, second)
    is_root = roots == np.arange(roots.size)
    rank = np.cumsum(is_root, dtype=np.int32)
    labels = np.zeros(segments.shape, np.int32)
    labels[segments != 0] = np.repeat(rank[roots], ends - starts)
    return labels, int(np.count_nonzero(is_root))


def two_pass_union_find(
    image: Image, connectivity: int, multivalued: bool = False
) -> tuple[Labels, int]:
    """Label the connected components of an image, one cell after the other.

    The first pass gives each cell the label of a neighbour already seen, or a new one, and unites
    the labels of neighbours that meet; the second pass replaces each label by its set's final one.
    Slow, and plain enough to be read as the definition of what is right.

    Parameters, results and errors are those of :func:`label_reference`.
    """
    segments = _segments(image, connectivity, multivalued)
    before = [(-1, 0), (0, -1)] if connectivity == 4 else [(-1, -1), (-1, 0), (-1, 1), (0, -1)]
    height, width = segments.shape
    labels = np.zeros((height, width), np.int32)
    parent = [0]

    def find(label: int) -> int:
        while parent[label] != label:
            label = parent[label]
        return label

    for y in range(height):
        for x in range(width):
            if not segments[y, x]:
                continue
            seen = [
                find(int(labels[y + dy, x + dx]))
                for dy, dx in before
                if y + dy >= 0
                and 0 <= x + dx < width
                and segments[y + dy, x + dx] == segments[y, x]
            ]
            if not seen:
                parent.append(len(parent))
                seen = [len(parent) - 1]
            labels[y, x] = min(seen)
            for root in seen:
                parent[root] = min(seen)

    final = [0] * len(parent)
    count = 0
    for label in range(1, len(parent)):
        root = find(label)
        if root == label:
            count += 1
            final[label] = count
        else:
            final[label] = final[root]
    return np.array(final, np.int32)[labels], count


def canonical(labels: npt.NDArray[Any], background: int = 0) -> Labels:
    """Return a labelling renumbered from 1, in raster order of each class's first cell.

    Parameters
    ----------
    labels : ndarray of integers, shape (height, width)
        Cells of equal value form a class; the values can be any.
    background : int
        The value that is no class.

    Returns
    -------
    ndarray of int32, shape (height, width)
        0 where `labels` is `background`, elsewhere 1 to the number of classes.
    """
    mask = labels != background
    values = labels[mask].astype(np.int64)
    numbered = np.zeros(labels.shape, np.int32)
    if values.size:
        numbered[mask] = _rank_by_first(values)
    return numbered


def partition_of(parents: Indices, image: Image) -> Labels:
    """Follow every cell's parent to its root and number the trees in raster order.

    Parameters
    ----------
    parents : ndarray of int64, shape (height, width)
        Linear index ``y * width + x`` of the cell that each cell points at; a root points at
        itself; -1 where a cell has no label.
    image : ndarray, shape (height, width)
        Non-zero is foreground. Background gets 0, whatever its parent.

    Returns
    -------
    ndarray of int32, shape (height, width)
        0 for background and for cells whose chain of parents ends at a cell without a label;
        elsewhere 1 to the number of trees that foreground belongs to.

    Raises
    ------
    WrongLabelsError
        If a parent lies outside the grid, or a chain of parents leads in a circle.
    """
    roots = _roots(parents)
    roots[np.asarray(image) == 0] = -1
    return canonical(roots, background=-1)


def compare(
    labels: npt.NDArray[Any], image: Image, connectivity: int, multivalued: bool = False
) -> Verdict:
    """Compare a finished labelling with the reference.

    Parameters
    ----------
    labels : ndarray of integers, shape (height, width)
        0 on background; cells of equal value form a component, whatever the value.
    image : ndarray, shape (height, width)
        Non-zero is foreground.
    connectivity : int
        4 or 8.
    multivalued : bool
        As for :func:`label_reference`.

    Returns
    -------
    Verdict
        Correct if the two partitions are equal; the numbers of the labels do not matter.

    Raises
    ------
    InputError
        As :func:`label_reference`, and if the shapes differ.
    """
    _same_shape(labels, image)
    expected, count = label_reference(image, connectivity, multivalued)
    return _judge(canonical(labels), expected, count)


def compare_parents(
    parents: Indices, image: Image, connectivity: int, multivalued: bool = False
) -> Verdict:
    """Compare finished labels, given as the cells that they point at, with the reference.

    `parents` is as for :func:`partition_of`, all else as for :func:`compare`. Parents that leave
    the grid or lead in a circle make a wrong verdict, not an error.
    """
    _same_shape(parents, image)
    expected, count = label_reference(image, connectivity, multivalued)
    try:
        roots = _roots(parents)
    except WrongLabelsError as error:
        return Verdict(correct=False, expected=count, found=0, fault=str(error))
    return _judge(canonical(roots, background=-1), expected, count)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _segments(image: Image, connectivity: int, multivalued: bool) -> npt.NDArray[Any]:
    """Return an array in which neighbours connect if they are equal and not 0."""
    if connectivity not in (4, 8):
        raise InputError(f"Connectivity is 4 or 8, not {connectivity!r}.")
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            f"An image to label has two dimensions and at least one cell, not shape {array.shape}."
        )
    if array.size > _MOST_CELLS:
        raise InputError(
            f"An image of {array.size} cells is too large for 32-bit labels: crop it or scale it "
            f"down to at most {_MOST_CELLS} cells."
        )
    return np.ascontiguousarray(array if multivalued else array != 0)


def _same_shape(labels: npt.NDArray[Any], image: Image) -> None:
    if labels.shape != np.shape(image):
        raise InputError(
            f"Labels of shape {labels.shape} do not belong to an image of shape {np.shape(image)}."
        )


def _runs(segments: npt.NDArray[Any]) -> tuple[Indices, Indices, npt.NDArray[Any]]:
    """Return where runs start and end (exclusive), in rows of pitch width + 1, and their values.

    The cell after each row is background, so that no run passes from one row to the next.
    """
    height, width = segments.shape
    padded = np.zeros(height * (width + 1) + 1, segments.dtype)
    padded[1:].reshape(height, width + 1)[:, :width] = segments
    edges = np.flatnonzero(padded[1:] != padded[:-1]).astype(np.int64, copy=False)
    # Between two edges lies a run or background; the last edge ends the last run.
    values = padded[1:][edges[:-1]]
    is_run = values != 0
    return edges[:-1][is_run], edges[1:][is_run], values[is_run]


def _touching(
    starts: Indices, ends: Indices, pitch: int, connectivity: int
) -> tuple[Indices, Indices]:
    """Return the pairs of runs that touch, the upper run first."""
    # Both bounds are exclusive for 4 neighbours; with 8, runs that meet at a corner touch too.
    diagonal = connectivity == 8
    low = np.searchsorted(ends, starts - pitch, side="left" if diagonal else "right")
    high = np.searchsorted(starts, ends - pitch, side="right" if diagonal else "left")
    touched = np.maximum(high - low, 0)
    lower = np.repeat(np.arange(starts.size, dtype=np.int64), touched)
    first_pair = np.cumsum(touched) - touched
    upper = np.arange(lower.size, dtype=np.int64) + np.repeat(low - first_pair, touched)
    return upper, lower


def _graph_components(nodes: int, first: Indices, second: Indices) -> Indices:
    """Return the smallest node of each node's component."""
    parent = np.arange(nodes, dtype=np.int64)
    while first.size:
        # A root is hooked only to a smaller one, so no circle can arise.
        np.minimum.at(parent, np.maximum(first, second), np.minimum(first, second))
        _flatten(parent)
        first, second = parent[first], parent[second]
        open_edges = first != second
        first, second = first[open_edges], second[open_edges]
    return parent


def _flatten(parent: Indices) -> bool:
    """Point every node at its root, in place, by pointer jumping; return whether all reached one.

    A circle can come to rest at nodes that were no roots to begin with.
    """
    active = np.arange(parent.size)
    # Each jump doubles the distance: after more than this many, there is no root to reach.
    for _ in range(parent.size.bit_length() + 1):
        now = parent[active]
        onward = parent[now]
        moved = onward != now
        active = active[moved]
        if not active.size:
            return True
        parent[active] = onward[moved]
    return False


def _roots(parents: Indices) -> Indices:
    """Return the root of each cell, -1 where there is none."""
    if int(parents.max(initial=-1)) >= parents.size or int(parents.min(initial=-1)) < -1:
        raise WrongLabelsError(
            "A label points outside the grid: the run is faulty, report it with the grid."
        )
    nowhere = parents.size  # stands for "no label", as a root of its own
    given = np.append(np.where(parents < 0, nowhere, parents).ravel(), nowhere)
    parent = given.copy()
    if not _flatten(parent) or np.any(given[parent] != parent):
        raise WrongLabelsError(
            "The labels lead in a circle and reach no root: the run is faulty, report it with the "
            "grid."
        )
    parent[parent == nowhere] = -1
    return parent[:-1].reshape(parents.shape)


def _rank_by_first(values: Indices) -> Labels:
    """Return the values renumbered from 1, in the order in which they first appear."""
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span > _SPARSE * values.size + 1024:
        values = np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
        low, span = 0, int(values.max()) + 1
    keys = values - low
    first = np.full(span, keys.size, np.int64)
    np.minimum.at(first, keys, np.arange(keys.size, dtype=np.int64))
    first_of_cell = first[keys]
    is_first = first_of_cell == np.arange(keys.size)
    rank = np.cumsum(is_first, dtype=np.int32)
    return rank[first_of_cell]


def _judge(found: Labels, expected: Labels, count: int) -> Verdict:
    """Compare two canonical labellings."""
    classes = int(found.max(initial=0))
    wrong = found != expected
    if not wrong.any():
        return Verdict(correct=True, expected=count, found=classes)
    # One lost component shifts the numbers of all that follow, so equality of numbers says little:
    # a cell is right if it agrees with the first cell of its component and of its label's class.
    both = (found != 0) & (expected != 0)
    found_there, expected_there = found[both], expected[both]
    found_of = _value_at_first(expected_there, found_there, count)
    expected_of = _value_at_first(found_there, expected_there, classes)
    wrong = (found != 0) != (expected != 0)
    wrong[both] = (found_of[expected_there] != found_there) | (
        expected_of[found_there] != expected_there
    )
    y, x = np.unravel_index(int(wrong.argmax()), wrong.shape)
    return Verdict(
        correct=False,
        expected=count,
        found=classes,
        wrong_cells=int(np.count_nonzero(wrong)),
        first_wrong=(int(y), int(x)),
    )


def _value_at_first(labels: Labels, values: Labels, count: int) -> Labels:
    """Return the value where each label from 0 to `count` first appears; 0 if it never does."""
    first = np.full(count + 1, labels.size, np.int64)
    np.minimum.at(first, labels, np.arange(labels.size, dtype=np.int64))
    return np.append(values, np.int32(0))[first]
