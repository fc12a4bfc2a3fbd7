"""Labelling on an NVIDIA GPU: whole runs, and each launch beside a bare CuPy launch.

Run: python benchmarks/bench_gpu.py [--repeats N] [--algorithm KEY ...]
Prints medians in milliseconds. "run" is all that a plan asks of the GPU, launched from Python, with
events around it; "kernels" are the same launches and fills as one CUDA graph, without the host;
"x" is how many times as fast as ``cupyx.scipy.ndimage.label`` (which also numbers consecutively) on
the same grid in the same process. "bare" launches the same kernel through CuPy's RawModule alone,
with events around it: the ratio says what the driver and the recorder add.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Buffer, Launch, Task
from ccl_viewer.grids import open_grid

WORKLOADS = (
    (1024, 1, 0.5),
    *((2048, 1, density) for density in (0.1, 0.3, 0.5, 0.6, 0.7, 0.9)),
    *((2048, 4, density) for density in (0.3, 0.5, 0.6, 0.7)),
    (2048, 16, 0.5),
    (4096, 4, 0.5),
    (8192, 4, 0.5),
)
"""Sides, granularities and densities of noise; a spiral of one-pixel arms is timed too."""

SLOW = ("shibata_naive", "shibata_slow", "row_col_unify", "two_pass")


def noise(size: int, granularity: int, density: float) -> np.ndarray[Any, Any]:
    side = -(-size // granularity)
    draws = np.random.RandomState(0).rand(side, side) < density
    return np.kron(draws, np.ones((granularity, granularity)))[:size, :size].astype(np.uint8)


def workloads() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for size, granularity, density in WORKLOADS:
        yield f"{size} g{granularity} d{density}", noise(size, granularity, density)
    yield "2048 spiral", open_grid("pattern:spiral?size=2048").grid


def task_for(algorithm: Algorithm, pixels: Any) -> Task:
    image = Buffer("image", pixels.shape, np.dtype(np.uint8))
    return Task(image, algorithm.connectivities[0], algorithm.complete(algorithm.project_variant))


class Stopwatch:
    """Passes requests on to a run, and records an event before the first that uses the GPU."""

    def __init__(self, run: Any) -> None:
        import cupy

        self.run = run
        self.atomics: int | None = None
        self.ledger: LaunchLedger | None = None
        self.printed: tuple[str, ...] = ()
        self.start = cupy.cuda.Event()
        self.started = False

    def begin(self) -> None:
        if not self.started:
            self.start.record()
            self.started = True

    def allocate(self, buffer: Buffer) -> None:
        self.begin()
        self.run.allocate(buffer)

    def fill(self, buffer: Buffer, value: int) -> None:
        self.run.fill(buffer, value)

    def launch(self, launch: Launch) -> Elapsed:
        elapsed: Elapsed = self.run.launch(launch)
        return elapsed

    def start_read(self, buffer: Buffer) -> None:
        self.run.start_read(buffer)

    def read(self, buffer: Buffer) -> Any:
        return self.run.read(buffer)

    def take(self, buffer: Buffer) -> Any:
        return self.run.take(buffer)

    def array(self, buffer: Buffer) -> Any:
        return self.run.array(buffer)

    def close(self) -> None:
        self.run.close()


def whole_run(device: CudaDevice, algorithm: Algorithm, pixels: Any, repeats: int) -> list[float]:
    """Milliseconds between events around everything that a plan asks of the GPU."""
    import cupy

    times: list[float] = []
    for _ in range(repeats):
        task = task_for(algorithm, pixels)
        with device.open(task.image, pixels, timed=False) as run:
            watch, end = Stopwatch(run), cupy.cuda.Event()
            cupy.cuda.get_current_stream().synchronize()
            execute(algorithm.planner(task), watch)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(watch.start, end))
    return times


class Logbook(Stopwatch):
    """Passes requests on, and keeps those that run on the GPU."""

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self.replay: list[Callable[[], object]] = []

    def allocate(self, buffer: Buffer) -> None:
        super().allocate(buffer)
        value = buffer.fill
        if value is not None:
            self.replay.append(lambda: self.run.fill(buffer, value))

    def fill(self, buffer: Buffer, value: int) -> None:
        super().fill(buffer, value)
        self.replay.append(lambda: self.run.fill(buffer, value))

    def launch(self, launch: Launch) -> Elapsed:
        self.replay.append(lambda: self.run.launch(launch))
        return super().launch(launch)

    def play(self) -> None:
        """Do all of it again."""
        for again in self.replay:
            again()


def kernels_alone(device: CudaDevice, algorithm: Algorithm, pixels: Any, repeats: int) -> float:
    """Milliseconds that fills and launches take as one CUDA graph: the least of some rounds."""
    import cupy

    task = task_for(algorithm, pixels)
    with device.open(task.image, pixels, timed=False) as run:
        book = Logbook(run)
        execute(algorithm.planner(task), book)
        device.synchronize()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            book.play()
            graph = stream.end_capture()
            times: list[float] = []
            for _ in range(repeats):
                start, end = cupy.cuda.Event(), cupy.cuda.Event()
                start.record()
                graph.launch()
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(start, end))
    return statistics.median(times)


def cupyx_time(pixels: Any, connectivity: int, repeats: int) -> float:
    """Milliseconds of CuPy's own labelling."""
    import cupy
    from cupyx.scipy import ndimage

    structure = cupy.ones((3, 3)) if connectivity == 8 else None
    times: list[float] = []
    for _ in range(repeats):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        ndimage.label(pixels, structure)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    return statistics.median(times)


