"""Questions about the next step of any run."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.model import Question, QuestionKind
from ccl_viewer.recording import Recording
from ccl_viewer.recording.metrics import find_hooked_roots

_MAX_CLICKS = 8
_UNCHANGED = 0.2  # share of questions about a cell that keeps its label


def pick_question(recording: Recording, step: int, rng: Random) -> Question:
    """Return a random question that can be answered at a step.

    Parameters
    ----------
    recording : Recording
        A finished run.
    step : int
        The step on display, from 0, or from -1 backwards from the end.
    rng : random.Random
        Source of random numbers.

    Returns
    -------
    Question
        About the next step if there is one; otherwise about trees and components.

    Raises
    ------
    InputError
        If there is no such step.
    """
    index = recording.step(step).index
    makers: list[Callable[[Recording, int, Random], Question | None]] = [
        _next_label,
        _merged_roots,
        _iterations_left,
        _root,
        _roots_left,
    ]
    rng.shuffle(makers)
    for make in makers:
        question = make(recording, index, rng)
        if question is not None:
            return question
    return Question(QuestionKind.COMPONENTS)


def _next_label(recording: Recording, step: int, rng: Random) -> Question | None:
    if step + 1 >= len(recording):
        return None
    after = recording.labels(step + 1)
    labelled = (after != recording.layout.background) & (recording.image != 0)
    changed = labelled & (after != recording.labels(step))
    if not changed.any():
        return None
    candidates = labelled if rng.random() < _UNCHANGED else changed
    return Question(QuestionKind.NEXT_LABEL, _pick(candidates, rng))


def _merged_roots(recording: Recording, step: int, rng: Random) -> Question | None:
    del rng
    if step + 1 >= len(recording):
        return None
    count = find_hooked_roots(recording, step + 1).size
    return Question(QuestionKind.MERGED_ROOTS) if 0 < count <= _MAX_CLICKS else None


def _iterations_left(recording: Recording, step: int, rng: Random) -> Question | None:
    del rng
    last = recording.step(step).iteration == recording.iterations
    return Question(QuestionKind.ITERATIONS_LEFT) if recording.iterations and not last else None


def _root(recording: Recording, step: int, rng: Random) -> Question | None:
    """Ask about a cell that does not point at its root directly, if there is one."""
    roots = recording.roots(step)
    deep = (roots >= 0) & (roots != recording.parents(step)) & (recording.image != 0)
    return Question(QuestionKind.ROOT, _pick(deep, rng)) if deep.any() else None


def _roots_left(recording: Recording, step: int, rng: Random) -> Question | None:
    del rng
    if step + 1 >= len(recording):
        return None
    changes = recording.step(step).roots != recording.step(step + 1).roots
    return Question(QuestionKind.ROOTS_LEFT) if changes else None


def _pick(mask: npt.NDArray[np.bool_], rng: Random) -> Cell:
    """Return the column and row of one of the cells of a mask."""
    places = np.flatnonzero(mask)
    y, x = divmod(int(places[rng.randrange(places.size)]), mask.shape[1])
    return x, y
