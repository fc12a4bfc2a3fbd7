"""The command line: what it prints, writes and answers to wrong input."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote_from_bytes

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

import ccl_viewer as ccl
from ccl_viewer import api
from ccl_viewer.cli import main, terminal
from ccl_viewer.cli.parser import parse
from ccl_viewer.cli.reporting import stop_signals_as_interrupts
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.recording import Recorder
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import duration

PICTURE = """\
##.#
...#
#..#
"""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.txt"
    path.write_text(PICTURE)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def expected() -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.array([[1, 1, 0, 2], [0, 0, 0, 2], [3, 0, 0, 2]], np.int32)


def test_label_writes_an_array(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.npy"
    assert run("label", picture, "-o", out, "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), expected())
    assert "3 components, 4-connected, by Two-pass" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".png", ".tif", ".tiff"])
def test_label_writes_pictures(picture: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"labels{suffix}"
    assert run("label", picture, "-o", out, "-d", "emulator") == 0
    with Image.open(out) as image:
        np.testing.assert_array_equal(np.asarray(image), expected())


def test_label_takes_the_algorithms_own_connectivity(tmp_path: Path) -> None:
    out = tmp_path / "labels.npy"
    spec = "pattern:checkerboard?width=6&height=5"
    assert run("label", spec, "-o", out, "-a", "shibata_fast", "-d", "emulator") == 0
    assert np.load(out).max() == 1  # 8-connected, as published
    assert run("label", spec, "-o", out, "-a", "shibata_fast", "-c", 4, "-d", "emulator") == 0
    assert np.load(out).max() == 15


@pytest.mark.parametrize(("choice", "own"), [((), 4), (("-a", "ha4"), 4), (("-a", "bke"), 8)])
def test_the_connectivity_that_nobody_said_is_told(
    choice: tuple[str, ...], own: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, told = "pattern:checkerboard?width=6&height=5", f"{own}-connected"
    emulated = (*choice, "-d", "emulator")
    for command, name in (
        ("label", "a.npy"),
        ("components", "a.json"),
        ("record", "a.cclrec"),
        ("export", "a.svg"),
        ("phases", "a.gif"),
    ):
        assert run(command, image, "-o", tmp_path / name, *emulated) == 0
        assert told in capsys.readouterr().out
    assert np.load(tmp_path / "a.npy").max() == (15 if own == 4 else 1)
    assert json.loads((tmp_path / "a.json").read_text())["connectivity"] == own
    assert ccl.open_recording(tmp_path / "a.cclrec").connectivity == own
    for command, *rest in (("profile", "--json"), ("phases", "--json")):
        assert run(command, image, *emulated, *rest, tmp_path / "b.json") == 0
        assert told in capsys.readouterr().out
        found = json.loads((tmp_path / "b.json").read_text())
        assert (found["runs"][0] if command == "profile" else found)["connectivity"] == own


def test_runs_side_by_side_have_each_its_own_connectivity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ("-a", "ha4", "-a", "bke", "-d", "emulator")
    assert run("export", "pattern:spiral?size=9", "-o", tmp_path / "a.svg", *both) == 0
    assert (
        "1 step of HA4, 4-connected; BKE (Block-based Komura Equivalence), 8-connected."
        in capsys.readouterr().out
    )


def test_a_photograph_is_split_by_brightness(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    grey = rng.integers(0, 256, (40, 50), np.uint8)
    path, out = tmp_path / "photo.png", tmp_path / "labels.npy"
    Image.fromarray(grey).save(path)
    assert run("label", path, "-o", out, "--threshold", 99, "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), ndimage.label(grey > 99)[0])
    assert run("label", path, "-o", out, "--threshold", 99, "--invert", "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), ndimage.label(grey <= 99)[0])


def test_record_saves_every_step(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.cclrec"
    assert run("record", picture, "-o", out, "-a", "ha4", "-d", "emulator") == 0
    recording = ccl.open_recording(out)
    assert len(recording) == 3
    assert recording.algorithm == "ha4"
    told = capsys.readouterr().out
    assert "3 components, as the reference finds" in told
    assert duration(recording.milliseconds) in told


def test_record_tells_the_totals_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kalentev et al. 2011, section 4: Label Equivalence needs 3 iterations on any spiral."""
    spiral = "pattern:spiral?size=33"
    for key in ("label_equivalence", "row_col_unify"):
        out = tmp_path / f"{key}.cclrec"
        assert run("record", spiral, "-o", out, "-a", key, "-c", 4, "-d", "emulator") == 0
        recording, told = ccl.open_recording(out), capsys.readouterr().out
        assert f"{recording.iterations} iterations, {len(recording)} launches, " in told
        assert ("3 iterations" in told) == (key == "label_equivalence")