class LaunchTimes:
    """Keeps each launch's time, and times the same launch again, bare."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        self.ours: dict[str, list[float]] = {}

    def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun) -> None:
        key = f"{launch.kernel.name} #{launch.iteration or 0}"
        self.ours.setdefault(key, []).append(elapsed())


class BareLaunch(Stopwatch):
    """Launches through CuPy alone, with events, instead of through our device's launch."""

    def __init__(self, device: CudaDevice, run: Any) -> None:
        super().__init__(run)
        self.device = device
        self.times: dict[str, float] = {}

    def launch(self, launch: Launch) -> Elapsed:
        import cupy

        function = self.device.kernel(launch.kernel, None)
        arguments = tuple(
            self.run.take(a) if isinstance(a, Buffer) else a for a in launch.arguments
        )
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        function(launch.grid, launch.block, arguments)
        end.record()
        end.synchronize()
        self.times[f"{launch.kernel.name} #{launch.iteration or 0}"] = cupy.cuda.get_elapsed_time(
            start, end
        )
        return lambda: 0.0


def compare_launches(device: CudaDevice, algorithm: Algorithm, pixels: Any, repeats: int) -> None:
    ours = LaunchTimes(device)
    bare: dict[str, list[float]] = {}
    for _ in range(repeats):
        task = task_for(algorithm, pixels)
        with device.open(task.image, pixels) as run:
            execute(algorithm.planner(task), run, observer=ours)
        task = task_for(algorithm, pixels)
        with device.open(task.image, pixels) as run:
            naked = BareLaunch(device, run)
            execute(algorithm.planner(task), naked)
        for key, time in naked.times.items():
            bare.setdefault(key, []).append(time)
    for key in ours.ours:
        if key in bare:
            mine, theirs = statistics.median(ours.ours[key]), statistics.median(bare[key])
            print(f"    {key:36} {mine:8.4f} ms   bare {theirs:8.4f} ms   x {mine / theirs:5.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--algorithm", action="append", choices=ALGORITHMS)
    options = parser.parse_args()
    repeats = options.repeats
    # The others need thousands of passes, or have one thread.
    usual = [key for key in ALGORITHMS if key not in SLOW]
    chosen = [ALGORITHMS[key] for key in options.algorithm or usual]
    import cupy

    device = CudaDevice()
    print(device.title)
    for name, grid in workloads():
        pixels = cupy.asarray(grid)
        yardsticks = {c: cupyx_time(pixels, c, repeats) for c in (4, 8)}
        for algorithm in chosen:
            for connectivity in algorithm.connectivities:
                only = replace(algorithm, connectivities=(connectivity,))
                whole_run(device, only, pixels, 5)
                run_time = statistics.median(whole_run(device, only, pixels, repeats))
                alone = kernels_alone(device, only, pixels, repeats)
                print(
                    f"{name:15} {algorithm.key:26} {connectivity} run {run_time:8.4f} ms   "
                    f"kernels {alone:8.4f} ms   x {yardsticks[connectivity] / run_time:5.2f}"
                )
    print("each launch beside a bare CuPy launch, 2048 g4 d0.5")
    pixels = cupy.asarray(noise(2048, 4, 0.5))
    for key in ("label_equivalence", "ha4", "shibata_fast"):
        print(f"  {key}")
        compare_launches(device, ALGORITHMS[key], pixels, repeats)


if __name__ == "__main__":
    main()
