"""Reads a lesson's file as a :class:`Lesson`; nothing in it is executed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ccl_viewer.algorithms import ALGORITHMS, find_algorithm, parse_algorithm
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.own import CodeVersion
from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.errors import InputError, LessonFileError, shorten
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids.specs import is_pattern, parse_pattern
from ccl_viewer.grids.text_art import parse
from ccl_viewer.lessons.faults import Fault, did_you_mean
from ccl_viewer.lessons.fields import FaultList, TableReader
from ccl_viewer.lessons.model import (
    ComparedAlgorithm,
    DiagramKind,
    Lesson,
    Question,
    QuestionKind,
    Scene,
    SceneDiagram,
    SceneLines,
    ScenePhase,
)
from ccl_viewer.lessons.positions import Positions
from ccl_viewer.render.layers import LAYER_PREFIX, SWITCHES, CellColours, Numbers
from ccl_viewer.storage.files import check_is_no_pipe

_LARGEST: Final = 1 << 17
"""Characters of the largest file, about 200 scenes; the window reads it without a pause."""

_MAX_SCENES: Final = 200
_MAX_WORDS: Final = 4000
"""Characters of the longest caption, notes and prompt."""

_MAX_STRING: Final = 20_000
"""Characters of the longest text: a grid of 128 x 128 cells as text art."""

_MAX_NAME: Final = 100
_MAX_PARTS: Final = 8
_MAX_DEPTH: Final = 8
"""Characters of a key or a number, parts of a dotted key, brackets inside each other."""

_TOKEN = re.compile(
    rf"""\"{{3}}|'{{3}}|["'\[\]{{}}.=,\n]|#[^\n]*+|[A-Za-z0-9_+-]{{{_MAX_NAME + 1},}}+"""
)
_CLOSING = {
    # Not "*+" behind a group: Python 3.11.2, which Debian 12 has, then finds no match.
    '"': re.compile(r'(?:[^"\\\n]|\\.)*"'),
    "'": re.compile(r"[^'\n]*+'"),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL),
    "'''": re.compile(r"(?:[^']|'(?!''))*'{3,5}"),
}
"""Matches the text after an opening quote, including the closing quote."""

_NAME = re.compile(r"[A-Za-z][\w-]*")
_LESSON_KEYS = ("title", "aims", "minutes", "defaults", "grids", "scene")
_RUN_KEYS = ("grid", "algorithm", "connectivity", "schedule", "parameters", "multivalued", "show")
_SCENE_KEYS = (
    "title", "caption", *_RUN_KEYS, "step", "highlight", "follow", "pin", "more",
    "notes", "question", "phase", "diagram", "lines", "compare", "times",
    "fastest",
)  # fmt: skip
_QUESTION_KEYS = ("kind", "cell", "prompt", "choices", "answer", "why")
_LINES_KEYS = ("from", "to", "kernel")
_MAX_CHOICES: Final = 5
_MAX_RUNS: Final = 4
_BESIDE = re.compile(r"\./\w+")
_PHASE_KEYS = ("by", "block", "warp", "index")
_DIAGRAM_KEYS: Final = {
    DiagramKind.BANKS: ("of", "block", "warp", "line", "kernel", "index"),
    DiagramKind.SECTORS: ("of", "block", "warp", "line", "kernel", "index"),
    DiagramKind.BITS: ("of", "block", "warp", "index", "lane"),
    DiagramKind.WAITING: ("of", "block", "barriers"),
    DiagramKind.ORDER: ("of", "block", "memory", "element"),
}

_SHOW_KEYS = ("colours", "numbers", *SWITCHES, "strength")


@dataclass(frozen=True)
class ParsedLesson:
    """The result of reading a text.

    Parameters
    ----------
    lesson : Lesson or None
        The lesson; None if the text is not TOML. Despite faults, it has all readable parts.
    faults : tuple of Fault
        All faults, from the top.
    positions : Positions
        The lines of keys and elements.
    unused : tuple of Fault
        Unused defaults and drawings. The lesson can still be taught.
    """

    lesson: Lesson | None
    faults: tuple[Fault, ...]
    positions: Positions
    unused: tuple[Fault, ...] = ()


