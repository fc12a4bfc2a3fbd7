"""Recording a run: the recording, reading it during the run, and how runs end."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest
from support.fakes import NAIVE, NAIVE_STRUCTURES, FakeDevice, fault, picture, recorded
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.errors import CancelledError, InputError, KernelFaultError
from ccl_viewer.execution.plan import Array, Plan, Stage, Task
from ccl_viewer.execution.schedule import choose_schedule
from ccl_viewer.recording import Recorder, Recording, RunFault, Step
from ccl_viewer.recording.data import RecordingData
from ccl_viewer.recording.metrics import sum_stages
from ccl_viewer.reference import label_reference
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

GRID = picture(
    """
    ##.#
    .#..
    .##.
    """
)


def test_the_usual_schedule_is_chosen_for_a_number_of_cores() -> None:
    job = RecordJob(image=GRID, algorithm=find_algorithm("ha4"), connectivity=4, cores=1)
    assert choose_recorder(job).run().schedule == str(choose_schedule("auto", GRID.size))


def test_labels_are_what_the_paper_writes_and_parents_what_they_mean() -> None:
    recording = recorded(GRID)
    np.testing.assert_array_equal(
        recording.labels(0), [[7, 8, 0, 10], [0, 14, 0, 0], [0, 20, 21, 0]]
    )
    np.testing.assert_array_equal(
        recording.parents(0), [[0, 1, -1, 3], [-1, 5, -1, -1], [-1, 9, 10, -1]]
    )
    np.testing.assert_array_equal(
        recording.labels(1), [[7, 7, 0, 10], [0, 8, 0, 0], [0, 14, 20, 0]]
    )
    np.testing.assert_array_equal(
        recording.parents(-1), [[0, 0, -1, 3], [-1, 0, -1, -1], [-1, 0, 0, -1]]
    )


def test_steps_say_what_was_launched() -> None:
    recording = recorded(GRID, connectivity=8)
    step = recording.step(1)
    assert step == Step(
        index=1,
        stage=Stage.PROPAGATE,
        kernel="naive_propagate",
        module="naive",
        iteration=1,
        level=None,
        grid=(2, 1, 1),
        block=(32, 4, 1),
        milliseconds=0.5,
        changed=4,
        roots=2,
        caption="Each cell takes the smallest label around it.",
        macros=(("CONNECTIVITY", 8),),
        paper="Naive, step 2",
        structures=NAIVE_STRUCTURES,
    )
    assert recording.step(0).stage is Stage.INIT
    assert recording.step(0).iteration is None


def test_changed_and_roots_are_counted() -> None:
    recording = recorded(GRID)
    assert [step.changed for step in recording.steps] == [6, 4, 3, 2, 1, 0]
    assert [step.roots for step in recording.steps] == [6, 2, 2, 2, 2, 2]
    before = np.zeros(GRID.shape, np.int32)
    for step in recording.steps:
        labels = recording.labels(step.index)
        parents = recording.parents(step.index)
        cells = np.arange(GRID.size).reshape(GRID.shape)
        assert step.changed == np.count_nonzero(labels != before)
        assert step.roots == np.count_nonzero((parents == cells) & (GRID != 0))
        before = labels


def test_a_finished_recording_says_how_it_ended() -> None:
    recording = recorded(GRID)
    assert recording.complete
    assert recording.failure is None
    assert recording.converged
    assert recording.iterations == 5
    assert recording.verdict is not None
    assert recording.verdict.correct
    assert recording.verdict.found == 2
    assert recording.sentence == recording.verdict.sentence
    assert recording.milliseconds == pytest.approx(0.25 * (1 + 2 + 3 + 4 + 5 + 6))
    assert recording.nbytes > GRID.nbytes
    assert "naive on 4 x 3 cells" in repr(recording)
    assert "incomplete" not in repr(recording)


def test_it_says_what_was_run() -> None:
    recording = recorded(GRID, connectivity=8, passes=7)
    assert recording.algorithm == "naive"
    assert recording.connectivity == 8
    assert recording.parameters == {"passes": 7, "measure": 0}
    assert recording.device == "emulator"
    assert recording.device_title == "Scripted device"
    assert recording.schedule == "sequential"
    assert (recording.layout.margin, recording.layout.pitch) == (1, 6)
    np.testing.assert_array_equal(recording.image, GRID)


def test_nothing_of_it_can_be_changed() -> None:
    image = GRID.copy()
    recording = Recorder(image, NAIVE, FakeDevice(), 4).run()
    image[:] = 0
    np.testing.assert_array_equal(recording.image, GRID)
    with pytest.raises(ValueError, match="read-only"):
        recording.image[0, 0] = 0
    with pytest.raises(ValueError, match="read-only"):
        recording.labels(0)[0, 0] = 0
    with pytest.raises(TypeError):
        recording.parameters["passes"] = 1  # type: ignore[index]


def test_a_run_that_stops_short_says_so_and_is_wrong() -> None:
    recording = recorded(GRID, passes=1)
    assert recording.complete
    assert not recording.converged
    assert recording.sentence.startswith("Stopped after 1 pass, before convergence.")


def test_a_wrong_result_is_a_verdict_and_no_error() -> None:
    def unite_all(labels: Array, changed: Array, connectivity: int) -> None:
        labels[labels != 0] = 7
        changed[...] = 0

    device = FakeDevice({"naive_propagate": unite_all})
    recording = Recorder(GRID, NAIVE, device, 4).run()
    assert recording.complete
    assert recording.verdict is not None
    assert not recording.verdict.correct
    assert (recording.verdict.expected, recording.verdict.found) == (2, 1)
    assert "WRONG" in recording.sentence


@pytest.mark.parametrize("index", [-7, 6, 100])
def test_a_step_that_is_not_there_is_named_with_the_range(index: int) -> None:
    recording = recorded(GRID)
    assert len(recording) == 6
    for look in (recording.step, recording.labels, recording.parents):
        with pytest.raises(InputError, match=rf"no step {index}: its steps are 0 to 5"):
            look(index)


def test_it_can_be_looked_at_while_it_is_made() -> None:
    seen: list[tuple[int, bool, int]] = []

    def look(step: Step) -> None:
        recording = recorder.recording
        seen.append((len(recording), recording.complete, int(recording.labels(-1).sum())))
        assert recording.step(-1) is step
        assert recording.verdict is None
        assert recording.iterations == (step.iteration or 0)
        assert "so far" in recording.sentence

    recorder = Recorder(GRID, NAIVE, FakeDevice(), 4, on_step=look)
    assert len(recorder.recording) == 0
    with pytest.raises(InputError, match="no step"):
        _ = recorder.recording.layout
    with pytest.raises(InputError, match="it has no steps yet"):
        recorder.recording.step(0)
    recording = recorder.run()
    assert recording is recorder.recording
    assert [entry[:2] for entry in seen] == [(count, False) for count in range(1, 7)]
    assert [entry[2] for entry in seen] == [int(recording.labels(i).sum()) for i in range(6)]


def test_cancelling_keeps_the_steps_so_far() -> None:
    cancel = CancelToken()

    def stop(step: Step) -> None:
        if step.index == 2:
            cancel.cancel()

    device = FakeDevice()
    recorder = Recorder(GRID, NAIVE, device, 4, cancel=cancel, on_step=stop)
    with pytest.raises(CancelledError):
        recorder.run()
    recording = recorder.recording
    assert len(recording) == 3
    assert recording.cancelled
    assert not recording.complete
    assert recording.failure == "Stopped before the end, as asked."
    assert recording.sentence == recording.failure
    assert recording.labels(2).shape == GRID.shape
    assert "incomplete" in repr(recording)
    assert device.runs[0].closed


def test_a_fault_keeps_the_steps_so_far() -> None:
    recorder = Recorder(GRID, NAIVE, FakeDevice({"naive_propagate": fault}), 4)
    with pytest.raises(KernelFaultError, match="barrier"):
        recorder.run()
    recording = recorder.recording
    assert [step.kernel for step in recording.steps] == ["naive_init", "naive_propagate"]
    assert recording.failure == "The kernel stopped at a barrier."
    assert recording.fault == RunFault(recording.failure, kernel="naive_propagate", file="naive.cu")
    assert not recording.cancelled


def test_a_mistake_of_a_plan_keeps_the_steps_and_says_why() -> None:
    def plan(task: Task) -> Plan:
        requests, reply = NAIVE.planner(task), None
        for _ in range(6):
            reply = yield requests.send(reply)
        raise ValueError("too many colours")

    recorder = Recorder(GRID, replace(NAIVE, planner=plan), FakeDevice(), 4)
    with pytest.raises(ValueError, match="too many colours"):
        recorder.run()
    assert len(recorder.recording) > 0
    assert "ValueError: too many colours" in recorder.recording.sentence


def test_the_cell_of_a_fault_is_that_of_its_thread() -> None:
    def at(*_arguments: object) -> None:
        raise KernelFaultError("Wrong.", block=(1, 0, 0), thread=(2, 1, 0), file="a.cuh", line=7)

    recorder = Recorder(noise(3, 40, 0.5), NAIVE, FakeDevice({"naive_propagate": at}), 4)
    with pytest.raises(KernelFaultError):
        recorder.run()
    assert recorder.recording.fault is not None
    assert recorder.recording.fault.cell == (34, 1)
    assert (recorder.recording.fault.file, recorder.recording.fault.line) == ("a.cuh", 7)


def test_arguments_are_checked_before_anything_runs() -> None:
    device = FakeDevice()
    with pytest.raises(InputError, match="connectivity"):
        Recorder(GRID, NAIVE, device, 6)
    with pytest.raises(InputError, match="passes"):
        Recorder(GRID, NAIVE, device, 4, {"passes": 0})
    with pytest.raises(InputError, match="no parameter"):
        Recorder(GRID, NAIVE, device, 4, {"turns": 1})
    assert device.runs == []


def test_a_launch_without_labels_is_a_step_that_changes_nothing() -> None:
    recording = recorded(GRID, measure=1)
    assert recording.step(0).kernel == "naive_measure"
    assert (recording.step(0).changed, recording.step(0).roots) == (0, 0)
    assert not recording.labels(0).any()
    assert [step.index for step in recording.steps] == list(range(7))
    assert recording.step(1).changed == 6


def test_sums_keep_the_levels_of_a_merge_apart() -> None:
    recording = ccl.record(
        np.ones((9, 9), np.uint8), "stava_benes", device="emulator", tile=4, factor=2
    )
    sums = sum_stages(recording)
    assert [str(one.stage_level) for one in sums] == [
        "kernel 1: tile",
        "kernel 2: merge, level 1",
        "kernel 3: flatten, level 1",
        "kernel 2: merge, level 2",
        "kernel 4: update",
    ]
    assert sum(one.launches for one in sums) == len(recording)


def test_metrics_add_up() -> None:
    recording = recorded(GRID)
    init, propagate = sum_stages(recording)
    assert (init.stage, init.launches, init.changed) == (Stage.INIT, 1, 6)
    assert (propagate.launches, propagate.changed) == (5, 10)
    assert init.milliseconds + propagate.milliseconds == pytest.approx(recording.milliseconds)
    assert [step.changed for step in recording.steps] == [6, 4, 3, 2, 1, 0]
    assert [step.roots for step in recording.steps] == [6, 2, 2, 2, 2, 2]


def test_components_are_found_once_and_kept() -> None:
    run = recorded(GRID, connectivity=8)
    expected, count = label_reference(GRID, 8)
    components, found = run.component_numbers()
    assert run.component_numbers()[0] is components
    np.testing.assert_array_equal(components, expected)
    assert found == count
    assert not components.flags.writeable
    assert run.nbytes >= components.nbytes + run.image.nbytes


def test_components_of_segments_are_of_one_value_each() -> None:
    segments = np.array([[1, 2, 2], [1, 1, 0]], np.uint8)
    run = ccl.record(segments, "two_pass", connectivity=4, device="emulator", multivalued=True)
    components, count = run.component_numbers()
    np.testing.assert_array_equal(components, [[1, 2, 2], [1, 1, 0]])
    assert count == 2


def test_a_dropped_recording_is_freed_without_the_garbage_collector() -> None:
    def record_and_count() -> tuple[ref[Recording], ref[RecordingData]]:
        recording = ccl.record(noise(12, 12, 0.5), "label_equivalence", device="emulator")
        recording.change_counts(1)
        recording.tree_counts(-1)
        return ref(recording), ref(recording.data)

    gc.disable()
    try:
        assert [found() for found in record_and_count()] == [None, None]
    finally:
        gc.enable()
