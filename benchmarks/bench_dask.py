"""Images in chunks, by Dask: on several GPUs of one machine, and on the CPU beside dask-image.

Run: python benchmarks/bench_dask.py gpu [--sizes N ...] [--gpus N ...] [--chunk N]
     python benchmarks/bench_dask.py cpu [--sizes N ...] [--chunk N]
"gpu" makes noise chunk by chunk on the GPUs, labels it there and leaves the labels there; it needs
distributed and CuPy. It prints the median of some runs after one that is not counted, how many
times as fast as the first number of GPUs that is, and how many bytes of chunks went from worker to
worker during a run. "cpu" labels the same noise from memory with ccl_viewer and with dask_image,
each in a separate process with Dask's threads, and compares labels, seconds and peak memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np

import ccl_viewer as ccl
from ccl_viewer.devices.registry import DeviceName

DENSITY = 0.5


def noise_chunk(seed: tuple[int, int], size: int, density: float, device: str) -> Any:
    if device != "cuda":
        draws = np.random.default_rng(seed).random((size, size), np.float32)
        return (draws < density).astype(np.uint8)
    import cupy

    generator = cupy.random.default_rng(seed[0] * 65_536 + seed[1])
    chunk = cupy.empty((size, size), cupy.uint8)
    for top in range(0, size, 1024):  # numbers take four times the memory of the chunk
        part = chunk[top : top + 1024]
        part[...] = generator.random(part.shape, cupy.float32) < density
    return chunk


def synchronize(device: str) -> None:
    if device == "cuda":
        import cupy

        cupy.cuda.Device().synchronize()


def memory_on_gpu(device: str) -> int:
    if device != "cuda":
        return 0
    import cupy

    return int(cupy.get_default_memory_pool().total_bytes())


def bytes_sent(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)


def noise_on_workers(client: Any, size: int, chunk: int, density: float, device: str) -> Any:
    """Make noise in chunks that lie evenly on the workers, row by row."""
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
    side = size // chunk
    futures = [
        client.submit(
            noise_chunk,
            divmod(index, side),
            chunk,
            density,
            device,
            workers=[workers[index * len(workers) // side**2]],
            pure=False,
        )
        for index in range(side**2)
    ]
    from distributed import wait

    wait(futures)
    empty = noise_like(device)
    blocks = [da.from_delayed(future, (chunk, chunk), meta=empty) for future in futures]
    return da.block([blocks[row * side : (row + 1) * side] for row in range(side)])


def noise_like(device: str) -> Any:
    if device != "cuda":
        return np.empty((0, 0), np.uint8)
    import cupy

    return cupy.empty((0, 0), cupy.uint8)


def time_on_gpus(options: argparse.Namespace) -> None:
    from distributed import Client, wait

    from ccl_viewer.large_images.streaming import gpu_cluster

    print(
        "size, density, neighbours, GPUs: seconds (spread), Gpx/s, ratio; chunks moved; GPU memory"
    )
    first: dict[tuple[int, int], float] = {}
    counts: dict[tuple[int, int], int] = {}
    for gpus in options.gpus:
        with gpu_cluster(gpus) as cluster, Client(cluster) as client:
            client.wait_for_workers(gpus)
            for size in options.sizes:
                image = noise_on_workers(
                    client, size, min(size, options.chunk), options.density, options.device
                )
                for connectivity in options.connectivity:
                    seconds = []
                    before = 0
                    for _ in range(options.repeats + 1):
                        before = sum(client.run(bytes_sent).values())
                        client.run(synchronize, options.device)
                        start = time.perf_counter()
                        labels, count = client.persist(
                            ccl.label(image, connectivity=connectivity, device=options.device)
                        )
                        wait([labels, count])
                        client.run(synchronize, options.device)
                        seconds.append(time.perf_counter() - start)
                        number = int(count.compute())
                        del labels, count
                    moved = sum(client.run(bytes_sent).values()) - before
                    memory = max(client.run(memory_on_gpu, options.device).values())
                    median = statistics.median(seconds[1:])
                    key = size, connectivity
                    ratio = first.setdefault(key, median) / median
                    assert counts.setdefault(key, number) == number
                    print(
                        f"{size}, {options.density}, {connectivity}, {gpus}: {median:.3f} s "
                        f"({min(seconds[1:]):.3f} to {max(seconds[1:]):.3f}), "
                        f"{size**2 / median / 1e9:.2f} Gpx/s, x {ratio:.2f}; "
                        f"{moved / 1e6:.1f} MB of chunks moved; {memory / 2**30:.1f} GiB on a GPU; "
                        f"{number} components",
                        flush=True,
                    )
                if size == min(options.sizes) and size <= options.check:
                    check(image, options.connectivity, options.device)
                del image


def check(image: Any, connectivities: list[int], device: DeviceName) -> None:
    from scipy import ndimage

    grid = on_host(image).compute()
    for connectivity in connectivities:
        labels = on_host(ccl.label(image, connectivity=connectivity, device=device)[0]).compute()
        square = ndimage.generate_binary_structure(2, connectivity // 4)
        assert np.array_equal(labels, ndimage.label(grid, square)[0])
        print(f"{image.shape[0]}, {connectivity} neighbours: equal to SciPy's labels of the whole")


def on_host(array: Any) -> Any:
    """Return a Dask array of NumPy's arrays, as only these travel everywhere."""
    meta = np.empty((0, 0), array.dtype)
    return array.map_blocks(
        lambda chunk: chunk.get() if hasattr(chunk, "get") else chunk, meta=meta
    )


