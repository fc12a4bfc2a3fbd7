"""The emulator's ledger beside the hardware counters of the same launches on a GPU.

Three steps, as Nsight Compute runs where the GPU is:

    python benchmarks/bench_ledger.py count -o ledger.json [--schedule synchronous]
    ncu --clock-control none --profile-from-start off --csv \\
        --metrics $(python benchmarks/bench_ledger.py metrics) \\
        python benchmarks/bench_ledger.py run > counters.csv
    python benchmarks/bench_ledger.py compare ledger.json counters.csv

The first launch of each kernel is compared, in this project's form, on three grids: later
ones depend on the order of threads wherever a kernel has harmless races. Prints the kernels in
which requests or sectors (counted / measured) differ by more than 5 %, as docs/ledger.md has them.
The GPU runs everything twice: where its two runs differ as well, the order of threads decides.
Single warps that call atomic functions on chosen elements say how it counts their sectors.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.ledger import LaunchLedger
from ccl_viewer.execution.plan import Buffer, Launch, Task
from ccl_viewer.grids.specs import open_grid

GRIDS = {
    "noise": "pattern:noise?width=512&height=512&density=0.5",
    "spiral": "pattern:spiral?size=511",
    "odd": "pattern:noise?width=333&height=500&density=0.6",
}
METRICS = {
    "load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",),
    "load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),
    "store_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",),
    "store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",),
    "atomic_requests": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    ),
    "atomic_sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    ),
}
"""Hardware counters whose sum stands beside each figure."""

OTHER_METRICS = {
    "instructions": (
        "smsp__inst_executed_op_global_atom.sum",
        "smsp__inst_executed_op_global_red.sum",
    ),
    "set_accesses": (
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum",
    ),
    "L2_requests": (
        "lts__t_requests_srcunit_tex_op_atom.sum",
        "lts__t_requests_srcunit_tex_op_red.sum",
    ),
    "L2_sectors": (
        "lts__t_sectors_srcunit_tex_op_atom.sum",
        "lts__t_sectors_srcunit_tex_op_red.sum",
    ),
    "all_L2_sectors": ("lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum"),
}
"""What else counters say of atomics, where a GPU has them."""

PATTERNS = {
    "one element": [0] * 32,
    "two elements of a sector": [lane % 2 for lane in range(32)],
    "halves on two elements of a sector": [lane // 16 for lane in range(32)],
    "eight elements of a sector": [lane % 8 for lane in range(32)],
    "one element in each of 4 sectors": [lane % 4 * 8 for lane in range(32)],
    "32 elements in a row": list(range(32)),
    "a sector for each lane": [lane * 8 for lane in range(32)],
    "a line for each lane": [lane * 32 for lane in range(32)],
    "8 lanes on one, 24 apart": [0] * 8 + [lane * 8 for lane in range(1, 25)],
}
"""Which elements the lanes of a warp access, to see how sectors of atomics are counted."""

PATTERN_KERNELS = {
    "red_min": "atomicMin(&values[elements[lane]], 5)",
    "red_add": "atomicAdd(&values[elements[lane]], 5)",
    "atom_min": "old[lane] = atomicMin(&values[elements[lane]], 5)",
    "atom_cas": "old[lane] = atomicCAS(&values[elements[lane]], 0, 5)",
}
"""What each lane does there, where the result is used (atom) and where it is not (red)."""

_COMPILER = dict.fromkeys(METRICS, "compiler")
REASONS: dict[str, dict[str, str]] = {
    "bke_init": _COMPILER,
    "tiled_runs_label_blocks": _COMPILER,
    "tiled_runs_write_labels": _COMPILER,
    "shibata_naive": {"load_requests": "compiler", "load_sectors": "compiler"},
    "shibata_slow": {"load_requests": "compiler", "load_sectors": "compiler"},
    "shibata_fast": {"load_requests": "compiler", "load_sectors": "compiler"},
    "stava_benes_tile": {"load_sectors": "grouping"},
}
"""Where a difference has another reason than walks for loads and races for stores and atomics."""

MAX_LAUNCHES = 40


def tasks() -> Iterator[tuple[str, str, npt.NDArray[np.uint8], Any]]:
    """Every algorithm on every grid: names, pixels, and the plan."""
    for name, spec in GRIDS.items():
        grid = open_grid(spec).grid
        for key, algorithm in ALGORITHMS.items():
            image = Buffer("image", grid.shape, np.dtype(np.uint8))
            task = Task(
                image, algorithm.connectivities[0], algorithm.complete(algorithm.project_variant)
            )
            yield name, key, grid, (image, algorithm.planner(task))


class EnoughError(Exception):
    """Ends a run of which the first launches are wanted."""


class FirstLaunches:
    """Ends a run after some launches, by when each kernel has been launched."""

    def __init__(self) -> None:
        self.left = MAX_LAUNCHES
        self.ledgers: list[LaunchLedger] = []

    def launched(self, _launch: Launch, _elapsed: Elapsed, run: DeviceRun) -> None:
        ledger = run.ledger
        if ledger is not None:
            self.ledgers.append(ledger)
        self.left -= 1
        if not self.left:
            raise EnoughError


class ProfiledRun:
    """A run on the GPU of which the profiler sees the first launch of each kernel."""

    def __init__(self, run: DeviceRun) -> None:
        self._run = run
        self._seen: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    def launch(self, launch: Launch) -> Elapsed:
        from cupyx.profiler import profile

        if launch.kernel.name in self._seen:
            return self._run.launch(launch)
        self._seen.add(launch.kernel.name)
        with profile():
            return self._run.launch(launch)


def count(output: Path, schedule: str) -> None:
    """Count on the emulator; all threads of these grids are on a GPU at once, as in rounds."""
    from ccl_viewer.devices.emulator.device import EmulatorDevice
    from ccl_viewer.execution.device import AccessKind
    from ccl_viewer.execution.driver import execute
    from ccl_viewer.execution.schedule import Schedule

    counts: dict[str, dict[str, int]] = {}
    for name, key, grid, (image, plan) in tasks():
        first = FirstLaunches()
        device = EmulatorDevice(Schedule.parse(schedule), ledger=True)
        with device.open(image, grid, timed=False) as run, suppress(EnoughError):
            execute(plan, run, observer=first)
        for ledger in first.ledgers:
            loads, stores, atomics = (ledger.counts(kind) for kind in AccessKind)
            counts.setdefault(
                f"{name}/{key}/{ledger.kernel}",
                {
                    "load_requests": loads.requests,
                    "load_sectors": loads.transactions,
                    "store_requests": stores.requests,
                    "store_sectors": stores.transactions,
                    "atomic_requests": atomics.requests,
                    "atomic_sectors": atomics.transactions,
                },
            )
    output.write_text(json.dumps(counts, indent=1) + "\n", "utf-8")


def metrics(profiler: str) -> str:
    """Return the names of all metrics that this GPU and its profiler have."""
    answer = subprocess.run(
        [profiler, "--query-metrics"], capture_output=True, text=True, check=False
    )
    available = set(re.findall(r"\w+__\w+", answer.stdout))
    names = [name for group in METRICS.values() for name in group]
    others = [name for group in OTHER_METRICS.values() for name in group]
    return ",".join(names + [name for name in others if name.partition(".")[0] in available])


def run() -> None:
    """Launch everything on the GPU twice; a separate kernel marks where a run begins."""
    import cupy
    from cupyx.profiler import profile

    from ccl_viewer.devices.cuda.device import CudaDevice
    from ccl_viewer.execution.driver import execute

    old = cupy.zeros(32, np.int32)
    for name, statement in PATTERN_KERNELS.items():
        kernel = cupy.RawKernel(
            f'extern "C" __global__ void {name}(int *values, const int *elements, int *old) '
            f"{{ int lane = threadIdx.x; {statement}; }}",
            name,
        )
        for elements in PATTERNS.values():
            arguments = cupy.zeros(32 * 32, np.int32), cupy.asarray(elements, np.int32), old
            with profile():
                kernel((1,), (32,), arguments)
    device = CudaDevice()
    mark = cupy.RawKernel('extern "C" __global__ void next_run(int) {}', "next_run")
    for _ in range(2):
        for _, _, grid, (image, plan) in tasks():
            with profile():
                mark((1,), (1,), (np.int32(0),))
            with device.open(image, grid, timed=False) as launched, suppress(EnoughError):
                execute(plan, ProfiledRun(launched), observer=FirstLaunches())


def measured(path: Path) -> dict[str, list[dict[str, float]]]:
    """What the counters say of the first launch of each kernel, in each of the GPU's runs."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith('"')]
    marks = iter([f"{name}/{key}" for name, key, _, _ in tasks()] * 2)
    figures = {
        metric: figure
        for group in (METRICS, OTHER_METRICS)
        for figure, names in group.items()
        for metric in names
    }
    results: dict[str, list[dict[str, float]]] = defaultdict(list)
    launch, current = "", "pattern"
    for row in csv.DictReader(lines):
        kernel = row["Kernel Name"].partition("(")[0]
        if row["ID"] != launch:
            launch = row["ID"]
            if kernel == "next_run":
                current = next(marks)
            results[f"{current}/{kernel}"].append(defaultdict(float))
        with suppress(ValueError):  # "n/a"
            value = float(row["Metric Value"].replace(",", ""))
            results[f"{current}/{kernel}"][-1][figures[row["Metric Name"]]] += value
    return results


