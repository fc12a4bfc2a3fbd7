"""Measures all presets on a GPU, or counts them on the emulator, and judges the papers' claims.

    python benchmarks/run_presets.py FILE [PRESET ...] [--counts] [--repeats N]

FILE is JSON: of each preset its ``times`` from a GPU and its ``counts`` from the emulator. It is
written after each preset; what it holds of others stays. Without names all presets are measured.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from paper_claims import judge_report
from papers import EXPERIMENTS
from reproduction_report import read_results, write_results

from ccl_viewer.bench.measuring import REPEATS
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError


def main() -> None:
    """Measure, and say how long each preset took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("presets", nargs="*", metavar="PRESET")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument(
        "--needed", action="store_true", help="leave out libraries of which no claim speaks"
    )
    arguments = parser.parse_args()
    device = None if arguments.counts else open_device("cuda", cells=1)
    gpu = device if isinstance(device, CudaDevice) else None
    kind = "counts" if arguments.counts else "times"
    failed = []
    for key in arguments.presets or EXPERIMENTS:
        experiment = EXPERIMENTS[key]
        benchmark = experiment.counting if arguments.counts else experiment.preset
        counted_alone = [*experiment.preset.workloads] == [*experiment.counted]
        if arguments.needed:
            cases = [c for c in benchmark.cases if not c.is_library or _is_needed(key, c.key)]
            benchmark = replace(benchmark, cases=cases)
        if not benchmark.workloads or (counted_alone and not arguments.counts):
            continue
        began = time.perf_counter()
        report = run_benchmark(benchmark, gpu, repeats=arguments.repeats)
        if report.error is None and (outlier := experiment.outlier_text(report)):
            report = replace(report, complete=False, error=InputError(outlier))
        results = read_results(arguments.file)
        results[kind][key] = report.as_json()
        write_results(results, arguments.file)
        wrong = sum(m.correct is False for m in report.measurements)
        print(
            f"{key}: {len(report.measurements)} measurements in "
            f"{time.perf_counter() - began:.0f} s, {wrong} with wrong labels",
            *report.omissions,
            report.error or "",
            flush=True,
        )
        for claim, judgement in judge_report(experiment.claims, report):
            verdict = judgement.verdict_text.capitalize()
            print(f"  {verdict}: {claim.text} {judgement.measured}", flush=True)
        if report.error is not None:
            failed.append(key)
    if failed:
        parser.exit(1, f"Measure again: {' '.join(failed)}\n")


def _is_needed(key: str, library: str) -> bool:
    """Return whether claims of a preset speak of a library: of a CPU, for which SciPy stands."""
    return key == "stava-35.11" and library == "scipy"


if __name__ == "__main__":
    main()
