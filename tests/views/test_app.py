"""Starting the program: screenshots, and what is said where there is no display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.windows import wait_idle

from ccl_viewer import record
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.views.app import open_window
from ccl_viewer.views.options import WindowOptions
from ccl_viewer.views.process import display
from ccl_viewer.views.process.display import require_display


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    keep = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    }
    return subprocess.run(
        [sys.executable, "-m", "ccl_viewer", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=keep | environment,
    )


def test_a_screenshot_is_drawn_without_a_display(tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    done = command(
        "pattern:shibata", "--screenshot", str(path), "--step", "1", "--size", "1200x700"
    )
    assert (done.returncode, done.stderr) == (0, "")
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == (1200, 700)
    colors = {picture.pixel(x, y) for x in range(0, 1200, 5) for y in range(0, 700, 5)}
    assert len(colors) > 15


def test_a_screenshot_that_is_too_small_says_so(tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    done = command("pattern:shibata", "--screenshot", str(path), "--size", "400x400")
    assert done.returncode == 2
    assert "400 x 400" in done.stderr
    assert not path.exists()


def test_a_screenshot_of_another_step_differs(tmp_path: Path) -> None:
    pictures = []
    for step in ("0", "-1"):
        path = tmp_path / f"{step}.png"
        done = command("pattern:shibata", "--screenshot", str(path), "--step", step)
        assert done.returncode == 0, done.stderr
        pictures.append(QImage(str(path)))
    assert pictures[0] != pictures[1]


def test_a_screenshot_of_a_bad_file_says_why(tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    done = command(str(tmp_path / "none.png"), "--screenshot", str(path))
    assert done.returncode == 2
    assert "none.png" in done.stderr
    assert "Traceback" not in done.stderr
    assert not path.exists()


def test_a_connectivity_that_the_algorithm_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    done = command("pattern:shibata", "--screenshot", str(path), "-a", "ha4", "-c", "8")
    assert done.returncode == 2
    assert "HA4" in done.stderr
    assert not path.exists()


def test_a_screenshot_of_a_step_that_is_not_there_says_so(tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    done = command("pattern:shibata", "--screenshot", str(path), "--step", "1000")
    assert done.returncode == 2
    assert "1000" in done.stderr
    assert not path.exists()


_ON_A_FULL_DISK = """
import resource, sys
from ccl_viewer.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
sys.exit(main([sys.argv[1], "--screenshot", sys.argv[2]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
def test_a_screenshot_on_a_full_disk_says_so_and_leaves_what_was_there(tmp_path: Path) -> None:
    run, path = tmp_path / "a.cclrec", tmp_path / "b.png"  # nothing is compiled for a recording
    record(noise(9, 9, 0.6), algorithm="shibata_fast").save(run)
    path.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_FULL_DISK, str(run), str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"ccl-viewer: {path} cannot be written (")
    assert done.stderr.count("\n") == 1
    assert path.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.cclrec", "b.png"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has this problem")
def test_without_a_display_one_sentence_says_what_to_do() -> None:
    done = command("pattern:shibata")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    for hint in ("no display", "xvfb", "--screenshot", "ccl-viewer label"):
        assert hint in done.stderr


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_loads", lambda library: "cursor" not in library)
    with pytest.raises(CCLViewerError, match="apt install libxcb-cursor0 "):
        require_display("linux", {"DISPLAY": ":0"})
    require_display("linux", {"WAYLAND_DISPLAY": "wayland-0"})
    require_display("linux", {"QT_QPA_PLATFORM": "offscreen"})
    require_display("darwin", {})
    require_display("win32", {})


def test_what_was_copied_does_not_bring_the_program_down_when_it_ends() -> None:
    code = (
        "from PySide6.QtCore import QMimeData\n"
        "from ccl_viewer.views.app import make_application\n"
        "application, data = make_application(), QMimeData()\n"
        "data.setText('copied')\n"
        "application.clipboard().setMimeData(data)\n"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60, env=environment)
    assert done.returncode == 0


def test_a_screenshot_takes_the_algorithms_parameters(tmp_path: Path) -> None:
    arguments = ("pattern:shibata", "-a", "shibata_naive", "--screenshot")
    done = command(*arguments, str(tmp_path / "a.png"), "-p", "passes=1", "--step", "2")
    assert done.returncode == 2  # the preparation, and a single pass
    assert "no step 2" in done.stderr
    done = command(*arguments, str(tmp_path / "b.png"), "-p", "speed=3")
    assert done.returncode == 2
    assert "no parameter speed" in done.stderr


def test_options_load_neither_qt_nor_numpy() -> None:
    code = (
        "import sys, ccl_viewer.cli.window, ccl_viewer.views.app, ccl_viewer.views.options; "
        "sys.exit(any(name.startswith(('PySide6', 'numpy')) for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 0


@pytest.mark.parametrize(("source", "last"), [(None, False), ("pattern:shibata", True)])
def test_who_asks_for_nothing_begins_with_the_first_step(
    qtbot: QtBot, tmp_path: Path, source: str | None, last: bool
) -> None:
    options = WindowOptions(source=source, device="emulator")
    window = open_window(options, tmp_path / "settings.json")
    qtbot.addWidget(window)
    window.show()
    wait_idle(qtbot, window)
    playback = window.session.playback
    assert playback.position == (playback.count - 1 if last else 0)
    window.close()
