"""Duration of each step in playback, in the window and in exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ccl_viewer.recording import Step

STEP_SECONDS: Final = 1.5  # per step of a short run
SHORT_RUN: Final = 30  # steps
RUN_SECONDS: Final = 30.0  # for a long run
READ_CHARACTERS: Final = 25.0  # read per second
MAX_SECONDS: Final = 5.0  # per step, even for a long sentence
_SECONDS_SAVED: Final = (
    0.5  # seconds by which each further step shortens the run, down to RUN_SECONDS
)


def new_caption_length(steps: Sequence[Step], index: int) -> int:
    """Return the number of characters of a step's caption, or 0 if an earlier step had it."""
    caption = steps[index].caption
    return 0 if any(step.caption == caption for step in steps[:index]) else len(caption)


def seconds_per_step(count: int, sentence_length: int = 0) -> float:
    """Return the seconds per step at speed 1.

    In a short run, a step stays long enough to read a caption that earlier steps did not have.
    """
    if count <= SHORT_RUN:
        return max(STEP_SECONDS, min(sentence_length / READ_CHARACTERS, MAX_SECONDS))
    seconds = STEP_SECONDS * SHORT_RUN - _SECONDS_SAVED * (count - SHORT_RUN)
    return max(seconds, RUN_SECONDS) / count
