"""Exporting 200 steps of 512 x 512 cells at scale 2, and the memory that 5,000 steps take.

Prints frames per second of each format beside what its encoder does when it is fed frames that are
painted already, and the peak memory of exports of 200 and of 5,000 steps, each in a separate
process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.export import ExportOptions, export, export_format
from ccl_viewer.export.animation import FrameIndices
from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.job import ExportJob
from ccl_viewer.recording import Recorder, Recording, open_recording

FORMATS = (".gif", ".apng", ".webp", ".mp4")
OPTIONS = ExportOptions(scale=2, fps=20)


@dataclass(frozen=True, eq=False)
class Painted:
    """A renderer that has painted everything before it is asked."""

    size: tuple[int, int]
    palette: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    frames: list[FrameIndices]

    def indices(self, number: int) -> FrameIndices:
        return self.frames[number]


def recorded(side: int, steps: int) -> Recording:
    """Steps of naive propagation on a maze of stripes, in which labels move at every step."""
    image = (np.random.RandomState(0).rand(side, side) < 0.62).astype(np.uint8)
    image[:: side // 8] = 1
    device = open_device("emulator", "reverse", cells=image.size)
    algorithm = find_algorithm("shibata_naive")
    recording = Recorder(image, algorithm, device, algorithm.connectivities[0], {}).run()
    if len(recording) < steps:
        raise SystemExit(f"only {len(recording)} steps: choose another grid")
    return recording


def best(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def fed(job: ExportJob) -> ExportJob:
    """The same job, whose frames are finished arrays."""
    renderer = job.renderer
    frames = [renderer.indices(number) for number in range(len(job.frames))]
    finished = ExportJob(job.recordings, job.frames, job.options)
    finished.__dict__["renderer"] = Painted(renderer.size, renderer.palette, frames)
    return finished


def speed(steps: int, repeats: int) -> None:
    recording = recorded(512, steps)
    options = ExportOptions(steps=slice(0, steps), scale=2, fps=20)
    changed = np.mean([step.changed for step in recording.steps[:steps]])
    print(f"{steps} steps of 512 x 512, scale 2; {changed:,.0f} cells change in a step on average")
    for suffix in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"run{suffix}"
            row = export_format(path)
            ready = fed(make_job(recording, options, row))
            total = best(partial(export, recording, path, options), repeats)
            alone = best(partial(row.write, ready, path), repeats)
            size = path.stat().st_size / 1e6
        share = 100 * alone / total
        print(
            f"{suffix:6} {steps / total:6.1f} frames per second; encoder alone "
            f"{steps / alone:6.1f}; {share:4.0f} %; {size:.1f} MB"
        )


def memory() -> None:
    """Print the memory of exports, each in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.cclrec"
        recorded(128, 100).save(run)
        for suffix in FORMATS:
            few, many = (_peak_of(run, suffix, steps) for steps in (200, 5000))
            print(f"{suffix:6} takes {few:.0f} MB at most for 200 steps, {many:.0f} for 5,000")


def _peak_of(run: Path, suffix: str, steps: int) -> float:
    command = [sys.executable, __file__, "--peak", str(run), suffix, str(steps)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def peak(run: Path, suffix: str, steps: int) -> None:
    """Print the peak memory of this process in MB while some steps are exported."""
    recording = open_recording(run)
    row = export_format(f"run{suffix}")
    turn = [(index % len(recording),) for index in range(steps)]
    job = ExportJob((recording,), tuple(turn), ExportOptions(scale=4, fps=20))
    with tempfile.TemporaryDirectory() as folder:
        row.write(job, Path(folder) / f"run{suffix}")
    print(_high_water())


def _high_water() -> float:
    """Return the most MB that this process has had.

    ``getrusage`` is useless on Linux, where it begins with the parent's memory.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--peak", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        run, suffix, count = arguments.peak
        peak(Path(run), suffix, int(count))
        return
    speed(arguments.steps, arguments.repeats)
    memory()


if __name__ == "__main__":
    main()
