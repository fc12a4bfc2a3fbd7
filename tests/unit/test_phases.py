"""The inside of a launch: phases, their contents, and the command that prints them."""

from __future__ import annotations

import re
import shutil
from itertools import zip_longest
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import kernel_runner
from support.grids import noise, spiral

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.cli import main
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.diagnostics.phases import (
    LaunchTrace,
    Phase,
    PhaseBoundary,
    PhaseView,
    ThreadState,
    default_block,
    trace_launch,
)
from ccl_viewer.diagnostics.phases.text import detail_lines
from ccl_viewer.errors import InputError, KernelFaultError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import WARP, Dim3, Kernel, linear_index
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.recording import Recorder, Recording
from ccl_viewer.storage.resources import kernel_path

SCHEDULES = ("sequential", "reverse", "synchronous", "random:3")
RUNS = (
    ("label_equivalence", 4),
    ("ha4", 4),
    ("stava_benes", 8),
    ("row_col_unify", 4),
    ("playne_block", 4),
    ("tiled_runs", 8),
)


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def record(key: str, connectivity: int = 4, schedule: str = "synchronous") -> Recording:
    return ccl.record(
        noise(20, 40, 0.6), key, connectivity=connectivity, device="emulator", schedule=schedule
    )


def ballots() -> LaunchTrace:
    """The first launch of HA4 on a grid of 40 x 20 cells: five strips, each of four warps."""
    return trace_launch(record("ha4"), 0)


