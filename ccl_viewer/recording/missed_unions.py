"""Finds from where on a run that ends wrong joins no trees any more, and leaves some apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccl_viewer.recording.metrics import Indices
from ccl_viewer.recording.recording import Recording
from ccl_viewer.support.cancellation import CancelToken, unchecked


@dataclass(frozen=True)
class MissedUnions:
    """Trees that should have been joined and never are.

    Parameters
    ----------
    step : int
        The first step from which on every labelled cell has the root with which it ends.
    trees : int
        How many trees too many are left.
    """

    step: int
    trees: int

    @property
    def sentence(self) -> str:
        """What is so from that step on, for the user."""
        if self.trees == 1:
            return "Joins are missing: no later step unites trees, and 1 tree too many is left."
        return (
            f"Joins are missing: no later step unites trees, and {self.trees:,} trees too many are "
            "left."
        )


def missed_unions(recording: Recording, cancel: CancelToken | None = None) -> MissedUnions | None:
    """Find the step from which on trees stay apart that belong together.

    At what moment a join was lost cannot be told from labels: until the last trees are joined, any
    two may still be. From this step on they cannot.

    Parameters
    ----------
    recording : Recording
        The run.
    cancel : CancelToken or None
        Checked before each step.

    Returns
    -------
    MissedUnions or None
        None of a run that is right, that is not finished or that did not come to its own end, and
        where each component has one tree at most.

    Raises
    ------
    CancelledError
        If the token was cancelled.
    """
    verdict = recording.verdict
    if verdict is None or verdict.correct or not recording.converged:
        return None
    surplus = _surplus_trees(recording, recording.roots(-1))
    if not surplus:
        return None
    check = unchecked if cancel is None else cancel.check
    left, step = recording.trees(-1, check).trees, len(recording) - 1
    for earlier in reversed(recording.steps[:-1]):
        check()
        trees = recording.trees(earlier.index, check)
        if trees.apart or trees.trees != left:
            break
        step = earlier.index
    return MissedUnions(step, surplus)


def _surplus_trees(recording: Recording, final: Indices) -> int:
    """Count the trees that each component has beyond its first."""
    components, _ = recording.components()
    rooted = (components != 0) & (final >= 0)
    pairs = np.unique(np.stack([components[rooted], final[rooted]]), axis=1)
    return int(pairs.shape[1]) - len(np.unique(pairs[0]))
