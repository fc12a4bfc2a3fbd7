"""Finds the faults of a lesson, in its file and in its runs."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Final

from ccl_viewer.algorithms import ALGORITHMS, Algorithm, check_multivalued, find_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.diagnostics.wrong_cells import describe_uninitialised_labels
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.code import find_code
from ccl_viewer.lessons.comparing import fastest_table, make_table
from ccl_viewer.lessons.faults import Fault, did_you_mean
from ccl_viewer.lessons.markup import find_markup_faults, to_plain_text
from ccl_viewer.lessons.model import Lesson, Question, QuestionKind, Scene
from ccl_viewer.lessons.positions import Path
from ccl_viewer.lessons.questions import answer, prompt
from ccl_viewer.lessons.reading import ParsedLesson, parse_lesson
from ccl_viewer.lessons.scene_runs import (
    check_allowed,
    compute_diagram,
    find_run_and_step,
    open_scene_grid,
    record_scene,
    view_phase,
)
from ccl_viewer.lessons.templates import RunStep, fill
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import LAYER_PREFIX
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

MAX_TITLE: Final = 48
MAX_CAPTION: Final = 260
MAX_PROMPT: Final = 140
MAX_CHOICE: Final = 90
MAX_CLICKS: Final = 8
"""Limits of title, caption, question and choice in characters, and of cells to click."""

_TELLING: Final = {
    QuestionKind.COMPONENTS: "components",
    QuestionKind.ITERATIONS_LEFT: "iterations",
}
"""The figure that gives the answer away, for each kind of question."""

_Found = Iterator[tuple[str, str]]
"""Keys of a scene, dotted in nested tables, each with its fault."""


def find_faults(
    text: str,
    key: str = "lesson",
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    folder: pathlib.Path | None = None,
) -> tuple[Fault, ...]:
    """Return all faults of a lesson's text; empty if it can be taught.

    Every scene is run and its question answered.

    Parameters
    ----------
    text : str
        The file's text.
    key : str
        The lesson's key.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.
    folder : Path or None
        Folder of the file, for the user algorithms beside it.

    Returns
    -------
    tuple of Fault
        In the order of the lines.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    NotAllowedError
        If a scene would run code that the user has not allowed.
    """
    reading = parse_lesson(text, key, folder)
    faults = {*reading.faults, *reading.unused}
    lesson = reading.lesson
    if lesson is None:
        return reading.faults
    check_allowed(lesson)

    def line(path: Path) -> int:
        return reading.positions.line(path)

    if len(lesson.title) > MAX_TITLE:
        faults.add(Fault(line(("title",)), _find_long_text("title", len(lesson.title), MAX_TITLE)))
    for index, aim in enumerate(lesson.aims):
        faults.update(Fault(line(("aims", index)), fault) for fault in find_markup_faults(aim))
    for index in range(len(lesson.scenes)):
        if progress is not None:
            progress(f"Checking scene {index + 1} of {len(lesson.scenes)}")
        faults.update(_scene_faults(reading, lesson, index, cancel))
    return tuple(sorted(faults))


def fault_of_scene(
    text: str,
    key: str,
    index: int,
    cancel: CancelToken | None = None,
    folder: pathlib.Path | None = None,
) -> Fault | None:
    """Return the first fault of one scene of a lesson's text; None if it can be shown.

    Parameters
    ----------
    text : str
        The file's text.
    key : str
        The lesson's key.
    index : int
        Index of the scene, from 0.
    cancel : CancelToken or None
        Stops the work.
    folder : Path or None
        As for :func:`find_faults`.
    """
    reading = parse_lesson(text, key, folder)
    lesson = reading.lesson
    if lesson is None or index >= len(lesson.scenes):
        return None
    return min(_scene_faults(reading, lesson, index, cancel), default=None)


def _scene_faults(
    reading: ParsedLesson, lesson: Lesson, index: int, cancel: CancelToken | None
) -> Iterator[Fault]:
    """Yield the faults of one scene, except on lines where reading found one."""
    for location, fault in _Check(lesson, lesson.scenes[index], cancel).faults():
        keys = [int(part) if part.isdecimal() else part for part in location.split(".")]
        path: Path = ("scene", index, *keys)
        usual: Path = ("defaults", *keys)
        if path[:3] not in reading.positions and usual[:2] in reading.positions:
            path = usual
        line = reading.positions.line(path)
        if not _describe_fault(reading.faults, line):
            yield Fault(line, fault)


def _describe_fault(faults: tuple[Fault, ...], line: int) -> bool:
    """Return whether reading found a fault on this line, which causes the others."""
    return any(fault.line == line for fault in faults)


class _Check:
    """The check of one scene."""

    def __init__(self, lesson: Lesson, scene: Scene, cancel: CancelToken | None) -> None:
        self._lesson = lesson
        self._scene = scene
        self._cancel = cancel

    def faults(self) -> _Found:
        """Yield the scene's faults."""
        yield from self._texts()
        wrong = [*self._grid(), *self._settings()]
        yield from wrong
        if wrong:
            return
        try:
            recording = record_scene(self._scene, self._cancel)
        except CancelledError:
            raise
        except CCLViewerError as error:
            yield "algorithm", f"This does not run: {error}"
            return
        wrong = [*self._check_compared()]
        yield from wrong
        yield from self._cells(recording)
        yield from self._check_shown(recording)
        count = len(recording)
        if not -count <= self._scene.step < count:
            yield (
                "step",
                f"There is no step {self._scene.step}: the run has {counted(count, 'step')}. "
                f"Write 0 for the first, which captions call step 1, up to {count - 1}.",
            )
            return
        yield from self._check_question(recording)
        if wrong:
            return
        yield from self._check_filled_texts(recording)
        yield from self._check_phase(recording)

    def _texts(self) -> _Found:
        scene = self._scene
        if len(scene.title) > MAX_TITLE:
            yield "title", _find_long_text("title", len(scene.title), MAX_TITLE)
        for key, text, _ in self._words(authored=True):
            for fault in find_markup_faults(text):
                yield key, fault

    def _grid(self) -> _Found:
        try:
            open_scene_grid(self._scene)
        except InputError as error:
            yield "grid", str(error)

    def _settings(self) -> _Found:
        scene = self._scene
        for index, run in enumerate(scene.run_scenes):
            compared = f"compare.{index}" if scene.compare else ""
            try:
                algorithm = find_algorithm(run.algorithm)
            except InputError as error:
                fault = f"There is no algorithm {run.algorithm!r}: "
                sandboxed = is_sandboxed(run.algorithm)
                guess = did_you_mean(run.algorithm, ALGORITHMS)
                fault = str(error) if sandboxed else fault + guess
                yield compared or "algorithm", fault
                continue
            for key, fault in _setting_faults(algorithm, run):
                yield compared or key, fault

    def _cells(self, recording: Recording) -> _Found:
        named = {"highlight": self._scene.highlight, "follow": self._scene.follow}
        for key, cells in named.items():
            for index, cell in enumerate(cells):
                for fault in _cell_faults(cell, recording):
                    yield f"{key}.{index}", fault
        if self._scene.pin is not None:
            for fault in _cell_faults(self._scene.pin, recording):
                yield "pin", fault

    def _check_shown(self, recording: Recording) -> _Found:
        numbers = str(self._scene.show.get("numbers", ""))
        layer = numbers.removeprefix(LAYER_PREFIX)
        if numbers.startswith(LAYER_PREFIX) and layer not in recording.layers:
            has = (
                did_you_mean(layer, recording.layers) if recording.layers else "this run has none."
            )
            yield "show.numbers", f"There is no layer {layer!r}: {has}"

    def _check_question(self, recording: Recording) -> _Found:
        question = self._scene.question
        if question is None:
            return
        wrong = [] if question.cell is None else [*_cell_faults(question.cell, recording)]
        for fault in wrong:
            yield "question.cell", fault
        if wrong:
            return
        try:
            right = answer(question, recording, self._scene.step)
        except InputError as error:
            yield "question", str(error)
            return
        yield from _is_pointless(self._scene, question.kind, len(right.cells))

    def _words(self, *, authored: bool) -> Iterator[tuple[str, str, int | None]]:
        """Yield key, text and maximum length of all texts, or only of the author's."""
        scene, question = self._scene, self._scene.question
        yield "caption", scene.caption, MAX_CAPTION
        yield "more", scene.more, None
        yield "notes", scene.notes, None
        if question is not None:
            yield "question.prompt", question.prompt if authored else _prompt(question), MAX_PROMPT
            single = question.kind is not QuestionKind.CHOICE
            for key, texts in (("choices", question.choices), ("why", question.why)):
                most = MAX_CHOICE if key == "choices" else MAX_CAPTION
                for index, text in enumerate(texts):
                    yield f"question.{key}" + ("" if single else f".{index}"), text, most

    def _check_filled_texts(self, recording: Recording) -> _Found:
        run_step = recording, self._scene.step
        for key, text, most in self._words(authored=False):
            try:
                length = len(to_plain_text(fill(text, run_step, self._elsewhere)))
            except CancelledError:
                raise
            except CCLViewerError as error:
                yield key, str(error)
                continue
            if most is not None and length > most:
                yield key, _find_long_text(key, length, most)

    def _check_phase(self, recording: Recording) -> _Found:
        scene = self._scene
        try:
            if scene.phase is not None:
                view_phase(scene.phase, recording, scene.step, self._cancel)
        except CancelledError:
            raise
        except CCLViewerError as error:
            yield "phase", str(error)
        try:
            if scene.diagram is not None:
                compute_diagram(scene.diagram, recording, scene.step, self._cancel)
        except CancelledError:
            raise
        except CCLViewerError as error:
            yield "diagram", str(error)
        try:
            if scene.lines is not None:
                find_code(scene.lines, recording, scene.step)
        except CCLViewerError as error:
            yield "lines", str(error)

    def _check_compared(self) -> _Found:
        """Run the other runs of a comparison."""
        try:
            fastest_table(self._scene.fastest)
        except InputError as error:
            yield "fastest", str(error)
        recordings = []
        for index, run in enumerate(self._scene.run_scenes):
            try:
                recordings.append(record_scene(run, self._cancel))
            except CancelledError:
                raise
            except CCLViewerError as error:
                yield f"compare.{index}", f"{run.algorithm} does not run: {error}"
            else:
                if text := describe_uninitialised_labels(recordings[-1]):
                    yield f"compare.{index}" if self._scene.compare else "algorithm", text
        if self._scene.compare and len(recordings) == len(self._scene.compare):
            try:
                make_table(self._scene, recordings)
            except InputError as error:
                yield "times", str(error)

    def _elsewhere(self, name: str) -> RunStep:
        return find_run_and_step(self._lesson, self._scene, name, self._cancel)


