"""``ccl-viewer export``: the same bytes as the library, and one sentence for what cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.exported_frames import frames_of
from support.grids import noise

from ccl_viewer.api import record
from ccl_viewer.cli import main
from ccl_viewer.cli.export_options import read_options
from ccl_viewer.cli.parser import parse
from ccl_viewer.export import FRAME_LAYERS, ExportOptions, Granularity, Sync, export
from ccl_viewer.recording import open_recording
from ccl_viewer.render.layers import CellColours


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.cclrec"
    record(noise(9, 11, 0.6), algorithm="label_equivalence", device="emulator").save(path)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_the_command_line_and_the_library_write_the_same_bytes(
    recording: Path, tmp_path: Path
) -> None:
    asked = "--steps 1: --each iteration --fps 5 --hold 1 --scale 20 --theme light --pin 3,4"
    more = "--colours tree --numbers root --show arrows,contours,changed --hide lines"
    one = tmp_path / "one.apng"
    assert run("export", recording, "-o", one, *asked.split(), *more.split()) == 0
    layers = replace(
        FRAME_LAYERS,
        colours=CellColours.TREE,
        numbers="root",
        arrows=True,
        contours=True,
        changed=True,
        lines=False,
    )
    options = ExportOptions(
        steps=slice(1, None),
        each=Granularity.ITERATION,
        fps=5,
        hold=1,
        scale=20,
        theme="light",
        pin=(3, 4),
        layers=layers,
    )
    other = tmp_path / "other.apng"
    export(open_recording(recording), other, options)
    assert one.read_bytes() == other.read_bytes()


def test_without_options_they_are_those_of_the_library() -> None:
    assert read_options(parse(["export", "a", "-o", "b.gif"])) == ExportOptions()


def test_all_options_are_understood() -> None:
    text = "export a b -o c/ --sync time --pictures svg --labels component --no-caption"
    options = read_options(parse([*text.split(), "--numbers", "off"]))
    assert (options.sync, options.pictures, options.labels) == (Sync.TIME, "svg", "component")
    assert (options.caption, options.numbers) == (False, "off")


def test_a_pace_is_seconds_a_step() -> None:
    slow = read_options(parse(["export", "a", "-o", "b.gif", "--pace", "4"]))
    assert slow == replace(ExportOptions(), fps=0.25)
    assert read_options(parse(["export", "a", "-o", "b.gif", "--fps", "4"])).fps == 4


@pytest.mark.parametrize("order", [("--show", "--hide"), ("--hide", "--show")])
def test_what_is_hidden_is_hidden_whatever_is_shown(order: tuple[str, str]) -> None:
    named = {"--show": "arrows,lines", "--hide": "lines,changed"}
    asked = [part for option in order for part in (option, named[option])]
    layers = read_options(parse(["export", "a", "-o", "b.gif", *asked])).layers
    assert (layers.arrows, layers.lines, layers.changed) == (True, False, False)


def test_recordings_stand_side_by_side(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.apng"
    assert run("export", recording, recording, "-o", path, "--no-caption", "--scale", 10) == 0
    frame = frames_of(path)[-1]
    width = frame.shape[1]
    np.testing.assert_array_equal(frame[:, 20:131], frame[:, width - 131 : width - 20])


def test_exporting_needs_no_display_and_no_qt(recording: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['PySide6'] = None; from ccl_viewer.cli import main; "
        f"sys.exit(main(['export', {str(recording)!r}, '-o', 'x.gif']))"
    )
    environment = {key: text for key, text in os.environ.items() if key != "DISPLAY"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0
    assert (tmp_path / "x.gif").exists()
