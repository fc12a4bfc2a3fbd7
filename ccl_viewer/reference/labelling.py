"""The oracle: a vectorised labelling, fast enough for every finished run.

Tests compare it with SciPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.reference.forest import flatten
from ccl_viewer.support.arrays import Indices, split_into_bands, sum_up_to_each
from ccl_viewer.support.cancellation import Check, never_cancel

Image: TypeAlias = npt.NDArray[Any]
Labels: TypeAlias = npt.NDArray[np.int32]

_MAX_CELLS = 2**31 - 1
BAND_CELLS = 1 << 18
PIECE = 1 << 17  # elements between two checks for cancellation, about a millisecond


@dataclass(frozen=True, eq=False)
class _Runs:
    """Where runs start and end (exclusive), in rows of pitch width + 1, and their values."""

    starts: Indices
    ends: Indices
    values: npt.NDArray[Any]


def label_reference(
    image: Image, connectivity: int, *, multivalued: bool = False, check: Check = never_cancel
) -> tuple[Labels, int]:
    """Label the connected components of an image.

    It finds the runs of each row first. Runs of consecutive rows that touch are the edges of a
    graph. Its components are found by hooking every root to its smallest neighbour and jumping
    pointers until no edge joins two roots. All work is done in pieces: arrays of more than 32 MiB
    are allocated anew from the system, page by page, which took half of the time on large images.

    Parameters
    ----------
    image : ndarray, shape (height, width)
        Non-zero is foreground.
    connectivity : int
        4 or 8.
    multivalued : bool
        Whether only cells of equal value connect, instead of all foreground.
    check : callable
        Called every few milliseconds; may raise to stop the work.

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
    segments = _as_segments(image, connectivity, multivalued)
    runs = _find_runs(segments, check)
    first, second = _find_touching_runs(
        runs, segments.shape[1] + 1, connectivity, multivalued, check
    )
    roots = _find_graph_components(runs.starts.size, first, second, check)
    is_root = roots == np.arange(roots.size)
    rank = sum_up_to_each(is_root, np.int32)
    return _paint_labels(segments, runs, rank[roots], check), int(np.count_nonzero(is_root))


def _as_segments(image: Image, connectivity: int, multivalued: bool) -> npt.NDArray[Any]:
    """Return an array in which neighbours connect if they are equal and not 0."""
    if connectivity not in (4, 8):
        raise InputError(f"Connectivity is 4 or 8, not {connectivity!r}.")
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            f"An image to label has two dimensions and at least one cell, not shape {array.shape}."
        )
    if array.size > _MAX_CELLS:
        raise InputError(
            f"An image of {array.size} cells is too large for 32-bit labels: crop it or scale it "
            f"down to at most {_MAX_CELLS} cells."
        )
    return np.ascontiguousarray(array if multivalued else array != 0)


def _find_runs(segments: npt.NDArray[Any], check: Check) -> _Runs:
    """Return the runs of all rows.

    Each row is followed by a background cell, so that no run continues in the next row.
    """
    pitch = segments.shape[1] + 1
    starts, ends, values = [], [], []
    for rows in split_into_bands(segments.shape, BAND_CELLS):
        check()
        band = segments[rows]
        padded = np.zeros(len(band) * pitch + 1, segments.dtype)
        padded[1:].reshape(-1, pitch)[:, :-1] = band
        edges = np.flatnonzero(padded[1:] != padded[:-1]).astype(np.int64, copy=False)
        # Between two edges is a run or background; the last edge ends the last run.
        value = padded[1:][edges[:-1]]
        is_run = value != 0
        starts.append(edges[:-1][is_run] + rows.start * pitch)
        ends.append(edges[1:][is_run] + rows.start * pitch)
        values.append(value[is_run])
    return _Runs(np.concatenate(starts), np.concatenate(ends), np.concatenate(values))


def _find_touching_runs(
    runs: _Runs, pitch: int, connectivity: int, multivalued: bool, check: Check
) -> tuple[Indices, Indices]:
    """Return the pairs of runs that touch and connect, the upper run first."""
    # Both bounds are exclusive with connectivity 4; with 8, runs that meet at a corner touch, too.
    diagonal = connectivity == 8
    uppers, lowers = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for begin in range(0, runs.starts.size, PIECE):
        check()
        piece = slice(begin, begin + PIECE)
        starts, ends = runs.starts[piece] - pitch, runs.ends[piece] - pitch
        low = np.searchsorted(runs.ends, starts, side="left" if diagonal else "right")
        high = np.searchsorted(runs.starts, ends, side="right" if diagonal else "left")
        touched = np.maximum(high - low, 0)
        lower = np.repeat(np.arange(begin, begin + touched.size, dtype=np.int64), touched)
        first_pair = np.cumsum(touched) - touched
        upper = np.arange(lower.size, dtype=np.int64) + np.repeat(low - first_pair, touched)
        if multivalued:
            equal = runs.values[upper] == runs.values[lower]
            upper, lower = upper[equal], lower[equal]
        uppers.append(upper)
        lowers.append(lower)
    return np.concatenate(uppers), np.concatenate(lowers)


def _find_graph_components(nodes: int, first: Indices, second: Indices, check: Check) -> Indices:
    """Return the smallest node of each node's component."""
    parent = np.arange(nodes, dtype=np.int64)
    for begin in range(0, first.size, PIECE):
        check()
        piece = slice(begin, begin + PIECE)
        _unite(parent, first[piece], second[piece])
    # Parents precede their nodes: if all nodes before a piece point at roots, few jumps are left.
    for begin in range(0, nodes, PIECE):
        check()
        piece = slice(begin, begin + PIECE)
        parent[piece] = _find_roots(parent, parent[piece])
    return parent


def _unite(parent: Indices, first: Indices, second: Indices) -> None:
    """Unite the trees that edges join; the smallest node of a tree is its root."""
    while first.size:
        first, second = _find_roots(parent, first), _find_roots(parent, second)
        open_edges = first != second
        first, second = first[open_edges], second[open_edges]
        # A root is only hooked to a smaller one, so there are no cycles.
        hooked = np.maximum(first, second)
        np.minimum.at(parent, hooked, np.minimum(first, second))
        flatten(parent, hooked)


def _find_roots(parent: Indices, nodes: Indices) -> Indices:
    """Return the roots of nodes, and point the nodes at them."""
    roots = parent[nodes]
    onward = parent[roots]
    while not np.array_equal(onward, roots):
        roots, onward = onward, parent[onward]
    parent[nodes] = roots
    return roots


def _paint_labels(
    segments: npt.NDArray[Any], runs: _Runs, numbers: npt.NDArray[np.int32], check: Check
) -> Labels:
    """Return an image with each run's number in its cells."""
    labels = np.zeros(segments.shape, np.int32)
    pitch = segments.shape[1] + 1
    for rows in split_into_bands(segments.shape, BAND_CELLS):
        check()
        begin, end = np.searchsorted(runs.starts, (rows.start * pitch, rows.stop * pitch))
        lengths = runs.ends[begin:end] - runs.starts[begin:end]
        labels[rows][segments[rows] != 0] = np.repeat(numbers[begin:end], lengths)
    return labels