def _prompt(question: Question) -> str:
    return "" if question.kind.needs_cell and question.cell is None else prompt(question)


def _is_pointless(scene: Scene, kind: QuestionKind, clicks: int) -> _Found:
    """Yield why a question is pointless although it has an answer."""
    telling = _TELLING.get(kind)
    if telling is not None and re.search(rf"\{{\s*{telling}\s*(?:@-?\d+)?\}}", scene.caption):
        yield "caption", f"The caption gives the answer away: leave {{{telling}}} out."
    if kind is QuestionKind.MERGED_ROOTS and not clicks:
        yield "question", "No root merges in the next step: ask at another one."
    if clicks > MAX_CLICKS:
        yield "question", f"{clicks} roots merge: ask for at most {MAX_CLICKS} clicks."


def _setting_faults(algorithm: Algorithm, scene: Scene) -> _Found:
    try:
        algorithm.resolve_connectivity(scene.connectivity)
    except InputError as error:
        yield "connectivity", str(error)
    try:
        check_multivalued(algorithm, scene.multivalued)
    except InputError as error:
        yield "multivalued", str(error)
    try:
        Schedule.parse(scene.schedule)
    except InputError as error:
        yield "schedule", str(error)
    names = [parameter.name for parameter in algorithm.parameters]
    for name, value in scene.parameters.items():
        if name not in names:
            has = did_you_mean(name, names) if names else "it has none."
            yield f"parameters.{name}", f"{algorithm.title} has no parameter {name!r}: {has}"
            continue
        try:
            algorithm.complete({name: value})
        except InputError as error:
            yield f"parameters.{name}", str(error)


def _cell_faults(cell: Cell, recording: Recording) -> Iterator[str]:
    x, y = cell
    height, width = recording.image.shape
    if not (0 <= x < width and 0 <= y < height):
        yield f"The cell [{x}, {y}] is outside the grid of {width} x {height} cells."
    elif not recording.image[y, x]:
        yield f"The cell [{x}, {y}] is background: name a foreground cell."


def _find_long_text(key: str, length: int, most: int) -> str:
    name = key.rpartition(".")[2]
    subject = f"text {int(name) + 1} of {key.split('.')[-2]}" if name.isdecimal() else name
    return f"{subject} has {length} characters: from the back row, {most} can be read."
