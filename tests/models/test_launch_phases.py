"""The inside of a launch: its trace, the phase on display, and the labels for the canvas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.grids import noise
from support.models import HeldExecutor, inline_session

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.copies import make_copy, save_copy
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.diagnostics.phases import PhaseBoundary
from ccl_viewer.execution.schedule import choose_schedule
from ccl_viewer.grids.shapes import Box
from ccl_viewer.recording import Recorder
from ccl_viewer.render.display_list import Lines
from ccl_viewer.render.legend import legend_items
from ccl_viewer.render.scene import build_base, legend_contents
from ccl_viewer.render.step_view import Placement, Sampler, StepView, ViewOptions, view_step
from ccl_viewer.window.core.launch_phases import PhaseChoice, ShownPhase
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session


def show(session: Session, image: Any, key: str, connectivity: int = 4, **parameters: Any) -> None:
    recording = ccl.record(
        image,
        key,
        connectivity=connectivity,
        device="emulator",
        schedule="synchronous",
        **parameters,
    )
    session.document.replace(recording.image.copy(), "Test")
    session.display.show(ShownRun.prepare(recording))


def shown(session: Session) -> ShownPhase:
    found = session.phases.shown
    assert found is not None, session.phases.problem
    return found


@pytest.fixture
def session() -> Session:
    """HA4 on 8 x 8 cells, at its first step: two strips of four rows."""
    session = inline_session()
    show(session, noise(8, 8, 0.6), "ha4")
    return session


def test_small_launches_are_shown_whole_by_warp_operations(session: Session) -> None:
    session.phases.look_inside()
    assert session.phases.choice == PhaseChoice()
    assert len(session.phases.phases) == 2  # the ballot of each warp, and what follows
    assert shown(session).sentence.startswith(
        "Phase 1 of 2: All warps of all blocks: __ballot_sync. 256 active threads"
    )
    assert (shown(session).block, shown(session).warp) == ((0, 0, 0), 0)


def test_what_other_warps_changed_is_said_apart(session: Session) -> None:
    session.phases.choose(PhaseChoice(PhaseBoundary.WARP, (0, 1, 0), 2))
    session.phases.go_to(99)
    view = shown(session).view
    own, others = view.own_changed_cells.size, view.changed_cells.size - view.own_changed_cells.size
    assert 0 < own <= 8
    assert others > 0
    words = f"{own} labels changed; other threads changed {others} meanwhile."
    assert shown(session).sentence.endswith(words)


def test_a_ballot_has_the_pixels_of_its_row(session: Session) -> None:
    session.phases.choose(PhaseChoice(PhaseBoundary.WARP, (0, 1, 0), 2))
    operation, image = shown(session).view.operation, session.display.image
    assert operation is not None
    assert image is not None
    assert operation.brings[:8] == tuple(image[6])
    assert [lane.cell for lane in shown(session).lanes[:8]] == [(x, 6) for x in range(8)]


def test_a_pinned_cell_chooses_its_block(session: Session) -> None:
    session.view.pin_cell((3, 5))
    session.phases.look_inside()
    assert session.phases.choice.block == (0, 1, 0)
    assert shown(session).block_box == Box(4, 0, 8, 8)


def test_a_pinned_cell_chooses_its_warp_and_lane(session: Session) -> None:
    session.phases.look_inside()
    session.phases.step(2)
    session.view.pin_cell((3, 5))  # the second row of the second strip, a row a warp
    assert session.phases.choice == PhaseChoice(PhaseBoundary.WARP, (0, 1, 0), 1)
    assert session.phases.lane == 3
    assert shown(session).lanes[3].cell == (3, 5)
    session.phases.choose(PhaseChoice(PhaseBoundary.BARRIER, (0, 1, 0)))
    session.phases.step(1)
    session.view.pin_cell((7, 2))
    assert (session.phases.choice.block, session.phases.choice.warp) == ((0, 0, 0), 2)
    assert (session.phases.lane, session.phases.index) == (7, 1)  # the phase stays
    session.view.unpin()
    assert session.phases.choice.warp == 2


@pytest.mark.parametrize("key", ["stava_benes", "bke", "tiled_runs", "two_pass_strips"])
def test_a_thread_of_several_cells_is_found_too(key: str) -> None:
    session = inline_session()
    image = np.ones((20, 20), np.uint8)
    show(session, image, key, 8 if key == "bke" else 4)
    session.view.pin_cell((9, 7))
    session.phases.look_inside()
    trace, lane = session.phases.trace, session.phases.lane
    assert trace is not None
    thread = shown(session).warp * 32 + lane
    accesses = trace.thread_accesses(shown(session).block, thread)
    x = np.array([one.cell for one in accesses if one.cell is not None])
    assert (np.abs(x - (9, 7)) <= (16, 1)).all(axis=1).any()  # it works on cells around


def test_the_warp_is_outlined_on_the_canvas(session: Session) -> None:
    session.view.pin_cell((3, 5))
    session.phases.look_inside()
    view = canvas_view(session)
    assert view.warp == tuple((x, 5) for x in range(8))
    (layer,) = [layer for layer in build_base(view).layers if layer.name == "warp"]
    _rim, lines = layer.items
    assert isinstance(lines, Lines)
    left, top, right, bottom = 0, 5 * 20, 8 * 20, 6 * 20
    corners = {tuple(end) for line in lines.segments for end in (line[:2] - 0.5, line[2:] - 0.5)}
    assert {(left, top), (right, top), (left, bottom), (right, bottom)} <= corners
    assert "warp in Inside" in [item.text for item in legend_items(legend_contents(view))]
    session.phases.leave()
    assert canvas_view(session).warp == ()


def test_row_col_unify_shows_the_references_of_a_row_of_eight() -> None:
    """Kalentev's Figure 2: the larger index references the smaller one."""
    session = inline_session()
    show(session, np.ones((1, 8), np.uint8), "row_col_unify")
    session.display.go_to(1)
    session.phases.choose(PhaseChoice(PhaseBoundary.BARRIER, (0, 0, 0)))
    session.phases.go_to(1)
    (references,) = [
        one for one in shown(session).view.shared_arrays() if one.name == "shared_references"
    ]
    assert references.values[1:9].tolist() == [1, 1, 3, 3, 5, 5, 7, 7]


