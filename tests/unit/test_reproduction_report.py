"""The pages about the papers, from results of a GPU and from the emulator's counts."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import reproduction_report as pages
from paper_claims import ClaimVerdict, judge_report
from papers import EXPERIMENTS

from ccl_viewer.bench.measuring import Case, Measurement
from ccl_viewer.bench.presets import PRESETS, find_preset
from ccl_viewer.bench.report import BenchReport
from ccl_viewer.bench.running import run_benchmark

ROOT = Path(__file__).parents[2]
WHERE = {"device": "A GPU", "date": "2026-01-02 03:04 UTC"}


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


def test_claims_are_judged_by_times_and_by_counts(tmp_path: Path) -> None:
    key = "hennequin-features"
    counted = run_benchmark(find_preset(key, reduced=True), None)
    results = {
        "times": {"kalentev-3": timed("kalentev-3").as_json()},
        "counts": {key: counted.as_json()},
    }
    docs = tmp_path / "docs"
    pages.write(results, docs)
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
    pages.write(pages.read_results(docs / pages.RESULTS), docs)
    assert (docs / "reproduction.md").read_text("utf-8") == text


def test_the_page_says_where_each_form_comes_from() -> None:
    """What no paper at hand prints is called reconstructed; what is corrected, so."""
    measured = {c.key for row in PRESETS.values() for c in row.cases if not c.is_library}
    known = [key for origin in pages.ORIGINS for key in origin.keys]
    assert sorted(known) == sorted(measured)
    kinds = {key: origin.kind for origin in pages.ORIGINS for key in origin.keys}
    for key in ("playne", "playne_block", "komura", "cabaret", "label_equivalence_hawick"):
        assert kinds[key] == pages.REBUILT
    for origin in pages.ORIGINS:
        assert bool(origin.corrections) == (origin.kind == pages.CORRECTED)
    cases = [Case("shibata_fast", {"variant": "project"}), Case("stava_benes"), Case("komura")]
    assert pages.forms(cases) == (
        "this project's (Shibata, fast), printed, corrected (Stava-Benes), reconstructed (Komura)"
    )
    lines = "\n".join(pages.origins())
    for words in ("Hennequin et al. 2018, section II-B", "the public program", "cannot be run"):
        assert words in lines


def test_the_pages_in_the_docs_follow_from_the_results_beside_them(tmp_path: Path) -> None:
    docs = ROOT / "docs"
    pages.write(pages.read_results(docs / pages.RESULTS), tmp_path)
    for page in ("reproduction.md", "arguments.md"):
        assert (tmp_path / page).read_text("utf-8") == (docs / page).read_text("utf-8")


def test_each_claim_with_bounds_is_judged_by_the_results_beside_the_pages() -> None:
    results = pages.read_results(ROOT / "docs" / pages.RESULTS)
    reports = {
        kind: {
            key: BenchReport.from_json(EXPERIMENTS[key].preset, report)
            for key, report in part.items()
        }
        for kind, part in results.items()
    }
    for key, experiment in EXPERIMENTS.items():
        judged = {
            claim
            for part in reports.values()
            if key in part
            for claim, found in judge_report(experiment.claims, part[key], part)
            if found.verdict is not ClaimVerdict.NOT_MEASURED
        }
        assert judged == {claim for claim in experiment.claims if claim.bounds}, key


def test_the_times_of_lessons_are_those_of_the_results(tmp_path: Path) -> None:
    times = tmp_path / "gpu-times.toml"
    shutil.copy(pages.TIMES, times)
    pages.update_times(pages.read_results(ROOT / "docs" / pages.RESULTS), times)
    assert times.read_text("utf-8") == pages.TIMES.read_text("utf-8")
    assert tomllib.loads(times.read_text("utf-8"))["gpu"]


def test_results_that_are_not_complete_make_no_page() -> None:
    report = timed("kalentev-3").as_json()
    assert not pages.incomplete({"times": {"kalentev-3": report}})
    report["complete"] = False
    assert pages.incomplete({"times": {"kalentev-3": report}}) == ["kalentev-3 (times)"]