def parse_lesson(text: str, key: str, folder: Path | None = None) -> ParsedLesson:
    """Read a lesson from text, and collect faults of keys and types.

    Parameters
    ----------
    text : str
        TOML.
    key : str
        The lesson's key.
    folder : Path or None
        Folder of its file and of its user algorithms, which are not run here.
    """
    fault = fault_before_parsing(text)
    if fault is not None:
        return ParsedLesson(None, (fault,), Positions(""))
    try:
        data = tomllib.loads(text)
        positions = Positions(text)
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        return ParsedLesson(None, (_explain_syntax(error, text),), Positions(""))
    faults = FaultList(positions)
    unused = FaultList(positions)
    lesson = _read_lesson(TableReader(data, (), faults), key, unused, folder)
    return ParsedLesson(lesson, faults.faults, positions, unused.faults)


def read_lesson_file(path: Path) -> Lesson:
    """Read a lesson's file.

    Raises
    ------
    LessonFileError
        If it cannot be read or has a fault; the message names the first.
    """
    reading = parse_lesson(read_lesson_text(path), path.stem, path.parent)
    if reading.lesson is None or reading.faults:
        fault = reading.faults[0]
        raise lesson_error(fault, path)
    return replace(reading.lesson, path=path)


def lesson_error(fault: Fault, path: Path) -> LessonFileError:
    """Return an error that reports a fault of a file."""
    name = shorten(path.name)
    return LessonFileError(f"{name}, {fault} ccl-viewer lesson --check {name} lists all faults.")


def read_lesson_text(path: Path) -> str:
    """Return the text of a lesson's file.

    Raises
    ------
    LessonFileError
        If there is no such file, or it is not text, or too large.
    InputError
        If it is a pipe or a device.
    """
    check_is_no_pipe(path)
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LARGEST + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LessonFileError(
            f"{shorten(path)} cannot be read ({reason}): name a lesson's file."
        ) from error
    except UnicodeDecodeError as error:
        raise LessonFileError(f"{shorten(path)} is not UTF-8: save it as UTF-8.") from error
    if len(text) > _LARGEST:
        raise LessonFileError(
            f"{shorten(path)} is too large for a lesson: at most {_LARGEST} characters are read."
        )
    return text


def fault_before_parsing(text: str) -> Fault | None:
    """Return a fault that the standard reader does not handle or explain.

    For a key of thousands of parts, it needs gigabytes.
    """
    if len(text) > _LARGEST:
        return Fault(1, f"This is too large: at most {_LARGEST} characters are read.")
    at = depth = parts = 0

    def fault(sentence: str) -> Fault:
        return Fault(text.count("\n", 0, at) + 1, sentence)

    while (token := _TOKEN.search(text, at)) is not None:
        at, kind = token.start(), token.group()
        end = token.end()
        if kind in _CLOSING:
            closing = _CLOSING[kind].match(text, end)
            if closing is None:
                return fault(f"The text that begins here is not closed: write {kind} at its end.")
            end = closing.end()
            if end - at > _MAX_STRING:
                return fault(f"This text is longer than {_MAX_STRING} characters: shorten it.")
        elif kind in "[{":
            depth += 1
            if depth > _MAX_DEPTH:
                return fault("This is nested too deeply to be read: leave brackets out.")
        elif kind in "]}":
            depth = max(depth - 1, 0)
        elif kind == ".":
            parts += 1
            if parts >= _MAX_PARTS:
                return fault(f"A key has at most {_MAX_PARTS} parts: leave some out.")
        elif len(kind) > _MAX_NAME and kind[0] != "#":
            return fault(f"A key or a number has at most {_MAX_NAME} characters: shorten it.")
        if kind in "=,\n[{":
            parts = 0
        at = end
    return None


def _explain_syntax(error: ValueError, text: str) -> Fault:
    message = str(error)
    position = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", message)
    line = text.count("\n") + 1 if position is None or position[1] is None else int(position[1])
    reason = message if position is None else message.removesuffix(position.group())
    return Fault(min(line, max(1, len(text.splitlines()))), f"This is not TOML: {reason}.")


