"""Data, read back by NumPy, Pillow, zarr and the readers of CSV and JSON."""

from __future__ import annotations

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.fakes import recorded
from support.grids import noise
from support.recordings import played

from ccl_viewer.api import components, record
from ccl_viewer.errors import InputError
from ccl_viewer.export import ExportOptions, export
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.recording.metrics import sum_stages
from ccl_viewer.reference import label_reference

zarr = pytest.importorskip("zarr")


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(noise(13, 21, 0.6))


@pytest.mark.parametrize(("suffix", "step"), [(".npy", 2), (".tif", 3), (".tiff", -1)])
def test_labels_of_a_step_are_kept_as_they_are(
    recording: Recording, tmp_path: Path, suffix: str, step: int
) -> None:
    path = tmp_path / f"labels{suffix}"
    steps = slice(step, None if step == -1 else step + 1)
    assert export(recording, path, ExportOptions(steps=steps)) == 1
    if suffix == ".npy":
        labels = np.load(path, allow_pickle=False)
        assert labels.dtype == np.int32
    else:
        with Image.open(path) as file:
            assert file.mode == "I"
            labels = np.asarray(file)
    np.testing.assert_array_equal(labels, recording.labels(step))


def test_a_picture_of_16_bits_holds_labels_if_these_are_asked_for(
    recording: Recording, tmp_path: Path
) -> None:
    path = tmp_path / "labels.png"
    export(recording, path, ExportOptions(labels="component"))
    with Image.open(path) as file:
        assert file.mode == "I;16"
        labels = np.asarray(file)
    np.testing.assert_array_equal(labels, label_reference(recording.image, 4)[0])
    export(recording, path)
    with Image.open(path) as file:
        assert file.mode == "P"


def test_labels_that_do_not_fit_16_bits_are_refused(tmp_path: Path) -> None:
    run = record(noise(9, 9, 0.6), algorithm="shibata_naive", device="emulator")
    with pytest.raises(InputError, match=r"Labels from -1 to .* do not fit the 16 bits"):
        export(run, tmp_path / "labels.png", ExportOptions(labels="raw"))
    assert not [*tmp_path.iterdir()]


def test_a_table_may_be_of_the_components(tmp_path: Path) -> None:
    grid = noise(13, 21, 0.6)
    run, options = recorded(grid), ExportOptions(table="components")
    expected = components(grid, device="emulator")
    export(run, tmp_path / "run.csv", options)
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert [int(row["perimeter"]) for row in rows] == expected["perimeter"].tolist()
    export(run, tmp_path / "run.json", options)
    saved = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert saved["run"]["algorithm"] == run.algorithm
    assert [row["area"] for row in saved["components"]] == expected["area"].tolist()
    with pytest.raises(InputError, match="does not use steps"):
        export(run, tmp_path / "other.csv", replace(options, steps=slice(0, 1)))
    with pytest.raises(InputError, match="does not use table"):
        export(run, tmp_path / "run.npy", options)


