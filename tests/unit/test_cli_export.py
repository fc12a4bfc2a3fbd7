"""``ccl-viewer export``: the same bytes as the library, and one sentence for what cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

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


Refusal: TypeAlias = Callable[[list[str]], str]


@pytest.fixture
def refusal(
    recording: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Refusal:
    """Exports in vain, in one sentence and without a trace, and returns the sentence."""
    monkeypatch.chdir(tmp_path)

    def refused(arguments: list[str]) -> str:
        assert run("export", recording, *arguments) == 2
        error = capsys.readouterr().err
        assert len(error.splitlines()) == 1
        assert not [*tmp_path.iterdir()]
        return error

    return refused


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


def test_several_algorithms_stand_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "both.png"
    spec = "pattern:spiral?size=9"
    both = ("-a", "stava_benes:tile=8", "-a", "ha4", "--sync", "share", "-d", "emulator")
    alone = tmp_path / "one.png"
    assert run("export", spec, "-o", alone, "-a", "ha4", "-d", "emulator", "--scale", 12) == 0
    assert run("export", spec, "-o", path, *both, "--scale", 12) == 0
    assert frames_of(path)[0].shape[1] > frames_of(alone)[0].shape[1]


def test_runs_that_end_differently_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ("-a", "shibata_naive:passes=1", "-a", "ha4", "-c", "4", "-d", "emulator")
    assert run("export", "pattern:spiral?size=9", "-o", tmp_path / "both.svg", *both) == 0
    told = capsys.readouterr().out
    assert "Shibata, naive: Stopped after 1 pass" in told
    assert "HA4: 1 component, as the reference finds." in told


def test_recordings_stand_side_by_side(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.apng"
    assert run("export", recording, recording, "-o", path, "--no-caption", "--scale", 10) == 0
    frame = frames_of(path)[-1]
    width = frame.shape[1]
    np.testing.assert_array_equal(frame[:, 20:131], frame[:, width - 131 : width - 20])


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["-o", "x.gif", "--fps", "60"], "at most 50"),
        (["-o", "x.gif", "--fps", "0"], "more than 0"),
        (["-o", "x.gif", "--hold", "-1"], "held for 0 to 600"),
        (["-o", "x.gif", "--scale", "0"], "at least 1 pixel"),
        (["-o", "x.gif", "--pin", "99,0"], "outside the grid"),
        (["-o", "x.gif", "--numbers", "layer:sizes"], "no layer 'sizes'"),
        (["-o", "x.gif", "--steps", "90:"], "no step to export"),
        (["-o", "x.xyz"], ".webp"),
        (["-o", "missing/x.gif"], "cannot be written"),
        (["-o", "n" * 300 + ".gif"], "cannot be written"),
        (["-o", "n" * 300 + ".zarr"], "cannot be written"),
        (["-o", "n" * 300], "cannot be written"),
        (["-o", ".gif"], "put a name before it"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_sentence(
    refusal: Refusal, arguments: list[str], word: str
) -> None:
    assert word in refusal(arguments)


@pytest.mark.parametrize(
    ("arguments", "idle"),
    [
        (["-o", "x.html", "--scale", "4"], ".html does not use scale: leave it out"),
        (["-o", "x.html", "--fps", "5", "--hold", "0"], ".html does not use fps or hold: leave"),
        (["-o", "x.html", "--numbers", "on"], "leave numbers on out"),
        (["-o", "x.csv", "--theme", "light"], ".csv does not use theme"),
        (["-o", "x.json", "--no-caption"], ".json does not use caption"),
        (["-o", "x.npy", "--show", "arrows"], ".npy does not use layers"),
        (["-o", "x.zarr", "--pin", "1,1"], ".zarr does not use pin"),
        (["-o", "x.cclrec", "--steps", "1:"], ".cclrec does not use steps"),
        (["-o", "x.gif", "--labels", "raw"], ".gif does not use labels"),
        (["-o", "x.png", "--fps", "5"], ".png does not use fps"),
        (["-o", "x.png", "--labels", "raw", "--scale", "9"], ".png does not use scale"),
        (["-o", "x/", "--hold", "5"], "a folder of pictures does not use hold"),
        (["-o", "x.svg", "--pictures", "svg"], ".svg does not use pictures"),
    ],
)
def test_options_that_make_no_difference_are_refused(
    refusal: Refusal, arguments: list[str], idle: str
) -> None:
    assert idle in refusal(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("-a", "ha4"),
        ("-c", "8"),
        ("-p", "x=1"),
        ("-s", "reverse"),
        ("--threshold", "9"),
        ("--invert",),
    ],
)
def test_a_recording_cannot_be_run_in_another_way(
    recording: Path, tmp_path: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.gif"
    assert run("export", recording, "-o", path, *arguments) == 2
    assert f"leave out {arguments[0]}," in capsys.readouterr().err
    assert not path.exists()
    if arguments[0] == "-a":
        assert run("export", recording, "pattern:spiral?size=9", "-o", path, *arguments) == 0


def test_too_many_runs_are_refused_before_any_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    five = [part for _ in range(5) for part in ("-a", "ha4")]
    assert run("export", "pattern:spiral", "-o", tmp_path / "x.gif", *five) == 2
    assert "holds 1 to 4 runs, not 5" in capsys.readouterr().err
    code = run("export", "pattern:spiral", "-o", tmp_path / "x.npy", "-a", "ha4", "-a", "bke")
    assert code == 2
    assert "holds one run" in capsys.readouterr().err
    assert run("export", "pattern:spiral", "-o", tmp_path / "x.gif", "-a", "ha4:tile") == 2
    assert "NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--show", "sparkles"),
        ("--pin", "3"),
        ("--numbers", "layer:"),
        ("--each", "week"),
        ("--sync", "luck"),
    ],
)
def test_odd_options_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(["export", "a", "-o", "x.gif", *arguments])


def test_all_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "formats") == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines]
    assert {".gif", ".apng", ".webp", ".mp4", "FOLDER/", ".svg", ".zarr", ".csv"} <= {*names}


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


def test_force_replaces_a_zarr_array(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    zarr = pytest.importorskip("zarr")
    out = tmp_path / "labels.zarr"
    assert run("export", recording, "-o", out) == 0
    before = zarr.open(str(out), mode="r").shape
    assert run("export", recording, "-o", out, "--steps", "0:2") == 2
    assert "add --force" in capsys.readouterr().err
    assert run("export", recording, "-o", out, "--steps", "0:2", "--force") == 0
    assert zarr.open(str(out), mode="r").shape == (2, *before[1:])
    frames = tmp_path / "frames"
    frames.mkdir()
    (frames / "mine.txt").touch()
    assert run("export", recording, "-o", f"{frames}/", "--force") == 2
    assert [path.name for path in frames.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("name", ["table.csv", "table.json"])
def test_components_of_a_table_are_counted_as_such(
    recording: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("export", recording, "--table", "components", "-o", tmp_path / name) == 0
    found = open_recording(recording).verdict
    assert found is not None
    assert (
        f"{name}: {found.found} components of Label Equivalence, 4-connected. "
        in capsys.readouterr().out
    )