@pytest.mark.parametrize(("key", "connectivity"), RUNS)
def test_phases_end_with_the_recorded_labels(key: str, connectivity: int, schedule: str) -> None:
    recording = record(key, connectivity, schedule)
    for step in (0, len(recording) // 2, -1):
        trace = trace_launch(recording, step)
        assert trace.note == ""
        for by in trace.phase_boundaries:
            last = trace.phases(by)[-1]
            np.testing.assert_array_equal(PhaseView(trace, last).labels, recording.labels(step))


@pytest.mark.parametrize("by", PhaseBoundary)
def test_phases_are_counted_from_first_to_last(by: PhaseBoundary) -> None:
    phases = ballots().phases(by)
    assert [phase.index for phase in phases] == list(range(len(phases)))
    assert all(phase.count == len(phases) for phase in phases)


def acts(trace: LaunchTrace, phase: Phase, block: Dim3, warp: int | None) -> set[int]:
    """The events of a phase that are of a block, or of one of its warps."""
    log = trace.events.events[phase.events]
    mine = log["block"] == linear_index(block, trace.launch.grid)
    if warp is not None:
        mine &= log["thread"] // WARP == warp
    return set(phase.events[mine].tolist())


@given(
    st.sampled_from(RUNS),
    st.sampled_from(["sequential", "reverse", "synchronous", "random:1", "random:2"]),
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    st.integers(0, 99),
    st.data(),
)
@settings(max_examples=20)
def test_all_blocks_beside_each_other_have_the_phases_of_each_alone(
    run: tuple[str, int], schedule: str, size: tuple[int, int], seed: int, data: st.DataObject
) -> None:
    key, connectivity = run
    recording = ccl.record(
        noise(*size, 0.7, seed=seed), key, connectivity=connectivity, schedule=schedule,
        device="emulator",
    )  # fmt: skip
    trace = trace_launch(recording, data.draw(st.integers(0, len(recording) - 1)))
    by = data.draw(st.sampled_from(trace.phase_boundaries))
    phases = trace.phases(by)
    events = np.concatenate([phase.events for phase in phases])
    assert np.sort(events).tolist() == list(range(len(trace)))
    whole = [PhaseView(trace, phase) for phase in phases]
    np.testing.assert_array_equal(whole[-1].labels, recording.labels(trace.step.index))
    block = data.draw(st.sampled_from(trace.blocks))
    warps = range(trace.warp_count) if by is PhaseBoundary.WARP else [None]
    for warp in warps:
        alone = trace.phases(by, block, warp)
        for one, phase in zip_longest(alone, phases[: len(alone)]):
            assert acts(trace, phase, block, warp) == set(one.events.tolist())
        assert not any(acts(trace, phase, block, warp) for phase in phases[len(alone) :])
        states = PhaseView(trace, alone[-1]).lanes(block, warp)
        assert [lane.state for lane in whole[-1].lanes(block, warp)] == [
            lane.state for lane in states
        ]
    if by is PhaseBoundary.WARP:
        return
    for view, phase in zip(whole, alone, strict=False):
        one = PhaseView(trace, phase)
        assert view.thread_states(block) == one.thread_states()
        assert view.source_locations(block) == one.source_locations()
        for left, right in zip(view.shared_arrays(block), one.shared_arrays(), strict=True):
            np.testing.assert_array_equal(left.values, right.values)
            np.testing.assert_array_equal(left.changed, right.changed)


@given(st.sampled_from(RUNS), st.integers(0, 99))
@settings(max_examples=8)
def test_warps_of_a_block_beside_each_other_do_what_each_does_alone(
    run: tuple[str, int], seed: int
) -> None:
    trace = trace_launch(record(*run, f"random:{seed}"), 0)
    block = trace.blocks[-1]
    together = [PhaseView(trace, one) for one in trace.phases(PhaseBoundary.WARP, block)]
    for warp in range(trace.warp_count):
        for view, phase in zip(
            together, trace.phases(PhaseBoundary.WARP, block, warp), strict=False
        ):
            alone = PhaseView(trace, phase)
            assert view.last_warp_operation(block, warp) == alone.operation
            assert view.lanes(block, warp) == alone.lanes()


def test_all_blocks_are_counted_together(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row of Row-Col Unify is a block: the counts of all are twice those of one."""
    arguments = ["phases", "pattern:full?width=16&height=2", "-a", "row_col_unify"]
    arguments += ["-s", "synchronous", "--step", "1", "--by", "barrier"]
    found = []
    for option in ([], ["--block", "0,0"], ["--block", "1,0"]):
        assert main([*arguments, *option]) == 0
        lines = capsys.readouterr().out.splitlines()
        counts = [
            re.findall(r"(\d+) (threads|shared)", line) for line in lines if "barrier" in line
        ]
        found.append([{name: int(number) for number, name in phase} for phase in counts])
    both, first, second = found
    assert [phase["threads"] for phase in first] == [8] * 10
    assert [phase.get("shared", 0) for phase in first] == [18, 24, 8, 8, 4, 12, 2, 14, 0, 0]
    assert first == second
    assert both == [{name: 2 * count for name, count in phase.items()} for phase in first]


def test_a_phase_of_all_blocks_counts_the_threads_that_stand_at_its_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["phases", "pattern:noise?width=40&height=40&seed=1", "-a", "stava_benes"]
    for index in range(4):
        assert main([*arguments, "--by", "barrier", "--phase", str(index)]) == 0
        printed = capsys.readouterr().out
        assert f"All blocks, {'after' if index else 'before'} barrier" in printed
        assert "2,304 active threads" in printed
        assert "In block (0, 0):\n256 threads at stava_benes.cu" in printed


def test_changes_of_all_phases_lead_from_begin_to_end() -> None:
    recording = record("ha4")
    trace = trace_launch(recording, 1)
    labels = recording.labels(0).copy()
    for phase in trace.phases(PhaseBoundary.ROUND):
        view = PhaseView(trace, phase)
        before = labels.copy()
        labels.flat[view.changed_cells] = view.labels.flat[view.changed_cells]
        np.testing.assert_array_equal(labels, view.labels)
        assert (before.flat[view.changed_cells] != labels.flat[view.changed_cells]).all()
    np.testing.assert_array_equal(labels, recording.labels(1))


@pytest.mark.parametrize(("by", "warp"), [(PhaseBoundary.WARP, 2), (PhaseBoundary.BARRIER, None)])
def test_a_phase_counts_what_its_own_threads_changed(by: PhaseBoundary, warp: int | None) -> None:
    trace, block = ballots(), (0, 3, 0)
    threads = range(128) if warp is None else range(32 * warp, 32 * warp + 32)
    counted = 0
    for phase in trace.phases(by, block, warp):
        view = PhaseView(trace, phase)
        accesses = [
            access
            for thread in threads
            for access in trace.thread_accesses(block, thread)
            if access.moment in phase.events
        ]
        written = {
            one.cell[1] * 40 + one.cell[0]
            for one in accesses
            if one.memory == "labels" and one.kind is not AccessKind.LOAD and one.cell
        }
        own, changed = view.own_changed_cells.tolist(), set(view.changed_cells.tolist())
        assert set(own) == written & changed
        others = len(changed) - len(own)
        told = "\n".join(detail_lines(view))
        assert (f"Other threads changed {others} labels meanwhile." in told) == (others > 1)
        counted += len(own)
    assert counted


def test_phases_can_be_looked_at_in_any_order() -> None:
    trace = ballots()
    phases = trace.phases(PhaseBoundary.ROUND)
    forwards = [PhaseView(trace, phase).labels.copy() for phase in phases]
    for phase in (*reversed(phases), phases[2], phases[0], phases[-1]):
        np.testing.assert_array_equal(PhaseView(trace, phase).labels, forwards[phase.index])


THREADS = 64


def trace_of(kernel: str, values: npt.NDArray[np.int32], schedule: str) -> LaunchTrace:
    """A launch of one block of a kernel for tests."""
    order = Schedule.parse(schedule)
    image, pixels = kernel_runner.image_of(values)
    results = kernel_runner.out(THREADS)
    launch = kernel_runner.launch_of(
        Kernel("events", f"events_{kernel}"), (1, 1, 1), (THREADS, 1, 1), (image, results)
    )
    with EmulatorDevice(order, kernel_runner.find_source).open(image, pixels) as run:
        run.allocate(results)
        events = run.trace(launch)
    step = record("ha4").step(0)
    return LaunchTrace(events, (1, THREADS), step, order, np.zeros((1, THREADS), np.int32))


def test_behind_a_barrier_of_any_kind_threads_go_on(schedule: str) -> None:
    trace = trace_of("barriers", np.full(THREADS, -1, np.int32), schedule)
    phases = trace.phases(PhaseBoundary.BARRIER, (0, 0, 0))
    assert [phase.operation for phase in phases] == [
        "__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count", "",
    ]  # fmt: skip
    for phase in phases[:-1]:
        assert set(PhaseView(trace, phase).thread_states()) == {ThreadState.RUNNING}, (
            phase.operation
        )


def test_negative_values_are_shown_with_their_sign(schedule: str) -> None:
    trace = trace_of("barriers", np.full(THREADS, -1, np.int32), schedule)
    view = PhaseView(trace, trace.phases(PhaseBoundary.WARP, (0, 0, 0), 0)[0])  # the only operation
    operation = view.last_warp_operation()
    assert operation is not None
    assert {*operation.brings, *operation.gets} == {-1}
    accesses = trace.thread_accesses((0, 0, 0), 0)
    assert [one.value_text for one in accesses if one.memory == "out"] == [str(-THREADS)]
    assert not any("4294967295" in line for line in detail_lines(view))


def test_a_block_is_cut_at_its_own_barriers(schedule: str) -> None:
    trace = trace_launch(record("ha4", schedule=schedule), 0)
    phases = trace.phases(PhaseBoundary.BARRIER, (0, 2, 0))
    assert [phase.title for phase in phases] == [
        "Block (0, 2), before barrier 1 of 4",
        *(f"Block (0, 2), after barrier {i} of 4" for i in (1, 2, 3, 4)),
    ]
    assert [phase.operation for phase in phases] == ["__syncthreads"] * 4 + [""]


def test_a_merge_names_its_level_and_its_rounds(schedule: str) -> None:
    """Stava and Benes 2011, Figure 35.10: a last round finds nothing to join."""
    recording = ccl.record(
        noise(24, 24, 0.6), "stava_benes", device="emulator", schedule=schedule, tile=4, factor=2
    )
    for step in recording.steps:
        if step.kernel != "stava_benes_merge":
            continue
        trace = trace_launch(recording, step.index)
        *rounds, last = trace.phases(PhaseBoundary.BARRIER, (0, 0, 0))
        assert len(rounds) > 1
        for number, phase in enumerate(rounds, 1):
            assert phase.title.endswith(f" of {len(rounds)}: level {step.level}, round {number}")
        assert "round" not in last.title
        assert PhaseView(trace, rounds[0]).own_changed_cells.size
        assert not PhaseView(trace, rounds[-1]).own_changed_cells.size
    (tile, *_) = trace_launch(recording, 0).phases(PhaseBoundary.BARRIER, (0, 0, 0))
    assert "level" not in tile.title


def test_cells_follow_the_threads_of_a_strip(schedule: str) -> None:
    trace = trace_launch(record("ha4", schedule=schedule), 0, (0, 2, 0))
    own = [y * 40 + x for y in range(8, 12) for x in range(32)]
    turns = [PhaseView(trace, phase) for phase in trace.phases(PhaseBoundary.BARRIER)]
    assert turns[0].thread_cells().tolist() == own
    last = turns[-1].thread_cells().reshape(4, 32)
    assert (last[:, :8] == np.arange(40)[32:] + 40 * np.arange(8, 12)[:, None]).all()
    assert (last[:, 8:] == np.arange(8, 32) + 40 * np.arange(8, 12)[:, None]).all()


def test_a_thread_for_each_cell_has_its_own() -> None:
    trace = trace_launch(record("stava_benes", 8), 0, (2, 1, 0))
    cells = PhaseView(trace, trace.phases()[0]).thread_cells().reshape(16, 16)
    assert cells[0, :9].tolist() == [16 * 40 + x for x in range(32, 40)] + [-1]
    assert (cells[4:] == -1).all()


def test_threads_stand_at_lines_of_the_source(schedule: str) -> None:
    trace = trace_launch(record("ha4", schedule=schedule), 0, (0, 1, 0))
    source = kernel_path("ha4").read_text(encoding="utf-8").splitlines()
    ballot, *_ = trace.phases(PhaseBoundary.WARP, warp=0)
    (lane, *_) = PhaseView(trace, ballot).lanes()
    assert lane.location is not None
    assert lane.location.file == "ha4.cu"
    assert "__ballot_sync(ALL_LANES, p)" in source[lane.location.line - 1]
    before, *_, last = trace.phases(PhaseBoundary.BARRIER)
    found = PhaseView(trace, before).source_locations()
    lines = {source[location.line - 1] for location in found}
    assert any("__syncthreads();  // masks" in line for line in lines)
    assert sorted(thread for threads in found.values() for thread in threads) == list(range(128))
    assert PhaseView(trace, last).source_locations() == {}


def test_a_static_function_is_named_as_in_the_source() -> None:
    """And unwritten rows of shared memory are not printed."""
    recording = ccl.record(np.ones((1, 16)), "row_col_unify", connectivity=4, device="emulator")
    trace = trace_launch(recording, 1, (0, 0, 0))
    told = "\n".join(detail_lines(PhaseView(trace, trace.phases(PhaseBoundary.BARRIER)[4])))
    assert "(unify_segment)" in told
    assert "993 more unwritten elements" in told
    assert "  1024  " not in told
    assert "18*" in told


def test_threads_wait_at_a_barrier_until_all_have_come() -> None:
    trace = trace_launch(record("ha4", schedule="sequential"), 0, (0, 0, 0))
    before, after, *_ = trace.phases(PhaseBoundary.BARRIER)
    waiting = [
        state for state in PhaseView(trace, before).thread_states() if state is ThreadState.WAITING
    ]
    assert waiting == []  # the barrier has just been passed
    ballot, *_ = trace.phases(PhaseBoundary.WARP, warp=2)
    states = PhaseView(trace, ballot).thread_states()
    # The last lane of each ballot goes on at once, the others once the round comes back to them.
    assert [i for i, state in enumerate(states) if state is ThreadState.WAITING] == [31, 63]
    assert PhaseView(trace, ballot).lanes(warp=0)[31].operation == "__syncthreads"
    ballot, *_ = trace.phases(PhaseBoundary.WARP)  # each warp just after its first ballot
    assert set(PhaseView(trace, ballot).thread_states()) == {ThreadState.RUNNING}
    assert PhaseView(trace, after).active_thread_count == trace.thread_count


def test_a_recording_from_a_file_is_run_again(tmp_path: Path) -> None:
    record("ha4").save(tmp_path / "run.cclrec")
    again = trace_launch(ccl.open_recording(tmp_path / "run.cclrec"), 2)
    np.testing.assert_array_equal(again.events.events, trace_launch(record("ha4"), 2).events.events)


def test_a_launch_that_ended_with_a_fault_shows_all_until_then(
    tmp_path: Path, schedule: str
) -> None:
    shutil.copytree(kernel_path("ha4").parent, tmp_path / "kernels")
    source = tmp_path / "kernels" / "ha4.cu"
    text = source.read_text(encoding="utf-8")
    wrong = text.replace("labels[k] = tx == 0 ?", "labels[y == 9 ? 9999 : k] = tx == 0 ?")
    source.write_text(wrong, encoding="utf-8")

    def find(module: str) -> Path:
        return tmp_path / "kernels" / f"{module}.cu"

    device = EmulatorDevice(Schedule.parse(schedule), find)
    recorder = Recorder(noise(20, 40, 0.6), find_algorithm("ha4"), device, 4)
    with pytest.raises(KernelFaultError):
        recorder.run()
    trace = trace_launch(recorder.recording, -1, find_source=find)
    assert "past the end of labels" in trace.fault
    if (
        device.ordering.order.interleaves
    ):  # the other build finds such a store once the launch is over
        labels = PhaseView(trace, trace.phases()[-1]).labels
        np.testing.assert_array_equal(labels, recorder.recording.labels(-1))


class _Gpu(EmulatorDevice):
    """Passes for a GPU in recordings."""

    key = "cuda"
    title = "NVIDIA H200"
    schedule = "hardware"
    cold_launches = True


def test_a_recording_of_a_gpu_is_run_on_the_emulator_and_says_so() -> None:
    device = _Gpu(Schedule.parse("reverse"))
    recording = Recorder(noise(20, 40, 0.6), find_algorithm("ha4"), device, 4).run()
    trace = trace_launch(recording, -1)
    assert str(trace.schedule) == "synchronous"
    assert trace.note == (
        "The recording is of NVIDIA H200; this is the emulator's run of the same launch "
        "(synchronous)."
    )


def test_events_that_found_no_room_are_said() -> None:
    trace = trace_launch(record("ha4"), 0, most_events=500)
    assert trace.truncated
    assert "did not fit" in trace.note
    assert sum(phase.events.size for phase in trace.phases()) == 500


def test_another_order_that_ends_otherwise_is_said() -> None:
    trace = trace_launch(record("label_equivalence"), 1, schedule="sequential")
    assert trace.note == (
        "Its labels differ from the recorded ones, because of the order of threads."
    )


def test_large_launches_are_looked_at_block_by_block() -> None:
    small, large = record("ha4"), ccl.record(np.ones((200, 200)), "ha4", device="emulator")
    assert default_block(small.step(0)) is None
    assert default_block(large.step(2)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("by", "block", "warp", "words"),
    [
        (PhaseBoundary.BARRIER, (0, 9, 0), None, "There is no block (0, 9, 0)"),
        (PhaseBoundary.WARP, (0, 0, 0), 4, "There is no warp 4"),
        (PhaseBoundary.WARP, None, 1, "A warp belongs to a block"),
    ],
)
def test_what_is_not_there_is_said(
    by: PhaseBoundary, block: tuple[int, int, int] | None, warp: int | None, words: str
) -> None:
    with pytest.raises(InputError) as error:
        ballots().phases(by, block, warp)
    assert words in str(error.value)


def test_only_the_synchronous_schedule_has_rounds() -> None:
    trace = trace_launch(record("ha4", schedule="reverse"), 0)
    assert PhaseBoundary.ROUND not in trace.phase_boundaries
    with pytest.raises(InputError, match="has no rounds"):
        trace.phases(PhaseBoundary.ROUND)


def test_a_launch_that_the_emulator_does_not_get_to_is_said() -> None:
    many = ccl.record(spiral(15), "shibata_slow", device="emulator", schedule="synchronous")
    with pytest.raises(InputError, match="has no launch like step"):
        trace_launch(many, -1, schedule="reverse")
