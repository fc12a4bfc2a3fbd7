"""How quickly the window answers: to keys, to strokes, while playing and scrubbing, and to work.

Run from the repository: ``python benchmarks/bench_window.py [NAME...]``, with names of
:data:`FIGURES`; without any, all. Needs no display. Each figure is also given as a multiple of a
yardstick, the time to draw a picture of the window's size, so that machines can be compared.
Beside the time that passed stands the time that the window's thread computed: on a machine that
others use, only that says what the window needs.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, thread_time, time
from typing import TYPE_CHECKING

import numpy as np

os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from ccl_viewer.grids import Grid
    from ccl_viewer.session import Cell
    from ccl_viewer.views.main_window import MainWindow

SIZES = (512, 1024, 2048, 4096)
GOALS = {512: 16, 1024: 16, 2048: 16, 4096: 33}
"""Milliseconds from a key to the painted frame."""

LIVE_GOAL = 100
PAUSE_GOAL = 50
PAUSED_SIZES = (2048, 4096)
RATE = 60
SCRUBS = 5_000
STROKES = 20
WAKE_MS = 2
"""Milliseconds after which a condition is looked at though nothing happened."""

START = """
import sys, time
from pathlib import Path
from ccl_viewer.views.app import make_application, open_window
from ccl_viewer.views.options import WindowOptions
application = make_application()
window = open_window(WindowOptions(), Path(sys.argv[1]))
window.canvas_panel.canvas.painted.connect(lambda: application.exit(0))
window.show()
application.exec()
print(time.time())
window.close()
"""


def yardstick() -> float:
    """Milliseconds to draw a picture of 1920 x 1080."""
    from PySide6.QtGui import QImage, QPainter, QPixmap

    picture = QImage(1920, 1080, QImage.Format.Format_RGB32)
    picture.fill(0xFF336699)
    surface = QPixmap(1920, 1080)

    def draw() -> float:
        start = perf_counter()
        painter = QPainter(surface)
        painter.drawImage(0, 0, picture)
        painter.end()
        return (perf_counter() - start) * 1000

    return statistics.median(draw() for _ in range(50))


@contextmanager
def window_on(source: str, algorithm: str = "label_equivalence") -> Iterator[MainWindow]:
    """A window of 1920 x 1080 on a run that is whole."""
    from ccl_viewer.views.options import WindowOptions
    from ccl_viewer.views.process.priority import keep_what_lasts

    from ccl_viewer.views.app import open_window

    with tempfile.TemporaryDirectory() as folder:
        options = WindowOptions(
            source=source, algorithm=algorithm, size=(1920, 1080), device="emulator"
        )
        window = open_window(options, Path(folder) / "settings.json")
        window.show()
        keep_what_lasts()
        wait(lambda: window.session.recording is not None and not window.session.busy)
        settle()
        try:
            yield window
        finally:
            window.session.keeping.give_up()
            window.close()
            window.deleteLater()
            settle()


def wait(condition: Callable[[], object]) -> None:
    """Turn the event loop until a condition holds.

    It sleeps between events, as a window does: a loop that only asks would keep Python's lock
    from the threads that work.
    """
    from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

    waker = QTimer(interval=WAKE_MS)
    waker.start()
    while not condition():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    waker.stop()


def settle() -> None:
    """Let the window finish what waits to be done."""
    from PySide6.QtCore import QCoreApplication

    for _ in range(10):
        QCoreApplication.processEvents()


def line(
    name: str, times: list[float], goal: float, unit: float, computed: list[float] | None = None
) -> None:
    """Print the median and the worst of some times in milliseconds, and what was computed."""
    median = statistics.median(times)
    within = sum(one <= goal for one in times) / len(times)
    print(
        f"{name:34} median {median:7.1f}  95 % {percentile(times):7.1f}  worst {max(times):7.1f} "
        f"ms; goal {goal:g}: {within:4.0%} within; {median / unit:6.1f} yardsticks"
        + ("" if computed is None else f"; computed {statistics.median(computed):.1f} ms")
    )


def percentile(times: list[float]) -> float:
    """Return the time that 95 of 100 do not exceed."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def starts(unit: float) -> None:
    """Seconds from starting Python to the first paint of the canvas."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        # An installed program is compiled once: so is this one, by a start that does not count.
        kept = os.environ | {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(6):
            begun = time()
            done = subprocess.run(
                [sys.executable, "-c", START, f"{folder}/settings.json"],
                check=True,
                capture_output=True,
                text=True,
                env=kept,
            )
            times.append((float(done.stdout) - begun) * 1000)
    line("program started to window painted", times[1:], 1000, unit)


def keys(unit: float) -> None:
    """From a key to the painted frame, of whole grids and of cells of 8 pixels."""
    for side in SIZES:
        source = f"pattern:noise?width={side}&height={side}&density=0.5"
        with window_on(source) as window:
            for scale in (None, 8.0):
                if scale is not None:
                    window.canvas.zoom(scale / window.canvas.view.scale)
                shown = "whole" if scale is None else "8 px"
                times, computed = pressed(window)
                line(f"key to frame, {side}², {shown}", times, GOALS[side], unit, computed)


def pressed(window: MainWindow) -> tuple[list[float], list[float]]:
    """Milliseconds from each press of a key to the frame, through the run and back twice.

    The second list is what the window's thread computed for each step, with all that is painted
    after the frame.
    """
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    painted: list[float] = []
    window.canvas.painted.connect(lambda: painted.append(perf_counter()))
    playback = window.session.playback
    times: list[float] = []
    computed: list[float] = []
    for _ in range(2):
        for key, stop in ((Qt.Key.Key_Left, 0), (Qt.Key.Key_Right, playback.count - 1)):
            while playback.position != stop:
                settle()
                painted.clear()
                start, computing = perf_counter(), thread_time()
                QTest.keyClick(window.canvas, key)
                wait(lambda: painted)
                times.append((painted[0] - start) * 1000)
                settle()
                computed.append((thread_time() - computing) * 1000)
                pause(0.1)
    return times, computed


def pause(seconds: float) -> None:
    """Let the window live for a while."""
    end = perf_counter() + seconds
    wait(lambda: perf_counter() >= end)


def live(unit: float) -> None:
    """From a stroke to the painted labels of its grid, in live mode on 256 x 256 cells."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    with window_on("pattern:noise?width=256&height=256&density=0.5", "ha4") as window:
        session, canvas, times = window.session, window.canvas, []
        computed: list[float] = []
        session.live.switch(True)
        wait(lambda: not session.busy)
        painted: list[float] = []

        def follow() -> None:
            recording = session.recording
            if recording is not None and not session.busy and not session.stale:
                painted.append(perf_counter())

        canvas.painted.connect(follow)
        for cell in background_cells(session.grid):
            at: QPoint = canvas.centre_of(cell).toPoint()
            settle()
            painted.clear()
            start, computing = perf_counter(), thread_time()
            QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at)
            QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at)
            wait(lambda: painted)
            settle()
            times.append((painted[0] - start) * 1000)
            computed.append((thread_time() - computing) * 1000)
            session.drawing.undo()
            wait(lambda: not session.busy)
            pause(0.2)
        line("stroke to labels, 256², live", times, LIVE_GOAL, unit, computed)


