"""Files that user code could have damaged: its process's report, and the list of what may run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.own import (
    LIST_VARIABLE,
    AllowedAlgorithm,
    OwnFolder,
    allow,
    allowed_algorithms,
    disallow,
)
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


def test_permissions_that_are_given_and_withdrawn_at_once_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIST_VARIABLE, str(tmp_path / "lists" / "algorithms.json"))
    folders = [OwnFolder(tmp_path, f"mine{number}") for number in range(24)]

    def give(folder: OwnFolder) -> None:
        algorithm = replace(find_algorithm("ha4"), key=folder.key)
        allow(AllowedAlgorithm(folder, "0", algorithm))
        if folder.name.endswith("7"):
            disallow(folder.name)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(give, folders))
    kept = {folder.name for folder in folders if not folder.name.endswith("7")}
    assert {*allowed_algorithms()} == kept


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]", '{"a": 3}', '{"a": {"folder": 3}}'])
def test_a_damaged_list_allows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = tmp_path / "algorithms.json"
    path.write_text(text, "utf-8")
    monkeypatch.setenv(LIST_VARIABLE, str(path))
    assert not allowed_algorithms()
