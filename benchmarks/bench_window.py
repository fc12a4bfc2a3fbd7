"""How quickly the window starts, answers to keys and strokes, plays, and ends.

Run from the repository: ``python benchmarks/bench_window.py [NAME...]``, with names of
:data:`FIGURES`; without any, all. Needs no display. Each figure is also given as a multiple of a
yardstick, the time to draw a picture of the window's size, so that machines can be compared.
Beside the time that passed stands the time that the window's thread computed: on a machine that
others use, only that says what the window needs.

``runs``, ``photo``, ``strokes`` and ``zooming`` take the GPU if there is one; the others take the
emulator.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time, time
from typing import TYPE_CHECKING

import numpy as np

os.environ["QT_QPA_PLATFORM"] = "offscreen"

if TYPE_CHECKING:
    from types import FrameType

    from ccl_viewer.grids import Grid
    from ccl_viewer.grids.shapes import Cell
    from ccl_viewer.window.core.playback import Playback
    from ccl_viewer.window.main_window import MainWindow

SIZES = (512, 1024, 2048, 4096)
GOALS = {512: 16, 1024: 16, 2048: 16, 4096: 33}
"""Milliseconds from a key to the painted frame."""

LIVE_GOAL = 100
START_GOAL = 1000
QUIT_GOAL = 500
RATE = 60
PLAY_SECONDS = 10
NOISE = "pattern:noise?width=1024&height=1024&density=0.5"
PLAYED: dict[str, tuple[str, dict[str, int]]] = {
    "noise": (NOISE, {}),
    "90 passes of a spiral": ("pattern:spiral?size=1023", {"passes": 90}),
}
"""Runs of more steps than those that are shown as long as it takes to read them."""

RUNS: dict[str, tuple[str, str, tuple[float, float, float, float]]] = {
    "Label Equivalence 1024²": ("label_equivalence", "noise 1024", (25, 30, 40, 50)),
    "Label Equivalence 2048²": ("label_equivalence", "noise 2048", (40, 60, 100, 300)),
    "HA4 2048²": ("ha4", "noise 2048", (40, 60, 100, 300)),
    "Label Equivalence 4096²": ("label_equivalence", "noise 4096", (40, 60, 100, 300)),
    "HA4 4096²": ("ha4", "noise 4096", (40, 60, 100, 300)),
    "Stava-Benes 4096²": ("stava_benes", "noise 4096", (40, 60, 100, 300)),
    "Label Equivalence 8192²": ("label_equivalence", "noise 8192", (80, 150, 250, 600)),
    "Row-Col Unify, spiral of 1023": ("row_col_unify", "spiral 1023", (40, 150, 300, 300)),
    "Shibata naive 256²": ("shibata_naive", "noise 256", (40, 150, 150, 100)),
}
"""Algorithm, grid, and goals on one H200: milliseconds from Run to the first labels painted, to the
verdict and to all facts, and MB of the host's memory above a window with a small grid."""

EMULATED_RUNS = ("Label Equivalence 2048²", "HA4 2048²", "Shibata naive 256²")
"""Those that are made without a GPU."""

PHOTO = (4000, 3000)
PHOTO_GOALS = (1000, 5000)
"""Milliseconds from dropping a photo to its first labels, with a GPU and without."""

RUN_REPEATS = 5
ROW = "row: "
STARTS = 6
STROKES = 20
WAKE_MS = 2
"""Milliseconds after which a condition is looked at though nothing happened."""

START = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, QTimer
from ccl_viewer.window.app import WindowOptions, make_application, prepare_window, wait_until_idle
application = make_application()
window = prepare_window(WindowOptions(sys.argv[2] or None, device="emulator"), Path(sys.argv[1]))
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            QTimer.singleShot(0, lambda: application.exit(0))
        return False
watch = Watch()
window.statusBar().installEventFilter(watch)
window.show()
application.exec()
"""

STARTED = """
print(time.time())
window.close_without_asking()
"""

QUIT = """
if sys.argv[3] == "at rest":
    wait_until_idle(window)
