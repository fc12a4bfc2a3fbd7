"""The lessons that come with the program, in the order in which they are taught."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ccl_viewer.errors import LessonFileError
from ccl_viewer.lessons.faults import meant
from ccl_viewer.lessons.model import Lesson
from ccl_viewer.lessons.reading import read_file
from ccl_viewer.resources import assets_folder

LESSONS: Final = (
    "what-is-a-component",
    "shibata",
    "rows-and-columns",
    "label-equivalence",
    "tiles-and-merge-levels",
    "runs-ballots-strips",
    "labels-to-features",
    "races",
    "which-algorithm",
)
"""Keys of the lessons."""


def names() -> tuple[str, ...]:
    """Return the keys of the lessons, in the order in which they are taught."""
    return LESSONS


def lesson_path(name: str) -> Path:
    """Return the file of a lesson.

    Parameters
    ----------
    name : str
        A key of :data:`LESSONS`, or the path of a ``.toml`` file.

    Raises
    ------
    LessonFileError
        If there is no lesson of this name.
    """
    if Path(name).suffix.lower() == ".toml":
        return Path(name)
    if name not in LESSONS:
        raise LessonFileError(f"There is no lesson {name!r}: {meant(name, LESSONS)}")
    return assets_folder() / "lessons" / f"{name}.toml"


def lesson(name: str) -> Lesson:
    """Return a lesson.

    Parameters
    ----------
    name : str
        A key of :data:`LESSONS`, or the path of a ``.toml`` file.

    Raises
    ------
    LessonFileError
        If there is none of this name, or its file has a fault.
    """
    return read_file(lesson_path(name))
