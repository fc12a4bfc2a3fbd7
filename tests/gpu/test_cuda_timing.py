"""Repeated runs on the GPU: every step is timed by the device's events."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cases import ALGORITHM_CASES
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.bench.measuring import ROUNDS, Case, Workload
from ccl_viewer.bench.plots import draw_plots
from ccl_viewer.bench.report import Benchmark
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.recording.data import Spread


@pytest.mark.gpu
@pytest.mark.parametrize(("key", "connectivity"), ALGORITHM_CASES)
def test_every_step_has_a_time(key: str, connectivity: int) -> None:
    found = ccl.time_run(
        noise(60, 90, 0.6), key, connectivity=connectivity, device="cuda", repeats=3
    )
    assert found.steps
    for step in found.steps:
        assert 0 < step.spread.minimum <= step.spread.lower <= step.spread.median
        assert step.spread.median <= step.spread.upper <= step.spread.maximum


@pytest.mark.gpu
def test_a_benchmark_tells_kernels_host_and_transfers_apart() -> None:
    workload = Workload("noise", "pattern:noise?width=200&height=200&density=0.5")
    benchmark = Benchmark("T", "", [Case("ha4")], [workload], 4)
    report = run_benchmark(benchmark, CudaDevice(), repeats=3)
    (found,) = report.measurements
    assert {"milliseconds", "wall", "host", "first", "compile", "upload", "download"} <= {
        *found.figures
    }
    assert found.correct
    assert report.bandwidth > 0
    assert "CUDA" in report.environment
    (plot,) = (plot for name, plot in draw_plots(report) if name == "milliseconds")
    words = [text for item in plot for text in getattr(item, "texts", ())]
    assert any("limit: 5 bytes per cell" in word for word in words)


@pytest.mark.gpu
def test_cases_take_turns_and_passes_have_times() -> None:
    workload = Workload("noise", "pattern:noise?width=200&height=200&density=0.5")
    cases = [Case("shibata_fast", {"passes": 3}), Case("label_equivalence")]
    told: list[str] = []
    report = run_benchmark(
        Benchmark("T", "", cases, [workload], 4, by_iteration=True), CudaDevice(), repeats=10,
        on_report=lambda so_far: told.append(so_far.measurements[-1].case),
    )  # fmt: skip
    for found in report.measurements:
        assert len(found.rounds) == ROUNDS
        assert found.figures["wall"] > 0
        for times in found.rounds:
            kernels = [time for name, time in times.items() if name and "," not in name]
            assert sum(kernels) == pytest.approx(times[""], rel=0.5)
    fast, _ = report.measurements
    assert {f"shibata_fast, {n}" for n in (1, 2, 3)} <= set(fast.kernels)
    assert len(told) == ROUNDS * len(cases)


@pytest.mark.gpu
def test_a_recordings_times_are_medians_of_warm_runs() -> None:
    run = ccl.record(noise(2048, 2048, 0.5), "label_equivalence", connectivity=4, device="cuda")
    for step in run.steps:
        spread = step.spread
        assert spread is not None
        assert 0 < spread.minimum <= spread.lower <= step.milliseconds == spread.median
        assert spread.median <= spread.upper <= spread.maximum
    assert any(step.spread != Spread.of([step.milliseconds]) for step in run.steps)


@pytest.mark.gpu
def test_times_and_spreads_are_kept_in_files(tmp_path: Path) -> None:
    run = ccl.record(noise(64, 64, 0.5), "ha4", connectivity=4, device="cuda")
    run.save(tmp_path / "run.cclrec")
    assert ccl.open_recording(tmp_path / "run.cclrec").steps == run.steps
