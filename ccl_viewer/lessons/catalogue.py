"""The built-in lessons, in the order of teaching."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from ccl_viewer.errors import LessonFileError, shorten
from ccl_viewer.lessons.faults import did_you_mean
from ccl_viewer.lessons.model import Lesson
from ccl_viewer.lessons.reading import read_lesson_file, read_lesson_text
from ccl_viewer.storage.files import is_file
from ccl_viewer.storage.resources import assets_folder

LESSONS: Final = (
    "what-a-gpu-does",
    "memory-and-waiting",
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


def lesson_names() -> tuple[str, ...]:
    """Return the keys of the lessons, in the order of teaching."""
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
    if name not in LESSONS and is_file(name):
        raise LessonFileError(
            f"{shorten(name)} is not a lesson: name a .toml file, or a lesson's key."
        )
    if name not in LESSONS:
        raise LessonFileError(f"There is no lesson {name!r}: {did_you_mean(name, LESSONS)}")
    return assets_folder() / "lessons" / f"{name}.toml"


def read_lesson(name: str) -> Lesson:
    """Return a lesson.

    Parameters
    ----------
    name : str
        A key of :data:`LESSONS`, or the path of a ``.toml`` file.

    Raises
    ------
    LessonFileError
        If there is no such lesson, or its file has a fault.
    """
    return read_lesson_file(lesson_path(name))


def title_and_aims(name: str) -> tuple[str, tuple[str, ...]]:
    """Return title and aims of a built-in lesson, without reading its scenes.

    Parameters
    ----------
    name : str
        A key of :data:`LESSONS`.

    Raises
    ------
    LessonFileError
        If there is no such lesson, or its file cannot be read.
    """
    head = re.split(r"^\[", read_lesson_text(lesson_path(name)), maxsplit=1, flags=re.MULTILINE)[0]
    try:
        table = tomllib.loads(head)
    except tomllib.TOMLDecodeError:  # opening the lesson reports it
        table = {}
    return str(table.get("title", name)), tuple(map(str, table.get("aims", ())))