else:
    while not window.session.runs.running:
        application.processEvents()
print(time.time(), flush=True)
window.close_without_asking()
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
def window_on(
    source: str,
    algorithm: str = "label_equivalence",
    parameters: Mapping[str, int] | None = None,
    device: str = "emulator",
) -> Iterator[MainWindow]:
    """A window of 1920 x 1080 on a run that is whole."""
    from ccl_viewer.window.app import WindowOptions, prepare_window, wait_until_idle

    options = WindowOptions(
        source,
        size=(1920, 1080),
        algorithm=algorithm,
        parameters=dict(parameters or {}),
        device=device,
        large=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        window = prepare_window(options, Path(folder) / "settings.json")
        window.show()
        wait_until_idle(window)
        try:
            yield window
        finally:
            window.close_without_asking()
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


def pause(seconds: float) -> None:
    """Let the window live for a while."""
    end = perf_counter() + seconds
    wait(lambda: perf_counter() >= end)


class Stopwatch:
    """Notes milliseconds from an event to the painted frame.

    Attributes
    ----------
    passed, computed, settled : list of float
        By the clock; what the window's thread computed until then; and with all that follows.
    """

    def __init__(self) -> None:
        self.passed: list[float] = []
        self.computed: list[float] = []
        self.settled: list[float] = []
        self._end: tuple[float, float] | None = None

    def mark(self) -> None:
        """Take note of a painted frame."""
        self._end = self._end or (perf_counter(), thread_time())

    def _last_frame(self) -> tuple[float, float]:
        assert self._end is not None
        return self._end

    def time(self, act: Callable[[], object]) -> None:
        """Do something, and wait for the frame that shows it."""
        settle()
        self._end = None
        passed, computed = perf_counter(), thread_time()
        act()
        wait(lambda: self._end)
        settle()
        painted, used = self._last_frame()
        self.passed.append((painted - passed) * 1000)
        self.computed.append((used - computed) * 1000)
        self.settled.append((thread_time() - computed) * 1000)

    def report(self, name: str, goal: float, unit: float) -> None:
        """Print the figures."""
        more = ", ".join(f"{statistics.median(one):.1f}" for one in (self.computed, self.settled))
        line(name, self.passed, goal, unit, f"; computed to the frame, in all {more} ms")


def line(name: str, times: list[float], goal: float, unit: float, more: str = "") -> None:
    """Print the median and the worst of some times in milliseconds."""
    median, late = statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))]
    within = sum(one <= goal for one in times) / len(times)
    print(
        f"{name:34} median {median:7.1f}  95 % {late:7.1f}  worst {max(times):7.1f} ms; "
        f"goal {goal:g}: {within:4.0%} within; {median / unit:6.1f} yardsticks{more}"
    )


