"""Copies of kernels: what a bad one does is reported, and the program lives on."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.copies import (
    Copy,
    copies_folder,
    delete_copy,
    find_copy,
    list_copies,
    make_copy,
    read_latest_text,
    read_saved_text,
    rename_copy,
    save_copy,
)
from ccl_viewer.cli import main
from ccl_viewer.devices.source import read_source
from ccl_viewer.diagnostics.phases import PhaseView, trace_launch
from ccl_viewer.diagnostics.phases.rerun import EventsReader
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    InputError,
    KernelBuildError,
    KernelFaultError,
)
from ccl_viewer.execution.plan import Stage
from ccl_viewer.recording import open_recording
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.processes import end
from ccl_viewer.user_kernels.process import UNLIMITED, WORKER, ChildProcess, Limits, limits_memory
from ccl_viewer.user_kernels.recorder import RecordJob, SandboxRecorder
from ccl_viewer.user_kernels.worker import ChildJob, record_job
from ccl_viewer.window.core.copies import ready_status

GRID = noise(20, 24, 0.5)
SMALL = "pattern:spiral?size=3"
LIMITS = Limits(20.0, 1 << 30)
ORIGIN = "// A copy of ha4.cu for the algorithm ha4.\n"
KERNEL = 'extern "C" __global__ void ha4_relabeling('
RECURSION = (
    "__device__ int deep(int n) { volatile int a[64]; a[n & 63] = n; "
    "return deep(a[0] + 1) + a[3] + deep(n - 1); }"
)


SLEEPING = 'extern "C" int usleep(unsigned);'
ENDLESS = "while (labels[0] >= -1) for (int i = 0; i < 1000; i++) if (i == 0) usleep(1000);"
"""Takes time, but hardly any of the processor's; it is often looked whether the loop must stop."""


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildProcess]:
    """The process in which most tests run their copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCL_VIEWER_COPIES", str(tmp_path_factory.mktemp("copies")))
        with ChildProcess(WORKER, "mine (copy of HA4)", LIMITS) as process:
            yield process


@pytest.fixture
def copy(child: ChildProcess) -> Iterator[Copy]:
    yield make_copy("mine", "ha4", "ha4")
    for each in copies_folder().iterdir():
        each.unlink()


def broken(copy: Copy, statement: str, before: str = "") -> int:
    """Put a statement at the start of the last kernel; return its line, from 1."""
    text = copy.path.read_text()
    place = text.index("{", text.index(KERNEL)) + 1
    text = f"{text[:place]}\n{statement}{text[place:]}"
    text = text.replace(KERNEL, f"{before}\n{KERNEL}")
    save_copy(copy, text)
    return text[: text.index(statement)].count("\n") + 1


def record(
    copy: Copy, child: ChildProcess | None = None, schedule: str = "auto", **options: Any
) -> SandboxRecorder:
    job: dict[str, Any] = {"ledger": schedule == "auto", "limits": LIMITS, **options}
    row = find_algorithm(copy.key)
    return SandboxRecorder(
        RecordJob(image=GRID, algorithm=row, connectivity=4, schedule=schedule, **job), child=child
    )


def test_a_copy_that_was_not_changed_runs_as_the_original(copy: Copy) -> None:
    recorder = record(copy)
    recording, original = recorder.run(), ccl.record(GRID, "ha4")
    assert recording.verdict is not None
    assert recording.verdict.correct
    assert recording.algorithm == "copy:mine"
    assert {step.module for step in recording.steps} == {"copy:mine"}
    assert [step.arguments for step in recording.steps] == [s.arguments for s in original.steps]
    for step in range(len(original)):
        np.testing.assert_array_equal(recording.labels(step), original.labels(step))
    assert all(step.ledger is not None for step in recording.steps)
    assert recorder.diagnostics == ()


def test_labels_are_completed_by_the_copy_too(copy: Copy) -> None:
    """Features come without labels: what the copy would label is seen when they are judged."""
    features = make_copy("features", "ha4_features", "ha4")
    assert record(features).run().sentence == ccl.record(GRID, "ha4_features").sentence
    broken(features, "labels[1 << 29] = 1;")
    with pytest.raises(KernelFaultError, match=r"ha4_relabeling stopped at features\.cu"):
        record(features).run()


@pytest.mark.parametrize(
    ("statement", "before", "words"),
    [
        ("labels[1 << 29] = 1;", "", "ha4_relabeling stopped.* writes 4 bytes"),
        ("if (threadIdx.y == 0) __syncthreads();", "", "waits at __syncthreads"),
        ("labels[0] += deep(labels[1]);", RECURSION, "overflows its stack"),
        ("__builtin_trap();", "", "ha4_relabeling of mine .* crashed with signal"),
        ("_exit(0);", 'extern "C" void _exit(int);', "of mine .* ended its process: check"),
        (
            "for (;;) *(volatile char *)malloc(1 << 28) = 1;",
            'extern "C" void *malloc(unsigned long);',
            "through a null pointer|GiB of memory",
        ),
    ],
    ids=["wild pointer", "skipped barrier", "endless recursion", "crash", "exit", "all memory"],
)
def test_a_bad_copy_ends_with_a_fault_and_keeps_its_steps(
    copy: Copy, child: ChildProcess, statement: str, before: str, words: str
) -> None:
    line = broken(copy, statement, before)
    # The traced build, which "auto" takes here, finds the write before memory runs out.
    recorder = record(copy, child, "sequential" if "malloc" in before else "auto")
    with pytest.raises(KernelFaultError, match=words):
        recorder.run()
    recording = recorder.recording
    assert len(recording) >= 2
    assert recording.fault is not None
    assert recording.fault.kernel == "ha4_relabeling"
    if statement.startswith("labels[1 <<") and find_spec("elftools") and sys.platform == "linux":
        assert (recording.fault.file, recording.fault.line) == ("mine.cu", line)


def test_an_endless_loop_is_stopped(copy: Copy) -> None:
    broken(copy, "volatile int turn = 1; while (turn) usleep(1000);", SLEEPING)
    recorder = record(copy, schedule="sequential", limits=Limits(0.5))
    with pytest.raises(KernelFaultError, match=r"ha4_relabeling .*was stopped .*after 0\.5 s"):
        recorder.run()
    assert len(recorder.recording) >= 2


def test_what_a_kernel_prints_is_not_taken_for_what_the_child_says(
    copy: Copy, child: ChildProcess
) -> None:
    said = r'"{\"state\": \"run\", \"text\": \"of the kernel\"}\n{"'
    lines: list[str] = []
    broken(copy, f"write(1, {said}, 43);", 'extern "C" long write(int, const void *, long);')
    job = RecordJob(image=GRID, algorithm=find_algorithm(copy.key), connectivity=4)
    assert SandboxRecorder(job, progress=lines.append, child=child).run().converged
    assert "Running ha4_relabeling" in lines
    assert lines[-1] == "Keeping the steps"
    assert "of the kernel" not in lines


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_a_process_that_a_kernel_forks_does_not_delay_the_run(copy: Copy) -> None:
    forked = "if (threadIdx.x + blockIdx.x == 0 && !fork()) for (;;) sleep(1);"
    broken(copy, forked, 'extern "C" int fork(); extern "C" unsigned sleep(unsigned);')
    assert record(copy, schedule="sequential").run().converged


def text(value: str) -> bytes:
    """A word, as pickle writes it."""
    return pickle.SHORT_BINUNICODE + bytes([len(value)]) + value.encode()


def name(module: str, of: str) -> bytes:
    """A function or class, as pickle writes it."""
    return text(module) + text(of) + pickle.STACK_GLOBAL


def read_events(code: bytes) -> object:
    return EventsReader(io.BytesIO(pickle.PROTO + bytes([4]) + code + pickle.STOP)).load()


def test_events_hold_nothing_that_runs(tmp_path: Path) -> None:
    call = text(str(tmp_path / "ran")) + pickle.TUPLE1 + pickle.REDUCE
    with pytest.raises(pickle.UnpicklingError):
        read_events(name("ccl_viewer.devices.emulator.events", "ctypes._os.mkdir") + call)
    assert not (tmp_path / "ran").exists()


def test_events_hold_members_of_enumerations_as_any_python_writes_them() -> None:
    member = name("builtins", "getattr") + name("ccl_viewer.execution.plan", "Stage")
    assert read_events(member + text("SCAN") + pickle.TUPLE2 + pickle.REDUCE) is Stage.SCAN
    attribute = name("builtins", "getattr") + name("ccl_viewer.execution.plan", "Launch")
    with pytest.raises(pickle.UnpicklingError, match="is not an enumeration"):
        read_events(attribute + text("__init__") + pickle.TUPLE2 + pickle.REDUCE)


@pytest.mark.parametrize("state", ["", "build", "run", "save"])
def test_a_copy_is_cancelled_whatever_its_process_does(copy: Copy, state: str) -> None:
    said = json.dumps({"state": state, "text": ""}) if state else ""
    code = f"import time; print({said!r}, flush=True); time.sleep(600)"
    command = [sys.executable, "-c", code]
    cancel = CancelToken()
    process = ChildProcess("", copy.name, LIMITS, 4.0)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True) as child:
        cancel.cancel()
        process.attach(child)
        done, error = process.wait_until_done(cancel)
        end(child)
    assert not done
    assert isinstance(error, CancelledError)


class LateLines:
    """Lines that come late, as on a busy machine, from a process that has ended."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.asked = lines, threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[bytes]:
        self.asked.wait()
        threading.Event().wait(0.2)  # longer than one look at a process that still runs
        yield from self.lines


