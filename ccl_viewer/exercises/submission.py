"""Submits students' files to the judge, and grades a class."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ccl_viewer.algorithms.copies import COPIES_VARIABLE, Copy, find_copy
from ccl_viewer.algorithms.own import NAME
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    DeviceUnavailableError,
    ExerciseFileError,
    InputError,
    shorten,
)
from ccl_viewer.exercises.catalogue import student_source
from ccl_viewer.exercises.judging import Judgement, OnResult, judge
from ccl_viewer.exercises.model import Exercise
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken

_MOST_BYTES = 1 << 20


@contextmanager
def open_submission(exercise: Exercise, path: Path) -> Iterator[Copy]:
    """Make a student's file available as a copy of a kernel within the block.

    It changes an environment variable, so no other thread may use copies at the same time.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    path : Path
        The student's file.

    Raises
    ------
    InputError
        If the file cannot be read, or belongs to another exercise.
    """
    text = _read(path)
    first = student_source(exercise).partition("\n")[0]
    if text.partition("\n")[0].rstrip() != first:
        raise InputError(
            f"{shorten(path.name)} is not an answer to {exercise.key}: its first line must be "
            f"{first} (ccl-viewer exercise {exercise.key} -o FILE hands out a new one)."
        )
    before = os.environ.get(COPIES_VARIABLE)
    with scratch_folder() as folder:
        name = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
        if NAME.fullmatch(name) is None:
            name = "answer"
        (folder / f"{name}.cu").write_text(text, "utf-8")
        os.environ[COPIES_VARIABLE] = str(folder)
        try:
            yield find_copy(name)
        finally:
            if before is None:
                os.environ.pop(COPIES_VARIABLE, None)
            else:
                os.environ[COPIES_VARIABLE] = before


def judge_file(
    exercise: Exercise,
    path: Path,
    *,
    shrink: bool = True,
    on_result: OnResult | None = None,
    cancel: CancelToken | None = None,
    progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Judge a student's file; see :func:`ccl_viewer.exercises.judge`."""
    with open_submission(exercise, path) as copy:
        return judge(
            exercise, copy, shrink=shrink, on_result=on_result, cancel=cancel, progress=progress
        )


@dataclass(frozen=True)
class Mark:
    """The judgement on one file of a class.

    Parameters
    ----------
    name : str
        Name of the file, without the suffix.
    passed, goals : int
        Numbers of reached goals and of all goals.
    reason : str
        Why it missed its first missed goal; empty if it reached all.
    seconds : float
        How long the judging took.
    """

    name: str
    passed: int
    goals: int
    reason: str
    seconds: float


OnMark: TypeAlias = Callable[[Mark], None]


def grade(
    exercise: Exercise,
    files: Iterable[Path],
    *,
    on_mark: OnMark | None = None,
    cancel: CancelToken | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[Mark, ...]:
    """Judge the files of a class, one after another.

    A file that cannot be judged gets no goals, and a reason; the other files are still judged.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    files : iterable of Path
        The students' files.
    on_mark : callable or None
        Called with each mark.
    cancel : CancelToken or None
        Stops the grading.
    progress : callable or None
        Called with messages about the progress.

    Raises
    ------
    CancelledError
        If it was cancelled.
    DeviceUnavailableError
        If there is no compiler for the emulator.
    """
    marks: list[Mark] = []
    for path in files:
        if progress is not None:
            progress(path.name)
        marks.append(_mark(exercise, path, cancel))
        if on_mark is not None:
            on_mark(marks[-1])
    return tuple(marks)


def answer_files(folder: Path) -> tuple[Path, ...]:
    """Return the ``.cu`` files in a folder, by name.

    Raises
    ------
    ExerciseFileError
        If there is no such folder, or no such file in it.
    """
    files = tuple(sorted(folder.glob("*.cu"))) if folder.is_dir() else ()
    if not files:
        raise ExerciseFileError(
            f"{shorten(folder)} has no .cu files: name the folder of the answers."
        )
    return files


def _mark(exercise: Exercise, path: Path, cancel: CancelToken | None) -> Mark:
    began = time.monotonic()
    if cancel is not None:
        cancel.check()
    try:
        judgement = judge_file(exercise, path, shrink=False, cancel=cancel)
    except (CancelledError, DeviceUnavailableError):  # neither is about this file
        raise
    except CCLViewerError as error:
        return Mark(path.stem, 0, len(exercise.goals), str(error), time.monotonic() - began)
    missed = [result for result in judgement.results if not result.passed]
    reason = "" if not missed else missed[0].reason
    if judgement.error is not None:
        reason = _cut_first_line(judgement.error)
    passed = len(exercise.goals) - len(missed)
    return Mark(path.stem, passed, len(exercise.goals), reason, time.monotonic() - began)


def _cut_first_line(error: CCLViewerError) -> str:
    return re.split(r"\n", str(error), maxsplit=1)[0]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{shorten(path)} is larger than a kernel can be: name another file.")
        return path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{shorten(path)} cannot be read ({error.strerror or error}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{shorten(path)} is not UTF-8: save it as UTF-8.") from error
