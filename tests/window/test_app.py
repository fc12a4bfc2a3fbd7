"""Starting and ending the program: screenshots, signals, and messages without a display."""

from __future__ import annotations

import builtins
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.grids import noise
from support.qt_window import part, wait_idle

from ccl_viewer import record
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.window import app
from ccl_viewer.window.app import StopSignals, WindowOptions, close_on_signal, require_display, run
from ccl_viewer.window.compare.widget import QtComparison
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.main_window import ErrorReporter, MainWindow, Poster
from ccl_viewer.window.steps.widget import StepTable


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Lets signals be heard: a shell has Ctrl+C ignored by what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def shoot(path: Path, source: str | None = "pattern:shibata", **options: Any) -> QImage:
    """Draw the window into a file."""
    assert run(WindowOptions(source=source, screenshot=path, **options)) == 0
    return QImage(str(path))


def test_a_screenshot_shows_all_that_was_asked_for(qapp: QApplication, tmp_path: Path) -> None:
    first = shoot(tmp_path / "a.png", step=0, size=(1200, 700), theme="dark")
    assert (first.width(), first.height()) == (1200, 700)
    places = [(x, y) for x in range(0, 1200, 5) for y in range(0, 700, 5)]
    assert len({first.pixel(x, y) for x, y in places}) > 15
    last = shoot(tmp_path / "b.png", step=-1, size=(1200, 700), theme="dark")
    assert first != last
    light = shoot(tmp_path / "c.png", step=-1, size=(1200, 700), theme="light")
    assert light.pixelColor(2, 2).lightness() > last.pixelColor(2, 2).lightness() + 100
    shoot(tmp_path / "d.png", source=None, lesson="label-equivalence")
    naive: dict[str, Any] = {"algorithm": "shibata_naive", "parameters": {"passes": 1}}
    with pytest.raises(InputError, match="no step 2"):
        shoot(tmp_path / "e.png", step=2, **naive)
    assert not (tmp_path / "e.png").exists()


