"""The session without Qt: runs, cancels, late results, edits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ccl_viewer import reference
from ccl_viewer.errors import InputError
from ccl_viewer.recording import Recording
from ccl_viewer.session import AUTOMATIC_CELLS, Job, MessageKind, Session, Standing


class HeldRunner:
    """Keeps jobs until the test runs them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def start(self, job: Job) -> None:
        self.jobs.append(job)

    def work(self, job: Job) -> None:
        self.jobs.remove(job)
        job.execute()
        job.deliver()

    def work_all(self) -> None:
        while self.jobs:
            self.work(self.jobs[0])


def is_stale(session: Session) -> bool:
    return session.stale


def is_playing(session: Session) -> bool:
    return session.playback.playing


@pytest.fixture
def runner() -> HeldRunner:
    return HeldRunner()


@pytest.fixture
def session(runner: HeldRunner) -> Session:
    return Session(runner)


@pytest.fixture
def labelled(session: Session, runner: HeldRunner) -> Session:
    session.open("pattern:shibata")
    runner.work_all()
    return session


def test_opening_runs_and_shows_the_last_step(labelled: Session) -> None:
    recording = labelled.recording
    assert recording is not None
    assert recording.complete
    assert labelled.playback.position == len(recording) - 1
    assert labelled.verdict.standing is Standing.OK
    assert not labelled.busy
    assert labelled.title == "Shibata's Figure 2"


