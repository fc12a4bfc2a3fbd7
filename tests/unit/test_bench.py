"""Benchmarks: what is measured, what is claimed, and what the files say."""

from __future__ import annotations

import csv
import importlib.metadata
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.limits import no_room

from ccl_viewer.bench.measuring import (
    Case,
    Workload,
    describe_environment,
    find_sweep,
    measure,
    read_workloads,
)
from ccl_viewer.bench.plots import draw_plots
from ccl_viewer.bench.presets import PRESETS, find_preset
from ccl_viewer.bench.report import Benchmark, BenchReport
from ccl_viewer.bench.result_files import write_results
from ccl_viewer.bench.running import run_benchmark
from ccl_viewer.cli import main
from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.support.cancellation import CancelToken

SPIRAL = Workload("spiral 16", "pattern:spiral?size=16&anticlockwise=1")


def reopened(benchmark: Benchmark, folder: Path) -> BenchReport:
    """The results in a folder."""
    text = (folder / "results.json").read_text("utf-8")
    return BenchReport.from_json(benchmark, json.loads(text))


def test_a_case_is_read_as_it_is_written() -> None:
    case = Case.parse("label_equivalence:threads=64")
    assert case.parameters == {"threads": 64}
    assert str(case) == "label_equivalence:threads=64"


@pytest.mark.parametrize(
    "text", ["nothing", "ha4:", "ha4:barriers", "ha4:bars=1", "ha4 x", "scipy:x=1", ""]
)
def test_a_case_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Case.parse(text)


def test_counts_are_those_of_the_run() -> None:
    found = measure(Case("row_col_unify"), SPIRAL, SPIRAL.open(), 4, None)
    assert found.figures["iterations"] == 16 // 2 + 2
    assert found.correct is True
    assert found.device == "emulator"
    assert found.figures["bytes"] == sum(part["bytes"] for part in found.kernels.values())


@pytest.mark.parametrize(
    ("other", "right"),
    [("##.##", True), ("#.###", False), ("##..#", False), ("#.#.#", False), ("#####", False)],
)
def test_labels_are_right_if_the_components_are(other: str, right: bool, tmp_path: Path) -> None:
    """Labels of one grid, judged as those of another, which may have as many components."""
    path = tmp_path / "grid.txt"
    path.write_text(other)
    labelled = np.array([[1, 1, 0, 1, 1]], np.uint8)
    found = measure(Case("label_equivalence"), Workload("grid", str(path)), labelled, 4, None)
    assert found.correct is right


def test_the_emulators_milliseconds_are_no_result() -> None:
    found = measure(Case("ha4"), SPIRAL, SPIRAL.open(), 4, None)
    assert not {"milliseconds", "wall"} & set(found.figures)


def test_a_run_that_stops_early_is_not_called_wrong() -> None:
    case = Case("shibata_naive", {"passes": 1})
    found = measure(case, SPIRAL, SPIRAL.open(), 8, None)
    assert found.correct is None


def test_what_cannot_label_a_grid_is_refused() -> None:
    for case, connectivity in (("ha4", 8), ("cupyx", 4)):
        with pytest.raises(InputError):
            measure(Case(case), SPIRAL, SPIRAL.open(), connectivity, None)
    values = SPIRAL.open() * 2
    for case in ("ha4", "scipy"):
        with pytest.raises(InputError):
            measure(Case(case), SPIRAL, values, 4, None)


def test_memory_is_that_of_the_arrays_beside_the_image() -> None:
    cells = 16 * 16
    own, hawick = (
        measure(Case(case), SPIRAL, SPIRAL.open(), 4, None).figures["memory"]
        for case in ("label_equivalence", "label_equivalence_hawick")
    )
    assert own == 4 * 18 * 18 + 4  # labels with a border, and the flag
    assert hawick == 2 * 4 * cells + 4  # labels, references, and the flag


def test_files_say_everything(tmp_path: Path) -> None:
    cases = [Case("ha4"), Case("label_equivalence", {"threads": 64})]
    workloads = [Workload(f"noise {x}", f"pattern:noise?density={x}&width=24", x) for x in (0, 1)]
    report = run_benchmark(
        Benchmark("Test", "a paper", cases, workloads, 4, across="density"), None
    )
    write_results(report, tmp_path)
    described = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert described["environment"]["date"]
    assert len(described["measurements"]) == 4
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["case"] for row in rows] == [str(case) for case in cases] * 2
    assert rows[0]["on date"] == described["environment"]["date"]
    assert float(rows[0]["bytes"]) == report.measurements[0].figures["bytes"]
    assert {path.name for path in tmp_path.iterdir()} >= {"bytes.svg", "bytes.png"}


