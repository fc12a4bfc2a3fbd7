"""Says all that is wrong with a lesson: what its file says, and whether its runs bear it out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ccl_viewer.algorithms import ALGORITHMS, Algorithm, check_multivalued
from ccl_viewer.algorithms import algorithm as find_algorithm
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.devices.base import Progress
from ccl_viewer.devices.emulator.schedules import Schedule
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.lessons.faults import Fault, meant
from ccl_viewer.lessons.markup import faults_of, plain
from ccl_viewer.lessons.model import Cell, Lesson, Question, QuestionKind, Scene
from ccl_viewer.lessons.positions import Path
from ccl_viewer.lessons.questions import answer, prompt
from ccl_viewer.lessons.reading import Reading, read
from ccl_viewer.lessons.staging import grid_of, stage, stage_phase
from ccl_viewer.lessons.wording import Stand, fill
from ccl_viewer.recording import Recording
from ccl_viewer.render.layers import LAYER_PREFIX

MAX_TITLE: Final = 48
MAX_CAPTION: Final = 260
MAX_PROMPT: Final = 140
MAX_CLICKS: Final = 8
"""The longest title, caption and question, in characters, and the most cells to click."""

_TELLING: Final = {
    QuestionKind.COMPONENTS: "components",
    QuestionKind.ITERATIONS_LEFT: "iterations",
}
"""Figures from which the class reads the answer to a question of a kind."""

_Found = Iterator[tuple[str, str]]
"""Keys of a scene, dotted where they lie deeper, each with what is wrong with it."""


def check(
    text: str,
    key: str = "lesson",
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> tuple[Fault, ...]:
    """Return all faults of a lesson's text; none if it can be taught.

    Every scene is run and its question answered.

    Parameters
    ----------
    text : str
        The file's text.
    key : str
        The lesson's key.
    cancel, progress : optional
        Stop the work, or be told which scene is run.

    Returns
    -------
    tuple of Fault
        In the order of the lines.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    reading = read(text, key)
    faults = set(reading.faults)
    lesson = reading.lesson
    if lesson is None:
        return reading.faults

    def line(path: Path) -> int:
        return reading.positions.line(path)

    if len(lesson.title) > MAX_TITLE:
        faults.add(Fault(line(("title",)), _too_long("The title", len(lesson.title), MAX_TITLE)))
    for index, aim in enumerate(lesson.aims):
        faults.update(Fault(line(("aims", index)), fault) for fault in faults_of(aim))
    for index in range(len(lesson.scenes)):
        if progress is not None:
            progress(f"Checking scene {index + 1} of {len(lesson.scenes)}")
        faults.update(_scene_faults(reading, lesson, index, cancel))
    return tuple(sorted(faults))


def fault_of_scene(
    text: str, key: str, index: int, cancel: CancelToken | None = None
) -> Fault | None:
    """Return the first fault of one scene of a lesson's text; None if it can be shown.

    Parameters
    ----------
    text : str
        The file's text.
    key : str
        The lesson's key.
    index : int
        Of the scene, from 0.
    cancel : CancelToken or None
        Stops the work.
    """
    reading = read(text, key)
    lesson = reading.lesson
    if lesson is None or index >= len(lesson.scenes):
        return None
    return min(_scene_faults(reading, lesson, index, cancel), default=None)


def _scene_faults(
    reading: Reading, lesson: Lesson, index: int, cancel: CancelToken | None
) -> Iterator[Fault]:
    """Yield the faults of one scene, less those of lines that reading has found fault with."""
    for place, fault in _Check(lesson, lesson.scenes[index], cancel).faults():
        keys = [int(part) if part.isdecimal() else part for part in place.split(".")]
        path: Path = ("scene", index, *keys)
        usual: Path = ("defaults", *keys)
        if path[:3] not in reading.positions and usual[:2] in reading.positions:
            path = usual
        line = reading.positions.line(path)
        if not _said(reading.faults, line):
            yield Fault(line, fault)


def _said(faults: tuple[Fault, ...], line: int) -> bool:
    """Whether reading has found fault with this very line: the rest follows from that."""
    return any(fault.line == line for fault in faults)


