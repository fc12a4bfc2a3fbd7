"""User code in benchmarks: measured by the usual meter, in a child process for each case."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import ccl_viewer as ccl
from ccl_viewer.algorithms.copies import Copy, make_copy, save_copy
from ccl_viewer.bench.measuring import Case, Workload
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits
from ccl_viewer.user_kernels.template import write_algorithm

GRIDS = [Workload(str(size), f"pattern:spiral?size={size}") for size in (9, 12)]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    monkeypatch.setenv("CCL_VIEWER_COPIES", str(tmp_path / "copies"))
    return make_copy("mine", "ha4", "ha4")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user algorithm that notes which processes run its Python."""
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    write_algorithm(tmp_path / "mine")
    plan = tmp_path / "mine" / "mine.py"
    note = f"import os\nopen({str(tmp_path / 'ran')!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    plan.write_text(note + plan.read_text())
    ccl.add_algorithm(tmp_path / "mine")
    (tmp_path / "ran").unlink()
    return tmp_path / "mine"


def measured(*cases: str, seconds: float = 20.0, cancel: CancelToken | None = None) -> BenchReport:
    benchmark = Benchmark.custom([Case.parse(text) for text in cases], GRIDS)
    return run_benchmark(benchmark, None, limits=Limits(seconds), cancel=cancel)


def break_kernel(copy: Copy, statement: str) -> None:
    text = copy.path.read_text()
    place = text.index("{", text.index("__global__ void ha4_relabeling(")) + 1
    save_copy(copy, f"{text[:place]} {statement} {text[place:]}")


def test_user_code_is_measured_beside_built_in_algorithms(copy: Copy, own: Path) -> None:
    report = measured("own:mine", "copy:mine", "ha4")
    assert report.complete
    assert [m.key for m in report.measurements] == ["own:mine", "copy:mine", "ha4"] * 2
    assert all(m.correct for m in report.measurements)
    for theirs, built_in in zip(report.measurements[1::3], report.measurements[2::3], strict=True):
        assert theirs.figures == built_in.figures
    (process_id,) = {*(own.parent / "ran").read_text().split()}  # one, and not this one
    assert process_id != str(os.getpid())
    again = BenchReport.from_json(report.benchmark, json.loads(json.dumps(report.as_json())))
    assert again.measurements[0].kernels == report.measurements[0].kernels


def test_settings_of_user_code_are_checked_before_anything_runs(own: Path) -> None:
    with pytest.raises(InputError, match="has no parameter nonsense"):
        Case.parse("own:mine:nonsense=1")
    with pytest.raises(InputError, match="no algorithm own:other that may run"):
        Case.parse("own:other")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("__builtin_trap();", "crashed with signal"),
        ("int wrong = ;", "expected expression"),
        ("volatile int turn = 1; again: if (turn) goto again;", "was stopped after 1 s"),
    ],
)
def test_a_fault_of_user_code_leaves_the_others(copy: Copy, statement: str, words: str) -> None:
    break_kernel(copy, statement)
    report = measured("copy:mine", "ha4", seconds=1.0)
    assert report.complete
    assert [m.case for m in report.measurements] == ["ha4", "ha4"]
    assert words in report.omitted["copy:mine"]


def test_a_measurement_of_user_code_can_be_cancelled(copy: Copy) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CancelledError):
        measured("copy:mine", cancel=cancel)
