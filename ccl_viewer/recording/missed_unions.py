"""Find the step after which a wrong run unites no more trees, although some remain separate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccl_viewer.recording.recording import Recording
from ccl_viewer.support.arrays import Indices
from ccl_viewer.support.cancellation import CancelToken, never_cancel


@dataclass(frozen=True)
class MissedUnions:
    """Trees of one component that are never united.

    Parameters
    ----------
    step : int
        The first step after which every labelled cell has its final root.
    trees : int
        Number of surplus trees.
    """

    step: int
    trees: int

    @property
    def sentence(self) -> str:
        """Description for the user."""
        if self.trees == 1:
            return "Unions are missing: no later step unites trees, and 1 tree too many is left."
        return (
            f"Unions are missing: no later step unites trees, and {self.trees:,} trees too many "
            "are left."
        )


def find_missed_unions(
    recording: Recording, cancel: CancelToken | None = None
) -> MissedUnions | None:
    """Find the step after which trees of one component stay separate.

    Labels do not show when a union was lost: until the last union, any two trees may still be
    united. After this step they are not.

    Parameters
    ----------
    recording : Recording
        The run.
    cancel : CancelToken or None
        Checked before each step.

    Returns
    -------
    MissedUnions or None
        None if the run is correct, unfinished or broken off, or if each component has at most one
        tree.

    Raises
    ------
    CancelledError
        If the token was cancelled.
    """
    verdict = recording.verdict
    if verdict is None or verdict.correct or not recording.converged:
        return None
    surplus = _count_surplus_trees(recording, recording.roots(-1))
    if not surplus:
        return None
    check = never_cancel if cancel is None else cancel.check
    left, step = recording.tree_counts(-1, check).trees, len(recording) - 1
    for earlier in reversed(recording.steps[:-1]):
        check()
        trees = recording.tree_counts(earlier.index, check)
        if trees.apart or trees.trees != left:
            break
        step = earlier.index
    return MissedUnions(step, surplus)


def _count_surplus_trees(recording: Recording, final: Indices) -> int:
    """Count the trees of each component beyond the first."""
    components, _ = recording.component_numbers()
    rooted = (components != 0) & (final >= 0)
    pairs = np.unique(np.stack([components[rooted], final[rooted]]), axis=1)
    return int(pairs.shape[1]) - len(np.unique(pairs[0]))
