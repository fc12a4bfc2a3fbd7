"""Benchmarks of user code on a GPU, each case in a process with its own context."""

from __future__ import annotations

from pathlib import Path

import pytest

import ccl_viewer as ccl
from ccl_viewer.algorithms.copies import Copy, make_copy, save_copy
from ccl_viewer.bench.measuring import ROUNDS, Case, Workload
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.devices.cuda.device import CudaDevice
from ccl_viewer.user_kernels.process import Limits

pytestmark = pytest.mark.gpu

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "oliveira"
GRIDS = [
    Workload(str(side), f"pattern:noise?width={side}&height={side}&density=0.5")
    for side in (200, 1024)
]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    return make_copy("mine", "ha4", "ha4")


@pytest.fixture(autouse=True)
def allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    ccl.add_algorithm(EXAMPLE)


def measured(*cases: str, seconds: float = 60.0) -> BenchReport:
    benchmark = Benchmark.custom([Case.parse(text) for text in cases], GRIDS, 4)
    return run_benchmark(benchmark, CudaDevice(), repeats=10, limits=Limits(seconds))


def test_user_code_takes_turns_with_built_in_algorithms(copy: Copy) -> None:
    report = measured("own:oliveira", "copy:mine", "ha4")
    assert report.complete
    assert not report.omitted
    assert len(report.measurements) == 6
    for found in report.measurements:
        assert found.device == "cuda"
        assert found.correct
        assert len(found.rounds) == ROUNDS
        assert 0 < found.figures["lower"] <= found.figures["milliseconds"]
        assert found.figures["milliseconds"] <= found.figures["upper"]
        assert found.figures["wall"] > 0
    own, theirs, built_in = report.measurements[:3]
    assert set(own.kernels) == {"oliveira_tiles", "oliveira_borders", "oliveira_flatten"}
    assert set(theirs.kernels) == set(built_in.kernels)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("labels[1ll << 40] = 1;", "The GPU failed while it ran"),
        ("while (labels[0] >= -1) { }", "was stopped after 10 s"),
        ("int wrong = ;", "expected an expression"),
    ],
    ids=["wild pointer", "endless loop", "syntax"],
)
def test_a_fault_on_the_gpu_leaves_the_others(copy: Copy, statement: str, words: str) -> None:
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_relabeling(")) + 1
    save_copy(copy, f"{text[:place]} {statement} {text[place:]}")
    report = measured("copy:mine", "ha4", seconds=10.0)
    assert words in report.omitted["copy:mine"]
    assert [m.case for m in report.measurements] == ["ha4", "ha4"]
    assert all(m.correct for m in report.measurements)
