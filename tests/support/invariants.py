"""Invariants of the labels after every launch, for all algorithms or as a row promises."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.recording import Recording


def check_forest(recording: Recording) -> None:
    """Parents stay in the component, children never become roots; and the row's promises hold."""
    promises = ALGORITHMS[recording.algorithm]
    components, _ = recording.component_numbers()
    components = components.ravel()
    indices = np.arange(components.size)
    before: npt.NDArray[np.int64] | None = None
    for i in range(len(recording)):
        parents = recording.parents(i).ravel()
        labelled = parents >= 0
        cells = indices[labelled]
        assert not labelled[components == 0].any(), "background has a label"
        assert (components[parents[labelled]] == components[cells]).all(), (
            "a parent is in another component"
        )
        if promises.parents_before:
            assert (parents[labelled] <= cells).all(), "a parent comes after its cell"
        if before is not None:
            both = labelled & (before >= 0)
            if promises.labels_fall:
                assert (parents[both] <= before[both]).all(), "a label rose"
            children = both & (before != indices)
            assert (parents[children] != indices[children]).all(), "a child became a root"
            assert (labelled | (before < 0)).all(), "a label got lost"
        before = parents
    if promises.roots_first and before is not None:
        _, first = np.unique(components, return_index=True)
        roots = np.flatnonzero(before == indices)
        assert np.isin(roots, first).all(), "a root is not its component's first cell"
