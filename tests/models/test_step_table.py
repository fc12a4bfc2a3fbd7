"""The table of steps, its sums, and the figures of the plots."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from support.models import inline_session
from support.recordings import played
from support.wrong_counts import wrong_after_each

from ccl_viewer import record
from ccl_viewer.recording import Recording
from ccl_viewer.recording.data import Spread
from ccl_viewer.support.units import time_scale_for
from ccl_viewer.window.core.plots import Plots, log_ticks
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.step_table import (
    COLUMNS,
    MEASURING,
    StepRow,
    as_csv,
    filled_columns,
    row_at,
    times_text,
)

GRID = (np.arange(400).reshape(20, 20) % 3 > 0).astype(np.uint8)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(GRID, algorithm="label_equivalence")


@pytest.fixture
def session(recording: Recording) -> Iterator[Session]:
    session = inline_session()
    session.view.set_shape(GRID.shape)
    session.display.show(ShownRun.prepare(recording))
    yield session
    session.close()


def rows(session: Session) -> list[StepRow]:
    return [row_at(session.analysis, index) for index in range(session.display.count)]


def test_csv_has_what_is_known(session: Session, recording: Recording) -> None:
    table = list(csv.DictReader(io.StringIO(as_csv(rows(session)))))
    assert {"step", "stage", "kernel", "milliseconds", "wrong"} <= set(table[0])
    assert [int(row["step"]) for row in table] == [*range(1, len(recording) + 1)]
    assert [int(row["wrong"]) for row in table] == wrong_after_each(recording).tolist()
    assert {row["device"] for row in table} == {"emulator"}
    assert table[0]["iteration"] == ""


def test_times_are_summed_up_to_a_launch_that_failed(session: Session) -> None:
    def show(*times: float) -> None:
        image, frames = np.ones((1, 2), np.uint8), [[0, 1], [0, 0], [0, 0]]
        run = played(image, frames, finished=False, milliseconds=times)
        session.display.show(ShownRun.prepare(run))

    show(1.0, 1.0, math.nan)
    assert times_text(session.analysis).endswith(", 2.00 ms for the launches that ended")
    show(math.nan, math.nan, math.nan)
    assert times_text(session.analysis) == "No times were taken"


def test_columns_without_anything_are_left_out(session: Session) -> None:
    assert {*COLUMNS} - filled_columns(session.analysis) == {"level", "bytes", "coalescing"}
    first = rows(session)[0]
    texts = {name: column.text(first) for name, column in COLUMNS.items()}
    assert (texts["step"], texts["iteration"], texts["stage"]) == ("1", "\u2013", "init")


# Plots


def test_times_are_summed_by_stage(session: Session, recording: Recording) -> None:
    times = Plots(session.analysis).stage_times
    assert sum(time.launches for time in times) == len(recording)
    assert sum(time.milliseconds for time in times) == pytest.approx(recording.milliseconds)


def test_counts_of_the_steps(session: Session, recording: Recording) -> None:
    plots = Plots(session.analysis)
    assert plots.counts["roots"].tolist() == [step.roots for step in recording.steps]
    assert plots.counts["changed"].tolist() == [step.changed for step in recording.steps]
    assert plots.counts["wrong root"].tolist() == wrong_after_each(recording).tolist()
    plots.close()


def test_logarithmic_axes_have_a_place_for_nothing() -> None:
    assert log_ticks(250)[0] == (0.0, "0")
    assert [name for _, name in log_ticks(2500)] == ["0", "1", "10", "100", "1,000"]


def test_a_time_tells_how_it_varies_where_it_does() -> None:
    step = replace(
        record(GRID, algorithm="ha4").step(0),
        milliseconds=2.0,
        spread=Spread(2.0, 1.0, 5.0, 1.95, 2.05),
    )
    scale = time_scale_for([2.0])
    assert StepRow(step, scale=scale).time == scale.number(2.0)
    assert "half of the runs took" in StepRow(step, scale=scale).tip
    varying = replace(step, spread=Spread(2.0, 1.0, 5.0, 1.5, 2.5))
    assert (
        StepRow(varying, scale=scale).time
        == f"{scale.number(2.0)} \N{PLUS-MINUS SIGN} {scale.number(0.5)}"
    )
    assert StepRow(varying, scale=scale, measuring=True).time == MEASURING
