"""Playing by the clock: pace, sections, loops, and backwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sessions import HeldRunner

from ccl_viewer.session import Session
from ccl_viewer.session.playback.pace import Pace
from ccl_viewer.session.playback.playback import Playback
from ccl_viewer.session.playback.transport import SPEEDS, STEPS_PER_SECOND, Section, move


@pytest.fixture
def playback(labelled: Session) -> Playback:
    """On a run of nine steps, at the first."""
    labelled.playback.first()
    assert labelled.playback.count == 9
    return labelled.playback


def played(playback: Playback, seconds: float, ticks: int) -> list[int]:
    """Play for a while; return the steps that were shown."""
    seen = [playback.position]
    playback.position_changed.connect(lambda: seen.append(playback.position))
    for tick in range(ticks + 1):
        playback.tick(100 + seconds * tick / ticks)
    return seen


@given(
    st.sampled_from([STEPS_PER_SECOND * speed for speed in SPEEDS]),
    st.lists(st.floats(0.0, 0.4), min_size=1, max_size=60),
)
def test_pace_keeps_to_the_clock(rate: float, waits: list[float]) -> None:
    pace, now, steps = Pace(), 50.0, 0
    pace.due(now, rate)
    for wait in waits:
        now += wait
        steps += pace.due(now, rate)
        assert 0 <= pace.wait(now, rate) <= 1 / rate + 1e-9
    assert abs(steps - (now - 50.0) * rate) <= 1


def test_a_long_pause_is_not_made_up_for() -> None:
    pace = Pace()
    pace.due(0.0, 60)
    assert pace.due(3600.0, 60) <= 31
    pace.rest()
    assert pace.due(3700.0, 60) == 0
    assert pace.wait(3700.0, 60) == pytest.approx(1 / 60)


@given(
    st.integers(0, 30),
    st.integers(1, 100),
    st.integers(0, 20),
    st.integers(0, 10),
    st.booleans(),
    st.booleans(),
)
def test_moves_stay_in_the_section(
    position: int, steps: int, start: int, more: int, looping: bool, backwards: bool
) -> None:
    span = Section(start, start + more)
    reached, ended = move(position, steps, span, looping=looping, backwards=backwards)
    assert reached in span
    assert not (ended and looping)
    if not looping:
        assert ended == (reached == (span.start if backwards else span.end))


def test_steps_that_could_not_be_painted_are_passed_over(playback: Playback) -> None:
    playback.set_speed(SPEEDS[-1])
    assert playback.rate == 60
    playback.toggle()
    assert played(playback, 6 / 60, ticks=2) == [0, 3, 6]


def test_speed_changes_without_a_jump(playback: Playback) -> None:
    playback.toggle()
    playback.tick(10.0)
    playback.tick(10.24)
    playback.set_speed(SPEEDS[-1])
    playback.tick(10.24)
    assert playback.position == 0
    playback.tick(10.26)
    assert playback.position == 1


def test_a_section_is_played_over_and_over(playback: Playback) -> None:
    playback.set_section(Section(3, 5))
    assert playback.looping
    playback.toggle()
    assert played(playback, 2.0, ticks=32) == [3, 4, 5, 3, 4, 5, 3, 4, 5]
    assert playback.playing


def test_a_section_is_played_once_if_asked(playback: Playback) -> None:
    playback.set_section(Section(3, 5))
    playback.set_looping(False)
    playback.toggle()
    assert played(playback, 2.0, ticks=32) == [3, 4, 5]
    assert not playback.playing
    playback.toggle()
    assert playback.position == 3


def test_backwards(playback: Playback) -> None:
    playback.set_backwards(True)
    playback.go_to(2)
    playback.toggle()
    assert played(playback, 2.0, ticks=32) == [2, 1, 0]
    assert not playback.playing
    playback.toggle()
    assert playback.at_end


def test_the_whole_run_is_looped(playback: Playback) -> None:
    playback.set_looping(True)
    playback.last()
    playback.toggle()
    assert played(playback, 0.75, ticks=12) == [0, 1, 2, 3]
    playback.pause()
    playback.last()
    playback.back()
    playback.toggle()
    assert played(playback, 0.75, ticks=12) == [7, 8, 0, 1]


def test_the_ends_of_a_section_are_set_at_the_step_on_display(playback: Playback) -> None:
    playback.go_to(2)
    playback.start_here()
    assert playback.section == Section(2, 8)
    playback.go_to(6)
    playback.end_here()
    assert playback.section == Section(2, 6)
    playback.go_to(7)
    playback.start_here()
    assert playback.section == Section(7, 7)
    playback.go_to(1)
    playback.end_here()
    assert playback.section == Section(1, 1)
    playback.set_section(None)
    assert [playback.section, playback.looping] == [None, False]


def test_a_section_ends_with_the_run(playback: Playback) -> None:
    playback.set_section(Section(4, 400))
    assert playback.section == Section(4, 8)


def test_a_section_goes_with_the_run_that_it_does_not_fit(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.playback.set_section(Section(7, 8))
    labelled.configure(algorithm_key="ha4")
    runner.work_all()
    assert labelled.playback.section is None
    assert not labelled.playback.looping


def test_without_a_run_there_is_no_section(session: Session) -> None:
    session.playback.set_section(Section(0, 1))
    session.playback.start_here()
    assert session.playback.section is None


@pytest.mark.parametrize("looping", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_playing_ends_where_there_is_no_step(looping: bool, backwards: bool) -> None:
    for span in (Section(0, -1), Section(4, 3), Section(9, 2)):
        assert len(span) == 0
        assert move(4, 1, span, looping=looping, backwards=backwards) == (4, True)


def test_a_loop_ends_when_its_run_is_taken_away(labelled: Session) -> None:
    playback = labelled.playback
    playback.set_looping(True)
    playback.toggle()
    assert playback.playing
    labelled._display.put(None)
    for moment in range(100, 110):
        playback.tick(moment)
    assert not playback.playing