def test_a_wanted_step_is_shown_in_the_end(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata", step=-2)
    runner.work_all()
    assert session.playback.position == session.playback.count - 2


def test_a_picture_is_divided_as_asked(
    session: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    path = tmp_path / "grey.npy"
    np.save(path, np.array([[10, 100, 200]], np.uint8))
    session.open(str(path), threshold=150)
    runner.work_all()
    assert session.grid is not None
    assert session.grid.tolist() == [[0, 0, 1]]
    session.open(str(path), threshold=50, invert=True)
    runner.work_all()
    assert session.grid.tolist() == [[1, 0, 0]]


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


def test_an_older_run_never_replaces_a_newer_one(labelled: Session, runner: HeldRunner) -> None:
    labelled.configure(connectivity=8)
    older = runner.jobs[0]
    labelled.configure(algorithm_key="shibata_fast")
    newer = runner.jobs[1]
    assert older.cancel.cancelled
    runner.work(newer)
    shown = labelled.recording
    runner.work(older)
    assert labelled.recording is shown
    assert shown is not None
    assert shown.algorithm == "shibata_fast"
    assert labelled.message is None


def test_cancel_keeps_the_last_good_recording(labelled: Session, runner: HeldRunner) -> None:
    good = labelled.recording
    labelled.run()
    job = runner.jobs[0]

    def wake() -> None:
        labelled.poll()
        if labelled.playback.count == 2:
            labelled.cancel()

    job.wake = wake
    runner.work(job)
    assert labelled.recording is good
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.INFO
    assert not labelled.busy


def test_cancel_without_a_good_recording_keeps_the_part(
    session: Session, runner: HeldRunner
) -> None:
    session.open("pattern:shibata")
    runner.work(runner.jobs[0])

    def wake() -> None:
        session.poll()
        if session.playback.count == 2:
            session.cancel()

    runner.jobs[0].wake = wake
    runner.work(runner.jobs[0])
    assert session.playback.count == 2
    assert session.verdict.standing is Standing.WARNING


def test_a_failed_run_keeps_the_last_good_recording(labelled: Session, runner: HeldRunner) -> None:
    good = labelled.recording
    labelled.configure(device="cuda", schedule="reverse")
    runner.work_all()
    assert labelled.recording is good
    assert labelled.stale
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR


def test_a_bad_file_keeps_grid_and_run(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    good, grid = labelled.recording, labelled.grid
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    labelled.open(str(bad))
    runner.work_all()
    assert labelled.recording is good
    assert labelled.grid is grid
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR
    assert "bad.png" in labelled.message.text


def test_an_unknown_pattern_is_a_message(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:spirall")
    runner.work_all()
    assert session.message is not None
    assert "spiral" in session.message.text
    assert session.grid is None


def test_a_crash_is_reported_and_ends_the_work(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    runner.jobs.pop().deliver(ZeroDivisionError("division by zero"))
    assert not session.busy
    assert session.message is not None
    assert "report it" in session.message.text


def test_a_stroke_runs_again_and_stays_at_its_step(labelled: Session, runner: HeldRunner) -> None:
    labelled.playback.go_to(1)
    before = labelled.recording
    labelled.drawing.press((0, 0), 1)
    assert is_stale(labelled)
    assert not runner.jobs
    labelled.drawing.drag((4, 0))
    labelled.drawing.release()
    runner.work_all()
    recording = labelled.recording
    assert recording is not None
    assert recording is not before
    assert recording.image[0, :5].all()
    assert labelled.playback.position == 1
    assert not is_stale(labelled)


def test_at_the_end_an_edit_stays_at_the_end(labelled: Session, runner: HeldRunner) -> None:
    labelled.drawing.clear()
    runner.work_all()
    assert labelled.playback.position == labelled.playback.count - 1


def test_a_large_grid_waits_to_be_run(session: Session, runner: HeldRunner) -> None:
    side = int(AUTOMATIC_CELLS**0.5) + 1
    session.open(f"pattern:empty?width={side}&height={side}")
    runner.work_all()
    session.drawing.press((3, 3), 1)
    session.drawing.release()
    assert is_stale(session)
    assert not runner.jobs
    session.run()
    runner.work_all()
    assert not is_stale(session)
    assert session.recording is not None
    assert session.recording.image[3, 3]


def test_undo_and_redo_run_again(labelled: Session, runner: HeldRunner) -> None:
    assert labelled.grid is not None
    original = labelled.grid.copy()
    labelled.drawing.press((0, 0), 1)
    labelled.drawing.release()
    runner.work_all()
    labelled.drawing.undo()
    runner.work_all()
    assert np.array_equal(labelled.grid, original)
    assert labelled.recording is not None
    assert np.array_equal(labelled.recording.image, original)
    labelled.drawing.redo()
    runner.work_all()
    assert labelled.recording.image[0, 0] == 1


def test_settings_are_checked_and_follow_the_algorithm(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.configure(connectivity=8)
    labelled.configure(algorithm_key="ha4")
    assert labelled.settings.connectivity == 4
    labelled.configure(algorithm_key="shibata_slow", parameters={"jumps": 6})
    labelled.configure(algorithm_key="shibata_fast")
    assert labelled.settings.parameters == {"jumps": 6}
    labelled.configure(algorithm_key="label_equivalence")
    assert labelled.settings.parameters == {}
    with pytest.raises(InputError):
        labelled.configure(algorithm_key="none")
    runner.work_all()
    assert labelled.recording is not None
    assert labelled.recording.algorithm == "label_equivalence"


@pytest.mark.parametrize(
    ("passes", "standing"), [(1, Standing.ERROR), (3, Standing.WARNING), (None, Standing.OK)]
)
def test_stopping_short_is_said_without_a_message(
    labelled: Session, runner: HeldRunner, passes: int | None, standing: Standing
) -> None:
    labelled.configure(algorithm_key="shibata_fast", connectivity=8, parameters={"passes": passes})
    runner.work_all()
    assert labelled.verdict.standing is standing
    assert ("before convergence" in labelled.verdict.text) == (passes is not None)
    assert labelled.message is None


def test_wrong_labels_are_an_error(
    labelled: Session, runner: HeldRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recording, "verdict", reference.Verdict(False, 2, 3, 1, (4, 5)))
    labelled.run()
    runner.work_all()
    assert labelled.verdict.standing is Standing.ERROR
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR


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


def test_a_file_that_is_not_written_because_of_other_work_is_named(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    path = tmp_path / "run.cclrec"
    labelled.save(path)
    labelled.run()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.WARNING
    assert "run.cclrec" in labelled.message.text
    runner.work_all()
    assert not path.exists()
    labelled.run()
    assert labelled.message is None


def test_save_and_open_a_recording(labelled: Session, runner: HeldRunner, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    labelled.save(path)
    runner.work_all()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.INFO
    count = labelled.playback.count
    labelled.open("pattern:spiral?size=9")
    runner.work_all()
    labelled.open(str(path))
    runner.work_all()
    assert labelled.playback.count == count
    assert labelled.playback.position == 0
    assert labelled.title == "run.cclrec"
    assert labelled.grid is not None
    assert labelled.grid.shape == (10, 10)


def test_save_a_grid_and_export(labelled: Session, runner: HeldRunner, tmp_path: Path) -> None:
    labelled.save(tmp_path / "grid.txt")
    runner.work_all()
    assert (tmp_path / "grid.txt").read_text().count("\n") == 10
    labelled.export(tmp_path / "run.gif")
    job = runner.jobs[0]
    runner.work(job)
    assert job.fraction == 1.0
    assert (tmp_path / "run.gif").read_bytes().startswith(b"GIF89a")


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
    for _ in range(playback.count):
        playback.tick()
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
    assert playback.speed == 16
    for _ in range(20):
        playback.slower()
    assert playback.speed == 0.25
    playback.set_speed(1.0)
    assert playback.interval == 250


def test_nothing_happens_without_a_grid(session: Session, runner: HeldRunner) -> None:
    session.run()
    session.save(Path("nowhere.cclrec"))
    session.export(Path("nowhere.gif"))
    session.playback.toggle()
    session.playback.forward()
    session.playback.next_group()
    session.drawing.press((0, 0), 1)
    session.drawing.drag((1, 1))
    session.drawing.release()
    session.drawing.undo()
    assert not runner.jobs
    assert session.grid is None


def test_close_cancels_and_delivers_nothing(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:shibata")
    told: list[int] = []
    session.grid_changed.connect(lambda: told.append(1))
    job = runner.jobs[0]
    session.close()
    assert job.cancel.cancelled
    runner.work(job)
    assert told == []
    assert session.grid is None