def test_what_was_measured_before_a_stop_is_kept(tmp_path: Path) -> None:
    token = CancelToken()
    benchmark = Benchmark("T", "", [Case("ha4"), Case("playne")], [SPIRAL], 4)
    report = run_benchmark(benchmark, None, cancel=token, on_report=lambda _: token.cancel())
    assert [m.case for m in report.measurements] == ["ha4"]
    assert isinstance(report.error, CancelledError)
    write_results(report, tmp_path)
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["complete"] is False
    again = reopened(benchmark, tmp_path)
    assert [m.case for m in again.measurements] == ["ha4"]
    assert again.error is not None


def test_a_grid_that_nothing_can_label_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    valued = "pattern:voronoi?width=32&height=32"
    command = ["bench", "-d", "emulator", "-a", "ha4", valued, "pattern:spiral?size=7"]
    assert main(command) == 0
    assert "Nothing was measured on voronoi" in capsys.readouterr().out


def test_a_picture_that_cannot_be_read_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("##.\n", "utf-8")
    (tmp_path / "b.png").write_bytes(b"no picture")
    (tmp_path / "c.txt").write_text("#..\n", "utf-8")
    folder = tmp_path / "o"
    assert main(["bench", "-a", "ha4", "-d", "emulator", str(tmp_path), "-o", str(folder)]) == 2
    told = capsys.readouterr()
    assert "a.txt" in told.out
    assert "c.txt" in told.out
    assert "1 grid of 3 could not be read: b.png." in told.err
    found = json.loads((folder / "results.json").read_text("utf-8"))
    assert [m["workload"] for m in found["measurements"]] == ["a.txt", "c.txt"]
    assert "not a readable picture" in found["omitted"]["b.png"]
    again = reopened(Benchmark("T", "", [], [], 4), folder)
    assert [*again.omitted] == ["b.png"]
    # results in the folder are not pictures to measure, unless only their name is the same
    assert [w.name for w in read_workloads(str(tmp_path))] == ["a.txt", "b.png", "c.txt"]
    (tmp_path / "results.json").write_text("{}", "utf-8")
    assert [w.name for w in read_workloads(str(tmp_path))] == ["a.txt", "b.png", "c.txt"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-a", "ha4", "-c", "8", "pattern:spiral?size=7"],
        ["-a", "cupyx", "pattern:spiral?size=7"],
        ["-a", "ha4", __file__],
    ],
)
def test_a_benchmark_without_measurements_is_an_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "-d", "emulator", *arguments]) == 2
    assert "Nothing could be measured." in capsys.readouterr().err


def test_older_results_are_replaced_only_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(key: str, *more: str) -> int:
        grid = "pattern:spiral?size=7"
        return main(["bench", "-a", key, "-d", "emulator", grid, "-o", str(tmp_path), *more])

    def results() -> Any:
        return json.loads((tmp_path / "results.json").read_text("utf-8"))

    def files() -> set[str]:
        return {path.name for path in tmp_path.iterdir()}

    assert measured("label_equivalence") == 0
    assert {"iterations.svg", "iterations.png"} <= files()
    assert measured("ha4") == 2
    assert "not empty" in capsys.readouterr().err
    assert results()["measurements"][0]["case"] == "label_equivalence"
    (tmp_path / "mine.png").touch()
    assert measured("ha4", "--force") == 0
    assert results()["measurements"][0]["case"] == "ha4"
    assert files() == {"mine.png", "results.csv", "results.json", "bytes.svg", "bytes.png"}


@pytest.mark.parametrize(
    "names", [["../mine.png"], ["/mine.png"], ["results.csv"], [""], [7], 7, None]
)
def test_results_remove_only_plots_in_their_own_folder(tmp_path: Path, names: object) -> None:
    folder, mine = tmp_path / "out", tmp_path / "mine.png"
    folder.mkdir()
    mine.touch()
    (folder / "results.json").write_text(json.dumps({"plots": names}), "utf-8")
    report = run_benchmark(Benchmark.custom([Case.parse("ha4")], [SPIRAL], 4), None)
    assert folder / "results.csv" in write_results(report, folder)
    assert mine.exists()
    assert (folder / "results.csv").exists()


