"""Who is asked where runs differ answers what was asked last, and does nothing twice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer import record
from ccl_viewer.errors import CancelledError
from ccl_viewer.recording import Recording
from ccl_viewer.render import difference as difference_module
from ccl_viewer.session.comparison import differing
from ccl_viewer.session.comparison.differing import (
    ComparedSteps,
    Difference,
    Differing,
    Partitions,
    difference,
)

SIDE = 160
"""More cells than are compared at once."""


@pytest.fixture(scope="module")
def runs() -> tuple[Recording, ...]:
    image = (np.random.default_rng(3).random((SIDE, SIDE)) < 0.6).astype(np.uint8)
    return tuple(record(image, key, device="emulator") for key in ("ha4", "shibata_fast", "komura"))


def asked(runs: tuple[Recording, ...], *steps: int, against: int | None = None) -> ComparedSteps:
    sides = tuple(zip(runs, steps, strict=False))
    return ComparedSteps(sides, None if against is None else (runs[0], against))


def found(steps: ComparedSteps) -> Difference:
    return difference(steps, Partitions())


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A note of each partition that was made."""
    notes: list[object] = []
    make: Callable[..., object] = difference_module.partition_now

    def noted(*given: object) -> object:
        notes.append(given[0])
        return make(*given)

    monkeypatch.setattr(differing, "partition_now", noted)
    return notes


def test_the_first_differs_where_any_other_does(runs: tuple[Recording, ...]) -> None:
    first, *others = found(asked(runs, 0, 3, 1)).masks
    np.testing.assert_array_equal(first, others[0] | others[1])
    assert first.any()


def test_counts_are_those_of_the_masks(runs: tuple[Recording, ...]) -> None:
    answer = found(asked(runs, 0, 1, 2, against=2))
    assert answer.counts == tuple(int(mask.sum()) for mask in answer.masks)
    assert answer.counts[0] > 0


def test_a_question_in_progress_is_given_up_for_the_next(runs: tuple[Recording, ...]) -> None:
    runner = HeldRunner()
    answers = Differing(runner)
    for step in range(5):
        answers.ask(asked(runs, 0, step))
    first, *_ = runner.jobs
    assert first.cancel.cancelled
    runner.work_all()
    assert answers.counts == found(asked(runs, 0, 4)).counts


def test_a_step_that_was_looked_at_is_not_looked_at_again(
    runs: tuple[Recording, ...], made: list[object]
) -> None:
    runner = HeldRunner()
    answers = Differing(runner)
    for step in (0, 1, 0, 1, 0):
        answers.ask(asked(runs, 2, step))
        runner.work_all()
    assert len(made) == 3


def test_what_a_question_that_was_given_up_has_found_is_kept(
    runs: tuple[Recording, ...], made: list[object]
) -> None:
    partitions = Partitions()

    def stop_at_the_second() -> None:
        if len(made) == 2:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        difference(asked(runs, 0, 3), partitions, stop_at_the_second)
    made.clear()
    difference(asked(runs, 0, 3), partitions)
    assert len(made) == 1


def test_no_more_is_kept_than_there_is_room_for(
    runs: tuple[Recording, ...], made: list[object]
) -> None:
    partitions = Partitions(most=2 * SIDE * SIDE * 4)
    for step in (0, 1, 2, 2, 1, 0):
        partitions.of((runs[1], step), lambda: None)
    assert len(made) == 4


def test_forgetting_lets_go_of_all(runs: tuple[Recording, ...], made: list[object]) -> None:
    runner = HeldRunner()
    answers = Differing(runner)
    for _ in range(2):
        answers.ask(asked(runs, 0, 0))
        runner.work_all()
        answers.forget()
        assert answers.masks is None
    assert len(made) == 4