def test_a_tile_of_stava_benes_is_a_square_with_a_border() -> None:
    session = inline_session()
    show(session, noise(12, 12, 0.6), "stava_benes", tile=4)
    session.phases.choose(PhaseChoice(PhaseBoundary.BARRIER, (2, 1, 0)))
    assert [array.columns for array in shown(session).view.shared_arrays()] == [6, 6]
    assert shown(session).block_box == Box(4, 8, 8, 12)


def canvas_view(session: Session) -> StepView:
    """The view of the step as the canvas makes it."""
    recording, grid = session.display.recording, session.document.grid
    assert recording is not None
    assert grid is not None
    sample = Sampler().sample(grid, Placement(20, 0, 0, 200, 200))
    index, colouring = session.display.index, session.display.colouring
    options = ViewOptions(colouring=colouring, grid=grid)
    view = view_step(session.labels, recording, index, sample, options)
    return session.phases.with_phase(view)


def test_the_canvas_shows_the_labels_of_the_phase(session: Session) -> None:
    recording = session.display.recording
    assert recording is not None
    session.phases.choose(PhaseChoice(PhaseBoundary.BARRIER, (0, 0, 0)))
    first = canvas_view(session)
    assert first.labels is not None
    assert (first.labels[4:] == -1).all() or (first.labels != recording.labels(0)).any()
    changed = shown(session).view.changed_cells
    assert first.changed is not None
    assert np.flatnonzero(first.changed).tolist() == changed.tolist()
    assert first.block == Box(0, 0, 4, 8)
    session.phases.go_to(2)
    np.testing.assert_array_equal(canvas_view(session).labels, recording.labels(0))
    session.phases.leave()
    after = canvas_view(session)
    np.testing.assert_array_equal(after.labels, recording.labels(0))
    assert after.block is None


def test_single_cells_are_described_as_the_canvas_shows_them(session: Session) -> None:
    session.phases.choose(PhaseChoice(PhaseBoundary.ROUND))
    recording = session.display.recording
    assert recording is not None
    for index in range(len(session.phases.phases)):
        session.phases.go_to(index)
        lookup = session.labels.make_label_lookup(recording, 0)
        labels = shown(session).view.labels
        np.testing.assert_array_equal(lookup(np.arange(64)), labels.ravel())


def test_another_step_leaves_the_launch(session: Session) -> None:
    session.phases.look_inside()
    session.display.go_to(1)
    assert session.phases.shown is None
    assert session.phases.phases == ()
    recording = session.display.recording
    assert recording is not None
    lookup = session.labels.make_label_lookup(recording, 0)
    np.testing.assert_array_equal(lookup(np.arange(64)), recording.labels(0).ravel())


def test_a_step_shown_meanwhile_is_not_looked_into() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    show(session, noise(8, 8, 0.6), "ha4")
    session.phases.look_inside()
    session.display.go_to(1)
    executor.work()
    assert session.phases.shown is None


def test_cancelling_is_no_problem() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    show(session, noise(8, 8, 0.6), "ha4")
    session.phases.look_inside()
    session.tasks.cancel()
    executor.work()
    assert (session.phases.shown, session.phases.problem) == (None, "")


class Gpu(EmulatorDevice):
    """The emulator by the name of a GPU."""

    key = "cuda"
    title = "a GPU"


def test_a_run_of_a_gpu_says_that_the_emulator_repeats_it(session: Session) -> None:
    image = noise(8, 8, 0.6)
    run = Recorder(image, ALGORITHMS["ha4"], Gpu(choose_schedule("auto", 1)), 4, {}).run()
    session.document.replace(image, "Test")
    session.display.show(ShownRun.prepare(run))
    assert session.phases.empty_text.startswith("The run was made on a GPU. The emulator repeats")
    session.phases.look_inside()
    trace = session.phases.trace
    assert trace is not None
    assert "this is the emulator's run of the same launch" in trace.note


def test_a_lane_leads_to_its_cell(session: Session) -> None:
    session.phases.choose(PhaseChoice(PhaseBoundary.WARP, (0, 1, 0), 0))
    session.phases.choose_lane(5)
    assert session.phases.lane == 5
    assert session.view.cursor == (5, 4)


def test_a_launch_of_a_copy_is_looked_into_and_a_bad_copy_is_a_problem(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.phases.look_inside()
    titles = [phase.title for phase in session.phases.phases]
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path))
    copy = make_copy("mine", "ha4", "ha4")
    session.runs.configure(algorithm=copy.key, schedule="synchronous")
    session.display.go_to(0)
    session.phases.look_inside()
    assert [phase.title for phase in session.phases.phases] == titles
    assert shown(session).view.operation is not None
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_strip_labeling(")) + 1
    save_copy(copy, f"{text[:place]} __builtin_trap(); {text[place:]}")
    session.phases.leave()
    session.display.go_to(1)
    session.phases.look_inside()
    assert session.phases.shown is None
    assert "ha4_strip_labeling of mine (copy of HA4) crashed" in session.phases.empty_text
