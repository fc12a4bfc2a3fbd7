"""Tables beside a scene: the emulator's counts of runs, and their times on a GPU."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.base import parse_value
from ccl_viewer.diagnostics.profile import Profile
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.lessons.faults import did_you_mean
from ccl_viewer.lessons.model import ComparedAlgorithm, Question, QuestionKind, Scene
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.support.units import nbytes_text

NOT_MEASURED: Final = "not measured"
_COUNTS: Final = ("Run", "Launches", "Iterations", "Loads", "Bytes", "Atomics")


@dataclass(frozen=True)
class ComparisonTable:
    """A comparison of runs on one picture, or of pictures, in numbers.

    Parameters
    ----------
    columns : tuple of str
        Titles of the columns.
    rows : tuple of tuple of str
        A row for each run.
    notes : tuple of str
        Sentences about the origin of the counts and times.
    turned : bool
        Whether a page shows each row as a column, because names of runs are short.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    turned: bool = True

    @property
    def text(self) -> tuple[str, ...]:
        """The lines of the table, in columns, for a terminal."""
        table = (self.columns, *self.rows)
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return tuple(
            "  ".join(
                text.rjust(width) if index else text.ljust(width)
                for index, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        )

    def without_answer(self, question: Question) -> ComparisonTable | None:
        """Return the part that may be seen while a question is open; None for nothing.

        The author of a choice asks about the times, or about what the counts mean.
        """
        if question.kind is not QuestionKind.CHOICE or not self.turned:
            return None
        size = len(_COUNTS)
        rows = tuple(row[:size] for row in self.rows)
        return ComparisonTable(self.columns[:size], rows, self.notes[:1])

    @property
    def html(self) -> str:
        """The table and the notes below it; every text is escaped."""
        lines = [self.columns, *self.rows]
        if self.turned:
            lines = [*zip(*lines, strict=True)]
            lines[0] = ("", *lines[0][1:])
        first, *others = lines
        heads = "".join(f"<th>{escape(text)}</th>" for text in first)
        rows = ["".join(f"<td>{escape(text)}</td>" for text in line) for line in others]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        notes = "".join(f"<p>{escape(note, quote=False)}</p>" for note in self.notes)
        return f"<table><tr>{heads}</tr>{body}</table>{notes}"


def make_table(scene: Scene, recordings: Sequence[Recording]) -> ComparisonTable:
    """Return the table of a comparison.

    Parameters
    ----------
    scene : Scene
        A scene that compares.
    recordings : sequence of Recording
        The runs that it compares, in order.

    Raises
    ------
    InputError
        If there are no times of such a workload with this connectivity.
    """
    columns = [*_COUNTS]
    rows = [_counts(*run) for run in zip(scene.compare, recordings, strict=True)]
    notes = ["Loads, bytes and atomics: the emulator's count, on the grid shown."]
    if scene.times:
        workload = _sum_workload(scene)
        gpu = _data()["gpu"]
        columns.append(f"GPU ({gpu})")
        for row, run in zip(rows, scene.compare, strict=True):
            row.append(_time(run, workload))
        notes.append(f"GPU ({gpu}): measured time, on another grid: {workload['picture']}.")
    return ComparisonTable(tuple(columns), tuple(map(tuple, rows)), tuple(notes))


def fastest_table(names: Sequence[str]) -> ComparisonTable:
    """Return a table of pictures: which kernels took least on a GPU, and which took most.

    Of each algorithm the form of its paper counts, and no variant; of a picture's measurements,
    the first.

    Parameters
    ----------
    names : sequence of str
        Workloads of ``assets/gpu-times.toml``.

    Raises
    ------
    InputError
        If there are no times of one of them.
    """
    rows = []
    for name in names:
        workload = _workload(name)
        measurement = workload["times"][0]["from"]
        forms = [
            one
            for one in workload["times"]
            if one["from"] == measurement and "variant=" not in one["run"]
        ]
        times = sorted(forms, key=lambda one: float(one["ms"]))
        ends = [part for one in (times[0], times[-1]) for part in (_title(one["run"]), _ms(one))]
        rows.append(
            (
                f"{workload['picture']}; {workload['connectivity']} neighbours",
                *ends,
                str(len(forms)),
            )
        )
    gpu = _data()["gpu"]
    note = f"GPU ({gpu}): measured times of labelling. A row compares the runs of one measurement."
    columns = ("Picture", "Fastest", "Time", "Slowest", "Time", "Compared")
    return ComparisonTable(columns, tuple(rows), (note,), turned=False)


def _title(run: str) -> str:
    """Return the title of a run as the file of times names it."""
    key, _, parameters = run.partition(":")
    settings = dict(setting.split("=") for setting in parameters.split(",") if setting)
    return algorithm_title(key, {name: parse_value(text) for name, text in settings.items()})


def _counts(run: ComparedAlgorithm, recording: Recording) -> list[str]:
    ledgers = tuple(step.ledger for step in recording.steps if step.ledger is not None)
    counts = Profile(ledgers).figures()
    iterations = f"{recording.iterations:,}" if recording.iterations else "none"
    return [
        algorithm_title(run.algorithm, run.parameters),
        f"{len(recording):,}",
        iterations,
        f"{counts['loads']:,}",
        nbytes_text(int(counts["bytes"])),
        f"{counts['atomics']:,}",
    ]


def _workload(name: str) -> Mapping[str, Any]:
    workloads = {each: one for each, one in _data().items() if isinstance(one, dict)}
    if name not in workloads:
        raise InputError(f"There are no times of {name!r}: {did_you_mean(name, workloads)}")
    workload: Mapping[str, Any] = workloads[name]
    return workload


def _sum_workload(scene: Scene) -> Mapping[str, Any]:
    workload = _workload(scene.times)
    if workload["connectivity"] != scene.connectivity:
        raise InputError(
            f"The times of {scene.times!r} were taken with connectivity "
            f"{workload['connectivity']}: choose others, or that connectivity."
        )
    return workload


def _time(run: ComparedAlgorithm, workload: Mapping[str, Any]) -> str:
    """Return the time of a run with the same parameters."""
    requested = find_algorithm(run.algorithm).complete(run.parameters)
    for one in workload["times"]:
        key, _, parameters = one["run"].partition(":")
        if key != run.algorithm:
            continue
        settings = dict(setting.split("=") for setting in parameters.split(",") if setting)
        try:
            measured = find_algorithm(key).complete(
                {name: parse_value(text) for name, text in settings.items()}
            )
        except CCLViewerError:  # a parameter that does not exist any more
            continue
        if measured == requested:
            return _ms(one)
    return NOT_MEASURED


def _ms(one: Mapping[str, Any]) -> str:
    ms = float(one["ms"])
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.3g} ms"


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((assets_folder() / "gpu-times.toml").read_text("utf-8"))
