"""Verdicts: their spread, what makes a run fail, and the scenes and forms that presets measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.bench.claims import (
    Claim,
    ClaimJudgement,
    ClaimVerdict,
    MissingError,
    Results,
    make_judgement,
)
from ccl_viewer.bench.measuring import Case, Measurement, Workload, measure
from ccl_viewer.bench.presets import PRESETS, find_preset
from ccl_viewer.bench.presets.stava_benes import count_links
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.tables import median_text
from ccl_viewer.diagnostics.profile import profile_algorithm
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.grids.grid import Grid

FAST, SLOW = "fast", "slow"
EIGHT = np.ones((3, 3), np.uint8)


def timed(case: str, times: Sequence[float], workload: str = "noise") -> Measurement:
    """A measurement in rounds of one run each."""
    figures = {"milliseconds": float(np.median(times))}
    rounds = tuple({"": time} for time in times)
    return Measurement(case, workload, 0.0, 4, 9, 9, "cuda", figures, rounds=rounds)


def twice(results: Results) -> ClaimJudgement:
    (ratio,) = results.ratios(SLOW, FAST, "milliseconds")
    return make_judgement(f"{ratio:.3f}", reproduced=ratio >= 2, shape=ratio > 1)


TWICE = Claim("It takes twice as long.", "2 times", twice)


@pytest.mark.parametrize(
    ("times", "verdict", "near"),
    [
        ([3.0] * 5, ClaimVerdict.REPRODUCED, False),
        ([1.5] * 5, ClaimVerdict.SHAPE, False),
        ([2.005] * 5, ClaimVerdict.REPRODUCED, True),  # the third digit decides nothing
        ([1.995] * 5, ClaimVerdict.SHAPE, True),
        ([2.5, 2.5, 2.5, 2.5, 1.9], ClaimVerdict.REPRODUCED, True),  # nor does one round
        ([2.5, 2.5, 2.5, 2.5, 2.1], ClaimVerdict.REPRODUCED, False),
    ],
)
def test_a_verdict_says_by_itself_that_its_bound_lies_within_the_spread(
    times: list[float], verdict: ClaimVerdict, near: bool
) -> None:
    found = TWICE.judge_results(Results([timed(SLOW, times), timed(FAST, [1.0] * 5)]))
    assert (found.verdict, found.near) == (verdict, near)
    assert ("near the bound" in found.verdict_text) is near


def test_counts_have_no_spread() -> None:
    def exact(results: Results) -> ClaimJudgement:
        return make_judgement("", reproduced=results.value(FAST, "noise", "atomics") <= 10)

    figures = {"atomics": 10.0}
    counted = Measurement(FAST, "noise", 0.0, 4, 9, 9, "emulator", figures)
    assert not Claim("Few.", "10", exact).judge_results(Results([counted])).near


def test_nothing_beside_nothing_is_no_ratio() -> None:
    def counted(case: str, workload: str, atomics: float) -> Measurement:
        return Measurement(case, workload, 0, 4, 9, 9, "emulator", {"atomics": atomics})

    none = [counted(case, "empty", 0) for case in (SLOW, FAST)]
    with pytest.raises(MissingError):
        Results(none).ratios(SLOW, FAST, "atomics")
    some = [counted(SLOW, "noise", 6), counted(FAST, "noise", 3)]
    assert Results([*none, *some]).ratios(SLOW, FAST, "atomics") == [2]


def test_something_beside_nothing_is_an_endless_ratio() -> None:
    figures = {SLOW: 6.0, FAST: 0.0}
    found = Results(
        Measurement(case, "noise", 0, 4, 9, 9, "emulator", {"atomics": value})
        for case, value in figures.items()
    )
    assert found.ratios(SLOW, FAST, "atomics") == [math.inf]
    assert found.ratios(FAST, SLOW, "atomics") == [0]


def test_less_work_that_takes_longer_is_an_outlier() -> None:
    benchmark = Benchmark("T", "", [], [], 4, simpler=((FAST, SLOW),))
    for less, wrong in ((1.0, False), (1.04, False), (1.3, True)):
        report = BenchReport(benchmark, {}, (timed(FAST, [less]), timed(SLOW, [1.0])))
        assert (report.find_outlier() is not None) is wrong


def test_a_time_stands_with_half_the_distance_of_its_rounds() -> None:
    assert median_text(timed(FAST, [1.0, 1.1, 1.05])) == "1.05 ± 0.05"


def test_a_claim_may_be_judged_over_several_tables() -> None:
    (sizes,) = (claim for claim in PRESETS["kalentev-1"].claims if claim.also)
    plain, with_sizes = "label_equivalence", "label_equivalence_sizes"
    benchmark = Benchmark("T", "", [], [], 4, claims=(sizes,))

    def report(workload: str, ratio: float) -> BenchReport:
        found = (timed(plain, [1.0], workload), timed(with_sizes, [ratio], workload))
        return BenchReport(benchmark, {}, found)

    one, others = report("small", 1.05), {"kalentev-3": report("large", 1.4)}
    ((_, alone),) = one.judgements()
    ((_, both),) = one.judgements(others)
    assert "1.05 times" in alone.measured
    assert "1.05 to 1.40 times" in both.measured


# Scenes of Stava and Benes ----------------------------------------------------------------------


def scene(part: str, size: int) -> Grid:
    (workload,) = (w for w in find_preset("stava-35.11").workloads if w.name == f"({part}) {size}")
    return workload.open()


def components(grid: Grid) -> int:
    return int(ndimage.label(grid, EIGHT)[1])


def test_the_scene_of_large_objects_is_rescaled() -> None:
    small, large = scene("b", 1024), scene("b", 2048)
    assert round(small.mean(), 2) == 0.66, "they fill most of the space, as the page says"
    assert components(small) == components(large) == 5
    assert (large[::2, ::2] == small).mean() > 0.99
    assert (scene("b", 4096)[::4, ::4] == small).mean() > 0.99


@pytest.mark.parametrize(("part", "cover", "count"), [("c", 0.84, 3), ("d", 0.17, 169)])
def test_the_scenes_of_spheres_are_repeated(part: str, cover: float, count: int) -> None:
    """The page gives these numbers."""
    small, large = scene(part, 1024), scene(part, 2048)
    np.testing.assert_array_equal(large, np.tile(small, (2, 2)))
    assert round(small.mean(), 2) == cover
    assert components(small) == count


def test_the_links_that_are_tried_twice_are_counted_right() -> None:
    """A block of 4 x 4 tiles on a full grid: a pass that joins and one that finds nothing."""
    tried, twice_tried = count_links(4)
    found = profile_algorithm(
        np.ones((16, 16), np.uint8), find_algorithm("stava_benes"), 8, {"tile": 4},
        schedule="sequential",
    ).by_kernel()["stava_benes_merge"]  # fmt: skip
    loads = sum(
        site.counts.accesses
        for launch in found.launches
        for site in launch.sites
        if site.memory == "image" and site.kind is AccessKind.LOAD
    )
    assert loads == 2 * 2 * tried
    assert twice_tried == 2 * 3 * 3


# What presets measure -----------------------------------------------------------------------------


def test_presets_measure_the_papers_forms() -> None:
    for key, row in PRESETS.items():
        keys = {case.key for case in row.cases if not case.is_library}
        forms: dict[str, set[Any]] = {name: set() for name in keys}
        for case in row.cases:
            if not case.is_library:
                chosen = find_algorithm(case.key).complete(dict(case.parameters))
                forms[case.key].add(chosen.get("variant", "paper"))
        assert all("paper" in found for found in forms.values()), key


def test_counts_come_from_grids_on_which_claims_can_show() -> None:
    for row in PRESETS.values():
        for workload in row.counted:
            assert max(workload.open().shape) >= 256
        assert row.schedule == "synchronous"


def judge(key: str, words: str, results: Results) -> ClaimJudgement:
    """Judge the claim of a preset that contains some words."""
    (claim,) = (each for each in PRESETS[key].claims if words in each.text)
    return claim.judge_results(results)


def test_each_claim_says_where_it_stands_and_what_its_verdicts_ask_for() -> None:
    for row in PRESETS.values():
        for claim in row.claims:
            assert claim.section
            found = claim.judge_results(Results([timed("none", [1.0])]))
            assert found.verdict is ClaimVerdict.NOT_MEASURED
            if not claim.bounds:
                assert found.measured.endswith("."), "says why it is not measured"


@pytest.mark.parametrize(
    ("playne", "cabaret", "verdict"),
    [(1.5, 1.2, ClaimVerdict.REPRODUCED), (0.97, 24.0, ClaimVerdict.CONTRADICTED)],
)
def test_a_step_is_faster_only_if_it_is_faster_than_both(
    playne: float, cabaret: float, verdict: ClaimVerdict
) -> None:
    times = {"playne_tile": playne, "cabaret_tile": cabaret, "ha4_64_strip_labeling": 1.0}
    cases = {"playne_tile": "playne_block", "cabaret_tile": "cabaret"}
    results = Results(
        Measurement(
            cases.get(kernel, "ha4_64"), "noise 2048 d0.5 g4", 50, 4, 9, 9, "cuda",
            {"milliseconds": ms}, {kernel: {"milliseconds": ms}},
        )
        for kernel, ms in times.items()
    )  # fmt: skip
    assert judge("hennequin-5", "Step 1", results).verdict is verdict


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.03, ClaimVerdict.REPRODUCED), (1.0, ClaimVerdict.CONTRADICTED)]
)
def test_times_that_are_the_same_show_no_order(ratio: float, verdict: ClaimVerdict) -> None:
    times = {"komura": ratio, "playne_block": 1.0, "playne": 1.0}
    results = Results(timed(case, [ms]) for case, ms in times.items())
    found = judge("playne-atomics", "faster than Komura", results)
    assert (found.verdict, found.near) == (verdict, ratio == 1)


def test_a_first_step_that_is_not_linear_is_said() -> None:
    sizes = {1 << 20: 1.0, 1 << 22: 2.8, 1 << 24: 11.5, 1 << 26: 45.0}
    results = Results(
        Measurement(
            "label_equivalence", str(n), n, 4, 9, 9, "cuda", {"milliseconds": ms}
        )
        for n, ms in sizes.items()
    )  # fmt: skip
    found = judge("kalentev-3", "Label Equivalence is linear", results)
    assert found.verdict is ClaimVerdict.SHAPE
    assert "2.8, 4.1, 3.9" in found.measured


def test_komuras_reduction_touches_more_labels_than_playnes_merge() -> None:
    """The counts of 512 x 512 cells are 1.75 times as many and more; these are 128 x 128."""
    workload = Workload("noise", "pattern:noise?width=128&height=128&density=0.5&granularity=4")
    accesses = [
        measure(Case(key), workload, workload.open(), 4, None, schedule="synchronous")
        .kernels[kernel]["label_accesses"]
        for key, kernel in (("komura", "komura_reduction"), ("playne", "playne_merge"))
    ]  # fmt: skip
    assert accesses[0] > 10 * accesses[1] > 0
