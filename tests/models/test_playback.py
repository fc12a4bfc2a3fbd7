"""Moving through the steps of a run, and playing them in time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.grids import noise
from support.models import inline_session

from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.window.core.playback import SPEEDS, position_after
from ccl_viewer.window.core.session import Session


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    session.document.load_grid(noise(12, 16, 0.5), "noise")
    session.playback.go_to(0)
    yield session
    session.close()


def play(session: Session, seconds: float, since: float = 0.0) -> list[int]:
    """Play as a timer does, for some seconds; return the steps that were shown."""
    now, shown = since, [session.playback.position]
    while now <= since + seconds:
        wait = session.playback.tick(now)
        if session.playback.position != shown[-1]:
            shown.append(session.playback.position)
        now += max(wait, 0.001)
    return shown


def test_a_step_stays_long_enough_to_read_what_is_new(session: Session) -> None:
    playback, recording = session.playback, session.display.recording
    assert recording is not None
    assert playback.seconds_per_step == pytest.approx(len(recording.step(0).caption) / 25)
    playback.go_to(4)
    assert recording.step(4).caption == recording.step(2).caption
    assert playback.seconds_per_step == 1.5
    playback.faster()
    assert playback.seconds_per_step == 0.75


def test_play_moves_within_a_second_and_then_gives_time_to_read(session: Session) -> None:
    playback = session.playback
    assert playback.seconds_per_step > 2
    playback.toggle()
    assert playback.tick(10.0) < 1
    playback.tick(10.99)
    assert playback.position == 1
    assert playback.tick(11.0) == pytest.approx(10.8 + playback.seconds_per_step - 11.0)
    playback.pause()
    playback.set_speed(8.0)
    playback.go_to(0)
    playback.toggle()
    assert playback.tick(20.0) == playback.seconds_per_step  # which is shorter
    playback.set_speed(1.0)
    assert playback.tick(20.1) == playback.seconds_per_step  # it has moved before
    playback.play_after(3.0)
    assert playback.tick(30.0) == pytest.approx(3.0 + playback.seconds_per_step)


def test_long_runs_are_played_in_half_a_minute() -> None:
    assert seconds_per_step(1000, 75) * 1000 == pytest.approx(30)
    seconds = [seconds_per_step(count) for count in range(1, 200)]
    assert seconds == sorted(seconds, reverse=True)


def test_steps_that_are_long_due_are_passed_over(session: Session) -> None:
    playback = session.playback
    playback.set_speed(15.0)
    playback.toggle()
    playback.tick(0.0)
    playback.tick(100.0)
    assert playback.position == 2
    assert playback.playing


def test_speed_has_limits(session: Session) -> None:
    playback = session.playback
    for _ in range(20):
        playback.faster()
    assert playback.speed == SPEEDS[-1]
    for _ in range(20):
        playback.slower()
    assert playback.speed == SPEEDS[0]
    playback.reset_speed()
    assert playback.speed == 1.0


def test_a_section_is_played_over_and_over(session: Session) -> None:
    playback = session.playback
    playback.set_section(range(2, 4))
    assert playback.looping
    playback.go_to(0)
    playback.toggle()
    assert play(session, 12)[:4] == [2, 3, 2, 3]
    playback.clear_section()
    assert not playback.looping


def test_a_section_that_does_not_fit_another_run_is_dropped(session: Session) -> None:
    count = session.display.count
    session.playback.set_section(range(1, count))
    session.document.clear()
    assert session.display.count < count
    assert session.playback.section is None
    assert not session.playback.looping


@pytest.mark.parametrize(
    ("position", "steps", "looping", "expected"),
    [
        (3, 1, False, (4, False)),
        (3, 9, False, (5, True)),
        (5, 1, True, (2, False)),
        (0, 1, False, (2, False)),
        (9, 2, False, (3, False)),
    ],
)
def test_moves_stay_in_the_section(
    position: int, steps: int, looping: bool, expected: tuple[int, bool]
) -> None:
    assert position_after(position, steps, range(2, 6), looping=looping) == expected


def test_without_a_run_nothing_happens() -> None:
    session = inline_session()
    playback = session.playback
    playback.toggle()
    playback.forward()
    playback.set_section(range(playback.position, playback.count))
    playback.go_to_next_group()
    playback.go_to_last()
    assert (playback.playing, playback.section, playback.position) == (False, None, 0)
    assert playback.tick(0.0) > 0
    session.close()