class _Check:
    """Looks at one scene."""

    def __init__(self, lesson: Lesson, scene: Scene, cancel: CancelToken | None) -> None:
        self._lesson = lesson
        self._scene = scene
        self._cancel = cancel

    def faults(self) -> _Found:
        """Yield all that is wrong with the scene."""
        yield from self._texts()
        wrong = [*self._grid(), *self._settings()]
        yield from wrong
        if wrong:
            return
        try:
            recording = stage(self._scene, self._cancel)
        except CancelledError:
            raise
        except CCLViewerError as error:
            yield "algorithm", f"This does not run: {error}"
            return
        yield from self._cells(recording)
        yield from self._shown(recording)
        count = len(recording)
        if not -count <= self._scene.step < count:
            yield (
                "step",
                f"There is no step {self._scene.step}: the run has steps 0 to {count - 1}.",
            )
            return
        yield from self._asked(recording)
        yield from self._filled(recording)
        yield from self._inside(recording)

    def _texts(self) -> _Found:
        scene = self._scene
        if len(scene.title) > MAX_TITLE:
            yield "title", _too_long("The title", len(scene.title), MAX_TITLE)
        asked = "" if scene.question is None else scene.question.prompt
        texts = {"caption": scene.caption, "notes": scene.notes, "question.prompt": asked}
        for key, text in texts.items():
            for fault in faults_of(text):
                yield key, fault

    def _grid(self) -> _Found:
        try:
            grid_of(self._scene)
        except InputError as error:
            yield "grid", str(error)

    def _settings(self) -> _Found:
        scene = self._scene
        if scene.algorithm not in ALGORITHMS:
            yield (
                "algorithm",
                f"There is no algorithm {scene.algorithm!r}: {meant(scene.algorithm, ALGORITHMS)}",
            )
            return
        yield from _setting_faults(find_algorithm(scene.algorithm), scene)

    def _cells(self, recording: Recording) -> _Found:
        named = {"highlight": self._scene.highlight, "follow": self._scene.follow}
        for key, cells in named.items():
            for index, cell in enumerate(cells):
                for fault in _cell_faults(cell, recording):
                    yield f"{key}.{index}", fault
        if self._scene.pin is not None:
            for fault in _cell_faults(self._scene.pin, recording):
                yield "pin", fault

    def _shown(self, recording: Recording) -> _Found:
        numbers = str(self._scene.show.get("numbers", ""))
        layer = numbers.removeprefix(LAYER_PREFIX)
        if numbers.startswith(LAYER_PREFIX) and layer not in recording.layers:
            has = meant(layer, recording.layers) if recording.layers else "this run has none."
            yield "show.numbers", f"There is no layer {layer!r}: {has}"

    def _asked(self, recording: Recording) -> _Found:
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
        yield from _pointless(self._scene, question.kind, len(right.cells))

    def _filled(self, recording: Recording) -> _Found:
        scene = self._scene
        asked = "" if scene.question is None else _prompt(scene.question)
        here = recording, scene.step
        for key, text, most in (
            ("caption", scene.caption, MAX_CAPTION),
            ("notes", scene.notes, None),
            ("question.prompt", asked, MAX_PROMPT),
        ):
            try:
                length = len(plain(fill(text, here, self._elsewhere)))
            except CancelledError:
                raise
            except CCLViewerError as error:
                yield key, str(error)
                continue
            if most is not None and length > most:
                yield key, _too_long("This", length, most)

    def _inside(self, recording: Recording) -> _Found:
        if self._scene.phase is None:
            return
        try:
            stage_phase(self._scene.phase, recording, self._scene.step, self._cancel)
        except InputError as error:
            yield "phase", str(error)

    def _elsewhere(self, number: int) -> Stand:
        scenes = self._lesson.scenes
        if not 1 <= number <= len(scenes):
            raise InputError(f"There is no scene {number}: the lesson has {len(scenes)}.")
        other = scenes[number - 1]
        return stage(other, self._cancel), other.step


def _prompt(question: Question) -> str:
    return "" if question.kind.needs_cell and question.cell is None else prompt(question)


def _pointless(scene: Scene, kind: QuestionKind, clicks: int) -> _Found:
    """Say why nobody would answer a question, though it has an answer."""
    telling = _TELLING.get(kind)
    if telling is not None and re.search(rf"\{{\s*{telling}\s*(?:@-?\d+)?\}}", scene.caption):
        yield "caption", f"The caption gives the answer away: leave {{{telling}}} out."
    if kind is QuestionKind.MERGED_ROOTS and not clicks:
        yield "question", "No root merges in the next step: ask at another one."
    if clicks > MAX_CLICKS:
        yield "question", f"{clicks} roots merge: nobody clicks more than {MAX_CLICKS}."


def _setting_faults(row: Algorithm, scene: Scene) -> _Found:
    try:
        row.check_connectivity(scene.connectivity)
    except InputError as error:
        yield "connectivity", str(error)
    try:
        check_multivalued(row, scene.multivalued)
    except InputError as error:
        yield "multivalued", str(error)
    try:
        Schedule.parse(scene.schedule)
    except InputError as error:
        yield "schedule", str(error)
    known = [parameter.name for parameter in row.parameters]
    for name, value in scene.parameters.items():
        if name not in known:
            has = meant(name, known) if known else "it has none."
            yield f"parameters.{name}", f"{row.title} has no parameter {name!r}: {has}"
            continue
        try:
            row.complete({name: value})
        except InputError as error:
            yield f"parameters.{name}", str(error)


def _cell_faults(cell: Cell, recording: Recording) -> Iterator[str]:
    x, y = cell
    height, width = recording.image.shape
    if not (0 <= x < width and 0 <= y < height):
        yield f"The cell [{x}, {y}] lies outside the grid of {width} x {height} cells."
    elif not recording.image[y, x]:
        yield f"The cell [{x}, {y}] is background: name a foreground cell."


def _too_long(what: str, length: int, most: int) -> str:
    return f"{what} has {length} characters: from the back row, {most} can be read."
