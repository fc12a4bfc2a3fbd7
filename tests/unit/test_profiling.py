"""Profiles: the ledgers of all launches, summed, in the library and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from support.grids import noise

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.cli import main
from ccl_viewer.diagnostics.profile import FIGURES, profile_algorithm

IMAGE = noise(40, 50, 0.5)
PATTERN = "pattern:noise?width=50&height=40"


def test_figures_are_sums_over_the_kernels() -> None:
    found = profile_algorithm(IMAGE, ALGORITHMS["ha4"], 4, {})
    figures, kernels = found.figures(), found.by_kernel()
    assert tuple(figures) == FIGURES
    assert list(kernels) == ["ha4_strip_labeling", "ha4_strip_merge", "ha4_relabeling"]
    for name in ("launches", "loads", "stores", "atomics", "bytes", "bank_turns", "barriers"):
        assert figures[name] == sum(part.figures()[name] for part in kernels.values())
    assert figures["active_lanes"] == 32


def test_the_synchronous_schedule_shows_contention() -> None:
    row = ALGORITHMS["playne"]
    figures = profile_algorithm(IMAGE, row, 4, {}, schedule="synchronous").figures()
    assert figures["contention"] > 1


def test_a_setting_of_one_algorithm_goes_before_that_of_all(tmp_path: Path) -> None:
    out = tmp_path / "profile.json"
    algorithms = ("-a", "ha4:variant=printed", "-a", "ha4")
    for order in (("-p", "variant=shared", *algorithms), (*algorithms, "-p", "variant=shared")):
        assert main(["profile", PATTERN, *order, "--json", str(out), "--force"]) == 0
        written = json.loads(out.read_text())
        assert [run["parameters"]["variant"] for run in written["runs"]] == ["printed", "shared"]
