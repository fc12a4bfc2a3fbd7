"""Work beside the window gives way while steps follow each other."""

from __future__ import annotations

import pytest

from ccl_viewer.errors import CancelledError
from ccl_viewer.session.jobs.courtesy import PATIENCE, QUIET, Courtesy, PoliteToken


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def test_work_goes_on_at_once_while_the_window_is_at_rest() -> None:
    time = Time()
    PoliteToken(Courtesy(time, time.sleep)).check()
    assert time.slept == 0


def test_work_rests_after_a_step_until_the_window_does() -> None:
    time = Time()
    courtesy = Courtesy(time, time.sleep)
    token = PoliteToken(courtesy)
    courtesy.step_shown()
    token.check()
    assert time.slept == pytest.approx(QUIET, abs=0.02)
    rested = time.slept
    token.check()
    assert time.slept == rested


def test_work_goes_on_a_little_while_steps_never_cease() -> None:
    time = Time()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        courtesy.step_shown()

    courtesy = Courtesy(time, sleep)
    courtesy.step_shown()
    PoliteToken(courtesy).check()
    assert time.slept == pytest.approx(PATIENCE, abs=0.02)


def test_work_that_rests_is_stopped_at_once() -> None:
    time = Time()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        token.cancel()

    courtesy = Courtesy(time, sleep)
    token = PoliteToken(courtesy)
    courtesy.step_shown()
    with pytest.raises(CancelledError):
        token.check()
    assert time.slept < QUIET / 2
