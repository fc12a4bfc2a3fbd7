"""Names of schedules."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ccl_viewer import record
from ccl_viewer.errors import InputError
from ccl_viewer.execution.schedule import Order, Schedule, choose_schedule


@pytest.mark.parametrize(
    ("text", "order", "seed"),
    [
        ("sequential", Order.SEQUENTIAL, 0),
        ("synchronous", Order.SYNCHRONOUS, 0),
        ("reverse", Order.REVERSE, 0),
        ("random:0", Order.RANDOM, 0),
        ("random:12345678901", Order.RANDOM, 12345678901),
    ],
)
def test_a_schedule_is_named_by_its_text(text: str, order: Order, seed: int) -> None:
    schedule = Schedule.parse(text)
    assert (schedule.order, schedule.seed) == (order, seed)
    assert str(schedule) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "random",
        "random:",
        "random:-1",
        "random:1.5",
        "random:x",
        "Sequential",
        "random:٣",
        "random:9999999999999999999",
        "sequential:1",
        "auto",
    ],
)
def test_nonsense_is_refused_with_the_names_that_exist(text: str) -> None:
    with pytest.raises(InputError, match=r"sequential, synchronous, reverse or random:SEED"):
        Schedule.parse(text)


def test_small_grids_are_shown_synchronously_and_large_ones_run_fast() -> None:
    assert choose_schedule("auto", 1).order is Order.SYNCHRONOUS
    assert choose_schedule("auto", 128 * 128).order is Order.SYNCHRONOUS
    assert choose_schedule("auto", 128 * 128 + 1).order is Order.SEQUENTIAL


def test_a_launch_takes_time_but_no_more_than_went_by() -> None:
    begun = time.perf_counter()
    recording = record(np.ones((60, 80), np.uint8), "playne", device="emulator")
    went_by = 1000 * (time.perf_counter() - begun)
    assert all(step.milliseconds > 0 for step in recording.steps)
    assert recording.milliseconds <= went_by
