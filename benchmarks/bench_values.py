"""Tiled Runs on a GPU: foreground against background, and several values.

Run: python benchmarks/bench_values.py [--sides N ...] [--repeats N]

Prints medians in microseconds of CUDA graphs, with events around them. "raw" leaves each component
one label of its own, "numbered" is what ``ccl.label`` returns. "binary" is the kernels for
foreground against background, "values" those for several values on the same grid; "x" is the one
over the other. "four values" is a grid of 0 to 3 at random, in squares of the same size, by Tiled
Runs and by Playne-Hawick by blocks (raw).
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from bench_gpu import Logbook, noise
from bench_public import graph_time

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.tiled_runs import number_directly
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task


def microseconds(
    device: CudaDevice,
    image: Any,
    connectivity: int,
    repeats: int,
    *,
    key: str = "tiled_runs",
    numbered: bool = False,
    multivalued: bool = False,
) -> float:
    algorithm = ALGORITHMS[key]
    parameters: Any = {"show_blocks": 0} if key == "tiled_runs" else algorithm.project_variant
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    task = Task(buffer, connectivity, algorithm.complete(parameters), multivalued=multivalued)
    with device.open(buffer, image, timed=False) as run:
        book = Logbook(run)
        execute(number_directly(task) if numbered else algorithm.planner(task), book)
        return graph_time(book.play, repeats)


def values(side: int, granularity: int) -> np.ndarray[Any, Any]:
    cells = -(-side // granularity)
    draws = np.random.RandomState(0).randint(0, 4, (cells, cells)).astype(np.uint8)
    square = np.ones((granularity, granularity), np.uint8)
    return np.kron(draws, square)[:side, :side].copy()


def main() -> None:
    import cupy

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sides", type=int, nargs="+", default=[64, 1024, 2048, 8192])
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    device = CudaDevice()
    busy = cupy.ones((8192, 8192), cupy.float32)
    for _ in range(300):  # lets the clocks rise
        busy *= 1.0001
    del busy
    print(f"{device.title}; CuPy {cupy.__version__}; medians of {options.repeats}, microseconds")
    columns = ["workload", "neighbours", "raw, binary", "values", "x", "numbered, binary", "values"]
    columns += ["x", "four values", "numbered", "Playne-Hawick", "x"]
    print("|", " | ".join(columns), "|")
    print("|", " | ".join("---" for _ in columns), "|")
    for side in options.sides:
        for granularity in (1, 4, 16):
            image = cupy.asarray(noise(side, granularity, 0.5))
            four = cupy.asarray(values(side, granularity))
            for connectivity in (4, 8):
                how: Any = (connectivity, options.repeats)
                cells = [f"{side} g{granularity} d0.5", f"{connectivity}"]
                for numbered in (False, True):
                    binary, other = (
                        microseconds(device, image, *how, numbered=numbered, multivalued=several)
                        for several in (False, True)
                    )
                    cells += [f"{binary:.1f}", f"{other:.1f}", f"{other / binary:.2f}"]
                raw, numbers = (
                    microseconds(device, four, *how, numbered=numbered, multivalued=True)
                    for numbered in (False, True)
                )
                playne = microseconds(device, four, *how, key="playne_block", multivalued=True)
                cells += [f"{raw:.1f}", f"{numbers:.1f}", f"{playne:.1f}", f"{playne / raw:.2f}"]
                print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
