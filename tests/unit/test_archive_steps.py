"""Steps in a recording file: papers, structures, arguments."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fakes import NAIVE_STRUCTURES, picture, recorded

from ccl_viewer import record
from ccl_viewer.errors import RecordingFileError
from ccl_viewer.execution.plan import LaunchStructure, PartKind
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.recording.data import StepArgument

GRID = picture("###.# ..#.# ###..")

Manifest = dict[str, Any]
Edit = Callable[[Manifest], None]


def reopened(recording: Recording, path: Path, edit: Edit | None = None) -> Recording:
    """The recording from a file with an edited manifest."""
    recording.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    if edit is not None:
        edit(manifest)
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return open_recording(path)


def test_papers_and_structures_come_out_as_they_went_in(tmp_path: Path) -> None:
    recording = recorded(GRID)
    opened = reopened(recording, tmp_path / "run.cclrec")
    assert opened.steps == recording.steps
    assert opened.step(1).paper == "Naive, step 2"
    assert opened.step(1).structures == NAIVE_STRUCTURES


def test_the_strip_at_work_comes_out_as_it_went_in(tmp_path: Path) -> None:
    recording = record(GRID, "two_pass", device="emulator")
    opened = reopened(recording, tmp_path / "run.cclrec")
    assert opened.steps == recording.steps
    assert [step.structures[0].only for step in opened.steps] == [0, 1, 2] * 2


def test_arguments_come_out_as_they_went_in(tmp_path: Path) -> None:
    recording = record(GRID, "ha4", device="emulator")
    opened = reopened(recording, tmp_path / "run.cclrec")
    assert opened.steps == recording.steps
    assert opened.step(0).arguments[2] == StepArgument("width", "int", 5)


def test_counts_of_atomics_come_out_as_they_went_in(tmp_path: Path) -> None:
    recording = record(GRID, "komura", device="emulator")
    opened = reopened(recording, tmp_path / "run.cclrec")
    assert [step.atomics for step in opened.steps] == [0, 0, 1, 0]
    assert opened.atomics == 1


def test_numbers_at_their_bounds_come_out_as_they_went_in(tmp_path: Path) -> None:
    least = {"part": "tile", "width": 1, "height": 1, "linear": False, "level": 1}
    most = 2**63 - 1

    def edit(manifest: Manifest) -> None:
        manifest["steps"][0].update(structures=[least], atomics=most)

    step = reopened(recorded(GRID), tmp_path / "run.cclrec", edit).step(0)
    assert step.structures == (LaunchStructure(PartKind.TILE, 1, 1, level=1),)
    assert step.atomics == most


def test_a_file_says_whether_only_equal_values_connect(tmp_path: Path) -> None:
    segments = np.array([[1, 1, 2], [0, 2, 2]], np.uint8)
    recording = record(segments, "label_equivalence", device="emulator", multivalued=True)
    opened = reopened(recording, tmp_path / "run.cclrec")
    assert opened.multivalued
    assert opened.verdict == recording.verdict
    np.testing.assert_array_equal(opened.component_numbers()[0], [[1, 1, 2], [0, 2, 2]])


@pytest.mark.parametrize("step", [0, -1])
def test_a_file_opens_at_the_step_that_it_names(tmp_path: Path, step: int) -> None:
    recording = recorded(GRID)
    named = range(len(recording))[step]
    recording.save(tmp_path / "run.cclrec", initial_step=named)
    assert open_recording(tmp_path / "run.cclrec").initial_step == named


def put(key: str, value: object) -> Edit:
    return lambda manifest: manifest["steps"][1].__setitem__(key, value)


def put_in_structure(key: str, value: object) -> Edit:
    return lambda manifest: manifest["steps"][1]["structures"][1].__setitem__(key, value)


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest: manifest["ending"].__setitem__("first_wrong", [3, 0]),
        lambda manifest: manifest["ending"].__setitem__("first_wrong", [0, 5]),
        put("atomics", -1),
        put("atomics", "3"),
        put("paper", None),
        put("paper", 4),
        put("paper", "\ud800"),
        put("structures", {}),
        put("structures", [None]),
        put("structures", [{"part": "block"}]),
        put("structures", "block"),
        lambda manifest: manifest["steps"][1].__delitem__("structures"),
        lambda manifest: manifest["steps"][1].__delitem__("atomics"),
        lambda manifest: manifest.__delitem__("multivalued"),
        lambda manifest: manifest["steps"][1]["structures"].extend(
            manifest["steps"][1]["structures"] * 6
        ),
        put_in_structure("part", "dream"),
        put_in_structure("part", 1),
        put_in_structure("width", 0),
        put_in_structure("width", None),
        put_in_structure("height", -4),
        put_in_structure("height", 2),
        put_in_structure("height", 1.0),
        put_in_structure("width", 2**41),
        put_in_structure("linear", 1),
        put_in_structure("level", 0),
        put_in_structure("only", -1),
        put_in_structure("only", 0),
        put("arguments", None),
        put("arguments", [["a", "int"]]),
        put("arguments", [["a", "int", 1, 2]]),
        put("arguments", ["int a"]),
        put("arguments", [{"name": "a", "type": "int", "value": 1}]),
        put("arguments", [[1, "int", 1]]),
        put("arguments", [["a", None, 1]]),
        put("arguments", [["a", "int", None]]),
        put("arguments", [["a", "int", True]]),
        put("arguments", [["a", "int", 1.5]]),
        put("arguments", [["a", "int", [1]]]),
        put("arguments", [["a", "int", 2**64]]),
        put("arguments", [["a", "int", "\udfff"]]),
        put("arguments", [["a", "int", 1]] * 257),
    ],
)
def test_steps_that_say_nonsense_are_refused(tmp_path: Path, edit: Edit) -> None:
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        reopened(recorded(GRID), tmp_path / "run.cclrec", edit)


@pytest.mark.parametrize("value", [2**64 - 1, -(2**63), "5 x 4"])
def test_arguments_have_all_values_that_scalars_have(tmp_path: Path, value: object) -> None:
    edit = put("arguments", [["a", "unsigned long long", value]])
    opened = reopened(recorded(GRID), tmp_path / "run.cclrec", edit)
    assert opened.step(1).arguments[0].value == value


@pytest.mark.parametrize(
    ("width", "height", "linear"), [(0, 1, False), (4, -1, False), (None, 1, True), (4, 2, True)]
)
def test_a_structure_is_a_division(width: int | None, height: int | None, linear: bool) -> None:
    with pytest.raises(ValueError, match="part"):
        LaunchStructure(PartKind.BLOCK, width, height, linear=linear)


def test_only_strips_of_rows_are_singled_out() -> None:
    assert LaunchStructure(PartKind.STRIP, None, 4, only=0).only == 0
    for width, height in ((4, None), (4, 4)):
        with pytest.raises(ValueError, match="strip"):
            LaunchStructure(PartKind.TILE, width, height, only=0)
