"""The table of a comparison: what is ranked, what is not, differences, CSV."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from support.grids import noise
from support.models import inline_session
from support.recordings import played

from ccl_viewer.window.core.comparison_table import (
    COLUMNS,
    NOT_COUNTED,
    ResultRow,
    csv_of,
    headline_of,
    notes_of,
    table_of,
)
from ccl_viewer.window.core.comparison_texts import make_rows
from ccl_viewer.window.core.run_display import RunStatus, StatusKind
from ccl_viewer.window.core.run_settings import RunSettings

OK = RunStatus(StatusKind.OK, "3 components, correct")
WRONG = RunStatus(StatusKind.ERROR, "Wrong: 4 components", "Wrong")


def row(name: str = "One", **changes: Any) -> ResultRow:
    made = ResultRow(name, "CPU emulator", True, 4, 9, 4, 2.5, 120, 7, OK, 15)
    return replace(made, **changes)


def on_gpu(name: str, milliseconds: float, **changes: Any) -> ResultRow:
    changes = {"atomics": None, "emulated": False, "device": "H200", **changes}
    return row(name, milliseconds=milliseconds, **changes)


def cell(text: tuple[str, ...], column: str) -> str:
    return text[list(COLUMNS).index(column)]


def test_times_of_the_emulator_say_so_and_are_never_ranked() -> None:
    rows = [row("Slow", launches=3, milliseconds=9.0), row("Fast", milliseconds=1.0)]
    for text in table_of(rows):
        assert cell(text, "Time").endswith(" emulator")
    headline = headline_of(rows)
    assert headline == "Fewest launches: Slow (3); all correct"
    assert "Fast" not in headline
    assert "say nothing about a GPU" in notes_of(rows)


def test_times_on_a_gpu_are_ranked() -> None:
    rows = [on_gpu("A", 0.5), on_gpu("B", 0.25), row("C", milliseconds=0.01)]
    assert "Fastest on the GPU: B (250 µs)" in headline_of(rows)
    assert "A GPU does not count" in notes_of(rows)
    assert cell(table_of(rows)[1], "Atomics") == NOT_COUNTED


def test_the_headline_names_ties_loops_and_wrong_runs() -> None:
    assert headline_of([row(), row("Two")]) == "All correct"
    rows = [row(), row("Two", iterations=2), row("Three", iterations=0, verdict=WRONG)]
    assert headline_of(rows) == "Fewest iterations: Two (2); wrong: Three"
    assert headline_of([]) == ""
    rows = [row("Shibata, naive"), row("Shibata, fast"), row("Three", launches=12)]
    expected = "Fewest launches: Shibata, naive and Shibata, fast (9); all correct"
    assert headline_of(rows) == expected
    rows = [row(launches=1, verdict=WRONG), row("Two"), row("Three", launches=12)]
    assert headline_of(rows) == "Fewest launches: Two (9); wrong: One", (
        "what broke off wins nothing"
    )


def test_csv_has_every_number_and_says_what_was_emulated() -> None:
    rows = [row("=A"), row(milliseconds=nan, last_change=None)]
    head, first, second = csv.reader(csv_of(rows).splitlines())
    assert head[:3] == ["run", "device", "emulated"]
    values = dict(zip(head, first, strict=True))
    assert values["emulated"] == "true"
    assert float(values["milliseconds"]) == 2.5
    assert not values["run"].startswith("="), "no formula for a spreadsheet"
    assert dict(zip(head, second, strict=True))["milliseconds"] == ""


def test_a_run_that_broke_off_is_not_running() -> None:
    recording = played(np.ones((1, 2), np.uint8), [[0, 1]], finished=False)
    (text,) = table_of([ResultRow.of(recording, "One", growing=False)])
    assert cell(text, "Verdict") == "not finished"
    (text,) = table_of([ResultRow.of(recording, "One", growing=True)])
    assert cell(text, "Verdict") == "running"


def test_a_row_tells_of_its_run() -> None:
    session = inline_session()
    session.document.load_grid(noise(12, 16, 0.6), "noise")
    comparison = session.comparison
    comparison.set_rival_settings([RunSettings("ha4")])
    comparison.set_open(True)
    own, other = make_rows(comparison)
    recording = session.display.recording
    assert recording is not None
    assert own.launches == len(recording) == session.display.count
    assert own.iterations == recording.iterations
    assert own.changed == sum(step.changed for step in recording.steps)
    assert other.name == "HA4"
    assert other.verdict.kind is StatusKind.OK
    assert np.isfinite(own.milliseconds)
    session.close()


def test_a_row_of_a_run_to_come_keeps_its_place_and_wins_nothing() -> None:
    rows = [
        row("Old", launches=1, awaits="running"),
        row(),
        row("Two", launches=12),
        ResultRow.to_come("New", "waiting"),
    ]
    old, _, _, new = table_of(rows)
    assert cell(old, "Verdict") == "running"
    assert cell(old, "Launches") == "1"
    assert new == ("New", "waiting", *["\N{EM DASH}"] * (len(COLUMNS) - 2))
    assert headline_of(rows) == "Fewest launches: One (9)"
    assert [line.split(",")[0] for line in csv_of(rows).splitlines()] == ["run", "One", "Two"]
