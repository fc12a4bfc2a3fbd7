"""Treats the window at random for some minutes, and prints what it holds every minute.

Run it from the checkout: ``python benchmarks/soak_window.py 8``; with ``QT_QPA_PLATFORM=xcb`` it
shows the window. Memory without the recordings, and widgets have to level off. What grew in the
second half is listed at the end, by type, and all top-level widgets.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

PATTERNS = (
    "pattern:shibata",
    "pattern:spiral?size=31",
    "pattern:noise?width=64&height=48&density=0.6",
    "pattern:voronoi?width=40&height=30",
    "pattern:empty?width=7&height=9",
)


def files(folder: Path) -> tuple[Path, ...]:
    """Write files to drop and to choose, whole and broken."""
    from ccl_viewer import record

    shades = np.arange(40 * 60 * 3, dtype=np.int64).reshape(40, 60, 3) * 7919 % 256
    Image.fromarray(shades.astype(np.uint8)).save(folder / "colours.png")
    np.save(folder / "values.npy", np.arange(400).reshape(20, 20).astype(np.uint8) % 5)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nxxxx")
    (folder / "small.txt").write_text("#..#\n.##.\n")
    record(np.ones((4, 5), np.uint8), algorithm="ha4").save(folder / "run.cclrec")
    return tuple(sorted(folder.iterdir()))


def megabytes() -> float:
    """Return the resident memory of this process, without what the C library keeps for later.

    0 on systems without /proc.
    """
    with suppress(OSError, AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def recordings() -> tuple[int, float]:
    """Count the recordings that are alive, and their MiB."""
    from ccl_viewer.recording import Recording

    alive = [thing for thing in gc.get_objects() if isinstance(thing, Recording)]
    return len(alive), sum(recording.nbytes for recording in alive) / 2**20


def census() -> Counter[str]:
    """Count widgets and other Qt objects by type, and Python objects by type."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    counts = Counter(f"widget {type(widget).__name__}" for widget in QApplication.allWidgets())
    for top in QApplication.topLevelWidgets():
        objects = (thing for thing in top.findChildren(QObject) if not isinstance(thing, QWidget))
        counts.update(f"object {type(thing).__name__}" for thing in objects)
    counts.update(f"python {type(thing).__name__}" for thing in gc.get_objects())
    return counts


def main() -> None:
    """Play, and print a line every minute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=60, help="seconds between two lines")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="ccl-viewer-") as name:
        folder = Path(name)
        for variable in ("SETTINGS", "STATE", "COPIES"):
            os.environ[f"CCL_VIEWER_{variable}"] = str(folder / variable.lower())
        os.environ["HOME"] = os.environ["USERPROFILE"] = name
        os.chdir(folder)
        _soak(folder, arguments.minutes, arguments.seed, arguments.every)


def _soak(folder: Path, minutes: float, seed: int, every: float) -> None:
    from support.monkey import Monkey

    from ccl_viewer.window.app import WindowOptions, make_application, prepare_window

    _application = make_application()
    (folder / "files").mkdir()
    window = prepare_window(WindowOptions(source=PATTERNS[0], size=(1280, 720)))
    window.show()
    monkey = Monkey(window, seed, PATTERNS, files(folder / "files"))
    print(
        f"{'minute':>6} {'actions':>8} {'MiB':>6} {'runs':>6} {'MiB':>6} {'widgets':>8} "
        f"{'windows':>8} {'objects':>8} {'python':>8}  grid"
    )
    start = time.monotonic()
    due, done = start, 0
    first: Counter[str] | None = None
    while True:
        now = time.monotonic()
        if now >= due:
            due = now + every
            counts = census()
            if first is None and now - start >= minutes * 30:
                first = counts
            total = Counter(dict.fromkeys(("widget", "object", "python"), 0))
            for key, count in counts.items():
                total[key.split()[0]] += count
            runs, size = recordings()
            print(
                f"{(now - start) / 60:6.1f} {done:8,} {megabytes():6.0f} {runs:6,} {size:6.1f} "
                f"{total['widget']:8,} {len(QApplication.topLevelWidgets()):8,} "
                f"{total['object']:8,} {total['python']:8,}  {window.session.document.shape}",
                flush=True,
            )
        if now - start >= minutes * 60:
            break
        monkey.play(10)
        done += 10
        monkey.done.clear()
    grown = census() - (first or Counter())
    for key, count in grown.most_common(40):
        print(f"{count:+8,} {key}")
    tops = Counter(
        f"{type(top).__name__} {top.objectName() or top.accessibleName() or top.windowTitle()} in "
        f"{type(top.parent()).__name__}"
        for top in QApplication.topLevelWidgets()
    )
    for key, count in tops.most_common():
        print(f"{count:8,} {key}")
    window.close_without_asking()


if __name__ == "__main__":
    main()
