"""Answers to exercises: kernels with their gaps filled."""

from __future__ import annotations

from collections.abc import Sequence

from ccl_viewer.exercises import Exercise
from ccl_viewer.exercises.model import GAP


def filled(exercise: Exercise, answers: Sequence[str]) -> str:
    """Return the kernel with an answer in each of its gaps."""
    text = exercise.source
    gaps = list(GAP.finditer(text))
    for gap, answer in reversed(list(zip(gaps, answers, strict=True))):
        text = text[: gap.start(2)] + answer.rstrip("\n") + "\n" + text[gap.end(2) :]
    return text
