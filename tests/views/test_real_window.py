"""The window on a real X server, driven with real mouse and key events."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

REQUIRED = os.environ.get("CCL_VIEWER_REAL_WINDOW") == "required"

SCRIPT = textwrap.dedent(
    """
    import subprocess
    import sys
    from pathlib import Path

    from PySide6.QtCore import QPoint, QTimer
    from ccl_viewer.views.app import make_application, open_window
    from ccl_viewer.views.options import WindowOptions

    folder = Path(sys.argv[1])
    application = make_application()
    assert application.platformName() == "xcb", application.platformName()
    window = open_window(
        WindowOptions(source="pattern:shibata", algorithm="shibata_fast", size=(1100, 700)),
        folder / "window.ini",
    )
    window.show()
    session, canvas = window.session, window.canvas_panel.canvas


    def xdotool(*words):
        subprocess.run(["xdotool", *map(str, words)], check=True)


    def move(cell):
        where = canvas.mapToGlobal(canvas.centre_of(cell).toPoint())
        xdotool("mousemove", where.x(), where.y())


    def click(widget):
        where = widget.mapToGlobal(widget.rect().center())
        xdotool("mousemove", where.x(), where.y(), "click", 1)


    def key(name):
        xdotool("key", name)


    def draw():
        move((0, 0))
        xdotool("mousedown", 1)
        move((9, 0))
        xdotool("mouseup", 1)


    def scrub():
        timeline = window.step_panel.timeline
        xs = [timeline.x_of(0), timeline.x_of(session.playback.count - 1)]
        places = [timeline.mapToGlobal(QPoint(round(x), timeline.height() // 2)) for x in xs]
        xdotool("mousemove", places[0].x(), places[0].y(), "mousedown", 1)
        xdotool("mousemove", places[1].x(), places[1].y(), "mouseup", 1)


    def dialog(kind):
        # Its window takes the focus only if asked to, as there is no window manager.
        for widget in application.topLevelWidgets():
            if type(widget).__name__ == kind and widget.isVisible():
                return widget
        return None


    def focus(widget):
        xdotool("windowfocus", "--sync", int(widget.winId()))


    def type_name(name):
        focus(dialog("QFileDialog"))
        xdotool("type", str(folder / name))
        key("Return")


    scale, runs = [], []


    def run_again():
        runs.append(session.recording)
        key("F5")


    script = [
        (lambda: None, lambda: window.isVisible() and not session.busy and session.recording),
        # There is no window manager to give the window the focus.
        (lambda: xdotool("windowfocus", int(window.winId())), window.isActiveWindow),
        (lambda: key("Home"), lambda: session.playback.position == 0),
        (lambda: key("Right"), lambda: session.playback.position == 1),
        (lambda: key("period"), lambda: session.playback.position == 2),
        (lambda: move((1, 1)), lambda: session.look.hover == (1, 1)),
        (draw, lambda: not session.busy and session.recording.image[0].all()),
        (lambda: key("ctrl+z"), lambda: not session.busy and not session.recording.image[0].any()),
        (lambda: scale.append(canvas.view.scale), lambda: True),
        (lambda: xdotool("click", 4), lambda: canvas.view.scale > scale[0]),
        (lambda: key("ctrl+r"), lambda: canvas.fitted and canvas.view.scale <= scale[0]),
        (
            lambda: click(window.source_bar.connectivity.group.button(4)),
            lambda: not session.busy and session.recording.connectivity == 4,
        ),
        (lambda: click(window.step_panel.buttons["first"]), lambda: session.playback.position == 0),
        (lambda: key("bracketright"), lambda: session.playback.speed == 2.0),
        (
            lambda: click(window.step_panel.buttons["play"]),
            lambda: session.playback.at_end and not session.playback.playing,
        ),
        (run_again, lambda: not session.busy and session.recording is not runs[0]),
        # Scrub: press at the first step, drag to the last.
        (scrub, lambda: session.playback.at_end),
        # The projector, and back.
        (lambda: key("F11"), lambda: window.projector.shown and not window.menus.bar.isVisible()),
        (lambda: key("Home"), lambda: session.playback.position == 0),
        (lambda: key("Escape"), window.menus.bar.isVisible),
        # Another algorithm, chosen with keys.
        (lambda: window.source_bar.algorithm.setFocus(), window.source_bar.algorithm.hasFocus),
        (lambda: key("Down"), lambda: session.settings.algorithm != "shibata_fast"),
        (
            lambda: None,
            lambda: not session.busy
            and session.recording.algorithm == session.settings.algorithm,
        ),
        (canvas.setFocus, canvas.hasFocus),
        # A picture, imported through the dialogs.
        (lambda: key("ctrl+shift+o"), lambda: dialog("QFileDialog")),
        (
            lambda: type_name("picture.png"),
            lambda: dialog("ImportDialog") and dialog("ImportDialog").accept_button.isEnabled(),
        ),
        (
            lambda: focus(dialog("ImportDialog")),
            # Desktops put icons on the buttons of dialogs, unless told not to.
            lambda: all(b.icon().isNull() for b in dialog("ImportDialog").buttons.buttons()),
        ),
        (
            lambda: key("Return"),
            lambda: not session.busy and session.grid.shape == (12, 20),
        ),
        # The run, saved through the dialog.
        (lambda: (focus(window), key("ctrl+s")), lambda: dialog("QFileDialog")),
        (
            lambda: type_name("run.cclrec"),
            lambda: not session.busy and (folder / "run.cclrec").exists(),
        ),
        (lambda: (focus(window), key("ctrl+q")), lambda: not window.isVisible()),
    ]
    state = {"step": -1}


    def advance():
        step = state["step"]
        if step >= 0 and not script[step][1]():
            return
        state["step"] = step = step + 1
        if step == len(script):
            timer.stop()
            application.exit(0)
        else:
            print("step", step, flush=True)
            script[step][0]()


    timer = QTimer()
    timer.timeout.connect(advance)
    timer.start(20)
    def give_up():
        print([type(w).__name__ for w in application.topLevelWidgets() if w.isVisible()])
        print(session.message, flush=True)
        application.exit(9)


    QTimer.singleShot(90_000, give_up)
    code = application.exec()
    print("ended", code, flush=True)
    sys.exit(code)
    """
)


def need(reason: str) -> None:
    if REQUIRED:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def display(tmp_path: Path) -> Iterator[str]:
    """The name of an X server of the test's own."""
    if not sys.platform.startswith("linux"):
        need("Xvfb runs on Linux")
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            need(f"{program} is not installed (apt install xvfb xdotool)")
    read, write = os.pipe()
    server = subprocess.Popen(
        [
            str(shutil.which("Xvfb")),
            "-displayfd",
            str(write),
            "-screen",
            "0",
            "1280x800x24",
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


def test_a_person_draws_runs_steps_and_saves(display: str, tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY"}
    }
    picture = np.tile(np.linspace(0, 255, 20, dtype=np.uint8), (12, 1))
    Image.fromarray(picture).save(tmp_path / "picture.png")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=environment | {"DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert (tmp_path / "run.cclrec").stat().st_size > 0