def test_no_file_of_results_is_replaced_before_all_are_written(
    tmp_path: Path,
) -> None:
    write_results(run_benchmark(Benchmark.custom([Case.parse("ha4")], [SPIRAL], 4), None), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    report = run_benchmark(Benchmark.custom([Case.parse("playne")], [SPIRAL], 4), None)

    with no_room(8000), pytest.raises(InputError, match="File too large"):
        write_results(report, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_grids_of_one_pattern_are_a_sweep() -> None:
    def swept(*specs: str) -> tuple[str, list[float]]:
        across, found = find_sweep([Workload(spec, f"pattern:{spec}") for spec in specs])
        return across, [workload.x for workload in found]

    assert swept("noise?density=0.2", "noise?density=0.8") == ("density", [0.2, 0.8])
    assert swept("noise?width=8&height=8", "noise?width=9&height=9") == ("width", [8, 9])
    for specs in (
        ["noise?density=0.2"],
        ["noise?density=0.2", "spiral"],
        ["serpentine?gap=1", "diagonals?gap=2"],  # the same parameters of other patterns
        ["noise?density=0.2", "noise?density=0.8&seed=7"],
        ["noise", "noise"],
    ):
        assert swept(*specs)[0] == ""


def test_lists_name_the_pictures_of_a_folder(tmp_path: Path) -> None:
    for name in ("one/a.txt", "one/b.txt", "two/deep/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#\n", "utf-8")
    assert len(read_workloads(str(tmp_path))) == 3
    (tmp_path / "one" / "files.txt").write_text("b.txt\r\n\n", "utf-8")
    (tmp_path / "two" / "files.txt").write_text("deep/c.txt", "utf-8")
    assert [w.name for w in read_workloads(str(tmp_path))] == ["one/b.txt", "two/deep/c.txt"]
    for wrong in ("../one/a.txt", str(tmp_path / "one" / "a.txt")):
        (tmp_path / "two" / "files.txt").write_text(wrong, "utf-8")
        with pytest.raises(InputError):
            read_workloads(str(tmp_path))
    os.truncate(tmp_path / "two" / "files.txt", 1 << 40)
    with pytest.raises(InputError):
        read_workloads(str(tmp_path))


@pytest.mark.parametrize("key", PRESETS)
def test_presets_name_what_exists(key: str) -> None:
    row = find_preset(key)
    for case in row.cases:
        Case.parse(str(case))
    for workloads in (row.workloads, row.reduced):
        names = [workload.name for workload in workloads]
        assert len(set(names)) == len(names)
    for workload in row.reduced:
        grid = workload.open()
        assert max(grid.shape) <= 256


@pytest.mark.parametrize("key", PRESETS)
def test_a_reduced_preset_is_right_and_plotted(key: str) -> None:
    report = run_benchmark(find_preset(key, reduced=True), None, repeats=1)
    wrong = {m.case for m in report.measurements if m.correct is False}
    assert all("variant=printed" in case for case in wrong)
    assert dict(draw_plots(report))


def test_without_a_connectivity_each_algorithm_has_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = ["-a", "scipy", "-a", "bke", "-a", "ha4"]
    command = ["bench", "-d", "emulator", *cases, "pattern:spiral?size=7", "-o", str(tmp_path)]
    assert main(command) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[:3]]
    # a library is listed with the first algorithm
    expected = [("scipy", "8-connected"), ("bke", "8-connected"), ("ha4", "4-connected")]
    assert [(line[1], line[-1]) for line in lines] == expected
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))["measurements"]
    assert [each["connectivity"] for each in found] == [8, 8, 4]
    assert "ha4, 4-connected" in (tmp_path / "bytes.svg").read_text("utf-8")


def test_results_name_the_versions_of_libraries() -> None:
    assert describe_environment(None)["scipy"] == importlib.metadata.version("scipy")


def test_plots_never_replace_pictures_that_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "bytes.pbm"
    picture.write_text("P1 2 1 1 0", "utf-8")
    command = ["bench", "-a", "playne", "-d", "emulator", str(tmp_path), "-o", str(tmp_path)]
    assert main(command) == 2
    assert "name another folder" in capsys.readouterr().err
    benchmark = Benchmark.custom([Case("ha4")], read_workloads(str(tmp_path)), 4)
    with pytest.raises(InputError, match="name another folder"):
        write_results(BenchReport(benchmark, {}, ()), tmp_path)
    assert list(tmp_path.iterdir()) == [picture]


def test_what_is_not_measured_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    cases = ["-a", "cupyx", "-a", "scipy", "-a", "ha4", "-a", "bke", "-c", "8"]
    assert main(["bench", "-d", "emulator", *cases, "pattern:spiral?size=7"]) == 0
    printed = capsys.readouterr().out
    assert "scipy   " in printed
    assert "Not measured: cupyx. The library is not installed" in printed
    assert "Not measured: ha4. HA4 labels with connectivity 4" in printed
