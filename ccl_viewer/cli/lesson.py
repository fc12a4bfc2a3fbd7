"""``ccl-viewer lesson``: shows a lesson in the window, as a page or as text, or checks it."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill as wrapped

import numpy as np
import numpy.typing as npt

from ccl_viewer import lessons
from ccl_viewer.algorithms.own import OWN
from ccl_viewer.cli.reporting import print_lines, print_text
from ccl_viewer.cli.runs import check_output, check_results_folder
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.diagnostics.phases import PhaseBoundary, PhaseView
from ccl_viewer.diagnostics.phases.text import detail_lines
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.lessons import Lesson, PreparedScene
from ccl_viewer.lessons.checking import find_faults
from ccl_viewer.lessons.code import SceneCode
from ccl_viewer.lessons.comparing import ComparisonTable
from ccl_viewer.lessons.gallery import export_gallery
from ccl_viewer.lessons.handout import export_handout
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.lessons.model import QuestionKind
from ccl_viewer.lessons.page import export_lesson
from ccl_viewer.lessons.reading import read_lesson_text
from ccl_viewer.render.layers import COUNTED, LAYER_PREFIX, Numbers
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

_MAX_DRAWN = 64
_MAX_REPEATED = 12
"""Most rows of a picture that is printed again in a later scene."""
_FOREGROUND = "#"  # a cell without a number
_NO_BREAK = "\N{NO-BREAK SPACE}"
_PLACE = re.compile(r"\b([xy]) = (?=\d)")
_ENDS = {
    PhaseBoundary.ROUND: "The emulator works in rounds: each thread goes on to its next store.",
    PhaseBoundary.BARRIER: "At a barrier all threads of the block wait for each other.",
    PhaseBoundary.WARP: "This is the moment after lanes of the warp acted together.",
}
_READ = (
    "In a row of lanes, # stands for 1 or yes, and . for 0 or no. In a number, lane 0 has the "
    "lowest bit. A line of the source is named as FILE:LINE."
)
_POWERS = ": 1 stands for 1, 2 for up to 3, 3 for up to 7, and so on."


def lesson(arguments: argparse.Namespace) -> int:
    """Show, write, print or check a lesson, depending on the arguments.

    Raises
    ------
    LessonFileError
        If there is no such lesson, or its file has a fault.
    CCLViewerError
        If there is no display for the window.
    """
    if any(not key.startswith(OWN) for key in arguments.algorithm or ()):
        raise InputError("-a names a folder whose code the lesson may run: write -a ./NAME.")
    if arguments.handout and arguments.output is None:
        raise InputError("A handout is a file: name it with -o handout.html.")
    if arguments.gallery is not None:
        return _gallery(arguments)
    if arguments.name is None:
        raise InputError("Name a lesson (ccl-viewer list lessons has them) or a file.")
    if arguments.check:
        return _check(arguments.name)
    if arguments.output is not None:
        return _export(lessons.read_lesson(arguments.name), arguments)
    chosen = lessons.read_lesson(arguments.name)
    return _print_lesson(chosen) if arguments.text else _show(arguments.name)


def _check(name: str) -> int:
    path = lessons.lesson_path(name)
    text = read_lesson_text(path)

    def work(cancel: CancelToken, line: ProgressLine) -> tuple[str, ...]:
        return tuple(
            str(fault) for fault in find_faults(text, path.stem, cancel, line, path.parent)
        )

    faults = run_cancellable(work)
    for fault in faults:
        print_lines(f"{shorten(path)}: {fault}")
    if not faults:
        print_lines(f"{shorten(path)}: nothing is wrong.")
        return 0
    raise InputError(f"{path.name} has {counted(len(faults), 'fault')}: fix those listed above.")


def _export(chosen: Lesson, arguments: argparse.Namespace) -> int:
    """Write a lesson as a page."""
    path: Path = arguments.output
    if path.suffix.lower() != ".html":
        raise InputError(
            f"A lesson is written as a page, not as {shorten(path.name)}: name it .html."
        )
    check_output(path, [] if chosen.path is None else [str(chosen.path)], arguments)
    write = export_handout if arguments.handout else export_lesson
    run_cancellable(lambda cancel, line: write(chosen, path, cancel, line))
    print_lines(f"{shorten(path)}: {counted(len(chosen.scenes), 'scene')}.")
    return 0


def _gallery(arguments: argparse.Namespace) -> int:
    """Write all lessons as pages, or one."""
    keys = lessons.lesson_names() if arguments.name is None else (arguments.name,)
    chosen = [lessons.read_lesson(key) for key in keys]
    check_results_folder(arguments.gallery, force=arguments.force)
    folder: Path = arguments.gallery
    run_cancellable(lambda cancel, line: export_gallery(chosen, folder, cancel, line))
    print_lines(f"{shorten(folder / 'index.html')}: {counted(len(chosen), 'lesson')}.")
    return 0


def _show(name: str) -> int:
    """Open the window with a lesson."""
    from ccl_viewer.window.app import WindowOptions, run

    return run(WindowOptions(lesson=name))


def _print_lesson(chosen: Lesson) -> int:
    """Print a lesson, scene by scene, with its questions and answers."""
    print_lines(chosen.title)
    print_lines("=" * len(chosen.title))
    for aim in chosen.aims:
        print_text(_paragraph(f"- {to_plain_text(aim)}"))
    answers = []
    pictures: dict[tuple[str, ...], int] = {}
    for index in range(len(chosen.scenes)):

        def work(cancel: CancelToken, line: ProgressLine, index: int = index) -> PreparedScene:
            line(f"Running scene {index + 1} of {len(chosen.scenes)}")
            return lessons.prepare_scene(chosen, index, cancel)

        shown = run_cancellable(work)
        print_lines("")
        print_text("\n".join(_scene(index, shown, pictures)))
        if shown.answer is not None:
            answers.append(_paragraph(f"Scene {index + 1}: {_describe_answer(shown)}"))
            if shown.table is not None and shown.table != _table_before(shown):
                answers += _table(shown.table)
    if answers:
        print_lines("", "Answers", "-------")
        print_text("\n".join(answers))
    print_lines("", "What you have learned", "---------------------")
    print_text("\n".join(_paragraph(f"- {to_plain_text(aim)}") for aim in chosen.aims))
    return 0


def _scene(index: int, shown: PreparedScene, pictures: dict[tuple[str, ...], int]) -> Iterator[str]:
    """Write a scene; `pictures` has those of earlier scenes, with the number of their scene."""
    heading = f"{index + 1}. {shown.scene.title}"
    yield heading
    yield "-" * len(heading)
    picture = tuple(_draw_grid(shown))
    first = pictures.setdefault(picture, index + 1)
    if first <= index and len(picture) > _MAX_REPEATED:
        yield f"The picture is that of scene {first}."
    else:
        yield from picture
    if shown.scene.highlight:
        marked = "; ".join(f"x = {x}, y = {y}" for x, y in shown.scene.highlight)
        yield _paragraph(f"Marked: {marked}.")
    yield _paragraph(_words(shown.caption))
    if shown.code is not None:
        yield from _code(shown.code)
    table = _table_before(shown)
    if table is not None:
        yield from _table(table)
    if shown.phase is not None:
        yield from _phase(shown.phase)
    if shown.diagram is not None:
        yield from shown.diagram.lines
    if shown.more:
        yield _paragraph(f"More: {_words(shown.more)}")
    if shown.answer is not None:
        yield _paragraph(f"Question: {to_plain_text(shown.prompt)}")
        for number, choice in enumerate(shown.choices, 1):
            yield _paragraph(f"  {number}) {to_plain_text(choice)}")
        yield "The answer is at the end."
    if shown.notes:
        yield _paragraph(f"Notes: {_words(shown.notes)}")


def _words(text: str) -> str:
    """Return a text with stars around what is bold elsewhere: a new word."""
    return to_plain_text(text, bold="*{}*")


def _draw_grid(shown: PreparedScene) -> Iterator[str]:
    """Write the grid with the numbers of the picture, if they fit on a line."""
    counts = shown.scene.layers.colours in COUNTED
    texts = _counts(shown) if counts else _labels(shown, shown.scene.layers.numbers)
    width = _width(texts)
    room = min(shutil.get_terminal_size().columns, 200)
    powers = counts and width * len(texts[0]) > room
    if powers:
        texts = [
            [text if text == "." else str(int(text).bit_length()) for text in row] for row in texts
        ]
        width = _width(texts)
    if len(texts) <= _MAX_DRAWN and width * len(texts[0]) <= room:
        yield from _align_columns(texts)
        if counts:
            each = (
                f"{shown.scene.layers.colours.capitalize()} of each cell, by the emulator's count"
            )
            yield f"{each}{_POWERS if powers else '.'}"
        labels = _labels(shown, Numbers.RAW)
        if _asks_about_trees(shown) and _width(labels) * len(labels[0]) <= room:
            yield "The labels, which show the trees:"
            yield from _align_columns(labels)
    elif (shape := _shape(shown.recording.image, room)) and not counts:
        yield from shape
        if shown.scene.layers.numbers:
            yield "Filled cells are drawn as #: their numbers have no room here."
    else:
        yield f"{len(texts[0])} x {len(texts)} cells, too many to draw them here."


def _asks_about_trees(shown: PreparedScene) -> bool:
    """Return whether a question needs the labels, while the picture has other numbers."""
    question = shown.scene.question
    return (
        question is not None
        and question.kind is not QuestionKind.CHOICE
        and shown.scene.layers.numbers.startswith(LAYER_PREFIX)
    )


def _width(texts: list[list[str]]) -> int:
    return max(len(text) for row in texts for text in row) + 1


def _align_columns(texts: list[list[str]]) -> Iterator[str]:
    width = _width(texts)
    for row in texts:
        yield "".join(text.rjust(width) for text in row)


def _shape(image: npt.NDArray[np.uint8], room: int) -> list[str]:
    """Draw the filled cells, without gaps if necessary; empty if there is no room."""
    height, width = image.shape
    between = " " if 2 * width <= room else ""
    if height > _MAX_DRAWN or width > room:
        return []
    return [between + between.join(_FOREGROUND if cell else "." for cell in row) for row in image]


def _labels(shown: PreparedScene, chosen: str) -> list[list[str]]:
    image, numbers = shown.recording.image, _numbers(shown, chosen)
    texts = [[_FOREGROUND if cell else "." for cell in row] for row in image]
    for y, x in zip(*np.nonzero(image), strict=True):
        if numbers is not None and numbers[y, x] is not None:
            texts[y][x] = str(numbers[y, x])
    return texts


def _counts(shown: PreparedScene) -> list[list[str]]:
    """Write how often each cell was accessed; background without accesses is a dot."""
    layers, image = shown.scene.layers, shown.recording.image
    counts = shown.recording.counts(shown.step, layers.colours, total=layers.total)
    return [
        [str(count) if count or cell else "." for count, cell in zip(row, cells, strict=True)]
        for row, cells in zip(counts.tolist(), image.tolist(), strict=True)
    ]


def _numbers(shown: PreparedScene, chosen: str) -> npt.NDArray[np.object_] | None:
    """Return the numbers over the cells, None where a cell has none; shape (height, width)."""
    recording, step = shown.recording, shown.step
    labels = recording.labels(step)
    if not chosen:
        return None
    if chosen.startswith(LAYER_PREFIX):
        return recording.layer(chosen.removeprefix(LAYER_PREFIX), step).astype(object)
    if chosen == Numbers.COMPONENT:
        return recording.component_numbers()[0].astype(object)
    numbers = labels.astype(object)
    if chosen == Numbers.ROOT:
        roots = recording.roots(step)
        numbers = labels.ravel()[roots].astype(object)
        numbers[roots < 0] = None
    numbers[labels == recording.layout.background] = None
    return numbers


def _phase(view: PhaseView) -> Iterator[str]:
    """Explain what happens in a phase, and how to read it."""
    phase = view.phase
    yield _paragraph(f"{phase.title}. {_ENDS[phase.by]}")
    # The rows of a warp operation show what all lanes do; they stand at the same line.
    yield from list(detail_lines(view, table=phase.by is not PhaseBoundary.WARP))[1:]
    if view.choose_warps():
        yield _paragraph(_READ)


def _table_before(shown: PreparedScene) -> ComparisonTable | None:
    """Return the table as it is while the question is open."""
    question, table = shown.scene.question, shown.table
    return table if table is None or question is None else table.without_answer(question)


def _table(table: ComparisonTable) -> Iterator[str]:
    yield from (*table.text, *map(_paragraph, table.notes))


def _code(code: SceneCode) -> Iterator[str]:
    """Write numbered lines of source; marked lines have a bar."""
    yield f"{code.file}:"
    for number, text, marked in code.lines:
        yield f"{number:5} {'|' if marked else ' '} {text}".rstrip()


def _describe_answer(shown: PreparedScene) -> str:
    right = shown.answer
    if right is None:
        return ""
    if right.number is None:
        cells = "; ".join(f"x = {x}, y = {y}" for x, y in right.cells)
        return f"{cells}. {right.why}"
    choice = (
        f" ({to_plain_text(shown.choices[right.number - 1]).rstrip('.')})" if shown.choices else ""
    )
    return f"{right.number:,}{choice}. {to_plain_text(right.why)}"


def _paragraph(text: str) -> str:
    """Wrap a text, but never between a one-letter name and its value."""
    unbroken = _PLACE.sub(f"\\1{_NO_BREAK}={_NO_BREAK}", text)
    width = min(shutil.get_terminal_size().columns, 96)
    return wrapped(unbroken, width=width).replace(_NO_BREAK, " ")
