"""How long the window takes to appear, and to paint a step at several sizes of grid.

Run from the repository: ``python benchmarks/bench_window.py``. Needs no display.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

os.environ["QT_QPA_PLATFORM"] = "offscreen"

SIZES = (512, 1024, 2048, 4096)
RUNS = 5
PAUSE = 125
"""Milliseconds between steps: playing at twice the normal speed."""

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


def time_to_first_paint(folder: Path) -> float:
    """Seconds from starting Python to the first paint of the canvas."""
    from time import time

    start = time()
    done = subprocess.run(
        [sys.executable, "-c", START, str(folder / "window.ini")],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout) - start


def steps_to_paint(side: int, folder: Path) -> list[list[float]]:
    """Milliseconds from asking for a step to the painted frame.

    First for the whole grid, then for cells of 8 pixels; of each, steps without a pause, and steps
    as far apart as when playing at twice the normal speed.
    """
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication

    from ccl_viewer.views.app import make_application, open_window
    from ccl_viewer.views.options import WindowOptions

    make_application()
    options = WindowOptions(
        source=f"pattern:noise?width={side}&height={side}&density=0.5",
        algorithm="label_equivalence",
        size=(1920, 1080),
    )
    window = open_window(options, folder / f"{side}.ini")
    window.show()
    session, canvas = window.session, window.canvas_panel.canvas
    loop = QEventLoop()
    session.busy_changed.connect(lambda: None if session.busy else loop.quit())
    loop.exec()
    QApplication.processEvents()
    results: list[list[float]] = []
    for scale in (None, 8.0):
        if scale is not None:
            canvas.zoom(scale / canvas.view.scale)
        for pause in (0, PAUSE):
            times = []
            for _ in range(3):
                session.playback.first()
                QApplication.processEvents()
                while not session.playback.at_end:
                    sleep(pause / 1000)
                    start = perf_counter()
                    session.playback.forward()
                    QApplication.processEvents()
                    times.append((perf_counter() - start) * 1000)
            results.append(times)
    window.close()
    return results


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts = sorted(time_to_first_paint(folder) for _ in range(RUNS))
        print(f"window drawn: median {statistics.median(starts):.2f} s, worst {starts[-1]:.2f} s")
        print("step to painted frame, 1920 x 1080, median / worst in ms:")
        print(f"{'':12} whole grid: at once, every {PAUSE} ms; cells of 8 pixels: the same")
        for side in SIZES:
            results = steps_to_paint(side, folder)
            figures = (f"{statistics.median(times):6.1f} / {max(times):6.1f}" for times in results)
            print(f"  {side:4} x {side:<4}", *figures, f"({len(results[0])} steps)")


if __name__ == "__main__":
    main()
