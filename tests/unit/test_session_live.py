"""Live mode: which runs are begun, overtaken and left out, and which step stays on display."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import pytest
from support.sessions import HeldRunner, is_stale

from ccl_viewer.plan import Stage
from ccl_viewer.recording import Recording, Step
from ccl_viewer.session import AUTOMATIC_CELLS, RunSettings, Session
from ccl_viewer.session.runs.live import LIVE_CELLS, QUICK, TOO_LONG, Live, draft_settings
from ccl_viewer.session.runs.matching import matching_step


@dataclass
class FakeRuns:
    """Runs that end when the test says so, with a clock that stands still."""

    cells: int = 100
    state: Hashable = 0
    begun: list[bool] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    busy: bool = False
    exact: bool = True
    now: float = 0.0
    of: Hashable = None

    @property
    def settled(self) -> bool:
        return self.of == self.state

    @property
    def running(self) -> bool:
        return self.busy

    def run_live(self, *, draft: bool) -> None:
        self.begun.append(draft)
        self.busy = True
        self.of = self.state if self.exact or not draft else None

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    def end(self, live: Live, after: float) -> None:
        self.now += after
        self.busy = False
        live.finished()
        live.advanced()


@pytest.fixture
def runs() -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def live(runs: FakeRuns) -> Live:
    live = Live(runs, clock=lambda: runs.now)
    live.switch(True)
    runs.end(live, 0.01)
    runs.begun.clear()
    return live


def draw(live: Live, runs: FakeRuns, state: int) -> None:
    runs.state = state
    live.edited()


def test_the_newest_grid_wins(live: Live, runs: FakeRuns) -> None:
    for state in range(1, 6):
        draw(live, runs, state)
    assert runs.begun == [True]
    runs.end(live, 0.05)
    assert runs.begun == [True, True]
    runs.end(live, 0.05)
    assert runs.begun == [True, True]


def test_the_end_of_an_edit_that_is_labelled_already_begins_no_run(
    live: Live, runs: FakeRuns
) -> None:
    draw(live, runs, 1)
    assert live.touched()
    assert runs.begun == [True]
    runs.end(live, 0.05)
    assert live.touched()
    assert runs.begun == [True]


def test_a_draft_that_is_none_is_followed_by_a_whole_run(live: Live, runs: FakeRuns) -> None:
    runs.exact = False
    draw(live, runs, 1)
    runs.end(live, 0.05)
    assert not runs.settled
    live.touched()
    assert runs.begun == [True, False]
    runs.end(live, 0.05)
    assert runs.settled


def test_a_slow_run_is_overtaken_at_the_end_of_an_edit(live: Live, runs: FakeRuns) -> None:
    draw(live, runs, 1)
    draw(live, runs, 2)
    runs.now += QUICK + 0.01
    live.touched()
    assert runs.begun == [True, False]


def test_a_run_that_takes_too_long_is_overtaken_while_drawing(live: Live, runs: FakeRuns) -> None:
    draw(live, runs, 1)
    runs.now += TOO_LONG + 0.1
    draw(live, runs, 2)
    assert runs.begun == [True, True]


def test_where_runs_are_too_slow_it_says_so_and_waits_for_the_end(
    live: Live, runs: FakeRuns
) -> None:
    draw(live, runs, 1)
    runs.end(live, TOO_LONG + 0.3)
    draw(live, runs, 2)
    draw(live, runs, 3)
    assert runs.begun == [True]
    assert len(runs.told) == 1
    assert "0.9 s" in runs.told[0]
    live.touched()
    assert runs.begun == [True, False]
    runs.end(live, 0.1)
    draw(live, runs, 4)
    assert runs.begun == [True, False, True]


def test_large_grids_are_labelled_at_the_end_of_each_edit(live: Live, runs: FakeRuns) -> None:
    runs.cells = LIVE_CELLS + 1
    draw(live, runs, 1)
    assert runs.begun == []
    assert f"{LIVE_CELLS:,}" in runs.told[0]
    live.touched()
    assert runs.begun == [False]


def test_a_cancelled_run_is_not_begun_again_by_itself(live: Live, runs: FakeRuns) -> None:
    draw(live, runs, 1)
    draw(live, runs, 2)
    live.forget()
    runs.busy = False
    live.advanced()
    assert runs.begun == [True]


def test_switched_off_it_does_nothing(live: Live, runs: FakeRuns) -> None:
    changed: list[bool] = []
    live.changed.connect(lambda: changed.append(live.on))
    live.switch(False)
    live.switch(False)
    draw(live, runs, 1)
    assert not live.touched()
    assert runs.begun == []
    assert changed == [False]


def test_the_session_labels_again_while_the_pencil_moves(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.live.switch(True)
    runner.work_all()
    labelled.playback.go_to(2)
    labelled.tools.press((0, 0))
    runner.work_all()
    recording = labelled.recording
    assert recording is not None
    assert recording.image[0, 0]
    assert labelled.drawing.drawing
    labelled.tools.drag((4, 0))
    labelled.tools.drag((4, 3))
    assert is_stale(labelled)
    runner.work_all()
    assert labelled.recording is not None
    assert labelled.recording.image[0, :5].all()
    assert labelled.recording.image[3, 4]
    assert labelled.playback.position == 2
    shown = labelled.recording
    labelled.tools.release()
    assert not runner.jobs
    assert labelled.recording is shown
    assert not is_stale(labelled)


def test_a_large_grid_is_labelled_only_in_live_mode(session: Session, runner: HeldRunner) -> None:
    side = int(AUTOMATIC_CELLS**0.5) + 1
    session.open(f"pattern:empty?width={side}&height={side}")
    runner.work_all()
    session.live.switch(True)
    runner.work_all()
    session.tools.press((3, 3))
    runner.work_all()
    assert session.recording is not None
    assert session.recording.image[3, 3]


def test_cancelling_a_stroke_labels_the_grid_as_it_was(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.live.switch(True)
    runner.work_all()
    assert labelled.grid is not None
    before = labelled.grid.copy()
    labelled.tools.press((0, 0))
    runner.work_all()
    labelled.tools.cancel()
    runner.work_all()
    assert labelled.recording is not None
    assert (labelled.recording.image == before).all()


def test_a_closed_session_begins_no_run(labelled: Session, runner: HeldRunner) -> None:
    labelled.live.switch(True)
    labelled.tools.press((0, 0))
    labelled.tools.drag((3, 0))
    runner.jobs.clear()
    labelled.close()
    assert not runner.jobs


def test_drafts_of_larger_grids_do_not_interleave() -> None:
    settings = RunSettings(schedule="synchronous")
    assert draft_settings(settings, AUTOMATIC_CELLS) is settings
    assert draft_settings(settings, AUTOMATIC_CELLS + 1).schedule == "sequential"
    assert draft_settings(replace(settings, schedule="reverse"), 10**6).schedule == "reverse"
    assert draft_settings(RunSettings(), 10**6) == RunSettings()


def steps(recording: Recording, *names: tuple[Stage, str, int | None]) -> list[Step]:
    return [
        replace(recording.step(0), index=index, stage=stage, kernel=kernel, iteration=iteration)
        for index, (stage, kernel, iteration) in enumerate(names)
    ]


def test_the_step_on_display_is_found_in_another_run(recording: Recording) -> None:
    first = (Stage.INIT, "init", None)
    rounds = [
        (stage, kernel, iteration)
        for iteration in range(1, 4)
        for stage, kernel in ((Stage.SCAN, "scan"), (Stage.ANALYSIS, "analysis"))
    ]
    long, short = steps(recording, first, *rounds), steps(recording, first, *rounds[:4])
    assert [matching_step(long, index, short) for index in range(7)] == [0, 1, 2, 3, 4, 3, 4]
    assert [matching_step(short, index, long) for index in range(5)] == [0, 1, 2, 3, 6]
    other = steps(recording, first, (Stage.MERGE, "merge", None), (Stage.FLATTEN, "flat", None))
    assert matching_step(long, 1, other) == 1
    assert matching_step(long, 5, other) == 2


def test_a_kernel_that_runs_twice_alike_is_told_apart_by_its_place(recording: Recording) -> None:
    merge = (Stage.MERGE, "merge", None)
    one = steps(recording, (Stage.INIT, "init", None), merge, merge, (Stage.FLATTEN, "flat", None))
    assert [matching_step(one, index, one) for index in range(4)] == [0, 1, 2, 3]


@pytest.fixture
def midway(session: Session, runner: HeldRunner) -> Session:
    """A session at a step in the middle of many, which the shorter run on display does not have."""
    session.configure(algorithm_key="shibata_naive")
    session.open("pattern:spiral?size=9")
    runner.work_all()
    session.playback.go_to(7)
    assert session.playback.count > 20
    session.edits.clear()
    runner.work_all()
    assert session.playback.count < 7
    return session


def test_the_step_stays_though_a_shorter_run_came_between(
    midway: Session, runner: HeldRunner
) -> None:
    midway.drawing.undo()
    runner.work_all()
    assert midway.playback.position == 7


def test_another_algorithm_between_leaves_the_step_as_well(
    midway: Session, runner: HeldRunner
) -> None:
    midway.configure(algorithm_key="ha4")
    runner.work_all()
    midway.drawing.undo()
    runner.work_all()
    midway.configure(algorithm_key="shibata_naive")
    runner.work_all()
    assert midway.playback.position == 7


def test_a_step_that_is_chosen_later_counts(midway: Session, runner: HeldRunner) -> None:
    midway.playback.first()
    midway.drawing.undo()
    runner.work_all()
    assert midway.playback.position == 0
