"""The figures behind the plots."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer import record
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.plan import Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.timing import RunTiming, Spread, StepPlace, StepTiming
from ccl_viewer.session.plots.figures import (
    StageTime,
    Table,
    bin_sizes,
    count_sizes,
    counts_table,
    log_ticks,
    size_table,
    stage_times,
    step_counts,
    time_table,
    unit_of,
    write_table,
)


@pytest.fixture(scope="module")
def recording() -> Recording:
    image = (np.arange(400).reshape(20, 20) % 3 > 0).astype(np.uint8)
    return record(image, algorithm="label_equivalence")


def timing_of(recording: Recording) -> RunTiming:
    """Times of 2 milliseconds a step, between 1 and 4."""
    turns: dict[tuple[object, ...], int] = {}
    steps = []
    for step in recording.steps:
        key = (step.stage, step.kernel, step.iteration, step.level)
        turn = turns[key] = turns.get(key, -1) + 1
        place = StepPlace(step.stage, step.kernel, step.iteration, step.level, turn)
        steps.append(StepTiming(place, Spread(2.0, 0.5, 5.0, 1.0, 4.0), 3))
    total = Spread(1.0, 1.0, 1.0, 1.0, 1.0)
    return RunTiming(3, tuple(steps), total, len(steps), len(steps))


def test_times_are_summed_by_stage(recording: Recording) -> None:
    times = stage_times(recording)
    assert [time.stage for time in times] == [Stage.INIT, Stage.SCAN, Stage.ANALYSIS]
    assert sum(time.launches for time in times) == len(recording)
    assert sum(time.milliseconds for time in times) == pytest.approx(recording.milliseconds)
    assert all(time.lower == time.upper == time.milliseconds for time in times)


def test_repeated_times_have_a_spread(recording: Recording) -> None:
    for time in stage_times(recording, timing_of(recording)):
        assert time.milliseconds == pytest.approx(2 * time.launches)
        assert time.lower == pytest.approx(time.launches)
        assert time.upper == pytest.approx(4 * time.launches)


def test_stages_without_times_are_left_out(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = tuple(replace(step, milliseconds=math.nan) for step in recording.steps)
    monkeypatch.setattr(Recording, "steps", steps)
    assert stage_times(recording) == ()


@pytest.mark.parametrize(
    ("milliseconds", "unit", "factor"),
    [(0.0, "µs", 1e3), (0.5, "µs", 1e3), (1.0, "ms", 1.0), (999.0, "ms", 1.0), (1e3, "s", 1e-3)],
)
def test_units_suit_the_time(milliseconds: float, unit: str, factor: float) -> None:
    assert unit_of(milliseconds) == (unit, factor)


def test_the_course_has_what_steps_counted(recording: Recording) -> None:
    wrong = np.full(len(recording), -1)
    wrong[2] = 7
    course = step_counts(recording, wrong)
    assert course.steps.tolist() == list(range(1, len(recording) + 1))
    assert course.roots.tolist() == [step.roots for step in recording.steps]
    assert course.changed.tolist() == [step.changed for step in recording.steps]
    assert np.flatnonzero(np.isfinite(course.wrong)).tolist() == [2]
    assert course.wrong[2] == 7
    assert course.known


def test_the_course_ends_where_the_views_were_told(recording: Recording) -> None:
    course = step_counts(recording, np.zeros(0, np.int64), 3)
    assert course.steps.tolist() == [1, 2, 3]
    assert not course.known
    longer = step_counts(recording, np.zeros(1000, np.int64), 10_000)
    assert longer.steps.size == longer.wrong.size == len(recording)


def test_sizes_are_those_of_the_components(recording: Recording) -> None:
    components = np.array([[1, 0, 2], [1, 3, 2], [1, 0, 0]], np.int32)
    assert count_sizes(components).tolist() == [3, 2, 1]
    assert count_sizes(np.zeros((2, 2), np.int32)).size == 0
    big = np.repeat(np.arange(5, dtype=np.int32), 600_000).reshape(1500, 2000)
    assert count_sizes(big).tolist() == [600_000] * 4


def test_counting_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        count_sizes(np.ones((2, 2), np.int32), token.check)


@given(st.lists(st.integers(1, 5000), max_size=60))
def test_every_component_is_in_the_bin_of_its_size(sizes: list[int]) -> None:
    bins = bin_sizes(np.array(sizes, np.int64))
    assert bins.total == len(sizes) == bins.counts.sum()
    for left, right, count in zip(bins.edges[:-1], bins.edges[1:], bins.counts, strict=True):
        assert count == sum(left <= size < right for size in sizes)
    assert bins.largest == max(sizes, default=0)


def test_logarithmic_axes_have_a_place_for_nothing() -> None:
    ticks = log_ticks(2500)
    assert [text for _, text in ticks] == ["0", "1", "10", "100", "1,000"]
    assert ticks[0][0] == 0
    assert ticks[2][0] == pytest.approx(math.log10(11))
    assert [text for _, text in log_ticks(0)] == ["0", "1"]


def test_tables_hold_the_figures(recording: Recording) -> None:
    times = (StageTime(Stage.SCAN, 3, 1.5, 1.0, 2.0),)
    assert time_table(times).rows == (("scan", 3, 1.5, 1.0, 2.0),)
    course = step_counts(recording, np.array([4, -1]), 2)
    rows = counts_table(course).rows
    assert [row[0] for row in rows] == [1, 2]
    assert [row[3] for row in rows] == [4, None]
    assert size_table(np.array([5, 1, 5])).rows == ((1, 1), (5, 2))


def test_tables_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    write_table(path, Table(("a", "b, with comma"), (("x", 1), (2.5, None))))
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["a", "b, with comma"], ["x", "1"], ["2.5", ""]]
    with pytest.raises(InputError):
        write_table(tmp_path / "none" / "figures.csv", Table((), ()))