class EndedProcess:
    """What is left of a process that has ended."""

    stdin = None

    def __init__(self, lines: list[bytes]) -> None:
        self.stdout = LateLines(lines)

    def poll(self) -> int:
        self.stdout.asked.set()
        return -6

    def wait(self, _timeout: float) -> int:
        return -6


def test_messages_of_an_ended_process_are_read_to_the_end() -> None:
    said = json.dumps({"state": "run", "text": "", "kernel": "ha4_relabeling"})
    process, ended = ChildProcess("", "mine", LIMITS), EndedProcess([said.encode()])
    process.attach(cast("subprocess.Popen[bytes]", ended))
    assert process.wait_until_done() == (False, None)
    assert process.kernel == "ha4_relabeling"


def test_a_warning_says_where_memory_is_not_limited(
    copy: Copy, caplog: pytest.LogCaptureFixture
) -> None:
    record(copy).run()
    expected = [] if limits_memory() else [UNLIMITED]
    assert [each.getMessage() for each in caplog.records] == expected
    assert ready_status().text.endswith(UNLIMITED) is not limits_memory()


def test_errors_and_warnings_have_their_lines(copy: Copy, child: ChildProcess) -> None:
    line = broken(copy, "int unused; int wrong = ;")
    recorder = record(copy, child)
    with pytest.raises(KernelBuildError, match=f"mine.cu:{line}"):
        recorder.run()
    found = {(each.severity, each.line, each.file) for each in recorder.diagnostics}
    assert ("error", line, "mine.cu") in found