def _read_lesson(table: TableReader, key: str, unused: FaultList, folder: Path | None) -> Lesson:
    table.refuse_unknown(_LESSON_KEYS)
    title = table.text("title")
    minutes = table.integer("minutes", 0, 0)
    aims = table.texts("aims")
    if not aims and table.lacks("aims"):
        table.add_fault("aims", 'A lesson has aims: write aims = ["..."] above the scenes.')
    defaults = table.table("defaults")
    defaults.refuse_unknown(_RUN_KEYS)
    grids = table.table("grids")
    drawn = {name: _read_drawing(grids, name) for name in grids.keys}
    usual = _Defaults(defaults, drawn, _CodeBeside(folder))
    tables = table.tables("scene")
    scenes = tuple(usual.scene(scene) for scene in tables[:_MAX_SCENES])
    usual.note_unused(unused)
    if len(tables) > _MAX_SCENES:
        table.add_fault("scene", f"A lesson has at most {_MAX_SCENES} scenes: divide it.")
    if not scenes:
        table.add_fault("scene", "A lesson has scenes: write [[scene]] and what it shows below.")
    return Lesson(key, title, aims, scenes, minutes, code=usual.code.found)


def _read_drawing(grids: TableReader, name: str) -> str:
    """Return the text art of a named grid."""
    art = grids.text(name).strip()
    if art:
        try:
            parse(art)
        except InputError as error:
            grids.add_fault(name, f"In the grid {name}: {error}")
    return art


class _CodeBeside:
    """The user algorithms in folders beside a lesson's file.

    Parameters
    ----------
    folder : Path or None
        Folder of the file.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._found: dict[str, CodeVersion] = {}

    @property
    def found(self) -> tuple[CodeVersion, ...]:
        """The algorithms named so far."""
        return tuple(self._found.values())

    def key(self, name: str) -> str:
        """Return the key of an algorithm; ``./NAME`` names the algorithm in that folder.

        Raises
        ------
        InputError
            If that folder has no algorithm.
        """
        if self._folder is None or not _BESIDE.fullmatch(name):
            return name
        if name not in self._found:
            self._found[name] = CodeVersion.now(self._folder / name)
        return self._found[name].folder.key


class _Defaults:
    """Defaults for all scenes.

    Parameters
    ----------
    defaults : TableReader
        The table ``defaults``.
    grids : mapping
        Text art by name.
    code : _CodeBeside
        The user algorithms beside the file.
    """

    def __init__(self, defaults: TableReader, grids: Mapping[str, str], code: _CodeBeside) -> None:
        self.code = code
        self._defaults = defaults
        self._grids = grids
        self._shown = _show(defaults.table("show"))
        self._check_unused()
        self._used = {"show"}
        self._used_grids: set[str] = set()

    def scene(self, table: TableReader) -> Scene:
        """Read a scene."""
        table.refuse_unknown(_SCENE_KEYS)
        compare = _read_compared(table, self.code)
        first_run = compare[0] if compare else None
        algorithm = self._read_algorithm(table) if first_run is None else first_run.algorithm
        usual = 4
        with suppress(InputError):  # the check reports it
            usual = find_algorithm(algorithm).connectivities[0]
        return Scene(
            title=table.text("title"),
            caption=table.text("caption", most=_MAX_WORDS).strip(),
            grid=self._read_shown_grid(table),
            algorithm=algorithm,
            connectivity=self._find_table("connectivity", table).integer("connectivity", usual),
            schedule=self._find_table("schedule", table).text("schedule", "synchronous"),
            parameters=self._read_parameters(table) if first_run is None else first_run.parameters,
            multivalued=self._find_table("multivalued", table).switch("multivalued", usual=False),
            step=table.integer("step", -1),
            show={**self._shown, **_show(table.table("show"))},
            highlight=table.grid_cells("highlight"),
            follow=table.grid_cells("follow"),
            pin=table.grid_cell("pin"),
            more=table.text("more", "", _MAX_WORDS).strip(),
            notes=table.text("notes", "", _MAX_WORDS).strip(),
            question=_read_question(table.table("question")) if "question" in table else None,
            phase=_read_phase(table.table("phase")) if "phase" in table else None,
            diagram=_read_diagram(table.table("diagram")) if "diagram" in table else None,
            lines=_read_lines(table.table("lines")) if "lines" in table else None,
            compare=compare,
            times=table.text("times", ""),
            fastest=_read_fastest(table, compare),
        )

    def note_unused(self, unused: FaultList) -> None:
        """Add a fault for each default and drawing that no scene uses."""
        for key in self._defaults.keys:
            if key in _RUN_KEYS and key not in self._used:
                unused.add(("defaults", key), f"No scene uses the default {key}: leave it out.")
        for name in self._grids:
            if name not in self._used_grids:
                unused.add(("grids", name), f"No scene shows the grid {name}: leave it out.")

    def _read_algorithm(self, table: TableReader) -> str:
        """Return the key of a scene's algorithm."""
        source = self._find_table("algorithm", table)
        name = source.text("algorithm")
        try:
            return self.code.key(name)
        except InputError as error:
            source.add_fault("algorithm", str(error))
        return name

    def _check_unused(self) -> None:
        """Add the faults of defaults that every scene overrides."""
        defaults = self._defaults
        defaults.integer("connectivity", 4)
        defaults.text("schedule", "")
        defaults.switch("multivalued", usual=False)
        _read_values(defaults.table("parameters"))
        if "grid" in defaults:
            grid = self._read_grid(defaults)
            try:
                if is_pattern(grid):
                    parse_pattern(grid)
                elif grid and not _NAME.fullmatch(grid):
                    parse(grid)
            except InputError as error:
                defaults.add_fault("grid", str(error))
        key = defaults.text("algorithm", "")
        if key and key not in ALGORITHMS and not (is_sandboxed(key) or _BESIDE.fullmatch(key)):
            defaults.add_fault(
                "algorithm", f"There is no algorithm {key!r}: {did_you_mean(key, ALGORITHMS)}"
            )

    def _find_table(self, key: str, scene: TableReader) -> TableReader:
        """Return the table that has this key for a scene."""
        if key in scene or key not in self._defaults:
            return scene
        self._used.add(key)
        return self._defaults

    def _read_shown_grid(self, scene: TableReader) -> str:
        table = self._find_table("grid", scene)
        self._used_grids.add(table.text("grid").strip())
        return self._read_grid(table)

    def _read_grid(self, table: TableReader) -> str:
        grid = table.text("grid").strip()
        if grid not in self._grids and _NAME.fullmatch(grid):
            table.add_fault("grid", f"There is no grid {grid!r}: {did_you_mean(grid, self._grids)}")
        return self._grids.get(grid, grid)

    def _read_parameters(self, scene: TableReader) -> dict[str, ParameterValue]:
        """Read a scene's parameters; the defaults belong to the default algorithm."""
        usual = "parameters" not in scene and "algorithm" not in scene
        return _read_values(
            (self._find_table("parameters", scene) if usual else scene).table("parameters")
        )