def print_patterns(hardware: dict[str, list[dict[str, float]]]) -> None:
    """Print what the hardware counts of warps that access chosen elements."""
    shown = ("atomic_requests", "atomic_sectors", *OTHER_METRICS)
    print("| what lanes access | sectors | kernel | " + " | ".join(shown) + " |")
    print("| --- " * (3 + len(shown)) + "|")
    for kernel in PATTERN_KERNELS:
        for (name, elements), launch in zip(
            PATTERNS.items(), hardware[f"pattern/{kernel}"], strict=True
        ):
            sectors = len({element // 8 for element in elements})
            values = [f"{launch.get(figure, math.nan):.0f}" for figure in shown]
            print(f"| {name} | {sectors} | {kernel} | {' | '.join(values)} |")
    print()


def apart(ours: float, theirs: float) -> bool:
    """Whether two figures differ by more than 5 %."""
    return not abs(ours - theirs) <= 0.05 * max(theirs, 1)


def compare(ledger: Path, counters: Path) -> None:
    """Print the kernels in which a figure differs, and why."""
    counted = json.loads(ledger.read_text("utf-8"))
    hardware = measured(counters)
    print_patterns(hardware)
    print("| grid | algorithm | kernel | " + " | ".join(METRICS) + " | why |")
    print("| --- " * (4 + len(METRICS)) + "|")
    differing = dict.fromkeys(METRICS, 0)
    between_runs = 0
    for key, figures in counted.items():
        first, second = hardware.get(key, [{}, {}])
        cells, reasons = [], set()
        for figure in METRICS:
            ours, theirs = figures[figure], first.get(figure, math.nan)
            cells.append(f"{ours:,} / {theirs:,.0f}")
            between_runs += apart(second.get(figure, math.nan), theirs)
            if apart(ours, theirs):
                cells[-1] = f"**{cells[-1]}**"
                differing[figure] += 1
                reasons.add(reason(key.rpartition("/")[2], figure))
        if reasons:
            print(f"| {' | '.join([*key.split('/'), *cells, ' '.join(sorted(reasons))])} |")
    total = len(counted) * len(METRICS)
    print(f"\n{sum(differing.values())} of {total} figures of {len(counted)} launches differ by")
    print(f"more than 5 % ({differing}); {between_runs} between the GPU's two runs.")


def reason(kernel: str, figure: str) -> str:
    """Return the letter of what makes a figure differ; docs/ledger.md says what it means."""
    if figure in REASONS.get(kernel, {}):
        return REASONS[kernel][figure]
    return "walk" if figure.startswith("load") or kernel == "bke_compression" else "race"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    naming = commands.add_parser("metrics")
    naming.add_argument("--profiler", default="ncu", metavar="NCU")
    commands.add_parser("run")
    counting = commands.add_parser("count")
    counting.add_argument("-o", "--output", type=Path, required=True)
    counting.add_argument("--schedule", default="synchronous")
    comparing = commands.add_parser("compare")
    comparing.add_argument("ledger", type=Path)
    comparing.add_argument("counters", type=Path)
    arguments = parser.parse_args()
    match arguments.command:
        case "metrics":
            sys.stdout.write(metrics(arguments.profiler))
        case "count":
            count(arguments.output, arguments.schedule)
        case "run":
            run()
        case _:
            compare(arguments.ledger, arguments.counters)


if __name__ == "__main__":
    main()
