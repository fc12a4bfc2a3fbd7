"""``ccl-viewer lesson``: a lesson in the window, as a page or as text, or checked."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill as wrapped

from ccl_viewer import lessons
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.errors import InputError, cut
from ccl_viewer.lessons import Answer, Lesson, PlayedScene
from ccl_viewer.lessons.checking import check
from ccl_viewer.lessons.markup import plain
from ccl_viewer.lessons.page import export_lesson
from ccl_viewer.lessons.reading import text_of
from ccl_viewer.phases.text import details
from ccl_viewer.units import counted

_MAX_DRAWN = 64


def lesson(arguments: argparse.Namespace) -> int:
    """Do with a lesson what the arguments ask for.

    Raises
    ------
    LessonFileError
        If there is no such lesson, or its file has a fault.
    CCLViewerError
        If there is no display for the window.
    """
    if arguments.check:
        return _check(arguments.name)
    if arguments.output is not None:
        return _export(lessons.lesson(arguments.name), arguments)
    chosen = lessons.lesson(arguments.name)
    return _tell(chosen) if arguments.text else _show(arguments.name)


def _check(name: str) -> int:
    path = lessons.lesson_path(name)
    text = text_of(path)

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[str, ...]:
        return tuple(str(fault) for fault in check(text, path.stem, cancel, line))

    faults = run_cancellable(work)
    for fault in faults:
        print(f"{cut(path)}: {fault}")
    if not faults:
        print(f"{cut(path)}: nothing is wrong.")
        return 0
    raise InputError(f"{path.name} has {counted(len(faults), 'fault')}: mend what is named above.")


def _export(chosen: Lesson, arguments: argparse.Namespace) -> int:
    """Write a lesson as a page."""
    path: Path = arguments.output
    if path.suffix.lower() != ".html":
        raise InputError(f"A lesson is written as a page, not as {cut(path.name)}: name it .html.")
    check_output(path, [] if chosen.path is None else [str(chosen.path)], arguments)
    run_cancellable(lambda cancel, line: export_lesson(chosen, path, cancel, line))
    print(f"{cut(path)}: {counted(len(chosen.scenes), 'scene')}.")
    return 0


def _show(name: str) -> int:
    """Open the window with a lesson."""
    from ccl_viewer.views.app import WindowOptions, run

    return run(WindowOptions(lesson=name))


def _tell(chosen: Lesson) -> int:
    """Print a lesson, scene by scene, with its questions and answers."""
    print(chosen.title)
    print("=" * len(chosen.title))
    for aim in chosen.aims:
        print(_paragraph(f"- {plain(aim)}"))
    for index in range(len(chosen.scenes)):

        def work(cancel: CancelToken, line: ProgressLine, index: int = index) -> PlayedScene:
            line(f"Running scene {index + 1} of {len(chosen.scenes)}")
            return lessons.play(chosen, index, cancel)

        shown = run_cancellable(work)
        print()
        print("\n".join(_scene(index, shown)))
    return 0


def _scene(index: int, shown: PlayedScene) -> Iterator[str]:
    heading = f"{index + 1}. {shown.scene.title}"
    yield heading
    yield "-" * len(heading)
    yield from _drawn(shown)
    yield _paragraph(plain(shown.caption))
    if shown.phase is not None:
        yield from details(shown.phase)
    if shown.answer is not None:
        yield _paragraph(f"Question: {plain(shown.prompt)}")
        yield _paragraph(f"Answer: {_answered(shown.answer)}")
    if shown.notes:
        yield _paragraph(f"Notes: {plain(shown.notes)}")


def _drawn(shown: PlayedScene) -> Iterator[str]:
    """Write the labels of the step on display, where they fit a line."""
    labels = shown.recording.labels(shown.step)
    background = shown.recording.layout.background
    texts = [["." if label == background else str(label) for label in row] for row in labels]
    width = max(len(text) for row in texts for text in row) + 1
    room = min(shutil.get_terminal_size().columns, 200)
    if len(texts) <= _MAX_DRAWN and width * len(texts[0]) <= room:
        for row in texts:
            yield "".join(text.rjust(width) for text in row)


def _answered(right: Answer) -> str:
    if right.number is not None:
        return f"{right.number:,}. {right.why}"
    cells = "; ".join(f"x = {x}, y = {y}" for x, y in right.cells)
    return f"{cells}. {right.why}"


def _paragraph(text: str) -> str:
    return wrapped(text, width=min(shutil.get_terminal_size().columns, 96))
