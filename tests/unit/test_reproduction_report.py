"""The page of the papers' claims, from results of a GPU and from the emulator's counts."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ccl_viewer.bench.measuring import Measurement
from ccl_viewer.bench.presets import preset
from ccl_viewer.bench.running import Report, run

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "reproduction_report.py"
WHERE = {"device": "A GPU", "date": "today"}


@pytest.fixture
def write() -> Callable[[Path, Path, Path], bool]:
    script: dict[str, Any] = runpy.run_path(str(SCRIPT))
    found: Callable[[Path, Path, Path], bool] = script["write"]
    return found


def timed(key: str, folder: Path) -> None:
    """Write results of a GPU whose times are linear in the cells."""
    benchmark = preset(key)
    found = [
        Measurement(str(case), w.name, w.x, 4, 9, 9, "cuda", {"milliseconds": w.x / 1e6})
        for case in benchmark.cases
        for w in benchmark.workloads
    ]
    Report(benchmark, WHERE, tuple(found), 1e12).write(folder / key)


def test_claims_are_judged_by_times_and_by_counts(
    tmp_path: Path, write: Callable[[Path, Path, Path], bool]
) -> None:
    times, counts, docs = (tmp_path / name for name in ("times", "counts", "docs"))
    timed("kalentev-3", times)
    key = "hennequin-features"
    run(preset(key, reduced=True), None).write(counts / key)
    assert write(times, counts, docs)
    text = (docs / "reproduction.md").read_text("utf-8")
    assert (
        "| The time of Label Equivalence is linear in the number of cells. | 6.50 to 388.24 ms"
        in text
    )
    (line,) = (line for line in text.splitlines() if "fewer atomic operations" in line)
    assert "counted on the emulator" in line
    assert "**reproduced**" in line
    assert "A GPU, today" in text
    for image in text.split("](images/")[1:]:
        assert (docs / "images" / image.partition(")")[0]).exists()
    # The page follows from the data beside it.
    assert write(docs / "reproduction", docs / "reproduction" / "counts", docs)
    assert (docs / "reproduction.md").read_text("utf-8") == text


def test_the_page_in_the_docs_follows_from_the_data_beside_it(
    tmp_path: Path, write: Callable[[Path, Path, Path], bool]
) -> None:
    docs = SCRIPT.parents[1] / "docs"
    assert write(docs / "reproduction", docs / "reproduction" / "counts", tmp_path)
    written = (tmp_path / "reproduction.md").read_text("utf-8")
    assert (docs / "reproduction.md").read_text("utf-8") == written


def test_a_folder_without_results_makes_no_page(
    tmp_path: Path, write: Callable[[Path, Path, Path], bool]
) -> None:
    assert not write(tmp_path, tmp_path, tmp_path / "docs")
    assert not (tmp_path / "docs").exists()