def test_headers_of_the_c_library_are_missing_as_on_a_gpu(copy: Copy, child: ChildProcess) -> None:
    broken(copy, "// nothing", "#include <stdio.h>")
    with pytest.raises(KernelBuildError, match=r"mine.cu:\d+: 'stdio.h' file not found"):
        record(copy, child).run()


def test_a_warning_lets_the_copy_run(copy: Copy, child: ChildProcess) -> None:
    line = broken(copy, "int unused;")
    recorder = record(copy, child)
    assert recorder.run().converged
    (warning,) = recorder.diagnostics
    assert (warning.severity, warning.line, warning.column) == ("warning", line, 5)
    assert "unused" in warning.text


def test_a_large_local_array_does_not_compile(copy: Copy, child: ChildProcess) -> None:
    broken(copy, "volatile int big[1 << 20]; big[threadIdx.x] = 1;")
    with pytest.raises(KernelBuildError, match="stack frame size"):
        record(copy, child).run()


def test_a_copy_does_not_run_in_this_process(copy: Copy) -> None:
    with pytest.raises(CCLViewerError, match="in a separate process only"):
        ccl.components(GRID, algorithm=copy.key, device="emulator")


def test_the_command_line_takes_copies(
    copy: Copy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, pattern = tmp_path / "run.cclrec", "pattern:noise?width=24&height=20"
    assert main(["record", pattern, "-o", str(out), "-a", "copy:mine"]) == 0
    assert main(["list", "algorithms"]) == 0
    assert "copy:mine  (mine (copy of HA4)" in capsys.readouterr().out
    # Shown without the copy, and without compiling anything.
    delete_copy(copy)
    assert open_recording(out).algorithm == "copy:mine"
    page = tmp_path / "page.html"
    assert main(["export", str(out), "-o", str(page)]) == 0
    assert main(["label", pattern, "-o", str(tmp_path / "l.npy"), "-a", "copy:mine"]) == 2
    assert "There is no copy mine" in capsys.readouterr().err


def test_a_copy_labels(copy: Copy) -> None:
    labels, count = ccl.label(GRID, copy.key)
    expected, number = ccl.label(GRID, "ha4", device="emulator")
    np.testing.assert_array_equal(labels, expected)
    assert count == number


def test_copies_are_kept_renamed_and_deleted(copy: Copy) -> None:
    assert list_copies() == (copy,)
    assert find_copy("mine") == copy
    with pytest.raises(InputError, match="already"):
        make_copy("mine", "ha4", "ha4")
    for name in ("", "a b", "../up", "1st", "x" * 61):
        with pytest.raises(InputError, match="is not a name"):
            make_copy(name, "ha4", "ha4")
    second = make_copy("second", copy.key, copy.key)
    assert (second.algorithm, second.module) == ("ha4", "ha4")
    renamed = rename_copy(second, "third")
    assert [each.name for each in list_copies()] == ["mine", "third"]
    save_copy(renamed, "// no first line\n")
    assert re.match(r"// A copy of ha4\.cu", renamed.path.read_text())
    delete_copy(renamed)
    assert list_copies() == (copy,)


def test_a_copy_as_large_as_the_memory_is_not_read(copy: Copy) -> None:
    copy.unsaved_path.write_bytes(b"")
    os.truncate(copy.unsaved_path, 1 << 40)
    with pytest.raises(InputError, match="it has more than"):
        read_latest_text(copy)
    os.truncate(copy.path, 1 << 40)
    assert read_saved_text(copy) is None


def test_a_header_as_large_as_the_memory_is_not_read(copy: Copy) -> None:
    save_copy(copy, f'{copy.path.read_text()}#include "huge.cuh"\n')
    header = copy.path.with_name("huge.cuh")
    header.write_bytes(b"")
    os.truncate(header, 1 << 40)
    with pytest.raises(KernelBuildError, match="it has more than"):
        read_source(copy.path)


def test_files_that_are_no_copies_are_left_alone(copy: Copy) -> None:
    other = copy.path.with_name("other.cu")
    other.write_text("int main() {}")
    assert list_copies() == (copy,)
    with pytest.raises(InputError, match="first line"):
        find_algorithm("copy:other")
    with pytest.raises(InputError, match="did you mean copy:mine"):
        find_algorithm("copy:mime")


def test_the_commands_limit_of_time_holds_for_profiles(
    copy: Copy, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(copy, ENDLESS, SLEEPING)
    assert main(["profile", "pattern:spiral?size=7", "-a", copy.key, "--seconds", "0.5"]) == 1
    assert re.search(r"was stopped .*after 0\.5 s", capsys.readouterr().err)


def test_the_check_of_a_copy_runs_in_processes_of_its_own(
    copy: Copy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = ["check", copy.key, "--grid", SMALL, "--orders", "0"]
    assert main([*clean, "--orders", "1"]) == 0
    told = capsys.readouterr().out
    assert "Nothing is wrong: 2 runs on 1 grid" in told
    assert "Not launched, and so not tried: ha4_strip_labeling_shared." in told
    assert "consecutive.cu" not in told
    line = broken(copy, "__shared__ int seen[4]; labels[0] |= seen[3] & 1;")
    out = tmp_path / "found.json"
    assert main([*clean, "--json", str(out)]) == 1
    (report,) = json.loads(out.read_text())
    (found,) = (each for each in report["defects"] if each["kind"] == "uninitialised read")
    assert found["kernel"] == "ha4_relabeling"
    if find_spec("elftools") and sys.platform == "linux":
        assert (found["memory"], found["index"], found["line"]) == ("seen", 3, line)
    broken(copy, "__builtin_trap();")
    assert main(clean) == 1
    assert "ha4_relabeling of mine (copy of HA4) crashed" in capsys.readouterr().out


def test_the_check_names_the_kernels_of_a_copy_that_number_and_do_not_run(
    copy: Copy, capsys: pytest.CaptureFixture[str]
) -> None:
    strips = make_copy("strips", "two_pass_strips", "two_pass")
    assert main(["check", strips.key, "--grid", SMALL, "--orders", "0"]) == 0
    told = capsys.readouterr().out
    assert "two_pass_relabel" in told.partition("Not launched, and so not tried: ")[2]
    assert told.rstrip().endswith("The components of a copy are numbered by consecutive.cu.")


def test_the_check_of_a_loop_without_an_end_names_its_line_and_tries_no_second_run(
    copy: Copy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = broken(copy, ENDLESS, SLEEPING)
    found = tmp_path / "found"
    command = ["check", copy.key, "-c", "4", "--seconds", "3.1", "--json", f"{found}.json"]
    assert main([*command, "-o", str(found)]) == 1
    out = capsys.readouterr().out
    assert out.count("endless loop: ") == 1
    assert "1 defect in 1 run on 1 grid of 96 x 4 cells. It was not checked any further" in out
    (report,) = json.loads(found.with_suffix(".json").read_text())
    assert report["endless"] is True
    (defect,) = report["defects"]
    assert (defect["kind"], defect["kernel"]) == ("endless loop", "ha4_relabeling")
    if find_spec("elftools") and sys.platform == "linux":
        assert (defect["file"], defect["line"]) == ("mine.cu", line)
        assert f"stopped at mine.cu:{line} after 3.1 s" in defect["text"]
    recording = open_recording(next(found.glob("*.cclrec")))
    assert recording.fault is not None
    assert recording.fault.kernel == "ha4_relabeling"
    assert len(recording) >= 2


def test_phases_of_a_copy_are_shown_by_a_process_of_its_own(
    copy: Copy, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["phases", "pattern:spiral?size=7", "-a", copy.key]
    assert main(command) == 0
    assert "All warps of all blocks: __ballot_sync" in capfd.readouterr().out
    recording = tmp_path / "run.cclrec"
    record(copy).run().save(recording)
    assert main(["phases", str(recording)]) == 0
    assert "All warps of all blocks: __ballot_sync" in capfd.readouterr().out
    broken(copy, "__builtin_trap();")
    assert main(["phases", str(recording), "--step", "2"]) == 1
    assert "ha4_relabeling of mine (copy of HA4) crashed" in capfd.readouterr().err
    delete_copy(copy)
    assert main(["phases", str(recording)]) == 2
    assert "There is no copy mine" in capfd.readouterr().err


def test_a_launch_of_a_copy_is_traced_as_one_of_its_original(copy: Copy) -> None:
    recording, original = record(copy).run(), ccl.record(GRID, "ha4")
    for step in range(len(original)):
        found, expected = (trace_launch(one, step) for one in (recording, original))
        fields = [name for name in expected.events.events.dtype.names or () if name != "site"]
        np.testing.assert_array_equal(found.events.events[fields], expected.events.events[fields])
        assert found.events.shared == expected.events.shared
        assert found.events.launch.caption == expected.events.launch.caption
        np.testing.assert_array_equal(found.labels_at(len(found)), recording.labels(step))
        (phase, *_), (other, *_) = found.phases(), expected.phases()
        lanes, others = (
            PhaseView(trace, at).lanes(trace.blocks[0], 0)
            for trace, at in ((found, phase), (expected, other))
        )
        assert [lane.read for lane in lanes] == [lane.read for lane in others]
        if find_spec("elftools") and sys.platform == "linux":
            assert {lane.location.file for lane in lanes if lane.location} <= {
                "mine.cu",
                "common/union_find.cuh",
            }


def test_a_launch_of_a_copy_that_does_not_end_is_stopped(copy: Copy, child: ChildProcess) -> None:
    recording = record(copy, child).run()
    broken(copy, ENDLESS, SLEEPING)
    with pytest.raises(KernelFaultError, match=r"ha4_relabeling .*was stopped .*after 0\.5 s"):
        trace_launch(recording, -1, limits=Limits(0.5))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "long",
            "// A copy of ha4.cu for the algorithm ha4.\n" + " " * (1 << 20),
            "make it shorter",
        ),
        ("other", "// A copy of ha5.cu for the algorithm ha4.\n", "a copy of ha5.cu, which this"),
        ("with space", ORIGIN, "they are in"),
    ],
)
def test_a_file_that_is_no_copy_is_refused(
    copy: Copy, name: str, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    copy.path.with_name(f"{name}.cu").write_text(text)
    assert main(["profile", "pattern:spiral?size=7", "-a", f"copy:{name}"]) == 2
    assert words in capsys.readouterr().err


class LateProcess(ChildProcess):
    """A process that is late before the first launch; it is this one."""

    def attempt_job(self, folder: Path, *_: object) -> None:
        job = ChildJob(io.StringIO(), folder)
        job.stop(late=True)
        record_job(job)


def test_a_time_limit_between_two_launches_is_reported(copy: Copy) -> None:
    with pytest.raises(KernelFaultError, match="was stopped after 20 s"):
        record(copy, LateProcess(WORKER, "mine", LIMITS)).run()


def test_a_process_does_one_job_after_another(copy: Copy) -> None:
    """It is started again after a job that it did not survive."""
    limits = Limits(0.5)
    with ChildProcess(WORKER, "mine", limits) as child:

        def run(statement: str) -> SandboxRecorder:
            text = copy.path.read_text()
            broken(copy, statement, SLEEPING)
            job = RecordJob(
                image=GRID,
                algorithm=find_algorithm(copy.key),
                connectivity=4,
                limits=limits,
                diagnose=False,
            )
            recorder = SandboxRecorder(job, child=child)
            try:
                recorder.run()
            finally:
                save_copy(copy, text)
            return recorder

        assert run("").recording.converged
        assert run("").recording.converged
        with pytest.raises(KernelFaultError, match="writes 4 bytes"):
            run("labels[1 << 29] = 1;")
        assert run("").recording.converged
        assert child.starts == 1
        for statement in (
            "__builtin_trap();",
            "volatile int turn = 1; while (turn) usleep(1000);",
        ):
            with pytest.raises(KernelFaultError, match=r"crashed|was stopped"):
                run(statement)
            assert run("").recording.converged
        assert child.starts == 3
