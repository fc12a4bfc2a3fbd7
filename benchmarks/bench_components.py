"""The features of components on a GPU, beside the labelling that goes before them.

Run: python benchmarks/bench_components.py [--sides N ...] [--repeats N] [--calls]

Prints medians in milliseconds of CUDA graphs, with events around them. "label" is Tiled Runs with
numbers. "runs" finds components and features without labels, as ``ccl.components`` does on a GPU,
and "x" is its time over that of labelling. "columns" and "tiles" are the two kernels that gather
features of any labels, with the clearing of the table; each "x" after them is labelling and
features together over labelling alone, with a star at the one that is taken. With --calls, also
the wall time of one call of ``ccl.label`` and of ``ccl.components``, whose table is brought to the
host and divided there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from bench_gpu import Logbook, noise
from bench_public import graph_time

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.components import find_components, prefers_tiles, tabulate
from ccl_viewer.algorithms.tiled_runs import number_directly
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task
from ccl_viewer.grids import open_grid


def workloads(side: int) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for granularity in (1, 4, 16):
        for density in (0.3, 0.5, 0.7):
            yield f"{side} g{granularity} d{density}", noise(side, granularity, density)
    yield f"{side} spiral", open_grid(f"pattern:spiral?size={side}").grid
    yield f"{side} ones", np.ones((side, side), np.uint8)


def time_label(
    device: CudaDevice, image: Any, connectivity: int, repeats: int
) -> tuple[float, Any, int]:
    """Milliseconds of labelling, the numbers and their count."""
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    algorithm = ALGORITHMS["tiled_runs"]
    with device.open(buffer, image, timed=False) as run:
        book = Logbook(run)
        numbers, sums = execute(
            number_directly(Task(buffer, connectivity, algorithm.complete({}))), book
        )
        milliseconds = graph_time(book.play, repeats) / 1000
        return milliseconds, run.take(numbers), int(run.read(sums)[-1])


def time_features(
    device: CudaDevice, numbers: Any, count: int, repeats: int, *, by_tiles: bool
) -> tuple[float, np.ndarray[Any, Any]]:
    """Milliseconds of the features, and the table."""
    buffer = Buffer("numbers", numbers.shape, np.dtype(np.int32))
    with device.open(buffer, numbers, timed=False) as run:
        book = Logbook(run)
        table = execute(tabulate(buffer, count, by_tiles=by_tiles), book)
        return graph_time(book.play, repeats) / 1000, table


def time_runs(
    device: CudaDevice, image: Any, connectivity: int, repeats: int
) -> tuple[float, np.ndarray[Any, Any]]:
    """Milliseconds of components and features without labels, and the table."""
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    algorithm = ALGORITHMS["tiled_runs"]
    task = Task(buffer, connectivity, algorithm.complete({}))
    with device.open(buffer, image, timed=False) as run:
        book = Logbook(run)
        table = execute(find_components(algorithm, task), book)
        return graph_time(book.play, repeats) / 1000, table


def wall_time(call: Callable[[], object]) -> float:
    """Milliseconds of a call, the second of two."""
    for _ in range(2):
        start = time.perf_counter()
        call()
        end = time.perf_counter()
    return 1000 * (end - start)


def main() -> None:
    import cupy

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sides", type=int, nargs="+", default=[2048, 8192])
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--calls", action="store_true")
    options = parser.parse_args()
    device = CudaDevice()
    busy = cupy.ones((8192, 8192), cupy.float32)
    for _ in range(300):  # lets the clocks rise
        busy *= 1.0001
    del busy
    print(f"{device.title}; CuPy {cupy.__version__}; medians of {options.repeats}, milliseconds")
    columns = ["workload", "neighbours", "components", "label", "runs", "x"]
    columns += ["columns", "x", "tiles", "x"]
    columns += ["ccl.label", "ccl.components"] if options.calls else []
    print("|", " | ".join(columns), "|")
    print("|", " | ".join("---" for _ in columns), "|")
    for side in options.sides:
        for name, grid in workloads(side):
            image = cupy.asarray(grid)
            for connectivity in (4, 8):
                label, numbers, count = time_label(device, image, connectivity, options.repeats)
                cells = [name, f"{connectivity}", f"{count}", f"{label:.3f}"]
                elapsed, table = time_runs(device, image, connectivity, options.repeats)
                cells += [f"{elapsed:.3f}", f"{elapsed / label:.2f}"]
                tables = [table]
                for by_tiles in (False, True):
                    elapsed, table = time_features(
                        device, numbers, count, options.repeats, by_tiles=by_tiles
                    )
                    tables.append(table)
                    star = "*" if by_tiles == prefers_tiles(numbers.shape, count) else ""
                    cells += [f"{elapsed:.3f}", f"{(label + elapsed) / label:.2f}{star}"]
                assert (tables[0] == tables[1]).all()
                assert (tables[0] == tables[2]).all()
                assert tables[0]["area"].sum() == np.count_nonzero(grid)
                del numbers, tables
                if options.calls:
                    for function in (ccl.label, ccl.components):
                        call = partial(function, image, connectivity=connectivity)
                        cells.append(f"{wall_time(call):.2f}")
                print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
