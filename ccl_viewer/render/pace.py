"""How long each step is shown when a run is played, in the window and in exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ccl_viewer.recording import Step

STEP_SECONDS: Final = 1.5
"""Seconds that a step of a short run is shown."""

SHORT_RUN: Final = 30
"""Runs up to this many steps are short."""

RUN_SECONDS: Final = 30.0
"""Seconds in which a long run is played."""

READ_CHARACTERS: Final = 25.0
"""Characters that people read in a second."""

MOST_SECONDS: Final = 5.0
"""Seconds that a step is shown at most, however long its sentence is."""

_SHORTENING: Final = 0.5  # seconds that each further step takes from the whole, down to RUN_SECONDS


def unread(steps: Sequence[Step], index: int) -> int:
    """Return how many characters of a step's caption no earlier step has shown."""
    caption = steps[index].caption
    return 0 if any(step.caption == caption for step in steps[:index]) else len(caption)


def seconds_per_step(count: int, sentence_length: int = 0) -> float:
    """Return how many seconds a step is shown at speed 1.

    Parameters
    ----------
    count : int
        Steps of the run.
    sentence_length : int
        Characters to be read at the step, as :func:`unread` counts them. In a short run, it stays
        long enough to read them.
    """
    if count <= SHORT_RUN:
        return max(STEP_SECONDS, min(sentence_length / READ_CHARACTERS, MOST_SECONDS))
    whole = STEP_SECONDS * SHORT_RUN - _SHORTENING * (count - SHORT_RUN)
    return max(whole, RUN_SECONDS) / count
