"""What a long recording costs: memory, adding a step, reaching any step, saving and opening.

Run: python benchmarks/bench_history.py [PASSES]
Records naive propagation (synchronous schedule) on a 255 x 255 one-pixel spiral, 2,000 passes
unless told otherwise. Then adds frames of noise in which every cell changes, as large as they get.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import ccl_viewer as ccl
from ccl_viewer.grids.pattern_shapes import spiral
from ccl_viewer.recording import Recording
from ccl_viewer.recording.history import History
from ccl_viewer.render.palette import colour_run, label_indices

PASSES = 2000
SIDE = 255


def milliseconds(times: Iterable[float]) -> str:
    numbers = [1000 * number for number in times]
    return f"median {statistics.median(numbers):.2f} ms, worst {max(numbers):.2f} ms"


def reading(recording: Recording, order: Iterable[int]) -> list[float]:
    times = []
    for index in order:
        start = time.perf_counter()
        recording.labels(index)
        times.append(time.perf_counter() - start)
    return times


def long_recording(passes: int) -> Recording:
    start = time.perf_counter()
    recording = ccl.record(
        spiral(SIDE),
        "shibata_naive",
        connectivity=8,
        device="emulator",
        schedule="synchronous",
        passes=passes,
    )
    took = time.perf_counter() - start
    nbytes = len(recording) * SIDE * SIDE * 4
    print(f"{len(recording)} steps of {SIDE} x {SIDE} recorded in {took:.1f} s")
    print(
        f"  memory             {recording.nbytes / 1e6:.1f} MB (whole frames {nbytes / 1e6:.0f} MB)"
    )
    return recording


def every_order(recording: Recording) -> None:
    count = len(recording)
    shuffled = np.random.default_rng(0).permutation(count).tolist()
    print(f"  random order       {milliseconds(reading(recording, shuffled))}")
    print(f"  forwards by one    {milliseconds(reading(recording, range(count)))}")
    print(f"  backwards by one   {milliseconds(reading(recording, range(count - 1, -1, -1)))}")


def adding(recording: Recording) -> None:
    history = History(SIDE, SIDE, recording.layout.background)
    times = []
    for index in range(len(recording)):
        frame = recording.labels(index).copy()
        start = time.perf_counter()
        history.append(frame)
        times.append(time.perf_counter() - start)
    print(f"  adding a step      {milliseconds(times)}")


def file(recording: Recording) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.cclrec"
        start = time.perf_counter()
        recording.save(path)
        saved = time.perf_counter()
        ccl.open_recording(path)
        opened = time.perf_counter()
        size = path.stat().st_size / 1e6
    print(
        f"  file               {size:.1f} MB, saved in {saved - start:.2f} s, "
        f"opened in {opened - saved:.2f} s"
    )


def noise(side: int) -> None:
    rng = np.random.default_rng(0)
    history = History(side, side, -1)
    times = []
    for _ in range(3):
        frame = rng.integers(0, side * side, (side, side), dtype=np.int32)
        start = time.perf_counter()
        history.append(frame)
        times.append(time.perf_counter() - start)
    print(f"{side} x {side}, every cell changed: adding a step {milliseconds(times)}")


def painting(side: int) -> None:
    recording = ccl.record(
        (np.random.default_rng(0).random((side, side)) < 0.5).astype(np.uint8), device="emulator"
    )
    start = time.perf_counter()
    colouring = colour_run(recording)
    took = time.perf_counter() - start
    times = []
    for index in range(len(recording)):
        labels = recording.labels(index)
        start = time.perf_counter()
        label_indices(labels, colouring)
        times.append(time.perf_counter() - start)
    print(
        f"{side} x {side} noise: colours chosen in {took:.2f} s, a step painted in "
        f"{milliseconds(times)}"
    )


def main() -> None:
    recording = long_recording(int(sys.argv[1]) if len(sys.argv) > 1 else PASSES)
    every_order(recording)
    adding(recording)
    file(recording)
    for side in (2048, 4096):
        noise(side)
    for side in (1024, 2048, 4096):
        painting(side)


if __name__ == "__main__":
    main()
