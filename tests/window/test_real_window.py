"""The window on a real X server, driven with real mouse and key events."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.skipif(
    os.environ.get("CCL_VIEWER_REAL_WINDOW") != "required",
    reason="is asked for by CCL_VIEWER_REAL_WINDOW=required, as in .ci/run",
)


@pytest.fixture
def display(tmp_path: Path) -> Iterator[str]:
    """The name of an X server of the test's own."""
    if not sys.platform.startswith("linux"):
        pytest.fail("Xvfb runs on Linux")
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.fail(f"{program} is not installed (apt install xvfb xdotool)")
    read, write = os.pipe()
    server = subprocess.Popen(
        [
            str(shutil.which("Xvfb")),
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1600x900x24",
            "-nolisten",
            "tcp",
        ],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def drive(script: str, display: str, folder: Path) -> None:
    """Run a script of ``support`` in a separate process."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY"}
    }
    done = subprocess.run(
        [sys.executable, "-m", f"support.{script}", str(folder)],
        env=environment | {"DISPLAY": display, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_a_person_draws_runs_steps_and_saves(display: str, tmp_path: Path) -> None:
    picture = np.tile(np.linspace(0, 255, 20, dtype=np.uint8), (12, 1))
    Image.fromarray(picture).save(tmp_path / "picture.png")
    drive("real_run", display, tmp_path)
    assert (tmp_path / "run.cclrec").stat().st_size > 0
