"""``ccl-viewer check``."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ccl_viewer.algorithms import check_multivalued, find_algorithm
from ccl_viewer.cli.reporting import print_lines
from ccl_viewer.cli.runs import check_json_output, check_results_folder, read_grid
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.diagnostics.check import (
    CheckReport,
    Defect,
    NamedGrid,
    check_algorithm,
    describe_report,
)
from ccl_viewer.grids import save_grid
from ccl_viewer.storage.files import filling_folder, replacing
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits


def check(arguments: argparse.Namespace) -> int:
    """Check an algorithm, print the findings, and write the requested files.

    Returns
    -------
    int
        0 if nothing is wrong, else 1.

    Raises
    ------
    InputError
        If the input or the output cannot be used.
    """
    algorithm = find_algorithm(arguments.algorithm)
    check_multivalued(algorithm, arguments.multivalued)
    algorithm.complete(dict(arguments.parameter))
    if arguments.connectivity is not None:
        algorithm.resolve_connectivity(arguments.connectivity)
    requested = arguments.connectivity
    connectivities = algorithm.connectivities if requested is None else (requested,)
    grids = _read_grids(arguments)
    output = None if arguments.json is None else Path(arguments.json)
    if output is not None:
        check_json_output(output, arguments.grid or (), arguments)
    folder = None if arguments.output is None else Path(arguments.output)
    if folder is not None:
        check_results_folder(folder, force=arguments.force)

    def work(cancel: CancelToken, line: ProgressLine) -> list[CheckReport]:
        def tell(defect: Defect) -> None:
            line.clear()
            print_lines(f"{defect.kind}: {defect.text}")
            print_lines(f"  on {defect.grid}, {defect.schedule}")

        return [
            check_algorithm(
                algorithm,
                connectivity,
                dict(arguments.parameter),
                grids,
                multivalued=arguments.multivalued,
                orders=arguments.orders,
                limits=Limits(arguments.seconds),
                on_defect=tell,
                cancel=cancel,
                progress=line,
            )
            for connectivity in connectivities
        ]

    reports = run_cancellable(work, quiet=arguments.quiet)
    if output is not None:
        with replacing(output) as path:
            described = [_as_json(report) for report in reports]
            path.write_text(json.dumps(described, indent=1) + "\n", "utf-8")
    with nullcontext() if folder is None else filling_folder(folder) as beside:
        for report in reports:
            _print(report, folder, beside)
    return 0 if all(report.clean for report in reports) else 1


def _read_grids(arguments: argparse.Namespace) -> tuple[NamedGrid, ...] | None:
    if arguments.grid is None:
        return None
    return tuple((spec, read_grid(arguments, spec).grid) for spec in arguments.grid)


def _print(report: CheckReport, folder: Path | None, beside: Path | None) -> None:
    """Print a report; write its counterexample into a folder that becomes the requested one."""
    name = f"{report.algorithm}, {report.connectivity} neighbours"
    for printed in report.printed:
        print(printed)
    for race in report.harmless:
        print_lines(
            f"{name}: a race in {race.buffer} in {race.kernel or race.module} {race.sentence}"
        )
    failure = report.counterexample
    if failure is not None:
        height, width = failure.grid.shape
        print_lines(
            f"{name}: it fails on {width} x {height} cells, {failure.schedule}, "
            f"step {failure.step + 1}: {failure.text}"
        )
        if folder is not None and beside is not None:
            stem = f"{report.algorithm.replace(':', '-')}-{report.connectivity}"
            failure.recording.save(beside / f"{stem}.cclrec", failure.step)
            save_grid(beside / f"{stem}.png", failure.grid)
            print_lines(f"  written: {folder / stem}.cclrec, {folder / stem}.png")
    print_lines(f"{name}: {describe_report(report)}")


def _as_json(report: CheckReport) -> dict[str, Any]:
    failure = report.counterexample
    return {
        "algorithm": report.algorithm,
        "connectivity": report.connectivity,
        "parameters": dict(report.parameters),
        "grids": len(report.sizes),
        "sizes": [{"width": width, "height": height} for height, width in report.sizes],
        "runs": report.runs,
        "endless": report.endless,
        "unused": report.unused,
        "defects": [asdict(defect) for defect in report.defects],
        "harmless": [asdict(race) for race in report.harmless],
        "failure": None
        if failure is None
        else {
            "grid": failure.grid.tolist(),
            "found_on": failure.found_on,
            "schedule": failure.schedule,
            "step": failure.step,
            "text": failure.text,
        },
    }
