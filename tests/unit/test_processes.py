"""Processes end together with all that they have started, also as Windows does it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

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
        assert os.getpgid(spawned) != os.getpgrp()  # it does not hear Ctrl+C
        processes.end(process)
    deadline = time.monotonic() + 20
    while is_running(spawned) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(spawned)


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows has jobs")
def test_a_process_of_windows_is_ended() -> None:
    process = processes.start([sys.executable, "-c", "import time; time.sleep(600)"])
    processes.end(process)
    assert process.poll() is not None
