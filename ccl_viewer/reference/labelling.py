"""The oracle: what a correct labelling is.

Two methods that share no code: a vectorised one, fast enough for every finished run, and the
two-pass union-find in its textbook form, against which the first is tested.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.pieces import apply_at, repeated
from ccl_viewer.reference.forest import Indices, flatten

Image: TypeAlias = npt.NDArray[Any]
Labels: TypeAlias = npt.NDArray[np.int32]

_MOST_CELLS = 2**31 - 1


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
    labels[segments != 0] = repeated(rank[roots], ends - starts)
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
    lower = repeated(np.arange(starts.size, dtype=np.int64), touched)
    first_pair = np.cumsum(touched) - touched
    upper = np.arange(lower.size, dtype=np.int64) + repeated(low - first_pair, touched)
    return upper, lower


def _graph_components(nodes: int, first: Indices, second: Indices) -> Indices:
    """Return the smallest node of each node's component."""
    parent = np.arange(nodes, dtype=np.int64)
    while first.size:
        # A root is hooked only to a smaller one, so no circle can arise.
        apply_at(np.minimum, parent, np.maximum(first, second), np.minimum(first, second))
        flatten(parent)
        first, second = parent[first], parent[second]
        open_edges = first != second
        first, second = first[open_edges], second[open_edges]
    return parent