def processes(unit: float) -> None:
    """From starting Python to the first paint of the window, and from closing it to the end."""
    noise = "pattern:noise?width=2048&height=2048&density=0.5"
    figures = (
        ("program started to window painted", START + STARTED, "", START_GOAL),
        ("quit at rest, 2048²", START + QUIT, noise, QUIT_GOAL),
        ("quit while it runs, 2048²", START + QUIT, noise, QUIT_GOAL),
    )
    with tempfile.TemporaryDirectory() as folder:
        # An installed program is compiled once: so is this one, by a start that does not count.
        environment = os.environ | {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        environment |= {"CCL_VIEWER_STATE": folder}
        for name, program, source, goal in figures:
            times = []
            for _ in range(STARTS):
                words = [program, f"{folder}/settings.json", source, name[5:12]]
                start = time()
                done = subprocess.run(
                    [sys.executable, "-c", *words],
                    check=True,
                    stdout=subprocess.PIPE,
                    env=environment,
                )
                at, end = float(done.stdout), time()
                times.append((at - start if program.endswith(STARTED) else end - at) * 1000)
            line(name, times[1:], goal, unit)


def keys(unit: float) -> None:
    """From a key to the painted frame, of whole grids and of cells of 8 pixels."""
    for side in SIZES:
        source = f"pattern:noise?width={side}&height={side}&density=0.5"
        with window_on(source) as window:
            for shown in ("whole", "8 px"):
                if shown == "8 px":
                    window.canvas.zoom(8 / window.canvas.placement.logical_cell_size)
                watch = press_keys(window)
                watch.report(f"key to frame, {side}², {shown}", GOALS[side], unit)


def press_keys(window: MainWindow) -> Stopwatch:
    """Time each press of a key, through the run and back twice."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    watch = Stopwatch()
    window.canvas.painted.connect(watch.mark)
    playback = window.session.playback
    for _ in range(2):
        for key, stop in ((Qt.Key.Key_Left, 0), (Qt.Key.Key_Right, playback.count - 1)):
            while playback.position != stop:
                watch.time(partial(QTest.keyClick, window.canvas, key))
                pause(0.1)
    window.canvas.painted.disconnect(watch.mark)
    return watch


def panels(unit: float) -> None:
    """From a key to the painted frame, with each panel open, and with all closed."""
    with window_on(NOISE) as window:
        side = window.side_panel
        side.collapse()
        press_keys(window).report("key to frame, panels never opened", GOALS[1024], unit)
        for panel in window.panels:
            side.show_panel(panel.key)
            settle()
            press_keys(window).report(f"key to frame, {panel.title} open", GOALS[1024], unit)
        side.collapse()
        press_keys(window).report("key to frame, all panels closed again", GOALS[1024], unit)


def live(unit: float) -> None:
    """From a stroke to the painted labels of its grid, in live mode on 256 x 256 cells."""
    source = "pattern:noise?width=256&height=256&density=0.5"
    time_strokes(source, "emulator", LIVE_GOAL, unit)


def time_strokes(source: str, device: str, goal: float, unit: float) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from ccl_viewer.window.core.view_state import Mode

    with window_on(source, "ha4", device=device) as window:
        session, canvas, watch = window.session, window.canvas, Stopwatch()

        def is_labelled() -> bool:
            return session.display.recording is not None and not session.display.stale

        session.view.set_mode(Mode.DRAW)
        session.runs.set_live(True)
        wait(is_labelled)
        canvas.painted.connect(lambda: watch.mark() if is_labelled() else None)

        def stroke(cell: Cell) -> None:
            at = canvas.centre_of(cell).toPoint()
            QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=at)
            QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=at)

        for cell in background_cells(session.document.grid):
            x, y = canvas.unclipped_cell_at(canvas.centre_of(cell).toPoint().toPointF())
            if session.document.grid is None or session.document.grid[y, x]:
                continue  # below a pixel per cell, the mouse meets another one
            watch.time(partial(stroke, cell))
            session.document.undo()
            wait(lambda: is_labelled() and not session.runs.running)
            pause(0.2)
        watch.report(f"stroke to labels, {source[14:40]}, live", goal, unit)


def background_cells(grid: Grid | None) -> Iterator[Cell]:
    """Return some cells that a stroke changes, spread over the grid."""
    places = np.argwhere(grid == 0)
    for y, x in places[:: len(places) // STROKES][:STROKES].tolist():
        yield x, y


def playing(unit: float) -> None:
    """Steps painted a second while playing 60 a second, over and over, on 1024 x 1024 cells."""
    for name, (source, parameters) in PLAYED.items():
        with window_on(source, "shibata_slow", parameters) as window:
            playback, shown = window.session.playback, [0]

            def note(playback: Playback = playback, shown: list[int] = shown) -> None:
                if playback.position != shown[-1]:
                    shown.append(playback.position)

            playback.go_to_first()
            playback.set_looping(True)
            playback.set_speed(playback.seconds_per_step * RATE)
            pause(1)
            window.canvas.painted.connect(note)
            start, computing = perf_counter(), thread_time()
            playback.toggle()
            pause(PLAY_SECONDS)
            playback.pause()
            took, painted = perf_counter() - start, len(shown) - 1
            computed = (thread_time() - computing) * 1000 / painted
            print(
                f"playing {name}: {painted / took:5.1f} of {RATE} steps painted a second; computed "
                f"{computed:.1f} ms a painted step, {computed / unit:.1f} yardsticks"
            )


def functions(_unit: float) -> None:
    """Functions of this project between a key and the end of the paint that follows."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    import ccl_viewer

    package = str(Path(ccl_viewer.__file__).parent)
    with window_on("pattern:noise?width=64&height=64&density=0.5") as window:
        entered = set[tuple[str, str]]()

        def note(frame: FrameType, event: str, _argument: object) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(package):
                entered.add((frame.f_code.co_filename, frame.f_code.co_qualname))

        window.canvas.painted.connect(lambda: sys.setprofile(None))
        for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Left):  # the last one counts
            pause(0.5)
            entered.clear()
            sys.setprofile(note)
            QTest.keyClick(window.canvas, key)
            wait(lambda: sys.getprofile() is None)
        files = {file for file, _ in entered}
        print(f"from a key to the end of the paint: {len(entered)} functions in {len(files)} files")


