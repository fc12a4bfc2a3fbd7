"""The emulator's ledger beside the hardware counters of the same launches on a GPU.

Three steps, as Nsight Compute runs where the GPU is:

    python benchmarks/bench_ledger.py count -o ledger.json [--schedule synchronous]
    ncu --clock-control none --csv --metrics $(python benchmarks/bench_ledger.py metrics) \\
        python benchmarks/bench_ledger.py run > counters.csv
    python benchmarks/bench_ledger.py compare ledger.json counters.csv

The first launch of each kernel is compared, on three grids: later ones depend on the order of
threads wherever a kernel has harmless races. Prints the kernels in which requests or sectors
(counted / measured) differ by more than 5 %, as docs/ledger.md has them.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.base import DeviceRun, Elapsed
from ccl_viewer.devices.emulator.ledger import LaunchLedger, ledger_of
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.plan import Buffer, Launch, Task

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
}
"""Hardware counters whose sum stands beside each figure."""

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
        for key, row in ALGORITHMS.items():
            image = Buffer("image", grid.shape, np.dtype(np.uint8))
            task = Task(image, row.connectivities[0], row.complete({}))
            yield name, key, grid, (image, row.planner(task))


class EnoughError(Exception):
    """Ends a run of which the first launches are wanted."""


class FirstLaunches:
    """Ends a run after some launches, by when each kernel has been launched."""

    def __init__(self) -> None:
        self.left = MAX_LAUNCHES
        self.ledgers: list[LaunchLedger] = []

    def launched(self, _launch: Launch, _elapsed: Elapsed, run: DeviceRun) -> None:
        ledger = ledger_of(run)
        if ledger is not None:
            self.ledgers.append(ledger)
        self.left -= 1
        if not self.left:
            raise EnoughError


def count(output: Path, schedule: str) -> None:
    """Count on the emulator; all threads of these grids are on a GPU at once, as in rounds."""
    from ccl_viewer.devices.emulator.device import EmulatorDevice
    from ccl_viewer.devices.emulator.memcheck import AccessKind
    from ccl_viewer.devices.emulator.schedules import Schedule
    from ccl_viewer.driver import execute

    found: dict[str, dict[str, int]] = {}
    for name, key, grid, (image, plan) in tasks():
        first = FirstLaunches()
        device = EmulatorDevice(Schedule.parse(schedule), ledger=True)
        with device.open(image, grid, timed=False) as run, suppress(EnoughError):
            execute(plan, run, observer=first)
        for ledger in first.ledgers:
            loads, stores, atomics = (ledger.counts(kind) for kind in AccessKind)
            found.setdefault(
                f"{name}/{key}/{ledger.kernel}",
                {
                    "load_requests": loads.requests,
                    "load_sectors": loads.transactions,
                    "store_requests": stores.requests,
                    "store_sectors": stores.transactions,
                    "atomic_requests": atomics.requests,
                },
            )
    output.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def run() -> None:
    """Launch everything on the GPU; a kernel without a counterpart marks where a run begins."""
    import cupy

    from ccl_viewer.devices.cuda import CudaDevice
    from ccl_viewer.driver import execute

    device = CudaDevice()
    mark = cupy.RawKernel('extern "C" __global__ void next_run(int) {}', "next_run")
    for _, _, grid, (image, plan) in tasks():
        mark((1,), (1,), (np.int32(0),))
        with device.open(image, grid, timed=False) as launched, suppress(EnoughError):
            execute(plan, launched, observer=FirstLaunches())


def measured(path: Path) -> dict[str, dict[str, float]]:
    """What the counters say of the first launch of each kernel of each run."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.startswith('"')]
    names = iter([f"{name}/{key}" for name, key, _, _ in tasks()])
    found: dict[str, dict[str, float]] = {}
    launch, current = "", ""
    taken: dict[str, str] = {}
    for row in csv.DictReader(lines):
        if row["ID"] != launch:
            launch = row["ID"]
            if row["Kernel Name"].startswith("next_run"):
                current = next(names)
                taken = {}
            kernel = f"{current}/{row['Kernel Name'].partition('(')[0]}"
            taken[launch] = kernel if kernel not in found else ""
            found.setdefault(kernel, {})
        kernel = taken[launch]
        for figure, metrics in METRICS.items():
            if kernel and row["Metric Name"] in metrics:
                value = float(row["Metric Value"].replace(",", ""))
                found[kernel][figure] = found[kernel].get(figure, 0) + value
    return found


def compare(ledger: Path, counters: Path) -> None:
    """Print the kernels in which a figure differs, and why."""
    counted = json.loads(ledger.read_text("utf-8"))
    hardware = measured(counters)
    print("| grid | algorithm | kernel | " + " | ".join(METRICS) + " | why |")
    print("| --- " * (4 + len(METRICS)) + "|")
    apart = total = 0
    for place, figures in counted.items():
        cells, differing = [], set()
        for figure in METRICS:
            ours, theirs = figures[figure], hardware.get(place, {}).get(figure, float("nan"))
            cells.append(f"{ours:,} / {theirs:,.0f}")
            total += 1
            if not abs(ours - theirs) <= 0.05 * max(theirs, 1):
                cells[-1] = f"**{cells[-1]}**"
                differing.add(figure)
        apart += len(differing)
        if differing:
            names = place.split("/")
            why = " ".join(sorted({reason(names[-1], figure) for figure in differing}))
            print(f"| {' | '.join(names)} | {' | '.join(cells)} | {why} |")
    print(f"\n{apart} of {total} figures of {len(counted)} launches differ by more than 5 %.")


def reason(kernel: str, figure: str) -> str:
    """Return the letter of what makes a figure differ; docs/ledger.md says what it means."""
    if figure in REASONS.get(kernel, {}):
        return REASONS[kernel][figure]
    return "walk" if figure.startswith("load") or kernel == "bke_compression" else "race"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("metrics")
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
            sys.stdout.write(",".join(name for names in METRICS.values() for name in names))
        case "count":
            count(arguments.output, arguments.schedule)
        case "run":
            run()
        case _:
            compare(arguments.ledger, arguments.counters)


if __name__ == "__main__":
    main()
