"""Labelling on an NVIDIA GPU: whole runs, and each launch beside a bare CuPy launch.

Run: python benchmarks/bench_gpu.py [--repeats N]
Prints medians in milliseconds. "bare" launches the same kernel through CuPy's RawModule alone, with
events around it, in the same process: the ratio says what the driver and the recorder add.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import replace
from typing import Any

import numpy as np

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.devices.base import DeviceRun, Elapsed
from ccl_viewer.devices.cuda import CudaDevice
from ccl_viewer.driver import execute
from ccl_viewer.plan import Buffer, Launch, Task

WORKLOADS = (
    ("1024 g1 d0.5", 1024, 1, 0.5),
    ("2048 g1 d0.5", 2048, 1, 0.5),
    ("2048 g1 d0.6", 2048, 1, 0.6),
    ("2048 g4 d0.5", 2048, 4, 0.5),
    ("2048 g16 d0.5", 2048, 16, 0.5),
    ("4096 g4 d0.5", 4096, 4, 0.5),
    ("8192 g4 d0.5", 8192, 4, 0.5),
)


SLOW = ("shibata_naive", "shibata_slow", "row_col_unify", "two_pass")


def noise(size: int, granularity: int, density: float) -> np.ndarray[Any, Any]:
    side = -(-size // granularity)
    draws = np.random.RandomState(0).rand(side, side) < density
    return np.kron(draws, np.ones((granularity, granularity)))[:size, :size].astype(np.uint8)


def task_for(row: Algorithm, pixels: Any) -> Task:
    image = Buffer("image", pixels.shape, np.dtype(np.uint8))
    return Task(image, row.connectivities[0], row.complete({}))


class Stopwatch:
    """Passes requests on to a run, and records an event before the first that uses the GPU."""

    def __init__(self, run: Any) -> None:
        import cupy

        self.run = run
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

    def read(self, buffer: Buffer) -> Any:
        return self.run.read(buffer)

    def take(self, buffer: Buffer) -> Any:
        return self.run.take(buffer)

    def close(self) -> None:
        self.run.close()


def whole_run(device: CudaDevice, row: Algorithm, pixels: Any, repeats: int) -> list[float]:
    """Milliseconds between events around everything that a plan asks of the GPU."""
    import cupy

    times = []
    for _ in range(repeats):
        task = task_for(row, pixels)
        with device.open(task.image, pixels, timed=False) as run:
            watch, end = Stopwatch(run), cupy.cuda.Event()
            cupy.cuda.get_current_stream().synchronize()
            execute(row.planner(task), watch)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(watch.start, end))
    return times


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


def compare_launches(device: CudaDevice, row: Algorithm, pixels: Any, repeats: int) -> None:
    ours = LaunchTimes(device)
    bare: dict[str, list[float]] = {}
    for _ in range(repeats):
        task = task_for(row, pixels)
        with device.open(task.image, pixels) as run:
            execute(row.planner(task), run, observer=ours)
        task = task_for(row, pixels)
        with device.open(task.image, pixels) as run:
            naked = BareLaunch(device, run)
            execute(row.planner(task), naked)
        for key, time in naked.times.items():
            bare.setdefault(key, []).append(time)
    for key in ours.ours:
        if key in bare:
            mine, theirs = statistics.median(ours.ours[key]), statistics.median(bare[key])
            print(f"    {key:36} {mine:8.4f} ms   bare {theirs:8.4f} ms   x {mine / theirs:5.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    repeats = parser.parse_args().repeats
    import cupy

    device = CudaDevice()
    print(device.title)
    for name, size, granularity, density in WORKLOADS:
        pixels = cupy.asarray(noise(size, granularity, density))
        for row in ALGORITHMS.values():
            if row.key in SLOW:
                continue  # thousands of passes, or one thread
            for connectivity in row.connectivities:
                only = replace(row, connectivities=(connectivity,))
                whole_run(device, only, pixels, 5)
                times = whole_run(device, only, pixels, repeats)
                print(f"{name:15} {row.key:26} {connectivity} {statistics.median(times):8.4f} ms")
    print("each launch beside a bare CuPy launch, 2048 g4 d0.5")
    pixels = cupy.asarray(noise(2048, 4, 0.5))
    for key in ("label_equivalence", "ha4", "shibata_fast"):
        print(f"  {key}")
        compare_launches(device, ALGORITHMS[key], pixels, repeats)


if __name__ == "__main__":
    main()
