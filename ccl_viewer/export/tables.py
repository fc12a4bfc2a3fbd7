"""The steps of a run as a table: CSV for spreadsheets, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, TextIO, TypeAlias
from unicodedata import normalize

from ccl_viewer.api import tabulate_labels
from ccl_viewer.export.component_table import Table, save_components, write_components
from ccl_viewer.export.job import ExportJob
from ccl_viewer.recording import Recording
from ccl_viewer.recording.data import Step
from ccl_viewer.recording.metrics import sum_stages

Fields: TypeAlias = dict[str, Any]

_FORMAT: Final = 1

_FORMULA: Final = ("=", "+", "-", "@")


def write_csv_rows(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV; None becomes empty.

    Spreadsheets interpret texts that look like formulas, and recordings may contain texts from
    anywhere. These texts get a leading apostrophe, which spreadsheets do not show.

    Parameters
    ----------
    file : text file
        Destination, opened without translation of line ends.
    rows : iterable of iterable
        Numbers and texts, the headings first.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([_as_text(value) for value in row] for row in rows)


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as CSV with a header line, the keys of the first row."""
    text = io.StringIO()
    write_csv_rows(text, [rows[0].keys(), *(row.values() for row in rows)] if rows else [])
    return text.getvalue()


def _as_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "backslashreplace").decode()  # a file's name may be no UTF-8
    # East Asian punctuation signs count as well.
    formula = normalize("NFKC", text).lstrip().startswith(_FORMULA)
    return f"'{text}" if formula else text


def write_csv(job: ExportJob, path: Path) -> int:
    """Write one line per step or component, under headings; unknown values are empty.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        if job.options.table == "components":
            table = _components(job)
            write_components(file, [table])
            return table.size
        rows = _rows(job)
        first = next(rows)
        write_csv_rows(file, chain([first, first.values()], (row.values() for row in rows)))
    return len(job.steps)


def write_json(job: ExportJob, path: Path) -> int:
    """Write the run, and its steps with the sums of its stages, or its components.

    Unknown values are null.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    if job.options.table == "components":
        components = _components(job)
        save_components(path, [components], {"run": make_recording_fields(job.first_recording)})
        return components.size
    table = {
        "format": _FORMAT,
        "run": make_recording_fields(job.first_recording),
        "steps": [*_rows(job)],
        "stages": [
            {
                "stage": str(one.stage),
                "level": one.level,
                "launches": one.launches,
                "milliseconds": _format_known(one.milliseconds),
                "changed": one.changed,
            }
            for one in sum_stages(job.first_recording)
        ],
    }
    with path.open("w", encoding="utf-8") as file:
        json.dump(table, file, indent=1, allow_nan=False)
        file.write("\n")
    return len(job.steps)


def make_recording_fields(recording: Recording) -> Fields:
    """Return a description of a run, its device and its end, as JSON values."""
    height, width = recording.image.shape
    layout, verdict = recording.layout, recording.verdict
    return {
        "algorithm": recording.algorithm,
        "parameters": dict(recording.parameters),
        "connectivity": recording.connectivity,
        "multivalued": recording.multivalued,
        "device": recording.device,
        "device_title": recording.device_title,
        "schedule": recording.schedule,
        "width": width,
        "height": height,
        "steps": len(recording),
        "iterations": recording.iterations,
        "converged": recording.converged,
        "correct": None if verdict is None else verdict.correct,
        "outcome": recording.sentence,
        "milliseconds": _format_known(recording.milliseconds),
        "label_layout": {
            "pitch": layout.pitch,
            "margin": layout.margin,
            "origin": layout.origin,
            "background": layout.background,
        },
    }


def _components(job: ExportJob) -> Table:
    labels, _ = job.first_recording.component_numbers(job.check_cancelled)
    return tabulate_labels(labels, cancel=job.cancel)


def _rows(job: ExportJob) -> Iterator[Fields]:
    recording = job.first_recording
    for position in job.track_progress(len(job.steps)):
        index = job.steps[position]
        wrong = (
            recording.tree_counts(index, job.check_cancelled).wrong if recording.complete else None
        )
        merged = recording.change_counts(index).hooked
        yield {**make_step_fields(recording.step(index)), "merged": merged, "wrong": wrong}


def make_step_fields(step: Step) -> Fields:
    """Return the record of a step as JSON values; steps are counted from 1."""
    return {
        "step": step.index + 1,
        "iteration": step.iteration,
        "level": step.level,
        "stage": str(step.stage),
        "kernel": step.kernel,
        "paper": step.paper,
        "blocks": "x".join(str(side) for side in step.grid),
        "threads": "x".join(str(side) for side in step.block),
        "milliseconds": _format_known(step.milliseconds),
        "changed": step.changed,
        "roots": step.roots,
        "atomics": step.atomics,
        "emulator_bytes_moved": None if step.ledger is None else step.ledger.transferred_bytes,
        "emulator_coalescing": None if step.ledger is None else step.ledger.coalescing,
    }


def _format_known(milliseconds: float) -> float | None:
    return None if math.isnan(milliseconds) else milliseconds
