"""The table of a comparison scene holds what was counted, and what was measured."""

from __future__ import annotations

import json
import tomllib

import pytest

from ccl_viewer import lessons
from ccl_viewer.lessons.comparing import NOT_MEASURED, fastest_table, make_table
from ccl_viewer.lessons.model import ComparedAlgorithm, Scene
from ccl_viewer.storage.resources import assets_folder

TIMES = tomllib.loads((assets_folder() / "gpu-times.toml").read_text("utf-8"))
RESULTS = assets_folder().parent / "docs" / "reproduction" / "results.json"


def workloads() -> list[str]:
    return [name for name, value in TIMES.items() if isinstance(value, dict)]


@pytest.mark.parametrize("name", workloads())
def test_each_time_is_that_of_the_committed_results(name: str) -> None:
    reports = json.loads(RESULTS.read_text("utf-8"))["times"]
    for one in TIMES[name]["times"]:
        results = reports[one["from"]]
        assert results["environment"]["device"].endswith(TIMES["gpu"])
        case = one["run"].replace(",", ":")
        found = [
            measured["figures"]["milliseconds"]
            for measured in results["measurements"]
            if (measured["case"], measured["connectivity"]) == (case, TIMES[name]["connectivity"])
            and measured["workload"] in {name, name.replace("discs", "(b)")}
        ]
        assert found == [pytest.approx(one["ms"], rel=1e-3)], one


def test_the_table_names_whose_numbers_it_has() -> None:
    scene = Scene(
        "", "", "pattern:spiral?size=15", "row_col_unify",
        compare=(
            ComparedAlgorithm("row_col_unify"),
            ComparedAlgorithm("label_equivalence", {"threads": 64}),
        ),
        times="spiral 1024",
    )  # fmt: skip
    runs = [lessons.record_scene(run) for run in scene.run_scenes]
    table = make_table(scene, runs)
    assert table.columns[-1] == "GPU (H200)"
    assert [row[-1] for row in table.rows] == ["26.8 ms", NOT_MEASURED]
    assert [row[1] for row in table.rows] == [str(len(run)) for run in runs]
    assert table.notes == (
        "Loads, bytes and atomics: the emulator's count, on the grid shown.",
        "GPU (H200): measured time, on another grid: spiral, 1024 x 1024.",
    )
    assert len({len(line) for line in table.text}) == 1


def test_the_fastest_and_the_slowest_of_a_picture_are_those_of_the_file() -> None:
    names = workloads()
    for name, row in zip(names, fastest_table(names).rows, strict=True):
        printed = [one for one in TIMES[name]["times"] if "variant" not in one["run"]]
        times = sorted(printed, key=lambda one: one["ms"])
        assert row[0].startswith(TIMES[name]["picture"])
        measurements = {
            one["from"] for one in printed if one["ms"] in {times[0]["ms"], times[-1]["ms"]}
        }
        assert len(measurements) == 1
        assert row[5] == str(sum(one["from"] in measurements for one in printed))
        assert float(row[2].removesuffix(" ms").replace(",", "")) == pytest.approx(
            times[0]["ms"], rel=0.01
        )
        assert float(row[4].removesuffix(" ms").replace(",", "")) == pytest.approx(
            times[-1]["ms"], rel=0.01
        )
