"""What must not be seen before a question is answered, because it would tell the answer."""

from __future__ import annotations

from typing import Final

from ccl_viewer.lessons.model import Lesson, QuestionKind, Scene

COUNTS: Final = "counts"
"""How many roots and components there are."""

COURSE: Final = "course"
"""The steps that follow, and how many."""

TABLES: Final = "tables"
"""Tables and plots of the run."""

PATHS: Final = "paths"
"""The ways from cells to their roots, in words and beside the mouse."""

TELLING: Final[dict[QuestionKind, tuple[str, ...]]] = {
    QuestionKind.COMPONENTS: (COUNTS, TABLES),
    QuestionKind.ITERATIONS_LEFT: (COURSE, TABLES),
    QuestionKind.ROOTS_LEFT: (TABLES,),
    QuestionKind.CHOICE: (COUNTS, COURSE, TABLES),
    QuestionKind.ROOT: (PATHS,),
    QuestionKind.NEXT_LABEL: (PATHS,),
}
"""What tells the answer to a question of a kind."""


def concealed_by(lesson: Lesson, index: int) -> dict[int, tuple[str, ...]]:
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
    if kind is QuestionKind.CHOICE or TELLING[kind] == (PATHS,):  # in another scene it does no harm
        return False
    names = ["grid", "connectivity", "multivalued"]
    if kind is not QuestionKind.COMPONENTS:
        names += ["algorithm", "parameters", "schedule"]
    return all(getattr(shown, name) == getattr(later, name) for name in names)
