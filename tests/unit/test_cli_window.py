"""``ccl-viewer`` and its options of the window, as another program starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from support.grids import noise

from ccl_viewer import record
from ccl_viewer.cli.parser import parse
from ccl_viewer.cli.window import read_window_options
from ccl_viewer.window.app import WindowOptions


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    return subprocess.run(
        [sys.executable, "-m", "ccl_viewer", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={name: value for name, value in os.environ.items() if name not in hidden},
    )


def test_a_screenshot_is_drawn_without_a_display_and_without_a_word(tmp_path: Path) -> None:
    source, path = tmp_path / "a.cclrec", tmp_path / "a.png"  # no kernel is compiled
    record(noise(9, 9, 0.6), algorithm="shibata_fast").save(source)
    options = ("--step", "1", "--size", "1200x700", "--theme", "light")
    done = command(str(source), "--screenshot", str(path), *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with Image.open(path) as picture:
        assert picture.size == (1200, 700)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has this problem")
@pytest.mark.parametrize("arguments", [("pattern:shibata",), ("lesson", "races")])
def test_without_a_display_one_sentence_says_what_to_do(arguments: tuple[str, ...]) -> None:
    done = command(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    for hint in ("no display", "xvfb", "--screenshot", "ccl-viewer label"):
        assert hint in done.stderr


def test_all_that_is_asked_for_reaches_the_window() -> None:
    asked = (
        "a.png -a ha4:variant=printed -a bke -p threads=64 -p variant=project --seconds 5 "
        "-d emulator -c 4"
    )
    assert read_window_options(parse(asked.split())) == WindowOptions(
        "a.png",
        algorithm="ha4",
        parameters={"threads": 64, "variant": "printed"},
        beside=[("bke", {"threads": 64, "variant": "project"})],
        seconds=5,
        device="emulator",
        connectivity=4,
    )
