"""What a lesson hides: what would answer an open question, or confuse."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ccl_viewer.lessons.model import Lesson, QuestionKind, Scene


class HiddenAnswer(StrEnum):
    """What is hidden: what an open question asks, or a scene does not need."""

    COUNTS = "counts"  # how many roots and components there are
    COURSE = "course"  # the steps that follow, and how many
    TABLES = "tables"  # tables and plots of the run
    PATHS = "paths"  # from cells to their roots, in words and beside the mouse
    TREES = "trees"  # in the sentences on a step, where the picture shows none
    TIMES = "times"  # of the emulator, which say nothing


TELLING: Final[dict[QuestionKind, tuple[HiddenAnswer, ...]]] = {
    QuestionKind.COMPONENTS: (HiddenAnswer.COUNTS, HiddenAnswer.TABLES),
    QuestionKind.ITERATIONS_LEFT: (HiddenAnswer.COURSE, HiddenAnswer.TABLES),
    QuestionKind.ROOTS_LEFT: (HiddenAnswer.TABLES,),
    QuestionKind.CHOICE: (HiddenAnswer.COUNTS, HiddenAnswer.COURSE, HiddenAnswer.TABLES),
    QuestionKind.ROOT: (HiddenAnswer.PATHS,),
    QuestionKind.NEXT_LABEL: (HiddenAnswer.PATHS,),
}
"""For a kind of question, what gives the answer away."""


def hidden_in_scene(lesson: Lesson, index: int) -> dict[int, tuple[HiddenAnswer, ...]]:
    """Return what a scene must not show, by the scenes whose questions it would answer.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    index : int
        Of the scene that is shown, from 0.

    Returns
    -------
    dict
        For the scene's own question, and those of later scenes with the same grid or run: the
        scene's index, and what tells the answer.
    """
    shown = lesson.scenes[index]
    found = {}
    for place, scene in enumerate(lesson.scenes[index:], index):
        kind = None if scene.question is None else scene.question.kind
        if kind in TELLING and (place == index or _tells(shown, scene, kind)):
            found[place] = TELLING[kind]
    return found


def _tells(shown: Scene, later: Scene, kind: QuestionKind) -> bool:
    """Whether the run of a scene would tell what a later one asks."""
    # In another scene, paths do no harm.
    if kind is QuestionKind.CHOICE or TELLING[kind] == (HiddenAnswer.PATHS,):
        return False
    names = ["grid", "connectivity", "multivalued"]
    if kind is not QuestionKind.COMPONENTS:
        names += ["algorithm", "parameters", "schedule"]
    return all(getattr(shown, name) == getattr(later, name) for name in names)
