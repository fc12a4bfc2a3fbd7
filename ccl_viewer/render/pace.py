"""How long each step is shown when a run is played, in the window and in exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ccl_viewer.recording import Step

STEP_SECONDS: Final = 1.5  # that a step of a short run is shown
SHORT_RUN: Final = 30  # steps
RUN_SECONDS: Final = 30.0  # in which a long run is played
READ_CHARACTERS: Final = 25.0  # that people read in a second
MAX_SECONDS: Final = 5.0  # that a step is shown, however long its sentence is
_SHORTENING: Final = 0.5  # seconds that each further step takes from the whole, down to RUN_SECONDS


def unread(steps: Sequence[Step], index: int) -> int:
    """Return how many characters of a step's caption no earlier step has shown."""
    caption = steps[index].caption
    return 0 if any(step.caption == caption for step in steps[:index]) else len(caption)


def seconds_per_step(count: int, sentence_length: int = 0) -> float:
    """Return how many seconds a step is shown at speed 1.

    In a short run, a step stays long enough to read its new characters; see :func:`unread`.
    """
    if count <= SHORT_RUN:
        return max(STEP_SECONDS, min(sentence_length / READ_CHARACTERS, MAX_SECONDS))
    whole = STEP_SECONDS * SHORT_RUN - _SHORTENING * (count - SHORT_RUN)
    return max(whole, RUN_SECONDS) / count
