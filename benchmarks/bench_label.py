"""The whole call of ``ccl_viewer.label`` on a GPU, beside ``cupyx.scipy.ndimage.label``.

Run: python benchmarks/bench_label.py [--repeats N]

Prints medians in microseconds of wall time, from a CuPy array to labels on the GPU and a count on
the host; of N calls, or of as many as take half a second.
"beside" is the call less its kernels, as one CUDA graph: what Python, launches and the
reading of the count add. "x" is the time of CuPy's function over that of the call. "left" is the
call with ``synchronize=False``, which does not wait for the count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from bench_gpu import Logbook, noise
from bench_public import graph_time

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.tiled_runs import number_directly
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task

SIDES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)


STEADY = 0.5
"""Seconds for which calls are timed at least: medians of short calls need many of them."""


def wall_time(call: Callable[[], object], repeats: int) -> float:
    """Median of the microseconds of a call, the GPU idle before and after."""
    import cupy

    times: list[float] = []
    while len(times) < repeats + 3 or sum(times) < STEADY:
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times[3:]))


def main() -> None:
    import cupy
    from cupyx.scipy import ndimage

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=30)
    repeats = parser.parse_args().repeats
    device = CudaDevice()
    busy = cupy.ones((8192, 8192), cupy.float32)
    for _ in range(300):  # lets the clocks rise
        busy *= 1.0001
    print(f"{device.title}; CuPy {cupy.__version__}; medians of {repeats} or more, microseconds")
    print("| noise 0.5 | neighbours | call | kernels | beside | left | cupyx | x |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for side in SIDES:
        image = cupy.asarray(noise(side, 1, 0.5))
        for connectivity in (4, 8):
            structure = None if connectivity == 4 else np.ones((3, 3))
            label = partial(ccl.label, image, connectivity=connectivity)
            call = wall_time(label, repeats)
            left = wall_time(partial(label, synchronize=False), repeats)
            theirs = wall_time(partial(ndimage.label, image, structure), repeats)
            labels, count = ccl.label(image, connectivity=connectivity)
            expected, components = ndimage.label(image, structure)
            assert count == components
            assert bool((labels == expected).all())
            kernels = kernel_time(device, image, connectivity, max(repeats, int(5e5 / call)))
            print(
                f"| {side} | {connectivity} | {call:.0f} | {kernels:.0f} | {call - kernels:.0f} | "
                f"{left:.0f} | {theirs:.0f} | {theirs / call:.1f} |",
                flush=True,
            )


def kernel_time(device: CudaDevice, image: Any, connectivity: int, repeats: int) -> float:
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    algorithm = ALGORITHMS["tiled_runs"]
    with device.open(buffer, image, timed=False) as run:
        book = Logbook(run)
        execute(number_directly(Task(buffer, connectivity, algorithm.complete({}))), book)
        return graph_time(book.play, repeats)


if __name__ == "__main__":
    main()