def source_of(grid: str) -> str:
    """Return the pattern that a row of :data:`RUNS` names."""
    kind, side = grid.split()
    if kind == "spiral":
        return f"pattern:spiral?size={side}"
    return f"pattern:noise?width={side}&height={side}&density=0.5"


def has_gpu() -> bool:
    from ccl_viewer.devices.registry import report_devices

    return report_devices()[0].available


def resident() -> float:
    """Return the megabytes of memory that this process has."""
    with Path("/proc/self/statm").open(encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def scipy_milliseconds(grid: Grid) -> float:
    """Return how long SciPy takes to label a grid."""
    from scipy import ndimage

    times = []
    for _ in range(3):
        start = perf_counter()
        ndimage.label(grid)
        times.append((perf_counter() - start) * 1000)
    return min(times)


def runs(_unit: float) -> None:
    """From Run to the first labels painted, to the verdict and to all facts; and memory.

    Each row has a process, so that the memory of one is not that of another.
    """
    for name in RUNS if has_gpu() else EMULATED_RUNS:
        subprocess.run([sys.executable, __file__, f"{ROW}{name}"], check=True)


def run_row(name: str) -> None:
    """Measure a row of :data:`RUNS`."""
    with window_on("pattern:noise?width=8&height=8&density=0.5", device="auto"):
        idle = resident()
    algorithm, grid, goals = RUNS[name]
    with window_on(source_of(grid), algorithm, device="auto") as window:
        session = window.session
        durations = [timed_run(window) for _ in range(RUN_REPEATS)]
        pause(0.5)  # until the legend is of the last run, too
        memory = resident() - idle
        assert session.document.grid is not None
        unit = scipy_milliseconds(session.document.grid)
    medians = [statistics.median(column) for column in zip(*durations, strict=True)]
    figures = ("first labels", "verdict", "all facts", "at rest")
    text = ", ".join(
        f"{figure} {time:.0f} ms ({time / unit:.1f} x SciPy{f', goal {goal:g}' if goal else ''})"
        for figure, time, goal in zip(figures, medians, (*goals[:3], 0), strict=True)
    )
    print(f"{name}: {text}; {memory:.0f} MB (goal {goals[3]:g}); SciPy {unit:.0f} ms")


def timed_run(
    window: MainWindow, begin: Callable[[], object] | None = None
) -> tuple[float, float, float, float]:
    """Run the grid, or begin otherwise; return ms to first labels, verdict, all facts, and rest."""
    session, canvas = window.session, window.canvas
    before, times = session.display.recording, dict[str, float]()
    settle()
    start = perf_counter()

    def note(name: str) -> None:
        times.setdefault(name, (perf_counter() - start) * 1000)

    def painted() -> None:
        view = canvas._renderer.view  # noqa: SLF001  (what was painted last)
        recording = session.display.recording
        if recording is not before and view is not None and view.labels is not None:
            note("labels")

    def looked() -> bool:
        recording = session.display.recording
        if recording is not before and recording is not None and not session.display.growing:
            note("verdict")
            if session.analysis.analysed:
                note("facts")
        return "facts" in times and "labels" in times

    connection = canvas.painted.connect(painted)
    (begin or session.runs.run)()
    wait(looked)
    wait(lambda: session.tasks.idle)
    note("rest")
    canvas.painted.disconnect(connection)
    return times["labels"], times["verdict"], times["facts"], times["rest"]


def make_photo(path: Path) -> None:
    """Write a picture with smooth shapes and the grain of a sensor."""
    from PIL import Image

    rng = np.random.default_rng(30)
    small = Image.fromarray(rng.integers(0, 256, (60, 80, 3), np.uint8))
    shapes = np.asarray(small.resize(PHOTO, Image.Resampling.BICUBIC)).astype(np.int16)
    grain = rng.normal(0, 8, shapes.shape).astype(np.int16)
    Image.fromarray((shapes + grain).clip(0, 255).astype(np.uint8)).save(path, quality=92)


def photo(unit: float) -> None:
    """From dropping a photo of 12 megapixels, without questions, to its first labels."""
    on_gpu = has_gpu()
    tiny = "pattern:noise?width=8&height=8&density=0.5"
    with tempfile.TemporaryDirectory() as folder, window_on(tiny, device="auto") as window:
        path = Path(folder) / "photo.jpg"
        make_photo(path)
        session = window.session
        session.imports.ask = False
        durations = [
            timed_run(window, partial(session.files.open_or_import, str(path)))
            for _ in range(RUN_REPEATS if on_gpu else 2)
        ]
    goals = (PHOTO_GOALS[not on_gpu], 0, 0, 0)
    names = ("first labels", "verdict", "all facts", "at rest")
    for name, goal, times in zip(names, goals, zip(*durations, strict=True), strict=True):
        line(f"photo dropped to {name}", list(times), goal, unit)


def strokes(unit: float) -> None:
    """From a stroke to the painted labels of its grid, in live mode on 4096 x 4096 cells."""
    if not has_gpu():
        print("strokes on 4096² are measured on a GPU")
        return
    time_strokes("pattern:noise?width=4096&height=4096&density=0.5", "auto", 50, unit)


def zooming(unit: float) -> None:
    """From a notch of the wheel, and from a pan, to the painted frame, on 4096 x 4096 cells."""
    side = 4096
    source = f"pattern:noise?width={side}&height={side}&density=0.5"
    with window_on(source, "ha4", device="auto") as window:
        canvas, watch, panned = window.canvas, Stopwatch(), Stopwatch()
        for stopwatch, act in (
            (watch, lambda turn: canvas.zoom(1.25 if turn % 4 < 2 else 0.8)),
            (panned, lambda turn: canvas.pan(40 if turn % 2 else -40, 25)),
        ):
            connection = canvas.painted.connect(stopwatch.mark)
            for turn in range(20):
                stopwatch.time(partial(act, turn))
                pause(0.05)
            canvas.painted.disconnect(connection)
        watch.report(f"zoom to frame, {side}²", 16, unit)
        panned.report(f"pan to frame, {side}²", 16, unit)
        press_keys(window).report(f"key to frame, {side}²", 16, unit)


FIGURES: dict[str, Callable[[float], None]] = {
    "processes": processes,
    "keys": keys,
    "panels": panels,
    "live": live,
    "playing": playing,
    "functions": functions,
    "runs": runs,
    "photo": photo,
    "strokes": strokes,
    "zooming": zooming,
}


def main() -> None:
    """Print the figures that were asked for."""
    from ccl_viewer.window.app import make_application

    make_application()
    if sys.argv[1:] and sys.argv[1].startswith(ROW):
        run_row(sys.argv[1].removeprefix(ROW))
        return
    unit = yardstick()
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"yardstick: {unit:.2f} ms to draw a picture of 1920 x 1080; load average {load}")
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name](unit)


if __name__ == "__main__":
    main()
