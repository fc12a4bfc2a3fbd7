"""Opening and saving, and files that cannot be used."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from support.sessions import HeldRunner

from ccl_viewer import record
from ccl_viewer.export import ExportOptions
from ccl_viewer.session import MessageKind, Session


def test_a_picture_is_divided_as_asked(
    session: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    path = tmp_path / "grey.npy"
    np.save(path, np.array([[10, 100, 200]], np.uint8))
    session.open(str(path), threshold=150)
    runner.work_all()
    assert session.grid is not None
    assert session.grid.tolist() == [[0, 0, 1]]
    session.open(str(path), threshold=50, invert=True)
    runner.work_all()
    assert session.grid.tolist() == [[1, 0, 0]]


def test_a_bad_file_keeps_grid_and_run(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    good, grid = labelled.recording, labelled.grid
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    labelled.open(str(bad))
    runner.work_all()
    assert labelled.recording is good
    assert labelled.grid is grid
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.ERROR
    assert "bad.png" in labelled.message.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("algorithm", "newer"),
        ("connectivity", 8),
        ("parameters", {"jump": 3}),
        ("multivalued", True),
    ],
)
def test_a_run_that_no_algorithm_here_can_do_is_refused(
    labelled: Session, runner: HeldRunner, tmp_path: Path, name: str, value: object
) -> None:
    path, good = tmp_path / "run.cclrec", labelled.recording
    record(np.eye(4, dtype=np.uint8), algorithm="ha4").save(path)
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest[name] = value
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    labelled.open(str(path))
    runner.work_all()
    assert labelled.recording is good
    assert labelled.message is not None
    assert "run.cclrec holds a run of" in labelled.message.text


def test_what_is_being_opened_outlives_a_choice_of_another_algorithm(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.open("pattern:comb?width=7&height=5")
    labelled.configure(algorithm_key="ha4")
    runner.work_all()
    assert labelled.grid is not None
    assert labelled.grid.shape == (5, 7)
    assert labelled.recording is not None
    assert labelled.recording.algorithm == "ha4"


@pytest.mark.parametrize("on", [False, True])
def test_what_is_being_opened_outlives_a_switch_of_several_values(
    labelled: Session, runner: HeldRunner, tmp_path: Path, on: bool
) -> None:
    path = tmp_path / "values.npy"
    np.save(path, np.array([[0, 2, 3]], np.uint8))
    labelled.configure(multivalued=not on)
    runner.work_all()
    grid = labelled.grid
    labelled.open(str(path), threshold=None)
    labelled.configure(multivalued=on)
    assert labelled.grid is grid
    runner.work_all()
    assert labelled.grid is not None
    assert labelled.grid.tolist() == ([[0, 2, 3]] if on else [[0, 1, 1]])
    assert labelled.recording is not None
    assert labelled.recording.multivalued is labelled.drawing.multivalued is on


@pytest.mark.parametrize("end", ["failed", "cancelled", "overtaken"])
def test_settings_go_with_the_grid_if_nothing_is_opened(
    labelled: Session, runner: HeldRunner, end: str
) -> None:
    labelled.configure(multivalued=True)
    runner.work_all()
    labelled.open("pattern:spirall" if end == "failed" else "pattern:spiral")
    labelled.configure(multivalued=False)
    labelled.configure(algorithm_key="ha4")  # which does not tell values apart
    if end == "cancelled":
        labelled.cancel()
    elif end == "overtaken":
        labelled.run()
    runner.work_all()
    assert labelled.drawing.multivalued
    assert labelled.settings.multivalued
    assert labelled.settings.algorithm == "label_equivalence"
    assert labelled.recording is not None
    assert labelled.recording.multivalued


def test_the_step_asked_for_with_a_bad_file_is_forgotten(
    labelled: Session, runner: HeldRunner
) -> None:
    labelled.open("pattern:spirall", step=1)
    runner.work_all()
    labelled.run()
    runner.work_all()
    assert labelled.playback.at_end


def test_an_unknown_pattern_is_a_message(session: Session, runner: HeldRunner) -> None:
    session.open("pattern:spirall")
    runner.work_all()
    assert session.message is not None
    assert "spiral" in session.message.text
    assert session.grid is None


def test_a_file_that_is_not_written_because_of_other_work_is_named(
    labelled: Session, runner: HeldRunner, tmp_path: Path
) -> None:
    path = tmp_path / "run.cclrec"
    labelled.save(path)
    labelled.run()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.WARNING
    assert "run.cclrec" in labelled.message.text
    runner.work_all()
    assert not path.exists()
    labelled.run()
    assert labelled.message is None


def test_save_and_open_a_recording(labelled: Session, runner: HeldRunner, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    labelled.save(path)
    runner.work_all()
    assert labelled.message is not None
    assert labelled.message.kind is MessageKind.INFO
    count = labelled.playback.count
    labelled.open("pattern:spiral?size=9")
    runner.work_all()
    labelled.open(str(path))
    runner.work_all()
    assert labelled.playback.count == count
    assert labelled.playback.position == 0
    assert labelled.title == "run.cclrec"
    assert labelled.grid is not None
    assert labelled.grid.shape == (10, 10)


def test_save_a_grid_and_export(labelled: Session, runner: HeldRunner, tmp_path: Path) -> None:
    labelled.save(tmp_path / "grid.txt")
    runner.work_all()
    assert (tmp_path / "grid.txt").read_text().count("\n") == 10
    labelled.output.export(tmp_path / "run.gif", ExportOptions())
    job = runner.jobs[0]
    runner.work(job)
    assert job.fraction == 1.0
    assert (tmp_path / "run.gif").read_bytes().startswith(b"GIF89a")
