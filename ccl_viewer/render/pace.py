"""How long each step is shown when a run is played, in the window and in exports."""

from __future__ import annotations

from typing import Final

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


def seconds_per_step(count: int, sentence_length: int = 0) -> float:
    """Return how many seconds a step is shown at speed 1.

    Parameters
    ----------
    count : int
        Steps of the run.
    sentence_length : int
        Characters of the sentence that explains the step. In a short run, the step stays long
        enough to read it.
    """
    if count <= SHORT_RUN:
        return max(STEP_SECONDS, min(sentence_length / READ_CHARACTERS, MOST_SECONDS))
    whole = STEP_SECONDS * SHORT_RUN - _SHORTENING * (count - SHORT_RUN)
    return max(whole, RUN_SECONDS) / count