def test_on_a_fine_screen_lines_are_sharp_and_numbers_in_their_cells(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from ccl_viewer.window.app import WindowOptions, make_application, prepare_window, wait_until_idle
application = make_application()
options = WindowOptions("pattern:shibata", size=(1280, 720), algorithm="shibata_fast", step=0)
window = prepare_window(options, Path(sys.argv[1]) / "settings.json")
window.show()
wait_until_idle(window)
window.canvas.grab().save(sys.argv[1] + "/canvas.png")
place = window.canvas.placement
print(place.scale, place.x, place.y, place.ratio)
window.close_without_asking()
"""
    environment = os.environ | {"QT_SCALE_FACTOR": "1.5", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=True,
    )
    scale, x, y, ratio = map(float, done.stdout.split())
    assert ratio == 1.5
    with Image.open(tmp_path / "canvas.png") as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    middle = round(y + scale / 2)  # of the first row, which is background
    row = pixels[middle, round(x) : round(x + 10 * scale)]
    assert (
        len({tuple(pixel) for pixel in row.tolist()}) == 2
    )  # cells and lines, and nothing between
    for column, line in ((1, 1), (5, 1), (8, 3)):
        left, top = round(x + column * scale), round(y + line * scale)
        inner = round(scale / 8)
        cell = pixels[top : top + round(scale), left : left + round(scale)][
            inner:-inner, inner:-inner
        ]
        dark = np.argwhere(np.abs(cell - cell[0, 0]).sum(axis=2) > 200)
        middle_of_ink = (dark.min(axis=0) + dark.max(axis=0)) / 2
        assert np.abs(middle_of_ink - np.array(cell.shape[:2]) / 2).max() < scale * 0.06


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": (400, 400)}, "400 x 400"),
        ({"source": "/none.png"}, "none.png"),
        ({"algorithm": "ha4", "connectivity": 8}, "HA4"),
        ({"algorithm": "no"}, "no"),
        ({"step": 1000}, "1000"),
        ({"algorithm": "shibata_naive", "parameters": {"speed": 3}}, "no parameter speed"),
        ({"source": None, "lesson": "none such"}, "none such"),
        ({"algorithm": "bke", "beside": [("ha4", {})], "connectivity": 8}, "HA4"),
        ({"algorithm": "ha4", "beside": [("no", {})]}, "no"),
        ({"algorithm": "ha4", "beside": [("bke", {})] * 4}, "4 runs"),
    ],
)
def test_what_cannot_be_drawn_says_why(
    qapp: QApplication, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(CCLViewerError, match=words):
        shoot(tmp_path / "a.png", **options)
    assert not (tmp_path / "a.png").exists()


def test_a_window_at_rest_has_columns_that_fit(qtbot: QtBot, tmp_path: Path) -> None:
    options = WindowOptions("pattern:shibata", algorithm="ha4", device="emulator")
    window = app.prepare_window(options, tmp_path / "settings.json")
    qtbot.addWidget(window, before_close_func=MainWindow.close_without_asking)
    window.show()
    app.wait_until_idle(window)
    table = part(window, StepTable)
    assert table.isVisible()
    assert not table.pending


def test_several_algorithms_are_compared(qtbot: QtBot, tmp_path: Path) -> None:
    beside = [("ha4", {"variant": "printed"}), ("row_col_unify", {})]
    options = WindowOptions(
        "pattern:shibata", algorithm="shibata_fast", beside=beside, seconds=3, device="emulator"
    )
    window = app.prepare_window(options, tmp_path / "settings.json")
    qtbot.addWidget(window, before_close_func=MainWindow.close_without_asking)
    window.show()
    app.wait_until_idle(window)
    comparison = window.session.comparison
    runs = [
        (run.algorithm, run.connectivity, run.complete) for run in comparison.aligned_recordings
    ]
    assert runs == [("shibata_fast", 8, True), ("ha4", 4, True), ("row_col_unify", 4, True)]
    assert comparison.aligned_recordings[1].parameters["variant"] == "printed"
    assert [pane.settings.seconds for pane in comparison.panes] == [3, 3, 3]
    assert [pane.canvas.isVisible() for pane in part(window, QtComparison).panes] == [True] * 3


_ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from ccl_viewer.errors import InputError
from ccl_viewer.window.app import WindowOptions, run
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
try:
    run(WindowOptions(source=sys.argv[1], screenshot=Path(sys.argv[2])))
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
def test_a_screenshot_on_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    source, path = tmp_path / "a.cclrec", tmp_path / "b.png"  # no kernel is compiled
    record(noise(9, 9, 0.6), algorithm="shibata_fast").save(source)
    path.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_FULL_DISK, str(source), str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert f"{path} cannot be written (" in done.stdout, done.stderr
    assert path.read_text() == "old"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has this problem")
def test_without_a_display_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(CCLViewerError, match=r"no display.*xvfb.*lesson NAME --text.*--screenshot"):
        require_display("linux", {})

    def load(library: str) -> object:
        if "cursor" in library:
            raise OSError(library)
        return None

    monkeypatch.setattr(ctypes, "CDLL", load)
    with pytest.raises(CCLViewerError, match="apt install libxcb-cursor0 "):
        require_display("linux", {"DISPLAY": ":0"})
    for environment in ({"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "offscreen"}):
        require_display("linux", environment)
    require_display("darwin", {})


@pytest.mark.parametrize(
    ("error", "platform", "words"),
    [
        (
            ModuleNotFoundError("No module named 'PySide6'", name="PySide6"),
            "linux",
            r"not installed.*pip install 'pyside6-essentials.*', or use ccl-viewer label",
        ),
        (
            ImportError("libEGL.so.1: cannot open shared object file"),
            "linux",
            r"libEGL\.so\.1.*apt install libegl1 .*dnf install mesa-libEGL .*ccl-viewer label",
        ),
        (
            ImportError("DLL load failed while importing QtGui"),
            "win32",
            r"DLL load failed.*--force-reinstall 'pyside6-essentials.*ccl-viewer label",
        ),
    ],
)
def test_where_qt_cannot_be_loaded_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: ImportError, platform: str, words: str
) -> None:
    def fail(name: str, *given: Any, **named: Any) -> Any:
        if name.startswith("PySide6"):
            raise error
        return real(name, *given, **named)

    real = builtins.__import__
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(CCLViewerError, match=words) as caught:
        app.make_application()
    assert "\n" not in str(caught.value)


def test_the_options_load_neither_qt_nor_numpy() -> None:
    code = (
        "import sys, ccl_viewer.window.app; "
        "sys.exit(any(name.startswith(('PySide6', 'numpy')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_start_loads_no_plots() -> None:
    code = (
        "import sys; from ccl_viewer.window.app import *; make_application(); "
        "window = prepare_window(WindowOptions()); window.show(); window.grab(); "
        "found = 'pyqtgraph' in sys.modules; window.close_without_asking(); sys.exit(found)"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60, env=environment)
    assert done.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_in_good_order(
    window: MainWindow, qtbot: QtBot, number: signal.Signals
) -> None:
    signals = StopSignals()
    signals.connect(partial(close_on_signal, window))
    window.appearance.set_theme("light")
    signal.raise_signal(number)
    qtbot.waitUntil(lambda: not window.isVisible())
    signals.close()
    assert Settings().value("view/theme") == "light"


_STOPPED_IN_THE_WINDOW = """
import signal, sys
from PySide6.QtCore import QTimer
from ccl_viewer.cli import main
from ccl_viewer.window.app import make_application
signal.signal(signal.SIGINT, signal.default_int_handler)
make_application()
for number in (signal.SIGTERM, signal.SIGINT):
    QTimer.singleShot(0, lambda: signal.raise_signal(number))
    print(main([]))
"""


def test_a_signal_ends_the_program_with_its_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_IN_THE_WINDOW],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.stdout.split() == ["143", "130"], done.stderr


def test_the_first_signal_asks_about_a_drawing_and_the_second_does_not(
    window: MainWindow, qtbot: QtBot
) -> None:
    signals = StopSignals()
    signals.connect(partial(close_on_signal, window))
    window.session.document.invert()
    wait_idle(qtbot, window.session)
    signal.raise_signal(signal.SIGTERM)
    qtbot.waitUntil(lambda: window.files.unsaved_box is not None)
    assert window.isVisible()
    signal.raise_signal(signal.SIGTERM)
    qtbot.waitUntil(lambda: not window.isVisible())
    signals.close()


def test_signals_do_what_they_did_before_once_nobody_waits() -> None:
    before = signal.getsignal(signal.SIGINT)
    ignored = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signals = StopSignals()
    assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    signals.close()
    signal.signal(signal.SIGTERM, ignored)
    assert signal.getsignal(signal.SIGINT) is before


_STOPPED_AT_THE_START = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from ccl_viewer.window import app

left = []

def stop(where):
    if left and where == left[0]:
        left.pop()
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)

def called(frame, event, _):
    if event == "call" and "ccl_viewer" in frame.f_code.co_filename:
        stop(frame.f_code.co_name)

sys.addaudithook(lambda event, given: stop(event) if given and given[0] == "PySide6.QtGui" else 0)
for point in ("import", "polish", "build_features", "load_editor", "wait_until_idle"):
    left.append(point)
    if point != "import":
        sys.setprofile(called)
    picture = Path(sys.argv[1]) if point == "wait_until_idle" else None
    try:
        app.run(app.WindowOptions(source="pattern:shibata", screenshot=picture))
    except KeyboardInterrupt:
        print(point, left, flush=True)
"""


def test_a_signal_at_any_moment_of_the_start_ends_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AT_THE_START, str(tmp_path / "never.png")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    points = ("import", "polish", "build_features", "load_editor", "wait_until_idle")
    assert done.stdout.splitlines() == [f"{point} []" for point in points], done.stderr
    assert done.returncode == 0
    assert not (tmp_path / "never.png").exists()


def test_what_was_copied_does_not_bring_the_program_down_when_it_ends() -> None:
    code = (
        "from PySide6.QtCore import QMimeData\n"
        "from ccl_viewer.window.app import make_application\n"
        "application, data = make_application(), QMimeData()\n"
        "data.setText('copied')\n"
        "application.clipboard().setMimeData(data)\n"
    )
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60, env=environment)
    assert done.returncode == 0


def test_an_error_is_reported_once_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[BaseException] = []
    reporter = ErrorReporter(told.append)

    def fail(text: str) -> None:
        raise ValueError(text)

    for text in ("one", "two"):
        try:
            fail(text)
        except ValueError as error:
            reporter(type(error), error, error.__traceback__)
    ours = InputError("There is no such file.")
    reporter(type(ours), ours, None)
    assert list(map(str, told)) == ["one", "There is no such file."]
    assert capsys.readouterr().err.count("Traceback") == 1


def test_posted_functions_are_called_in_order_until_it_is_closed(qtbot: QtBot) -> None:
    called: list[int] = []
    poster = Poster()
    for number in range(3):
        poster(partial(called.append, number))
    assert called == []
    qtbot.waitUntil(lambda: called == [0, 1, 2])
    poster(partial(called.append, 3))
    poster.close()
    poster(partial(called.append, 4))
    QApplication.processEvents()
    assert called == [0, 1, 2]
