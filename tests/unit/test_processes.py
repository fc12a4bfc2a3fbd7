"""Processes end together with all that they have started, also as Windows does it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ccl_viewer.support import processes

SPAWNING = (
    "import subprocess, sys, time\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    "print(child.pid, flush=True)\n"
    "time.sleep({seconds})\n"
)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended; for some time nobody may have asked for it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except FileNotFoundError:
        return False
    return state.split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells who is there")
@pytest.mark.parametrize("seconds", [600, 0], ids=["running", "ended"])
def test_what_a_process_has_started_ends_with_it(seconds: int) -> None:
    command = [sys.executable, "-c", SPAWNING.format(seconds=seconds)]
    with processes.start(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        spawned = int(process.stdout.readline())
        if not seconds:
            process.wait()
        assert is_running(spawned)
        processes.end(process)
    deadline = time.monotonic() + 20
    while is_running(spawned) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(spawned)


class FakeWindows:
    """Records calls on jobs; `refuses` names a function that fails."""

    def __init__(self, refuses: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._refuses = refuses

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any) -> int:
            if name == "SetInformationJobObject":
                job, kind, pointer, size = given
                limits = pointer._obj
                assert (kind, size) == (9, ctypes.sizeof(limits))
                given = (job, limits.flags, limits.process_memory)
            self.calls.append((name, *given))
            return 0 if name == self._refuses else 77

        return call


class FakePopen:
    """A process of Windows."""

    def __init__(self, command: list[str], *, creationflags: int) -> None:
        self.told = [*command, creationflags]
        self._handle = 5

    def kill(self) -> None:
        self.told.append("kill")

    def wait(self) -> None:
        self.told.append("wait")


def on_windows(monkeypatch: pytest.MonkeyPatch, refuses: str = "") -> FakeWindows:
    system = FakeWindows(refuses)
    monkeypatch.setattr(processes, "WINDOWS", True)
    monkeypatch.setattr(processes, "_kernel32", lambda: system)
    monkeypatch.setattr(processes, "subprocess", SimpleNamespace(Popen=FakePopen))
    return system


def test_on_windows_a_process_ends_with_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    system = on_windows(monkeypatch)
    process: Any = processes.start(["zig"])
    assert system.calls == [
        ("CreateJobObjectW", None, None),
        ("SetInformationJobObject", 77, 0x2000, 0),  # it ends when it is closed
        ("AssignProcessToJobObject", 77, 5),
    ]
    processes.end(process)
    assert system.calls[3:] == [("CloseHandle", 77)]
    assert process.told == ["zig", 0x08000000, "kill", "wait"]


def test_on_windows_a_job_that_nobody_keeps_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    system = on_windows(monkeypatch)
    process = processes.start(["zig"])
    del process
    assert system.calls[-1] == ("CloseHandle", 77)


@pytest.mark.parametrize(
    "refuses", ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"]
)
def test_on_windows_without_jobs_the_process_itself_is_ended(
    monkeypatch: pytest.MonkeyPatch, refuses: str
) -> None:
    on_windows(monkeypatch, refuses)
    process: Any = processes.start(["zig"])
    processes.end(process)
    assert process.told[-2:] == ["kill", "wait"]


def test_on_windows_a_job_limits_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    system = on_windows(monkeypatch)
    job = processes.WindowsJob()
    job.add(-1)
    job.limit_memory(3 << 30)
    job.limit_memory(None)
    assert system.calls[2:] == [
        ("AssignProcessToJobObject", 77, -1),
        ("SetInformationJobObject", 77, 0x2100, 3 << 30),
        ("SetInformationJobObject", 77, 0x2000, 0),
    ]


@pytest.mark.skipif(sys.maxsize < 2**32, reason="sizes are those of 64 bits")
def test_the_limits_lie_where_windows_looks_for_them() -> None:
    limits = processes._ExtendedLimits
    assert ctypes.sizeof(limits) == 144
    places = {"flags": 16, "affinity": 48, "counters": 64, "process_memory": 112}
    assert {name: getattr(limits, name).offset for name in places} == places


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows has jobs")
def test_a_job_of_windows_ends_what_is_in_it() -> None:
    process = processes.start([sys.executable, "-c", "import time; time.sleep(600)"])
    processes._jobs[process].limit_memory(1 << 30)
    processes._jobs[process].close()
    assert process.wait(120) is not None
