"""Files that user code could have damaged: its process's report, and the list of what may run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccl_viewer.algorithms.own import LIST_VARIABLE, allowed_algorithms
from ccl_viewer.errors import Diagnostic, KernelBuildError
from ccl_viewer.user_kernels.process import REPORT, read_report, read_reported_error, write_report


def test_a_report_is_read_as_written(tmp_path: Path) -> None:
    error = KernelBuildError("It does not compile.", (Diagnostic("a.cu", 1, 2, "error", "x"),))
    write_report(tmp_path, error, error.diagnostics)
    report = read_report(tmp_path)
    assert report is not None
    again = read_reported_error(report)
    assert isinstance(again, KernelBuildError)
    assert (str(again), again.diagnostics) == (str(error), error.diagnostics)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "[]",
        "3",
        '{"kind": [1], "text": "", "diagnostics": [], "findings": []}',
        '{"kind": "CCLViewerError", "text": 3, "diagnostics": [], "findings": []}',
        '{"kind": "KernelBuildError", "text": "", "findings": []}',
        '{"kind": "KernelFaultError", "text": "", "fault": {"a": 1}, "diagnostics": [], '
        '"findings": []}',
        '{"kind": "", "text": "", "diagnostics": [{"a": 1}], "findings": []}',
        '{"kind": "", "text": "", "diagnostics": [], "findings": [3]}',
    ],
)
def test_a_damaged_report_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / REPORT).write_text(text, "utf-8")
    assert read_report(tmp_path) is None


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", '{"a": 3}', '{"a": {"folder": 3}}'])
def test_a_damaged_list_allows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = tmp_path / "algorithms.json"
    path.write_text(text, "utf-8")
    monkeypatch.setenv(LIST_VARIABLE, str(path))
    assert not allowed_algorithms()
