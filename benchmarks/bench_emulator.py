"""The emulator's speed, each figure beside a yardstick of the same run.

Run: python benchmarks/bench_emulator.py
Numba's CUDA simulator is the yardstick for small grids (pip install numba); SciPy's label, on one
core, for large ones. Compiling is done before anything is timed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import ndimage

import ccl_viewer as ccl
from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.driver import execute
from ccl_viewer.plan import Buffer, Task


def noise(size: int, density: float, granularity: int = 1) -> np.ndarray[Any, Any]:
    side = -(-size // granularity)
    draws = np.random.RandomState(0).rand(side, side) < density
    return np.kron(draws, np.ones((granularity, granularity)))[:size, :size].astype(np.uint8)


def seconds(work: Callable[[], object], repeats: int) -> float:
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def plan_runner(key: str, image: np.ndarray[Any, Any], schedule: str) -> Callable[[], object]:
    """Play an algorithm's plan, without recording and without numbering the components."""
    device = open_device("emulator", schedule, cells=image.size)
    row = algorithm(key)
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))

    def run() -> object:
        task = Task(buffer, row.connectivities[0], row.complete({}))
        with device.open(buffer, image, timed=False) as opened:
            return execute(row.planner(task), opened)

    return run


def small_grid_against_numba() -> None:
    image = noise(64, 0.6)
    ours = seconds(plan_runner("label_equivalence", image, "sequential"), 50)
    print(f"Label Equivalence, 64^2 noise 0.6, sequential: {ours * 1e3:.3f} ms", end="")
    try:
        from numba_label_equivalence import simulate
    except ImportError:
        print("; no yardstick: pip install numba")
        return
    start = time.perf_counter()
    simulate(image)
    theirs = time.perf_counter() - start
    print(f"; Numba's simulator {theirs:.2f} s: x {theirs / ours:,.0f}")


def large_grids_against_scipy() -> None:
    image = noise(2048, 0.6)
    yardstick = seconds(lambda: ndimage.label(image), 3)
    for key in ("label_equivalence", "ha4"):
        ours = seconds(plan_runner(key, image, "sequential"), 3)
        print(
            f"{key}, 2048^2 noise 0.6, sequential, kernels alone: {ours:.3f} s; "
            f"SciPy {yardstick:.3f} s: x {ours / yardstick:.2f}"
        )
        whole = seconds(partial(ccl.label, image, key, device="emulator"), 3)
        print(f"{key}, ccl.label, numbering included: {whole:.3f} s: x {whole / yardstick:.2f}")


def synchronous_by_size() -> None:
    before = None
    for size in (32, 64, 128, 256):
        image = noise(size, 0.6)
        run = partial(ccl.record, image, device="emulator", schedule="synchronous")
        run()  # the first run of a size also pays for its stacks
        recording = run()
        slowest = max(step.milliseconds for step in recording.steps)
        cost = recording.milliseconds / len(recording) / image.size * 1e6
        growth = "" if before is None else f", x {cost / before:.2f} of the size before"
        print(
            f"Label Equivalence, {size}^2 noise 0.6, synchronous: {slowest:.1f} ms for the slowest "
            f"launch, {cost:.0f} ns a cell and launch{growth}"
        )
        before = cost


def main() -> None:
    small_grid_against_numba()
    large_grids_against_scipy()
    synchronous_by_size()


if __name__ == "__main__":
    main()
