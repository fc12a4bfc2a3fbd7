"""The built-in exercises, and the reader of exercise files."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.diagnostics.check import DefectKind
from ccl_viewer.diagnostics.profile import FIGURES
from ccl_viewer.errors import ExerciseFileError, InputError, shorten
from ccl_viewer.exercises.model import GAP, Budget, Exercise, Goal
from ccl_viewer.grids.grid import Grid
from ccl_viewer.grids.specs import is_pattern, open_grid, parse_pattern
from ccl_viewer.grids.text_art import parse
from ccl_viewer.lessons.faults import did_you_mean
from ccl_viewer.lessons.fields import FaultList, TableReader
from ccl_viewer.lessons.positions import Positions
from ccl_viewer.lessons.reading import fault_before_parsing
from ccl_viewer.storage.resources import assets_folder

EXERCISES: Final = (
    "find-your-cell",
    "stop-the-loop",
    "pass-it-on",
    "side-by-side",
    "avoid-the-bank",
    "walk-to-the-root",
    "join-two-trees",
    "runs-from-a-ballot",
    "merge-once",
    "hand-it-over",
    "missing-barrier",
    "sizes-by-runs",
    "fewest-bytes",
)
"""Keys of the exercises, in the order of teaching."""

_KEYS = (
    "title", "lesson", "minutes", "algorithm", "module", "connectivity", "parameters", "task",
    "hints", "grids", "orders", "own_races", "notes", "goal",
)  # fmt: skip
_GOAL_KEYS = ("title", "sizes", "figure", "kernel", "grid", "most", "least")
_MOST_BYTES = 1 << 17
_MOST_CELLS = 1 << 18
_MOST_GRIDS = 100
_MOST_ORDERS = 1000
_MOST = 10**15  # of a budget


def exercise_names() -> tuple[str, ...]:
    """Return the keys of the exercises, in the order of teaching."""
    return EXERCISES


def load_exercise(name: str) -> Exercise:
    """Return an exercise.

    Parameters
    ----------
    name : str
        A key of :func:`exercise_names`, or the path of a ``.toml`` file with its ``.cu`` beside it.

    Raises
    ------
    ExerciseFileError
        If there is no such exercise, or its files have a fault.
    """
    if Path(name).suffix.lower() == ".toml":
        return _read(Path(name))
    if name not in EXERCISES:
        raise ExerciseFileError(
            f"There is no exercise {shorten(name)!r}: {did_you_mean(name, EXERCISES)}"
        )
    return _read_included(name)


def student_source(chosen: Exercise) -> str:
    """Return the file for a student: a line that names the kernel, then the kernel with gaps."""
    head = f"// A copy of {chosen.module}.cu for the algorithm {chosen.algorithm}.\n"
    return head + chosen.source


def parse_grid(text: str) -> Grid:
    """Return the grid of a pattern or a drawing.

    Raises
    ------
    InputError
        If there is no such pattern, it is too large, or the drawing is not valid.
    """
    if not is_pattern(text):
        return parse(text.strip())
    pattern, values = parse_pattern(text)
    shape = pattern.shape(values)
    if shape is not None and shape[0] * shape[1] > _MOST_CELLS:
        raise InputError(
            f"A grid of {shape[1]} x {shape[0]} cells is too large for an exercise: at most "
            f"{_MOST_CELLS:,} cells are judged."
        )
    return open_grid(text).grid


@cache
def _read_included(name: str) -> Exercise:
    return _read(assets_folder() / "exercises" / f"{name}.toml")


def _read(path: Path) -> Exercise:
    text, source = _read_text(path), _read_text(path.with_suffix(".cu"))
    fault = fault_before_parsing(text)
    if fault is not None:
        raise ExerciseFileError(f"{shorten(path.name)}, {fault}")
    try:
        data = tomllib.loads(text)
        faults = FaultList(Positions(text))
    except ValueError as error:
        raise ExerciseFileError(f"{shorten(path.name)} is not TOML: {error}.") from error
    found = _exercise(TableReader(data, (), faults), path, source)
    if faults.faults:
        raise ExerciseFileError(f"{shorten(path.name)}, {faults.faults[0]}")
    return found


def _exercise(table: TableReader, path: Path, source: str) -> Exercise:
    table.refuse_unknown(_KEYS)
    key = table.text("algorithm")
    algorithm = ALGORITHMS.get(key)
    if key and algorithm is None:
        table.add_fault(
            "algorithm",
            f"There is no algorithm {key!r}: {did_you_mean(key, ALGORITHMS)}",
        )
    connectivity = table.integer("connectivity", 4)
    own = table.table("parameters")
    parameters = own.to_dict()
    if algorithm is not None:
        try:
            algorithm.resolve_connectivity(connectivity)
            parameters = algorithm.complete(parameters)
        except InputError as error:
            table.add_fault("parameters", str(error))
    grids = table.texts("grids")
    if not grids:
        table.add_fault("grids", 'The labels are judged on grids: write grids = ["pattern:..."].')
    if len(grids) > _MOST_GRIDS:
        table.add_fault("grids", f"The labels are judged on at most {_MOST_GRIDS} grids.")
    for text in grids[:_MOST_GRIDS]:
        _check_grid(table, "grids", text)
    goals = tuple(_read_goal(goal) for goal in table.tables("goal"))
    if not goals:
        table.add_fault("goal", "An exercise has goals: write [[goal]] and what it asks for below.")
    if not GAP.search(source):
        table.add_fault(
            "module", f"{path.with_suffix('.cu').name} has no gap: write // GAP 1 in it."
        )
    return Exercise(
        key=path.stem,
        title=table.text("title", most=60),
        task=table.text("task", most=4000).strip(),
        hints=table.texts("hints"),
        notes=_read_notes(table.table("notes")),
        goals=goals,
        lesson=table.text("lesson", ""),
        minutes=table.integer("minutes", 15, 0),
        algorithm=key,
        module=table.text("module"),
        connectivity=connectivity,
        parameters=parameters,
        grids=grids,
        orders=table.integer("orders", 3, 0, _MOST_ORDERS),
        own_races=table.switch("own_races", False),
        source=source,
        path=path,
    )


def _read_notes(table: TableReader) -> dict[str, str]:
    table.refuse_unknown([str(kind) for kind in DefectKind])
    return {key: table.text(key, most=500) for key in table.keys}


def _read_goal(table: TableReader) -> Goal:
    table.refuse_unknown(_GOAL_KEYS)
    title = table.text("title", most=200)
    if "figure" not in table:
        for key in ("kernel", "grid", "most", "least"):
            if key in table:
                table.add_fault(key, f"Only a goal with a figure has the key {key}.")
        return Goal(title, sizes=table.text("sizes", ""))
    if "sizes" in table:
        table.add_fault("sizes", "A goal asks for sizes or for a figure, not for both.")
    figure, grid = table.text("figure"), table.text("grid")
    if figure not in FIGURES:
        table.add_fault("figure", f"Nothing counts {figure!r}: {did_you_mean(figure, FIGURES)}")
    _check_grid(table, "grid", grid)
    most, least = _read_bound(table, "most"), _read_bound(table, "least")
    if ("most" in table) == ("least" in table):
        table.add_fault("figure", "A budget has one bound: write most = ... or least = ...")
    return Goal(title, Budget(figure, grid, table.text("kernel", ""), most, least))


def _read_bound(table: TableReader, key: str) -> float | None:
    value = table.to_dict().get(key)
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST:
        return float(value)
    table.add_fault(key, f"{key} is a number below {_MOST:,}.")
    return None


def _check_grid(table: TableReader, key: str, text: str) -> None:
    try:
        parse_grid(text)
    except InputError as error:
        table.add_fault(key, str(error))


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes() if path.stat().st_size <= _MOST_BYTES else None
        text = None if data is None else data.decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExerciseFileError(
            f"{shorten(path)} cannot be read ({reason}): an exercise is NAME.toml and NAME.cu."
        ) from error
    except UnicodeDecodeError as error:
        raise ExerciseFileError(f"{shorten(path)} is not UTF-8: save it as UTF-8.") from error
    if text is None:
        raise ExerciseFileError(f"{shorten(path)} is too large for an exercise: shorten it.")
    return text
