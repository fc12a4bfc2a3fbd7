"""The emulator's speed, each figure beside a yardstick of the same run.

Run: python benchmarks/bench_emulator.py [small] [calls] [kernels] [synchronous]
Numba's CUDA simulator is the yardstick for small grids (pip install numba); SciPy's label, on one
core, for large ones; for kernels, the same code as a plain loop. Calls that are compared take
turns. Compiling is done before anything is timed.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
from bench_gpu import noise
from plain_loops import PlainLoops, is_plain
from scipy import ndimage

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.devices.emulator.device import EmulatorDevice, EmulatorRun
from ccl_viewer.devices.registry import open_device
from ccl_viewer.devices.source import read_source
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Fill, Launch, Read, Reply, Request, StartRead, Task
from ccl_viewer.storage.resources import kernel_path


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
    algorithm = find_algorithm(key)
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))

    def run() -> object:
        task = Task(
            buffer, algorithm.connectivities[0], algorithm.complete(algorithm.project_variant)
        )
        with device.open(buffer, image, timed=False) as opened:
            return execute(algorithm.planner(task), opened)

    return run


def small_grid_against_numba() -> None:
    image = noise(64, 1, 0.6)
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


CALLS = {4: ("two_pass_strips", "komura", "playne"), 8: ("two_pass_strips", "bke", "playne")}


def whole_calls_against_scipy(repeats: int = 5) -> None:
    """Time ccl.label, numbering included, in turns with SciPy's label."""
    for size, granularity, density, connectivity in product(
        (512, 2048), (1, 4), (0.1, 0.3, 0.5, 0.7, 0.9), (4, 8)
    ):
        image = noise(size, granularity, density)
        works: dict[str, Callable[[], object]] = {
            "SciPy": partial(ndimage.label, image, np.ones((3, 3)) if connectivity == 8 else None)
        }
        for key in CALLS[connectivity]:
            works[key] = partial(
                ccl.label, image, key, connectivity=connectivity, device="emulator"
            )
        times: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(repeats + 1):
            for name, work in works.items():
                start = time.perf_counter()
                work()
                if turn > 0:
                    times[name].append(time.perf_counter() - start)
        medians = {name: statistics.median(samples) for name, samples in times.items()}
        yardstick = medians.pop("SciPy")
        least = min(times["SciPy"])
        print(
            f"{size} g{granularity} d{density}, {connectivity} neighbours: SciPy "
            f"{yardstick * 1e3:.1f} ms; "
            + ", ".join(
                f"{name} x {median / yardstick:.2f} (minima {min(times[name]) / least:.2f})"
                for name, median in medians.items()
            ),
            flush=True,
        )


def kernels_against_plain_loops(repeats: int = 5) -> None:
    """Time each launch without barriers on one core, and the same launch as a plain loop."""
    image = noise(2048, 1, 0.5)
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    device = EmulatorDevice(cores=1)
    for key, connectivity in (
        *(("komura", 4), ("playne", 8), ("bke", 8)),
        *(("label_equivalence", 4), ("two_pass_strips", 4), ("two_pass_strips", 8)),
    ):
        algorithm = find_algorithm(key)
        least: dict[str, tuple[float, float]] = {}
        with tempfile.TemporaryDirectory() as folder:
            loops = PlainLoops(Path(folder))
            for _ in range(repeats):
                task = Task(buffer, connectivity, algorithm.complete(algorithm.project_variant))
                with device.open(buffer, image) as run:
                    for name, ours, theirs in _both_ways(
                        label_consecutively(algorithm, task, chunks=True), run, loops
                    ):
                        before = least.get(name, (math.inf, math.inf))
                        least[name] = (min(before[0], ours), min(before[1], theirs))
        for name, (ours, theirs) in least.items():
            print(f"{name}: {ours:.1f} ms; plain loop {theirs:.1f} ms: x {ours / theirs:.2f}")
        ratio = sum(ours for ours, _ in least.values()) / sum(
            theirs for _, theirs in least.values()
        )
        print(f"{key}, {connectivity} neighbours, all of these: x {ratio:.2f}", flush=True)


def _both_ways(
    plan: Generator[Request, Reply, object], run: EmulatorRun, loops: PlainLoops
) -> Iterator[tuple[str, float, float]]:
    """Play a plan; of each launch without barriers, yield its name and both times."""
    reply: Reply = None
    for index in count():
        try:
            request = plan.send(reply)
        except StopIteration:
            return
        reply = None
        match request:
            case Buffer():
                run.allocate(request)
            case Fill():
                run.fill(request.buffer, request.value)
            case StartRead():
                run.start_read(request.buffer)
            case Read():
                reply = run.read(request.buffer).copy()
            case Launch(kernel=kernel):
                plain = is_plain(read_source(kernel_path(kernel.module)), kernel.name)
                memory = {
                    argument: run.read(argument).copy()
                    for argument in request.arguments
                    if plain and isinstance(argument, Buffer)
                }
                theirs = loops.milliseconds(request, memory) if plain else 0.0
                ours = run.launch(request)()
                for argument, expected in memory.items():
                    np.testing.assert_array_equal(run.read(argument), expected)
                if plain:
                    yield f"{index} {kernel.name}", ours, theirs


def synchronous_by_size() -> None:
    before = None
    for size in (32, 64, 128, 256):
        image = noise(size, 1, 0.6)
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


PARTS = {
    "small": small_grid_against_numba,
    "calls": whole_calls_against_scipy,
    "kernels": kernels_against_plain_loops,
    "synchronous": synchronous_by_size,
}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