def background_cells(grid: Grid | None) -> Iterator[Cell]:
    """Return some cells that a stroke changes, spread over the grid."""
    places = np.argwhere(grid == 0)
    for y, x in places[:: len(places) // STROKES][:STROKES].tolist():
        yield x, y


def playing(_unit: float) -> None:
    """Steps that are painted on time while playing at 60 a second, on 1024 x 1024 cells."""
    source = "pattern:spiral?size=1023"
    with window_on(source, "shibata_slow") as window:
        playback = window.session.playback
        times: dict[int, float] = {}
        window.canvas.painted.connect(lambda: times.setdefault(playback.position, perf_counter()))
        playback.first()
        settle()
        playback.set_speed(RATE / 4)
        times.clear()
        begun, computing = perf_counter(), thread_time()
        playback.toggle()
        wait(lambda: not playback.playing)
        settle()
        took, count = perf_counter() - begun, playback.count
        computed = (thread_time() - computing) * 1000 / max(len(times), 1)
        first = begun + 1 / RATE
        late = {k: t - first - (k - 1) / RATE for k, t in times.items() if k > 0}
        on_time = sum(delay <= 1 / RATE for delay in late.values()) / (count - 1)
        print(
            f"playing {count - 1} steps of 1024² at {RATE} a second: {count / took:.1f} a second, "
            f"{on_time:.1%} painted within a frame of their time, "
            f"{count - 1 - len(late)} not painted; computed {computed:.1f} ms a painted step"
        )


def scrubbing(_unit: float) -> None:
    """Memory before and after thousands of scrubs on 512 x 512 cells."""
    with window_on("pattern:noise?width=512&height=512&density=0.5") as window:
        playback = window.session.playback
        places = np.random.default_rng(1)
        marks = []
        for number in range(SCRUBS + 1):
            if number % (SCRUBS // 5) == 0:
                marks.append(resident())
            playback.go_to(int(places.integers(playback.count)))
            settle()
        text = ", ".join(f"{mark:.0f}" for mark in marks)
        print(f"memory at each fifth of {SCRUBS:,} scrubs of 512²: {text} MiB")


def resident() -> float:
    """MiB of memory that this process holds."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    kilobytes = next(row.split()[1] for row in status.splitlines() if row.startswith("VmRSS"))
    return int(kilobytes) / 1024


def pauses(_unit: float) -> None:
    """Longest pause of the event loop during each action, on large grids."""
    from window_pauses import Pauses, actions, stolen

    for side in PAUSED_SIZES:
        source = f"pattern:noise?width={side}&height={side}&density=0.5"
        with tempfile.TemporaryDirectory() as folder, window_on(source, "ha4") as window:

            def idle(window: MainWindow = window) -> bool:
                return not (window.session.busy or window.session.comparison.working)

            for title, begin in actions(window, source, Path(folder)):
                before = stolen()
                with Pauses() as found:
                    begin()
                    wait(idle)
                    pause(0.2)
                print(
                    f"longest pause, {side}², {title:24} {found.passed:7.1f} ms passed, "
                    f"{found.computed:7.1f} ms computed; goal {PAUSE_GOAL}; "
                    f"{stolen() - before:.0f} ms kept by the host meanwhile"
                )
            window.session.cancel()


FIGURES: dict[str, Callable[[float], None]] = {
    "start": starts,
    "keys": keys,
    "live": live,
    "playing": playing,
    "scrubbing": scrubbing,
    "pauses": pauses,
}


def main() -> None:
    """Print the figures that were asked for."""
    from ccl_viewer.views.app import make_application

    make_application()
    unit = yardstick()
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"yardstick: {unit:.2f} ms to draw a picture of 1920 x 1080; load average {load}")
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name](unit)


if __name__ == "__main__":
    main()
