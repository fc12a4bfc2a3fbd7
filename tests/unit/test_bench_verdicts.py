"""Verdicts: their spread, what makes a run fail, and the scenes and forms that presets measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from paper_claims import (
    Check,
    Claim,
    ClaimJudgement,
    ClaimVerdict,
    above,
    at_least,
    at_most,
    judge_claim,
    judge_report,
)
from paper_results import Figure, MissingError, Results, Values, ratio
from paper_tables import median_text
from papers import EXPERIMENTS
from papers.stava_benes import count_links
from scipy import ndimage

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.bench.measuring import Case, Measurement, Workload, measure
from ccl_viewer.bench.presets import find_preset
from ccl_viewer.bench.report import Benchmark, BenchReport
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


TWICE = Claim(
    "1",
    "It takes twice as long.",
    "2 times",
    "2 times; shape: longer",
    (Check(ratio(Figure(SLOW), Figure(FAST)), at_least(2), above(1), "{:.3f} times"),),
)


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
    found = judge_claim(TWICE, Results([timed(SLOW, times), timed(FAST, [1.0] * 5)]))
    assert (found.verdict, found.near) == (verdict, near)
    assert ("near the bound" in found.verdict_text) is near


def counted(case: str, workload: str, atomics: float) -> Measurement:
    return Measurement(case, workload, 0, 4, 9, 9, "emulator", {"atomics": atomics})


def test_counts_have_no_spread() -> None:
    few = Claim("1", "Few.", "10", "10", (Check(Figure(FAST, "atomics"), at_most(10)),))
    assert not judge_claim(few, Results([counted(FAST, "noise", 10)])).near


def atomics_ratio(first: str, second: str, *found: Measurement) -> Values:
    return ratio(Figure(first, "atomics"), Figure(second, "atomics"))(Results(found))


def test_nothing_beside_nothing_is_no_ratio() -> None:
    none = [counted(case, "empty", 0) for case in (SLOW, FAST)]
    with pytest.raises(MissingError):
        atomics_ratio(SLOW, FAST, *none)
    some = [counted(SLOW, "noise", 6), counted(FAST, "noise", 3)]
    assert atomics_ratio(SLOW, FAST, *none, *some) == [("noise", 2)]


def test_something_beside_nothing_is_an_endless_ratio() -> None:
    found = counted(SLOW, "noise", 6), counted(FAST, "noise", 0)
    assert atomics_ratio(SLOW, FAST, *found) == [("noise", math.inf)]
    assert atomics_ratio(FAST, SLOW, *found) == [("noise", 0)]


def test_values_are_told_as_a_range_as_a_list_or_with_their_grids() -> None:
    figure = Figure(FAST, "atomics")
    parts = ("{:.0f} atomics", "each {:list .1f}", "{:named .0f}")
    checks = tuple(Check(figure, words=words) for words in parts)
    found = [counted(FAST, name, n) for name, n in (("a", 4), ("b", 1), ("c", 2))]
    told = judge_claim(Claim("1", "Some.", "1", "any", checks), Results(found)).measured
    assert told == "1 to 4 atomics; each 4.0, 1.0, 2.0; 4 on a, 1 on b, 2 on c"


def test_less_work_that_takes_longer_is_an_outlier() -> None:
    benchmark = Benchmark("T", "", [], [], 4)
    experiment = replace(EXPERIMENTS["kalentev-2"], simpler=((FAST, SLOW),))
    for less, wrong in ((1.0, False), (1.04, False), (1.3, True)):
        report = BenchReport(benchmark, {}, (timed(FAST, [less]), timed(SLOW, [1.0])))
        assert ("measure again" in experiment.outlier_text(report)) is wrong


def test_a_time_stands_with_half_the_distance_of_its_rounds() -> None:
    assert median_text(timed(FAST, [1.0, 1.1, 1.05])) == "1.05 ± 0.05"


def test_a_claim_may_be_judged_over_several_tables() -> None:
    (sizes,) = (claim for claim in EXPERIMENTS["kalentev-1"].claims if claim.also)
    plain, with_sizes = "label_equivalence", "label_equivalence_sizes"
    benchmark = Benchmark("T", "", [], [], 4)

    def report(workload: str, ratio: float) -> BenchReport:
        found = (timed(plain, [1.0], workload), timed(with_sizes, [ratio], workload))
        return BenchReport(benchmark, {}, found)

    one, others = report("small", 1.05), {"kalentev-3": report("large", 1.4)}
    ((_, alone),) = judge_report([sizes], one)
    ((_, both),) = judge_report([sizes], one, others)
    assert "1.05 times" in alone.measured
    assert "1.05 to 1.40 times" in both.measured


# Verdicts on the papers' claims ---------------------------------------------------------------

NOISE = Workload("noise", "pattern:noise?width=16&height=16")


def test_claims_about_time_are_not_judged_without_a_gpu() -> None:
    found = [measure(Case("ha4"), NOISE, NOISE.open(), 4, None)]
    judgements = [judge_claim(claim, Results(found)) for claim in EXPERIMENTS["kalentev-1"].claims]
    assert {judgement.verdict for judgement in judgements} == {ClaimVerdict.NOT_MEASURED}


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(20, ClaimVerdict.REPRODUCED), (3, ClaimVerdict.SHAPE), (0.5, ClaimVerdict.CONTRADICTED)],
)
def test_the_verdict_follows_the_numbers(ratio: float, verdict: ClaimVerdict) -> None:
    results = Results(
        timed(case, [milliseconds], workload)
        for workload in ("blobs C1 1024", "noise 1024 d0.5")
        for case, milliseconds in (("row_col_unify", ratio), ("label_equivalence", 1.0))
    )
    claim = EXPERIMENTS["kalentev-1"].claims[1]
    assert "15 to 35" in claim.text
    assert judge_claim(claim, results).verdict == verdict


def test_times_of_a_gpu_do_not_judge_claims_about_counts() -> None:
    name = "noise 2048 d0.5"
    results = Results(timed(case, [1.0], name) for case in ("ha4_features", "ha4_features:naive=1"))
    judgements = [judge_claim(claim, results) for claim in EXPERIMENTS["hennequin-features"].claims]
    said = {judgement.measured for judgement in judgements}
    assert {judgement.verdict for judgement in judgements} >= {ClaimVerdict.NOT_MEASURED}
    assert "Counts need the emulator." in said


def test_a_claim_about_two_methods_needs_both() -> None:
    """Cabaret's time cannot make up for Playne's, in a mean of both."""
    names = [f"noise 2048 d0.5{g}" for g in ("", " g4", " g16")]
    for playne, verdict in ((2.4, ClaimVerdict.REPRODUCED), (1.2, ClaimVerdict.SHAPE)):
        times = {"playne": playne, "playne_block": playne, "cabaret": 2.4, "ha4_64": 1.0}
        results = Results(timed(case, [ms], name) for name in names for case, ms in times.items())
        assert judge_claim(EXPERIMENTS["hennequin-5"].claims[0], results).verdict is verdict


def test_the_density_with_most_iterations_is_found() -> None:
    claim = EXPERIMENTS["kalentev-2"].claims[0]
    for peak, verdict in ((0.6, ClaimVerdict.REPRODUCED), (0.9, ClaimVerdict.CONTRADICTED)):
        results = Results(
            Measurement(
                "label_equivalence",
                f"noise d{x}",
                x,
                4,
                9,
                9,
                "emulator",
                {"iterations": 8 if x == peak else 4},
            )
            for x in (0.2, 0.6, 0.9)
        )
        assert judge_claim(claim, results).verdict == verdict


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
    for key, experiment in EXPERIMENTS.items():
        row = experiment.preset
        keys = {case.key for case in row.cases if not case.is_library}
        forms: dict[str, set[Any]] = {name: set() for name in keys}
        for case in row.cases:
            if not case.is_library:
                chosen = find_algorithm(case.key).complete(dict(case.parameters))
                forms[case.key].add(chosen.get("variant", "paper"))
        assert all("paper" in found for found in forms.values()), key


def test_counts_come_from_grids_on_which_claims_can_show() -> None:
    for experiment in EXPERIMENTS.values():
        for workload in experiment.counted:
            assert max(workload.open().shape) >= 256
        assert experiment.preset.schedule == "synchronous"


def judge(key: str, words: str, results: Results) -> ClaimJudgement:
    """Judge the claim of a preset that contains some words."""
    (claim,) = (each for each in EXPERIMENTS[key].claims if words in each.text)
    return judge_claim(claim, results)


def test_each_claim_says_where_it_stands_and_what_its_verdicts_ask_for() -> None:
    for experiment in EXPERIMENTS.values():
        for claim in experiment.claims:
            assert claim.section
            assert claim.text.endswith(".")
            assert claim.published
            assert bool(claim.bounds) == bool(claim.checks)
            found = judge_claim(claim, Results([timed("none", [1.0])]))
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
    times = {1024: 1.0, 2048: 2.8, 4096: 11.5, 8128: 45.0}
    results = Results(
        Measurement(
            "label_equivalence", f"noise {side} d0.5", side * side, 4, side, side, "cuda",
            {"milliseconds": ms},
        )
        for side, ms in times.items()
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
