"""What tracing costs: processor time of plans on the traced build against the fast one.

Run: python benchmarks/bench_tracing.py [KEY ...]
Each plan is played on noise of density 0.6, 512 x 512, on one core and in sequential order. The
builds take turns in one process, and the least time of each counts. Compiling is done before.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task

KEYS = (
    *("label_equivalence", "ha4", "stava_benes", "playne", "playne_block", "bke", "komura"),
    *("cabaret", "tiled_runs"),
)
REPEATS = 7


def milliseconds(device: EmulatorDevice, key: str, image: npt.NDArray[np.uint8]) -> float:
    """Play an algorithm's plan and return the processor time that it took."""
    algorithm = find_algorithm(key)
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    task = Task(buffer, algorithm.connectivities[0], algorithm.complete(algorithm.project_variant))
    begin = time.process_time()
    with device.open(buffer, image, timed=False) as run:
        execute(algorithm.planner(task), run)
    return 1000 * (time.process_time() - begin)


def main() -> None:
    """Print the table."""
    image = (np.random.RandomState(1).rand(512, 512) < 0.6).astype(np.uint8)
    devices = (
        EmulatorDevice(cores=1),
        EmulatorDevice(cores=1, ledger=True),
        EmulatorDevice(cores=1, on_finding=lambda _: None),
        EmulatorDevice(cores=1, on_finding=lambda _: None, device_races=True),
    )
    print("| algorithm | fast build | ledger | memory check | with races in device memory |")
    print("| --- | --- | --- | --- | --- |")
    for key in sys.argv[1:] or KEYS:
        for device in devices:
            milliseconds(device, key, image)
        rounds = [[milliseconds(device, key, image) for device in devices] for _ in range(REPEATS)]
        fast, *traced = (min(times) for times in zip(*rounds, strict=True))
        costs = " | ".join(f"{each / fast:.1f}" for each in traced)
        print(f"| {find_algorithm(key).title} | {fast:.1f} ms | {costs} |", flush=True)


if __name__ == "__main__":
    main()
