"""Tiled Runs beside public CUDA kernels, on one GPU and in one run.

Run: python benchmarks/bench_public.py YACCLAB [--repeats N] [--ha4] [--only NAME ...]

YACCLAB is a checkout of https://github.com/prittt/YACCLAB (BSD licence). Its kernels are compiled
as they are, without OpenCV: KE4 and HA4 for 4 neighbours, BKE for 8. Prints medians in microseconds
of one CUDA graph, with events around it. "raw" leaves each component one label of its own, as the
public kernels do; "numbered" is what ``scipy.ndimage.label`` returns; "x" is the time of the
fastest public kernel over the raw one. The labels of KE4 are cleared before, outside the time.
HA4's public code lacks a barrier (docs/design.md): now and then it reads outside its arrays, which
ends the process. So it is only run with --ha4.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from bench_gpu import Logbook, noise

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.algorithms.tiled_runs import number_directly
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task
from ccl_viewer.grids import open_grid

OPENCV = """
typedef short int16_t;
#define assert(x)
#define WARP_SIZE 32
#define BLOCK_H 4
#define BLOCK_ROWS 16
#define BLOCK_COLS 16
namespace cv { namespace cuda {
template <typename T> struct View {
    T *data;
    size_t step;
    int cols, rows;
    enum { elem_size = sizeof(T) };
    __device__ operator T *() const { return data; }
};
typedef View<unsigned char> PtrStepSzb;
typedef View<unsigned char> PtrStepb;
typedef View<int> PtrStepSzi;
} }
using namespace cv;
"""
"""What the kernels take from OpenCV: a view of a picture."""

VIEW = np.dtype([("data", np.uint64), ("step", np.uint64), ("cols", np.int32), ("rows", np.int32)])

Call = Callable[[], object]


def workloads() -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    yield "64 g1 d0.5", noise(64, 1, 0.5)
    yield "256 g1 d0.5", noise(256, 1, 0.5)
    yield "1024 g1 d0.5", noise(1024, 1, 0.5)
    for density in (0.1, 0.3, 0.5, 0.6, 0.7, 0.9):
        yield f"2048 g1 d{density}", noise(2048, 1, density)
    for density in (0.3, 0.5, 0.6, 0.7):
        yield f"2048 g4 d{density}", noise(2048, 4, density)
    yield "2048 g16 d0.5", noise(2048, 16, 0.5)
    yield "2048 zigzag", open_grid("pattern:zigzag?size=2048").grid
    yield "2048 spiral", open_grid("pattern:spiral?size=2048").grid
    yield "2048 ones", np.ones((2048, 2048), np.uint8)
    yield "2048 checker", (np.indices((2048, 2048)).sum(0) & 1).astype(np.uint8)
    yield "4096 g4 d0.5", noise(4096, 4, 0.5)
    yield "8192 g4 d0.5", noise(8192, 4, 0.5)
    yield "8192 g1 d0.5", noise(8192, 1, 0.5)


class Public:
    """The public kernels, and how their hosts launch them."""

    def __init__(self, folder: Path, *, ha4: bool) -> None:
        self.ke4 = self._module(folder, "labeling*_KE4.cu")
        self.bke = self._module(folder, "labeling*_2019_BKE.cu")
        self.ha4 = self._module(folder, "labeling_hennequin_2018.cu") if ha4 else None

    @staticmethod
    def _module(folder: Path, pattern: str) -> Any:
        import cupy

        # Files were renamed now and then: labeling_CUDA_KE4.cu became labeling_KE4.cu.
        paths = sorted((folder / "cuda" / "src").glob(pattern))
        if len(paths) != 1:
            raise SystemExit(f"{folder}/cuda/src has {len(paths)} files {pattern}, not one")
        match = re.search(r"namespace\s*\{(.*)\}\s*class ", paths[0].read_text(), re.DOTALL)
        if match is None:
            raise SystemExit(f"{paths[0].name} is not as expected")
        code = OPENCV + match[1].replace("__global__", 'extern "C" __global__')
        return cupy.RawModule(code=code, options=("-std=c++17",), backend="nvrtc")

    def calls(self, image: Any, labels: Any, connectivity: int, *, ha4: bool) -> dict[str, Call]:
        height, width = image.shape

        def view(array: Any) -> Any:
            step = width * array.itemsize
            return np.array([(array.data.ptr, step, width, height)], VIEW)[0]

        pixels, out = view(image), view(labels)
        if connectivity == 8:
            last = np.uint64(labels.data.ptr + 4 * ((height - 2) * width + width - 2))
            grid, block = (-(-width // 32), -(-height // 32)), (16, 16)
            kernels = (
                ("InitLabeling", (pixels, out, last)),
                ("Compression", (out,)),
                ("Merge", (out, last)),
                ("Compression", (out,)),
                ("FinalLabeling", (pixels, out)),
            )
            return {"BKE": lambda: launch(self.bke, [(*k, grid, block) for k in kernels])}
        cells = (-(-width // 16), -(-height // 16))
        ke4 = [
            (name, arguments, cells, (16, 16))
            for name, arguments in (
                ("Init", (pixels, out)),
                ("Analyze", (out,)),
                ("Reduce", (pixels, out)),
                ("Analyze", (out,)),
            )
        ]
        calls: dict[str, Call] = {"KE4": lambda: launch(self.ke4, ke4)}
        strips, warps, block = -(-height // 4), -(-width // 32), (32, 4)
        kernels_ha4 = [
            ("StripLabeling", (pixels, out), (1, strips), block),
            ("StripMerge", (pixels, out), (warps, -(-strips // 4)), block),
            ("Relabeling", (pixels, out), (warps, strips), block),
        ]

        def run_ha4() -> None:
            labels.data.memset_async(0, labels.nbytes)
            launch(self.ha4, kernels_ha4)

        return {**calls, "HA4": run_ha4} if ha4 else calls


def launch(module: Any, kernels: list[Any]) -> None:
    for name, arguments, grid, block in kernels:
        module.get_function(name)(grid, block, arguments)


def graph_time(call: Call, repeats: int) -> float:
    """Median of the microseconds that a call takes as one CUDA graph."""
    import cupy

    cupy.cuda.Device().synchronize()  # the arrays are there
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        call()
        stream.synchronize()
        stream.begin_capture()
        call()
        graph = stream.end_capture()
        times = []
        for _ in range(repeats + 5):
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record(stream)
            graph.launch(stream)
            end.record(stream)
            end.synchronize()
            times.append(1000 * cupy.cuda.get_elapsed_time(start, end))
    return float(np.median(times[5:]))


def same_components(labels: Any, numbers: Any) -> bool:
    """Whether labels divide the cells as numbers do: one label a number, and vice versa."""
    import cupy

    pairs = cupy.unique(numbers.astype(cupy.int64) << 32 | labels.astype(cupy.int64) & 0xFFFFFFFF)
    return bool(
        len(cupy.unique(pairs >> 32)) == len(pairs)
        and len(cupy.unique(pairs & 0xFFFFFFFF)) == len(pairs)
    )


def main() -> None:
    import cupy

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("yacclab", type=Path)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--ha4", action="store_true")
    parser.add_argument("--only", action="append", help="a workload, by its name in the table")
    options = parser.parse_args()
    public, device = Public(options.yacclab, ha4=options.ha4), CudaDevice()
    busy = cupy.ones((8192, 8192), cupy.float32)
    for _ in range(300):  # lets the clocks rise
        busy *= 1.0001
    device.synchronize()

    print(f"{device.title}; CuPy {cupy.__version__}; medians of {options.repeats}, microseconds")
    print("| workload | neighbours | public | raw | x | numbered | numbered / raw |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    algorithm = ALGORITHMS["tiled_runs"]
    for name, grid in workloads():
        if options.only and name not in options.only:
            continue
        image = cupy.asarray(grid)
        for connectivity in (4, 8):
            labels = cupy.zeros(grid.shape, cupy.int32)
            theirs = {
                key: graph_time(call, options.repeats)
                for key, call in public.calls(image, labels, connectivity, ha4=options.ha4).items()
            }
            buffer = Buffer("image", grid.shape, np.dtype(np.uint8))
            task = Task(buffer, connectivity, algorithm.complete({"show_blocks": 0}))
            ours = []
            for plan in (algorithm.planner(task), number_directly(task)):
                with device.open(buffer, image, timed=False) as run:
                    book = Logbook(run)
                    result = execute(plan, book)
                    ours.append(graph_time(book.play, options.repeats))
                    if isinstance(result, tuple):
                        assert same_components(labels, run.take(result[0])), name
            best = min(theirs.values())
            shown = ", ".join(f"{key} {time:.1f}" for key, time in theirs.items())
            print(
                f"| {name} | {connectivity} | {shown} | {ours[0]:.1f} | {best / ours[0]:.2f} | "
                f"{ours[1]:.1f} | {ours[1] / ours[0]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
