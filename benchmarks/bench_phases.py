"""What it takes to look inside a launch: time and memory of tracing, cutting and looking.

Prints a row for each run, of its launch with the most events among the first four: events, phases,
memory that the trace holds with one view, and milliseconds of the processor for a recorded run, for
the run again up to that launch with the log on, and for a first and a later look at a phase.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

import numpy as np

import ccl_viewer as ccl
from ccl_viewer.diagnostics.phases import LaunchTrace, PhaseView, trace_launch
from ccl_viewer.recording import Recording

RUNS = (
    ("label_equivalence", 4),
    ("stava_benes", 8),
    ("ha4", 4),
    ("playne_block", 4),
    ("bke", 8),
    ("tiled_runs", 8),
)
Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return what the work returns, and how many milliseconds of the processor it took."""
    begin = time.process_time()
    result = work()
    return result, 1000 * (time.process_time() - begin)


def largest(recording: Recording, block: tuple[int, int, int] | None) -> LaunchTrace:
    """Return the trace with the most events among the first launches of a run."""
    traces = [trace_launch(recording, step, block) for step in range(min(len(recording), 4))]
    return max(traces, key=len)


def look(trace: LaunchTrace, index: int) -> int:
    """Ask a view for all that a panel shows."""
    view = PhaseView(trace, trace.phases()[index])
    block = view.phase.block or trace.blocks[0]
    parts = (view.labels, view.changed_cells, view.shared_arrays(block), view.lanes(block, 0))
    return sum(len(part) for part in parts)


def row(key: str, connectivity: int, size: int, one_block: bool) -> str:
    """Return a row of the table."""
    image = (np.random.RandomState(1).rand(size, size) < 0.6).astype(np.uint8)
    recording = ccl.record(image, key, connectivity=connectivity, device="emulator")
    _, plain = timed(lambda: ccl.record(image, key, connectivity=connectivity, device="emulator"))
    trace = largest(recording, (0, 0, 0) if one_block else None)
    block = trace.events.block
    trace_again, tracing = timed(lambda: trace_launch(recording, trace.step.index, block))
    count = len(trace_again.phases())
    _, first = timed(lambda: look(trace_again, count - 1))
    _, later = timed(lambda: look(trace_again, count // 2))
    tracemalloc.start()
    traced = trace_launch(recording, trace.step.index, block)
    look(traced, count - 1)
    memory, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    lost = f" (+{trace.events.lost:,} lost)" if trace.truncated else ""
    logged = "one block" if one_block else "all"
    return (
        f"| {key} | {size} | {logged} | {len(trace):,}{lost} | {count:,} | {memory / 2**20:.1f} | "
        f"{plain:.0f} | {tracing:.0f} | {first:.1f} | {later:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 512])
    arguments = parser.parse_args()
    print("| algorithm | side | logged | events | phases | MiB held | run | traced | look | next |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in arguments.sizes:
        for key, connectivity in RUNS:
            for one_block in (False, True) if size <= 128 else (True,):
                print(row(key, connectivity, size, one_block), flush=True)


if __name__ == "__main__":
    main()
