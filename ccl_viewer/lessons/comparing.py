"""The table of a comparison scene: what the emulator counts, and what a GPU took."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Final

from ccl_viewer.algorithms import algorithm
from ccl_viewer.algorithms.base import parse_value
from ccl_viewer.diagnostics.profile import Profile
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.lessons.faults import meant
from ccl_viewer.lessons.model import ComparedRun, Question, QuestionKind, Scene
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.support.units import nbytes_text

NOT_MEASURED: Final = "not measured"
_COUNTS: Final = ("Run", "Launches", "Iterations", "Loads", "Bytes", "Atomics")


@dataclass(frozen=True)
class ComparedTable:
    """A comparison in numbers.

    Parameters
    ----------
    columns : tuple of str
        What the columns hold.
    rows : tuple of tuple of str
        A row for each run.
    notes : tuple of str
        What one must know to read it, as sentences: whose counts and whose times they are.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> tuple[str, ...]:
        """The lines of the table, in columns, for a terminal."""
        table = (self.columns, *self.rows)
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return tuple(
            "  ".join(
                text.rjust(width) if place else text.ljust(width)
                for place, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        )

    def before(self, question: Question) -> ComparedTable | None:
        """Return what may be seen of it while a question is open; None for nothing.

        The author of a choice asks about the times, or about what the counts mean.
        """
        if question.kind is not QuestionKind.CHOICE:
            return None
        size = len(_COUNTS)
        rows = tuple(row[:size] for row in self.rows)
        return ComparedTable(self.columns[:size], rows, self.notes[:1])

    @property
    def html(self) -> str:
        """The table with a column for each run, and the notes below; every text is escaped."""
        heads = "".join(f"<th>{escape(row[0])}</th>" for row in self.rows)
        lines = [
            "".join((f"<td>{escape(name)}</td>", *(f"<td>{escape(text)}</td>" for text in cells)))
            for name, *cells in zip(self.columns, *self.rows, strict=True)
        ]
        body = "".join(f"<tr>{line}</tr>" for line in lines[1:])
        notes = "".join(f"<p>{escape(note, quote=False)}</p>" for note in self.notes)
        return f"<table><tr><th></th>{heads}</tr>{body}</table>{notes}"


def table_of(scene: Scene, recordings: Sequence[Recording]) -> ComparedTable:
    """Return the table of a comparison.

    Parameters
    ----------
    scene : Scene
        A scene that compares.
    recordings : sequence of Recording
        The run of each lane.

    Raises
    ------
    InputError
        If there are no times of such a workload with this connectivity.
    """
    columns = [*_COUNTS]
    rows = [_counts(*lane) for lane in zip(scene.compare, recordings, strict=True)]
    notes = ["Loads, bytes and atomics: the emulator's count, on the grid shown."]
    if scene.times:
        workload = _workload(scene)
        gpu = _data()["gpu"]
        columns.append(f"GPU ({gpu})")
        for row, run in zip(rows, scene.compare, strict=True):
            row.append(_time(run, workload))
        notes.append(f"GPU ({gpu}): measured time, on another grid: {workload['picture']}.")
    return ComparedTable(tuple(columns), tuple(map(tuple, rows)), tuple(notes))


def _counts(run: ComparedRun, recording: Recording) -> list[str]:
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


def _workload(scene: Scene) -> Mapping[str, Any]:
    known = {name: one for name, one in _data().items() if isinstance(one, dict)}
    if scene.times not in known:
        raise InputError(f"There are no times of {scene.times!r}: {meant(scene.times, known)}")
    workload: Mapping[str, Any] = known[scene.times]
    if workload["connectivity"] != scene.connectivity:
        raise InputError(
            f"The times of {scene.times!r} were taken with connectivity "
            f"{workload['connectivity']}: choose others, or that connectivity."
        )
    return workload


def _time(run: ComparedRun, workload: Mapping[str, Any]) -> str:
    """Return the time of a run with the same parameters."""
    wanted = algorithm(run.algorithm).complete(run.parameters)
    for one in workload["times"]:
        key, _, own = one["run"].partition(":")
        if key != run.algorithm:
            continue
        given = dict(setting.split("=") for setting in own.split(",") if setting)
        try:
            measured = algorithm(key).complete(
                {name: parse_value(text) for name, text in given.items()}
            )
        except CCLViewerError:  # a parameter that there is no more
            continue
        if measured == wanted:
            ms = one["ms"]
            return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.3g} ms"
    return NOT_MEASURED


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((assets_folder() / "gpu-times.toml").read_text("utf-8"))