def compare_on_cpu(options: argparse.Namespace) -> None:
    print("size, chunk, by: seconds, peak memory beyond the start")
    for size in options.sizes:
        results = {}
        for by in ("ccl_viewer", "dask_image"):
            command = [sys.executable, __file__, "one", by, str(size), str(options.chunk)]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            results[by] = json.loads(answer.stdout.splitlines()[-1])
            print(
                f"{size}, {options.chunk}, {by}: {results[by]['seconds']:.2f} s, "
                f"{results[by]['megabytes']:.0f} MiB",
                flush=True,
            )
        ours, theirs = results["ccl_viewer"], results["dask_image"]
        same = (ours["count"], ours["pairs"]) == (theirs["count"], theirs["pairs"])
        print(
            f"{size}: {ours['count']} components; labels name the same components: {same}; "
            f"time x {theirs['seconds'] / ours['seconds']:.2f}"
        )
        assert same


def label_once(by: str, size: int, chunk: int) -> None:
    side = size // chunk
    image = np.empty((size, size), np.uint8)
    for row in range(side):
        for column in range(side):
            image[row * chunk : (row + 1) * chunk, column * chunk : (column + 1) * chunk] = (
                noise_chunk((row, column), chunk, DENSITY, "cpu")
            )
    chunks = da.from_array(image, chunk)
    label: Any = partial(ccl.label, device="emulator")
    if by == "dask_image":
        from dask_image import ndmeasure

        label = ndmeasure.label
    with dask.config.set(scheduler="threads"):
        dask.compute(*label(da.from_array(image[:chunk, :chunk], chunk // 2)))  # builds, imports
        before = peak_memory()
        start = time.perf_counter()
        labels, count = dask.compute(*label(chunks))
        seconds = time.perf_counter() - start
        megabytes = peak_memory() - before
    # Numbers may be in another order: those of first pixels say the same of both.
    flat = np.asarray(labels).ravel()
    _, first = np.unique(flat, return_index=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    same_order = rank[flat.astype(np.intp)]
    answer = {
        "seconds": seconds,
        "megabytes": megabytes,
        "count": int(count),
        "pairs": int((same_order * (np.arange(flat.size) % 1_000_003)).sum()),
    }
    print(json.dumps(answer))


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        label_once(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("gpu", "cpu"))
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--chunk", type=int)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--connectivity", type=int, nargs="+", default=[4, 8], choices=(4, 8))
    parser.add_argument("--density", type=float, default=DENSITY)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--device", choices=("cuda", "emulator"), default="cuda", help="emulator: to try it out"
    )
    parser.add_argument(
        "--check", type=int, default=16384, help="largest size that SciPy labels too"
    )
    options = parser.parse_args()
    gpu = options.what == "gpu"
    options.sizes = options.sizes or ([8192, 32768, 65536] if gpu else [4096, 8192])
    options.chunk = options.chunk or (16384 if gpu else 2048)
    (time_on_gpus if gpu else compare_on_cpu)(options)


if __name__ == "__main__":
    main()
