"""The pages about the papers, from results of a GPU and from the emulator's counts."""

from __future__ import annotations

import shutil
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ccl_viewer.bench.measuring import Case, Measurement
from ccl_viewer.bench.presets import PRESETS, find_preset
from ccl_viewer.bench.report import BenchReport
from ccl_viewer.bench.running import run_benchmark

ROOT = Path(__file__).parents[2]
WHERE = {"device": "A GPU", "date": "2026-01-02 03:04 UTC"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield import_module("reproduction_report")
    for name in ("reproduction_report", "paper_arguments"):
        sys.modules.pop(name, None)


def timed(key: str) -> BenchReport:
    """Results of a GPU with times proportional to the cells."""
    benchmark = find_preset(key)
    times = {"milliseconds": 1.0, "iterations": 3.0}
    found = [
        Measurement(
            str(case), w.name, w.x, 4, 9, 9, "cuda", {**times, "milliseconds": w.x / 1e6},
            rounds=({"": w.x / 1e6},) * 5,
        )
        for case in benchmark.cases
        for w in benchmark.workloads
    ]  # fmt: skip
    return BenchReport(benchmark, WHERE, tuple(found), 1e12)


def test_claims_are_judged_by_times_and_by_counts(tmp_path: Path, script: Any) -> None:
    key = "hennequin-features"
    counted = run_benchmark(find_preset(key, reduced=True), None)
    results = {
        "times": {"kalentev-3": timed("kalentev-3").as_json()},
        "counts": {key: counted.as_json()},
    }
    docs = tmp_path / "docs"
    script.write(results, docs)
    text = (docs / "reproduction.md").read_text("utf-8")
    linear = (
        "| 3 | The time of Label Equivalence is linear in the number of cells. | 6.50 to 388.24 ms"
    )
    assert linear in text
    (line,) = (line for line in text.splitlines() if "fewer atomic operations" in line)
    assert "counted on the emulator" in line
    assert "**reproduced**" in line
    assert "A GPU, 2026-01-02" in text
    assert "Table 3, milliseconds by the size of the grid" in text
    assert "Forms: as printed (Label Equivalence; Label Equivalence with sizes)." in text
    assert "5 rounds in which all take turns" in text
    assert "synchronous schedule" in text
    for image in text.split("](images/")[1:]:
        assert (docs / "images" / image.partition(")")[0]).exists()
    # The pages follow from the file beside them.
    script.write(script.read_results(docs / script.RESULTS), docs)
    assert (docs / "reproduction.md").read_text("utf-8") == text


def test_the_page_says_where_each_form_comes_from(script: Any) -> None:
    """What no paper at hand prints is called reconstructed; what is corrected, so."""
    measured = {c.key for row in PRESETS.values() for c in row.cases if not c.is_library}
    known = [key for origin in script.ORIGINS for key in origin.keys]
    assert sorted(known) == sorted(measured)
    kinds = {key: origin.kind for origin in script.ORIGINS for key in origin.keys}
    for key in ("playne", "playne_block", "komura", "cabaret", "label_equivalence_hawick"):
        assert kinds[key] == script.REBUILT
    for origin in script.ORIGINS:
        assert bool(origin.corrections) == (origin.kind == script.CORRECTED)
    cases = [Case("shibata_fast", {"variant": "project"}), Case("stava_benes"), Case("komura")]
    assert script.forms(cases) == (
        "this project's (Shibata, fast), printed, corrected (Stava-Benes), reconstructed (Komura)"
    )
    lines = "\n".join(script.origins())
    for words in ("Hennequin et al. 2018, section II-B", "the public program", "cannot be run"):
        assert words in lines


def test_the_pages_in_the_docs_follow_from_the_results_beside_them(
    tmp_path: Path, script: Any
) -> None:
    docs = ROOT / "docs"
    script.write(script.read_results(docs / script.RESULTS), tmp_path)
    for page in ("reproduction.md", "arguments.md"):
        assert (tmp_path / page).read_text("utf-8") == (docs / page).read_text("utf-8")


def test_the_times_of_lessons_are_those_of_the_results(tmp_path: Path, script: Any) -> None:
    times = tmp_path / "gpu-times.toml"
    shutil.copy(script.TIMES, times)
    script.update_times(script.read_results(ROOT / "docs" / script.RESULTS), times)
    assert times.read_text("utf-8") == script.TIMES.read_text("utf-8")
    assert tomllib.loads(times.read_text("utf-8"))["gpu"]


def test_results_that_are_not_complete_make_no_page(script: Any) -> None:
    report = timed("kalentev-3").as_json()
    assert not script.incomplete({"times": {"kalentev-3": report}})
    report["complete"] = False
    assert script.incomplete({"times": {"kalentev-3": report}}) == ["kalentev-3 (times)"]
