"""Moving through a recording, also while it grows."""

from __future__ import annotations

import numpy as np
from support.sessions import HeldRunner, is_playing

from ccl_viewer.session import Session, Standing


def test_a_wanted_step_is_shown_in_the_end(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata", step=-2)
    runner.work_all()
    assert session.playback.position == session.playback.count - 2


def test_steps_appear_while_a_run_is_in_progress(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    runner.work(runner.jobs[0])
    job = runner.jobs[0]
    seen: list[int] = []

    def wake() -> None:
        session.poll()
        seen.append(session.playback.count)

    job.wake = wake
    runner.work(job)
    assert seen == sorted(seen)
    assert {1, 2} <= set(seen)
    assert session.verdict.standing is Standing.OK


def test_following_ends_when_the_user_moves(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    runner.work(runner.jobs[0])
    job = runner.jobs[0]

    def wake() -> None:
        session.poll()
        if session.playback.count == 2:
            session.playback.first()

    job.wake = wake
    runner.work(job)
    assert session.playback.position == 0
    assert session.recording is not None
    assert session.recording.complete


def test_views_agree_on_the_steps_while_the_worker_is_ahead(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.configure(algorithm_key="shibata_naive", connectivity=4)
    job = runner.jobs[0]
    seen: list[tuple[int, int]] = []

    def wake() -> None:
        if not seen:
            labelled.playback.following = True
            labelled.poll()
        recording = labelled.recording
        if recording is not None and labelled.running and not recording.complete:
            seen.append((labelled.playback.count, len(recording)))

    job.wake = wake
    runner.work(job)
    assert {told for told, _ in seen} == {seen[0][0]}
    assert seen[-1][1] > seen[0][0]
    assert labelled.playback.count == len(labelled.recording or ())


def test_inspect_follows_parents_to_the_root(labelled: Session) -> None:
    recording, grid = labelled.recording, labelled.grid
    assert recording is not None
    assert grid is not None
    for step in range(len(recording)):
        labelled.playback.go_to(step)
        parents = recording.parents(step)
        for y, x in np.argwhere(grid).tolist():
            info = labelled.inspect((x, y))
            at = y * 10 + x
            chain = parents.reshape(-1).tolist()
            assert info.label == recording.labels(step)[y, x]
            assert info.parent == (chain[at] % 10, chain[at] // 10)
            while chain[at] != at:
                at = chain[at]
            assert info.root == (at % 10, at // 10)
    info = labelled.inspect((0, 0))
    assert (info.parent, info.root, info.value) == (None, None, 0)


def test_playback_walks_and_stops_at_the_end(labelled: Session) -> None:
    playback = labelled.playback
    playback.first()
    playback.toggle()
    assert is_playing(labelled)
    for seconds in range(playback.count):
        playback.tick(seconds / playback.rate)
    assert playback.at_end
    assert not is_playing(labelled)
    playback.toggle()
    assert playback.position == 0
    playback.forward()
    assert (playback.position, is_playing(labelled)) == (1, False)
    playback.back()
    playback.back()
    assert playback.position == 0
    playback.go_to(10_000)
    assert playback.at_end


def test_groups_are_iterations(labelled: Session) -> None:
    playback = labelled.playback
    recording = labelled.recording
    assert recording is not None
    playback.first()
    visited = [0]
    while not playback.at_end:
        playback.next_group()
        visited.append(playback.position)
    starts = [
        index
        for index, step in enumerate(recording.steps)
        if index == 0 or step.iteration != recording.step(index - 1).iteration
    ]
    assert visited[: len(starts)] == starts
    playback.last()
    playback.previous_group()
    assert playback.position == starts[-1]
    playback.previous_group()
    assert playback.position == starts[-2]


def test_speed_has_limits(session: Session) -> None:
    playback = session.playback
    for _ in range(20):
        playback.faster()
    assert playback.rate == 60
    for _ in range(20):
        playback.slower()
    assert playback.speed == 0.25
    playback.set_speed(1.0)
    assert playback.rate == 4
