"""The number of wrong cells after every step of a run, counted step by step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from support.oracle import wrong_cells


def wrong_after_each(recording: Recording) -> npt.NDArray[np.int64]:
    """Wrong cells after each step."""
    return np.array([wrong_cells(recording, step.index) for step in recording.steps])


def first_settled(wrong: npt.NDArray[np.int64]) -> int | None:
    """The first step after which no cell is ever wrong; None if there is none."""
    if wrong[-1]:
        return None
    return max((int(step) + 1 for step in np.flatnonzero(wrong)), default=0)