def test_components_are_those_of_the_step(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "labels.npy"
    export(recording, path, ExportOptions(steps=slice(0, 1), labels="component"))
    labels = np.load(path)
    assert labels.max() == recording.step(0).roots
    assert ((labels != 0) == (recording.image != 0)).all()


@pytest.mark.parametrize("values", ["raw", "component"])
def test_all_steps_are_one_zarr_array(recording: Recording, tmp_path: Path, values: str) -> None:
    path = tmp_path / "labels.zarr"
    options = ExportOptions(steps=slice(1, None), labels="component" if values != "raw" else None)
    assert export(recording, path, options) == len(recording) - 1
    array = zarr.open_array(str(path), mode="r")
    assert array.shape == (len(recording) - 1, 13, 21)
    assert array.dtype == np.int32
    if values == "raw":
        for place in range(len(recording) - 1):
            np.testing.assert_array_equal(array[place], recording.labels(place + 1))
    else:
        np.testing.assert_array_equal(array[-1], label_reference(recording.image, 4)[0])
    attributes = dict(array.attrs)
    assert attributes["_ARRAY_DIMENSIONS"] == ["step", "y", "x"]
    assert attributes["labels"] == values
    assert attributes["run"]["algorithm"] == "naive"
    assert [step["step"] for step in attributes["steps"]] == [*range(2, len(recording) + 1)]
    assert (path / ".zarray").exists()  # by which napari knows an array of version 2


def test_the_table_has_a_line_for_each_step(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "steps.csv"
    assert export(recording, path) == len(recording)
    with path.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [int(row["step"]) for row in rows] == [*range(1, len(recording) + 1)]
    for index, row in enumerate(rows):
        step = recording.step(index)
        assert row["kernel"] == step.kernel
        assert row["stage"] == str(step.stage)
        assert row["iteration"] == ("" if step.iteration is None else str(step.iteration))
        assert row["blocks"] == "x".join(map(str, step.grid))
        assert float(row["milliseconds"]) == step.milliseconds
        assert int(row["changed"]) == step.changed
        assert int(row["roots"]) == step.roots
        assert int(row["wrong"]) == recording.tree_counts(index).wrong
    merged = [int(row["merged"]) for row in rows]
    roots = [recording.parents(index) for index in range(len(recording))]
    own = np.arange(recording.image.size).reshape(recording.image.shape)
    are_roots = [parents == own for parents in roots]
    lost = [int((before & ~after).sum()) for before, after in itertools.pairwise(are_roots)]
    assert merged == [0, *lost]
    assert max(lost) > 0
    assert sum(merged) == recording.step(0).roots - recording.step(-1).roots


def test_a_wrong_run_is_measured_by_the_root_of_each_component_s_first_cell(
    tmp_path: Path,
) -> None:
    """Two components, which end as three and two trees; the last cell is never labelled."""
    image = np.array([[1, 1, 1, 0, 1, 1, 1]], np.uint8)
    run = played(image, [[0, 1, 2, -1, 4, 5, -1], [0, 0, 2, -1, 5, 5, -1]])
    for name in ("steps.csv", "steps.json"):
        export(run, tmp_path / name)
    with (tmp_path / "steps.csv").open(newline="") as file:
        assert [row["wrong"] for row in csv.DictReader(file)] == ["4", "2"]
    steps = json.loads((tmp_path / "steps.json").read_text(encoding="utf-8"))["steps"]
    assert [step["wrong"] for step in steps] == [4, 2]


FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r\n=1",
    " =1",
    "\N{FULLWIDTH EQUALS SIGN}1",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_text_from_elsewhere_is_no_formula_in_a_spreadsheet(formula: str, tmp_path: Path) -> None:
    run = recorded(np.ones((2, 2), np.uint8))
    run.data.steps[0] = replace(run.step(0), paper=formula, milliseconds=-1.5)
    path = tmp_path / "steps.csv"
    export(run, path)
    with path.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert rows[0]["paper"] == f"'{formula}"
    assert rows[0]["milliseconds"] == "-1.5"
    assert rows[1]["paper"] == "Naive, step 2"


def test_the_table_as_json_says_what_was_run(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "steps.json"
    assert export(recording, path, ExportOptions(steps=slice(0, 2))) == 2
    table = json.loads(path.read_text())
    assert [step["step"] for step in table["steps"]] == [1, 2]
    assert table["steps"][0]["iteration"] is None
    assert table["run"]["algorithm"] == "naive"
    assert (table["run"]["width"], table["run"]["height"]) == (21, 13)
    assert table["run"]["correct"] is True
    assert table["run"]["label_layout"]["margin"] == recording.layout.margin
    assert [stage["launches"] for stage in table["stages"]] == [
        one.launches for one in sum_stages(recording)
    ]


def test_a_recording_can_be_opened_again(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    assert export(recording, path) == len(recording)
    again = open_recording(path)
    for index in range(len(recording)):
        np.testing.assert_array_equal(again.labels(index), recording.labels(index))
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("suffix", ["npy", "tif", "png", "csv", "json", "cclrec", "svg"])
def test_the_same_export_has_the_same_bytes(
    recording: Recording, tmp_path: Path, suffix: str
) -> None:
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    export(recording, one)
    export(recording, other)
    assert one.read_bytes() == other.read_bytes()
