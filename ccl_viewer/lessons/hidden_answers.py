"""What a lesson hides because it would answer an open question, or confuse."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ccl_viewer.lessons.model import Lesson, QuestionKind, Scene


class HiddenInformation(StrEnum):
    """Kinds of hidden information: it answers an open question, or the scene does not need it."""

    COUNTS = "counts"  # how many roots and components there are
    COURSE = "course"  # the steps that follow, and how many
    TABLES = "tables"  # tables and plots of the run
    PATHS = "paths"  # from cells to their roots, in words and beside the mouse
    TREES = "trees"  # in sentences about a step, if the picture shows none
    TIMES = "times"  # of the emulator, which mean nothing for a GPU


HIDDEN_FOR: Final[dict[QuestionKind, tuple[HiddenInformation, ...]]] = {
    QuestionKind.COMPONENTS: (HiddenInformation.COUNTS, HiddenInformation.TABLES),
    QuestionKind.ITERATIONS_LEFT: (HiddenInformation.COURSE, HiddenInformation.TABLES),
    QuestionKind.ROOTS_LEFT: (HiddenInformation.TABLES,),
    QuestionKind.CHOICE: (
        HiddenInformation.COUNTS,
        HiddenInformation.COURSE,
        HiddenInformation.TABLES,
    ),
    QuestionKind.ROOT: (HiddenInformation.PATHS,),
    QuestionKind.NEXT_LABEL: (HiddenInformation.PATHS,),
}
"""The information that gives the answer away, for each kind of question."""


def find_hidden_information(lesson: Lesson, index: int) -> dict[int, tuple[HiddenInformation, ...]]:
    """Return what a scene must hide, by the scenes with the questions that it would answer.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    index : int
        Index of the scene on display, from 0.

    Returns
    -------
    dict
        For this scene's question, and for questions of later scenes with the same grid or run: the
        index of the scene, and the information that gives the answer away.
    """
    shown = lesson.scenes[index]
    hidden = {}
    for position, scene in enumerate(lesson.scenes[index:], index):
        kind = None if scene.question is None else scene.question.kind
        if kind in HIDDEN_FOR and (position == index or _answers(shown, scene, kind)):
            hidden[position] = HIDDEN_FOR[kind]
    return hidden


def _answers(shown: Scene, later: Scene, kind: QuestionKind) -> bool:
    """Return whether the run of a scene answers the question of a later scene."""
    # Paths in another scene give nothing away.
    if kind is QuestionKind.CHOICE or HIDDEN_FOR[kind] == (HiddenInformation.PATHS,):
        return False
    names = ["grid", "connectivity", "multivalued"]
    if kind is not QuestionKind.COMPONENTS:
        names += ["algorithm", "parameters", "schedule"]
    return all(getattr(shown, name) == getattr(later, name) for name in names)