def _read_fastest(table: TableReader, compare: tuple[ComparedAlgorithm, ...]) -> tuple[str, ...]:
    """Read the workloads of a table of fastest runs."""
    names = table.texts("fastest")
    if names and compare:
        table.add_fault(
            "fastest", "A comparison has a table of its own: leave fastest or compare out."
        )
    return names


def _read_values(table: TableReader) -> dict[str, ParameterValue]:
    """Read parameters: names of choices, or whole numbers."""
    plain = table.to_dict()
    return {
        name: table.text(name) if isinstance(plain[name], str) else table.integer(name, 0)
        for name in table.keys
    }


def _show(table: TableReader) -> dict[str, str | bool | float]:
    table.refuse_unknown(_SHOW_KEYS)
    shown: dict[str, str | bool | float] = {
        name: table.switch(name, usual=False) for name in SWITCHES if name in table
    }
    for name, choices in (("colours", (*CellColours,)), ("numbers", (*Numbers,))):
        chosen = _read_choice(table, name, choices) if name in table else None
        if chosen is not None:
            shown[name] = chosen
    if "strength" in table:
        shown["strength"] = _read_strength(table, table.to_dict()["strength"])
    return shown


def _read_choice(table: TableReader, name: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice; None if it does not exist."""
    chosen = table.text(name, "")
    if chosen in choices or (name == "numbers" and chosen.startswith(LAYER_PREFIX)):
        return chosen
    named = [choice for choice in choices if choice]
    table.add_fault(name, f"{name} cannot show {chosen!r}: {did_you_mean(chosen, named)}")
    return None


def _read_strength(table: TableReader, value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0.1 <= value <= 1:
        return float(value)
    table.add_fault("strength", f"strength is a number from 0.1 to 1, not {value!r}.")
    return 1.0


def _read_question(table: TableReader) -> Question:
    table.refuse_unknown(_QUESTION_KEYS)
    kind = table.text("kind")
    cell = table.grid_cell("cell")
    if kind and kind not in list(QuestionKind):
        table.add_fault(
            "kind", f"There is no question {kind!r}: {did_you_mean(kind, QuestionKind)}"
        )
        kind = ""
    question_kind = QuestionKind(kind) if kind else QuestionKind.COMPONENTS
    if kind and question_kind.needs_cell and cell is None:
        table.add_fault("cell", f"The question {kind} is about a cell: write cell = [x, y].")
    if kind and not question_kind.needs_cell and cell is not None:
        table.add_fault("cell", f"The question {kind} is about no cell: leave cell out.")
    prompt = table.text("prompt", "", _MAX_WORDS).strip()
    if kind and question_kind is QuestionKind.CHOICE:
        return _read_choice_question(table, prompt)
    for key in ("choices", "answer"):
        if kind and key in table:
            table.add_fault(key, f"The question {kind} has no {key}: leave it out.")
    why = table.text("why", "", _MAX_WORDS).strip()
    return Question(question_kind, cell, prompt, why=(why,) if why else ())


def _read_choice_question(table: TableReader, prompt: str) -> Question:
    choices, why = table.texts("choices"), table.texts("why")
    if not 2 <= len(choices) <= _MAX_CHOICES:
        table.add_fault("choices", f"choices has two to {_MAX_CHOICES} texts, not {len(choices)}.")
    if len(why) != len(choices):
        table.add_fault("why", f"why has a text for each choice: {len(choices)}, not {len(why)}.")
    choices = choices or ("",)
    right = table.integer("answer", 0)
    if not 1 <= right <= len(choices):
        table.add_fault("answer", f"answer is the number of the right choice, 1 to {len(choices)}.")
        right = 1
    if not prompt:
        table.add_fault("prompt", 'A choice has no usual words: write prompt = "...".')
    why = (*why, *[""] * len(choices))[: len(choices)]
    return Question(QuestionKind.CHOICE, None, prompt, choices, right, why)


def _read_lines(table: TableReader) -> SceneLines:
    table.refuse_unknown(_LINES_KEYS)
    return SceneLines(
        table.text("from", most=_MAX_WORDS).strip(),
        table.text("to", "", _MAX_WORDS).strip(),
        table.text("kernel", ""),
    )


def _read_compared(table: TableReader, code: _CodeBeside) -> tuple[ComparedAlgorithm, ...]:
    """Read the runs of a comparison."""
    texts = table.texts("compare")
    if "compare" not in table:
        if "times" in table:
            table.add_fault("times", "times belong to a comparison: write compare = [...], too.")
        return ()
    if not 2 <= len(texts) <= _MAX_RUNS:
        table.add_fault("compare", f"compare has two to {_MAX_RUNS} runs, not {len(texts)}.")
    for key in ("algorithm", "parameters"):
        if key in table:
            table.add_fault(key, f"compare says what is run: leave {key} out.")
    runs = []
    for text in texts[:_MAX_RUNS]:
        try:
            name, parameters = parse_algorithm(text)
        except InputError:
            table.add_fault("compare", f'compare has runs "KEY" or "KEY:NAME=VALUE", not {text!r}.')
            continue
        try:
            runs.append(ComparedAlgorithm(code.key(name), parameters))
        except InputError as error:
            table.add_fault("compare", str(error))
    return tuple(runs)


def _read_phase(table: TableReader) -> ScenePhase:
    table.refuse_unknown(_PHASE_KEYS)
    by = table.text("by", "")
    if by and by not in list(PhaseBoundary):
        table.add_fault("by", f"Phases cannot end by {by!r}: {did_you_mean(by, PhaseBoundary)}")
        by = ""
    return ScenePhase(
        PhaseBoundary(by) if by else None,
        table.grid_cell("block") or (0, 0),
        table.integer("warp", 0) if "warp" in table else None,
        table.integer("index", 0),
    )


def _read_diagram(table: TableReader) -> SceneDiagram | None:
    of = table.text("of")
    if of not in list(DiagramKind):
        table.add_fault("of", f"There is no diagram of {of!r}: {did_you_mean(of, DiagramKind)}")
        return None
    kind = DiagramKind(of)
    table.refuse_unknown(_DIAGRAM_KEYS[kind])
    return SceneDiagram(
        kind,
        table.grid_cell("block") or (0, 0),
        table.integer("warp", 0),
        table.text("line", "", _MAX_WORDS).strip(),
        table.text("kernel", ""),
        table.integer("index", 0),
        table.integer("lane", 1),
        table.integer("barriers", 1),
        table.text("memory", None if kind is DiagramKind.ORDER else ""),
        table.integer("element", 0),
    )
