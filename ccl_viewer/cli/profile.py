"""``ccl-viewer profile``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ccl_viewer.cli.reporting import print_lines, print_text
from ccl_viewer.cli.runs import RequestedRun, check_json_output, read_run, replace_algorithm
from ccl_viewer.cli.terminal import ProgressLine, align_columns, run_cancellable
from ccl_viewer.diagnostics.profile import Profile, profile_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits

_COLUMNS = {
    "launches": "launches",
    "load_requests": "load req.",
    "store_requests": "store req.",
    "atomics": "atomics",
    "bytes": "KiB moved",
    "coalescing": "coalesced",
    "bank_turns": "bank turns",
    "conflict_free": "no conflict",
    "contention": "contention",
    "longest_walk": "longest walk",
    "barriers": "barriers",
    "active_lanes": "lanes",
}


def profile(arguments: argparse.Namespace) -> int:
    """Run algorithms on the emulator and print the memory accesses of their kernels.

    Raises
    ------
    InputError
        If the input or the output is invalid.
    """
    output = None if arguments.json is None else Path(arguments.json)
    if output is not None:
        check_json_output(output, [arguments.image], arguments)
    if arguments.device == "cuda":
        raise InputError("A GPU does not count accesses: leave out --device cuda.")
    keys: list[str] = arguments.algorithm or ["label_equivalence"]
    runs: dict[str, RequestedRun] = {}
    for key in keys:
        loaded = next(iter(runs.values())).loaded if runs else None
        runs[key] = read_run(replace_algorithm(arguments, key), arguments.image, loaded=loaded)

    def work(cancel: CancelToken, line: ProgressLine) -> dict[str, Profile]:
        return {key: _profile(run, arguments, cancel, line) for key, run in runs.items()}

    profiles = run_cancellable(work, quiet=arguments.quiet)
    if output is not None:
        with replacing(output) as path:
            path.write_text(json.dumps(_as_json(runs, profiles), indent=1) + "\n", "utf-8")
    for key, run_profile in profiles.items():
        print_text(_table(f"{key}, {runs[key].connectivity}-connected", run_profile))
        print_lines("")
    print_lines(
        "Counts of the emulator, as the warps of a GPU would make these accesses. No times."
    )
    return 0


def _profile(
    run: RequestedRun, arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine
) -> Profile:
    line(f"Running {run.algorithm.title}")
    return profile_algorithm(
        run.loaded.grid,
        run.algorithm,
        run.connectivity,
        run.parameters,
        multivalued=run.multivalued,
        schedule=arguments.schedule,
        limits=Limits(arguments.seconds),
        cancel=cancel,
        progress=line,
    )


def _table(title: str, run_profile: Profile) -> str:
    """Return a table with a row per kernel, and a row for all."""
    rows = [[title, *_COLUMNS.values()]]
    rows += [[name, *_cells(part)] for name, part in run_profile.by_kernel().items()]
    rows.append(["total", *_cells(run_profile)])
    return align_columns(rows)


def _cells(part: Profile) -> list[str]:
    figures = part.figures()
    texts = []
    for name in _COLUMNS:
        value = figures[name]
        if name in {"coalescing", "conflict_free"}:
            texts.append(f"{value:.0%}")
        elif name == "bytes":
            texts.append(f"{value / 1024:,.0f}")
        elif name == "active_lanes":
            texts.append(f"{value:.1f}" if value else "-")
        else:
            texts.append(f"{value:,}")
    return texts


def _as_json(runs: dict[str, RequestedRun], profiles: dict[str, Profile]) -> dict[str, object]:
    grid = next(iter(runs.values())).loaded.grid
    return {
        "counted_by": "the emulator",
        "height": grid.shape[0],
        "width": grid.shape[1],
        "runs": [
            {
                "algorithm": runs[key].algorithm.key,
                "connectivity": runs[key].connectivity,
                "parameters": dict(runs[key].parameters),
                "total": run_profile.figures(),
                "kernels": {name: part.figures() for name, part in run_profile.by_kernel().items()},
            }
            for key, run_profile in profiles.items()
        ],
    }