def test_record_numbers_components_if_asked_to(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.cclrec"
    assert run("record", picture, "-o", out, "-a", "ha4", "-d", "emulator", "--consecutive") == 0
    recording = ccl.open_recording(out)
    assert recording.consecutive
    assert len(recording) == 3 + 4
    assert run("export", out, "-o", tmp_path / "run.svg", "--consecutive") == 2


def test_record_hands_parameters_on(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.cclrec"
    code = run(
        "record", picture, "-o", out, "-a", "shibata_naive", "-p", "passes=1", "-d", "emulator"
    )
    assert code == 0
    assert ccl.open_recording(out).iterations == 1


def test_every_command_takes_an_algorithm_with_its_parameters(
    picture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice, run_file, counts = "ha4:variant=printed", tmp_path / "a.cclrec", tmp_path / "a.json"
    assert run("record", picture, "-a", choice, "-o", run_file) == 0
    assert ccl.open_recording(run_file).parameters["variant"] == "printed"
    assert run("profile", picture, "-a", choice, "-a", "ha4", "--json", counts) == 0
    runs = json.loads(counts.read_text())["runs"]
    assert [(each["algorithm"], dict(each["parameters"])) for each in runs] == [
        ("ha4", {"variant": "printed"}),
        ("ha4", {}),
    ]
    assert run("label", picture, "-a", choice, "-o", tmp_path / "a.npy") == 0
    assert run("phases", picture, "-a", choice) == 0
    capsys.readouterr()
    assert run("check", "playne_block:tile_width=0", "--grid", picture) == 2
    assert "tile_width" in capsys.readouterr().err
    assert run("phases", picture, "-a", "ha4:variant") == 2
    assert "write KEY or KEY:NAME=VALUE" in capsys.readouterr().err


def test_label_offers_no_parameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("label", "pattern:spiral", "-o", tmp_path / "labels.npy", "-p", "passes=1")
    assert "unrecognized arguments: -p" in capsys.readouterr().err


def test_export_takes_a_recording_or_an_image(picture: Path, tmp_path: Path) -> None:
    recording, gif, folder = tmp_path / "run.cclrec", tmp_path / "run.gif", tmp_path / "frames"
    assert run("record", picture, "-o", recording, "-d", "emulator") == 0
    assert run("export", recording, "-o", gif, "--fps", 25) == 0
    with Image.open(gif) as image:
        frames = getattr(image, "n_frames", 1)
    assert frames == len(ccl.open_recording(recording))
    assert run("export", picture, "-o", f"{folder}/", "-a", "ha4", "-d", "emulator") == 0
    assert len(list(folder.glob("*.png"))) == 3


def test_export_takes_a_range_of_steps(tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    spec = "pattern:spiral?size=15"
    assert run("export", spec, "-o", f"{folder}/", "--steps", "1:3", "-d", "emulator") == 0
    assert len(list(folder.glob("*.png"))) == 2


@pytest.mark.parametrize("what", ["algorithms", "patterns", "devices", "formats"])
def test_lists_name_what_there_is(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", what) == 0
    printed = capsys.readouterr().out
    words = {
        "algorithms": "label_equivalence",
        "patterns": "pattern:spiral",
        "devices": "emulator",
        "formats": ".gif",
    }
    assert words[what] in printed


def test_doctor_tries_the_emulator(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("doctor") == 0
    printed = capsys.readouterr().out
    assert "labels correctly" in printed
    assert "kernels" in printed
    assert re.search(r"compiled kernels .*; \d+ MiB, of at most 256", printed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("label", "missing.png", "-o", "x.npy"), "missing.png"),
        (("label", "pattern:spirl", "-o", "x.npy"), "spiral"),
        (("label", "pattern:spiral", "-o", "x.doc"), ".npy"),
        (("label", "pattern:spiral", "-o", "x.npy", "-a", "ha5"), "did you mean ha"),
        (("label", "pattern:spiral", "-o", "x.npy", "-a", "ha4", "-c", "8"), "connectivity 4"),
        (("label", "pattern:spiral", "-o", "x.npy", "-s", "backwards"), "reverse"),
        (("record", "pattern:spiral", "-o", "x.gif"), ".cclrec"),
        (("record", "pattern:spiral", "-o", "x.cclrec", "-p", "speed=3"), "no parameter"),
        (("record", "pattern:spiral", "-o", "no/such/folder/x.cclrec"), "cannot be written"),
        (("export", "pattern:spiral", "-o", "x.doc"), ".gif"),
        (("export", "missing.cclrec", "-o", "x.gif"), "missing.cclrec"),
    ],
)
def test_wrong_input_is_answered_in_one_sentence(
    arguments: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ccl-viewer: ")
    assert words in captured.err
    assert len(captured.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("label", "a.png"),
        ("label", "a.png", "-o", "x.npy", "-c", "6"),
        ("label", "a.png", "-o", "x.npy", "--threshold", "high"),
        ("label", "a.png", "-o", "x.npy", "--threshold", "²"),
        ("list", "colours"),
        ("export", "a", "-o", "x.gif", "--steps", "1"),
        ("export", "a", "-o", "x.gif", "--steps", "1:2:0"),
        ("record", "a", "-o", "x.cclrec", "-p", "passes"),
        ("a.png", "--size", "12"),
        ("a.png", "--size", "99999x100"),
        ("--no-such-option",),
    ],
)
def test_arguments_that_make_no_sense_are_answered_in_one_sentence(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(arguments)
    assert caught.value.code == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("ccl-viewer")


@pytest.mark.parametrize("rest", [(), ("x.png", "-o", "y.npy")])
def test_a_mistyped_command_is_named(
    rest: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lable", *rest]) == 2
    assert "There is no command or file lable (did you mean label?)." in capsys.readouterr().err


def test_a_file_whose_name_resembles_a_command_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lable").write_text("#.")
    monkeypatch.chdir(tmp_path)
    assert parse(["lable"]).source == "lable"
    assert parse(["picture"]).source == "picture"  # the window says that there is none


def test_levels_reach_to_those_of_16_bit_pictures(tmp_path: Path) -> None:
    path, out = tmp_path / "deep.png", tmp_path / "labels.npy"
    grey = np.array([[0, 300, 40_000, 65_535]], np.uint16)
    Image.fromarray(grey).save(path)
    assert run("label", path, "-o", out, "--threshold", 40_000, "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), [[0, 0, 0, 1]])


@pytest.mark.parametrize(
    "arguments",
    [
        ("label", "-o", "x.npy"),
        ("record", "-o", "x.cclrec"),
        ("export", "-o", "x.gif"),
        ("export", "-o", "frames/"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    arguments: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command, option, name = arguments
    place = tmp_path / name
    place.mkdir()
    (place / "content").touch()
    if name == "x.gif":  # a folder means pictures, no matter which suffix it has
        place = tmp_path / "missing" / name
    monkeypatch.setattr(Recorder, "run", unreachable)
    monkeypatch.setattr(api, "label", unreachable)
    trailing = "/" if name.endswith("/") else ""
    assert run(command, "pattern:spiral", option, f"{place}{trailing}") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def unreachable(*_: object, **__: object) -> None:
    raise AssertionError("the work was begun")


def python(code: str, **streams: int) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"PYTHONIOENCODING": "ascii"},
        stdout=streams.get("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def test_a_reader_that_went_away_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = python(
        "import sys; from ccl_viewer.cli import main; sys.exit(main(['list', 'formats']))",
        stdout=writing,
    )
    os.close(writing)
    assert done.returncode == 0
    assert done.stderr == ""


def test_names_that_the_output_cannot_spell_are_escaped(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "größe.npy"
    arguments = ["label", str(picture), "-o", str(out), "-d", "emulator"]
    done = python(f"import sys; from ccl_viewer.cli import main; sys.exit(main({arguments!r}))")
    assert done.returncode == 0, done.stderr
    assert r"gr\xf6\xdfe.npy" in done.stdout
    assert out.exists()


def test_a_closed_standard_error_is_no_obstacle(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "labels.npy"
    monkeypatch.setattr(sys, "stderr", None)
    assert run("label", picture, "-o", out, "-d", "emulator") == 0
    assert out.exists()


def test_a_full_standard_error_changes_no_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    assert run("label", "missing.png", "-o", "out.npy") == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [((), "commands (ccl-viewer COMMAND --help says more):"), (("label",), "OUT")],
)
def test_help_is_a_command_too(
    command: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for asked in (("help", *command), (*command, "--help")):
        with pytest.raises(SystemExit) as caught:
            main(asked)
        assert caught.value.code == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert words in told[0]


def test_help_with_what_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "lable"]) == 2
    assert "There is no command lable: did you mean label?" in capsys.readouterr().err
    assert main(["help", "xyz"]) == 2
    assert "there are label, components" in capsys.readouterr().err


def test_steps_read_like_slices() -> None:
    arguments = parse(("export", "a", "-o", "x.gif", "--steps", "2:-1:3"))
    assert arguments.steps == slice(2, -1, 3)


@pytest.mark.parametrize("command", [(), ("export",)])
def test_help_says_from_where_steps_are_counted(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "counted from 0" in " ".join(capsys.readouterr().out.split())


def test_importing_the_package_and_asking_for_help_load_nothing_heavy() -> None:
    code = (
        "import sys, ccl_viewer, ccl_viewer.cli\n"
        "try: ccl_viewer.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'PIL', 'PySide6', 'pyqtgraph', 'cupy'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "export" in done.stdout


def test_multivalued_input_is_labelled_by_value(tmp_path: Path) -> None:
    segments = np.array([[1, 1, 2], [3, 1, 2], [3, 0, 1]], np.uint8)
    np.save(tmp_path / "segments.npy", segments)
    out = tmp_path / "labels.npy"
    common = (tmp_path / "segments.npy", "-a", "label_equivalence", "-d", "emulator")
    assert run("label", *common, "--multivalued", "-o", out) == 0
    np.testing.assert_array_equal(np.load(out), [[1, 1, 2], [3, 1, 2], [3, 0, 4]])
    recorded = tmp_path / "run.cclrec"
    assert run("record", *common, "--multivalued", "-o", recorded) == 0
    recording = ccl.open_recording(recorded)
    assert recording.multivalued
    np.testing.assert_array_equal(recording.image, segments)


def test_multivalued_asked_of_one_that_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.npy"
    spec = "pattern:checkerboard?width=6&height=5"
    assert run("label", spec, "-a", "ha4", "--multivalued", "-o", out) == 2
    assert "choose one of" in capsys.readouterr().err
    assert not out.exists()
    assert (
        run("label", spec, "-a", "label_equivalence", "--multivalued", "--invert", "-o", out) == 2
    )
    assert "--invert" in capsys.readouterr().err


def test_the_list_says_who_can_tell_values_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "algorithms") == 0
    out = capsys.readouterr().out
    assert "(Label Equivalence; connectivity 4, 8; multi-valued)" in out
    assert "(HA4; connectivity 4)" in out


def _symbolic(of: Path) -> Path:
    link = of.with_name("symbolic.npy")
    link.symlink_to(of)
    return link


def _hard(of: Path) -> Path:
    link = of.with_name("hard.npy")
    link.hardlink_to(of)
    return link


@pytest.mark.parametrize(
    "named",
    [
        lambda path: path,
        lambda path: path.parent / "." / ".." / path.parent.name / path.name,
        _symbolic,
        _hard,
    ],
    ids=["same", "spelled otherwise", "symbolic link", "hard link"],
)
@pytest.mark.parametrize("command", ["label", "export"])
def test_the_input_is_replaced_by_force_alone(
    command: str,
    named: Callable[[Path], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "in.npy"
    np.save(path, [[1, 0, 1]])
    before, output = path.read_bytes(), named(path)
    arguments = (command, path, "-o", output, "-d", "emulator")
    assert run(*arguments) == 2
    assert "is the file that is read" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert run(*arguments, "--force") == 0
    assert output.read_bytes() != before


def test_a_recording_and_a_lesson_are_not_replaced_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "run.cclrec", tmp_path / "page.html"
    assert run("record", "pattern:shibata", "-o", path, "-d", "emulator") == 0
    assert run("export", path, "-o", path) == 2
    path.write_text(PICTURE)  # with any name
    assert run("record", path, "-o", path) == 2
    lesson = tmp_path / "lesson.toml"
    lesson.write_bytes((assets_folder() / "lessons" / "shibata.toml").read_bytes())
    page.symlink_to(lesson)
    assert run("lesson", lesson, "-o", page) == 2
    assert capsys.readouterr().err.count("is the file that is read") == 3


def test_a_screenshot_does_not_replace_its_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.png"
    Image.new("1", (2, 2)).save(path)
    assert run(path, "--screenshot", path) == 2
    assert "is the file that is read" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="names are not bytes")
@pytest.mark.parametrize("suffix", [".npy", ".gif", ".html", ".zarr", ".mp4", "/"])
def test_names_need_not_be_utf_8(picture: Path, tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / os.fsdecode(b"folder\xff")
    folder.mkdir()
    source = picture.rename(folder / os.fsdecode(b"\xffin.txt"))
    output = folder / os.fsdecode(b"\xe4out")
    assert run("export", source, "-o", f"{output}{suffix}", "-d", "emulator") == 0
    assert output.with_name(f"{output.name}{suffix.strip('/')}").exists()


@pytest.mark.parametrize("option", ["-a", "-p"])
def test_a_number_of_thousands_of_digits_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = f"strip_height={'1' * 5000}"
    chosen = ["-a", f"ha4:{value}"] if option == "-a" else ["-a", "ha4", "-p", value]
    try:
        assert run("export", "pattern:shibata", "-o", tmp_path / "x.gif", *chosen) == 2
    except SystemExit as ended:
        assert ended.code == 2  # noqa: PT017  (argparse and the command end in different ways)
    assert "at most 18 digits" in capsys.readouterr().err


# Whatever is decoded in one call of a library, outside Python, cannot be interrupted.
_ENDLESS_READING = """
import hashlib, signal, sys
from ccl_viewer.cli import main, runs

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

def read(*_, **__):
    print("reading", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

runs.open_grid = read
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="no signal can be sent to another process")
@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        ("label", signal.SIGINT, 130),
        ("export", signal.SIGINT, 130),
        ("label", signal.SIGTERM, 143),
        pytest.param("label", getattr(signal, "SIGHUP", 0), 129, id="label-SIGHUP"),
    ],
)
def test_reading_is_given_up_on_a_signal_to_stop(
    command: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    reading = subprocess.Popen(
        [sys.executable, "-c", _ENDLESS_READING, command, "a.png", "-o", str(tmp_path / "b.npy")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert reading.stdout is not None
        assert reading.stdout.readline() == "reading\n"
        reading.send_signal(number)
        _, said = reading.communicate(timeout=60)
    finally:
        reading.kill()
    assert reading.returncode == code
    assert len(said.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


_STOPPED_WHILE_IMPORTING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ccl_viewer.cli import main

class Lock:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def look(event, given):
    if event == "import" and given[0] == sys.argv[1]:
        Lock()  # Python drops what a destructor raises

sys.addaudithook(look)
sys.exit(main(["list", "algorithms"]))
"""


@pytest.mark.parametrize("module", ["ccl_viewer.cli.parser", "textwrap"])
def test_ctrl_c_is_heard_while_modules_are_imported(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_WHILE_IMPORTING, module],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "ccl-viewer: stopped.\n"


@pytest.mark.parametrize("command", ["label", "record", "export"])
def test_a_picture_of_gigabytes_has_to_be_asked_for(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.pgm"
    path.write_bytes(b"P5\n16384 16384\n255\n")
    output = tmp_path / ("out.cclrec" if command == "record" else "out.npy")
    assert run(command, path, "-o", output) == 2
    assert "take up to 3.2 GB of memory to read: crop or scale" in capsys.readouterr().err
    assert run(command, path, "-o", output, "--large") == 2
    assert "is damaged" in capsys.readouterr().err  # as it was read


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_second_signal_to_stop_ends_at_once(
    number: signal.Signals, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    codes: list[int] = []
    clock = iter(range(100))

    def leave(code: int) -> None:
        codes.append(code)
        ended.set()

    def work(cancel: CancelToken, _line: ProgressLine) -> bool:
        signal.raise_signal(number)
        while not cancel.cancelled:
            ended.wait(0.01)
        signal.raise_signal(number)
        return ended.wait(120)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: next(clock) + 1))
    with stop_signals_as_interrupts():
        assert run_cancellable(work)
    assert codes == [code]


@pytest.mark.parametrize(
    ("command", "saver"),
    [
        ("label", "ccl_viewer.cli.label.save_labels"),
        ("record", "ccl_viewer.recording.Recording.save"),
    ],
)
def test_an_interrupt_while_a_file_is_written_is_not_kept_waiting(
    command: str, saver: str, picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    outlasted: list[bool] = []

    def save(*_arguments: object) -> None:
        signal.raise_signal(signal.SIGINT)
        outlasted.append(ended.wait(120))  # as a library that packs a large picture

    monkeypatch.setattr(saver, save)
    out = tmp_path / ("out.npy" if command == "label" else "out.cclrec")
    assert run(command, picture, "-o", out, "-d", "emulator") == 130
    assert outlasted == []
    ended.set()
    assert not out.exists()


def test_too_little_memory_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(_arguments: object) -> int:
        return len(bytes(1 << 60))

    monkeypatch.setattr("ccl_viewer.cli.doctor.doctor", fill)
    assert run("doctor") == 1
    assert "not enough memory" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are of Linux")
@pytest.mark.parametrize("host", ["", "localhost"])
def test_names_may_be_urls_and_have_any_bytes(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / os.fsdecode(b"a b%#?\xc3\xa9\xff.txt"), tmp_path / "out"
    path.write_text("##.\n..#\n")
    url = f"file://{host}{quote_from_bytes(os.fsencode(path))}"
    for name in (url, str(path)):
        for command in (
            ("label", name, "-o", f"{out}.npy"),
            ("components", name, "-o", f"{out}.csv"),
            ("export", name, "-o", f"{out}.html"),
            ("profile", name, "-a", "ha4"),
            ("phases", name, "-a", "ha4"),
            ("bench", "-a", "ha4", name, "-o", f"{out}", "--force", "-d", "emulator"),
        ):
            assert main([*command]) == 0, (command, capsys.readouterr().err)
    assert main(["label", "file://elsewhere/a.txt", "-o", f"{out}.npy"]) == 2
    assert "elsewhere/a.txt cannot be opened" in capsys.readouterr().err
