"""Standard input and output, several images, JSON, and messages without a terminal."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.cli.terminal import ProgressLine, ProgressParser
from ccl_viewer.errors import CancelledError, DeviceUnavailableError

PICTURE = b"##.#\n...#\n#..#\n"
LABELS = [[1, 1, 0, 2], [0, 0, 0, 2], [3, 0, 0, 2]]
EMULATED = ("-d", "emulator")

Send = Callable[[bytes], None]
Binary = pytest.CaptureFixture[bytes]


@pytest.fixture
def send(monkeypatch: pytest.MonkeyPatch) -> Send:
    """Sends bytes to standard input."""

    def send_them(data: bytes, *, terminal: bool = False) -> None:
        stream = SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: terminal)
        monkeypatch.setattr(sys, "stdin", stream)

    return send_them


@pytest.fixture
def picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "picture.txt"
    path.write_bytes(PICTURE)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


# Standard input and output


def test_labels_go_through_a_pipe(send: Send, capfdbinary: Binary) -> None:
    send(PICTURE)
    assert run("label", "-", "-o", "-", *EMULATED) == 0
    out, err = capfdbinary.readouterr()
    np.testing.assert_array_equal(np.load(io.BytesIO(out)), LABELS)
    assert err.startswith(b"standard output: 3 components, 4-connected")


@pytest.mark.parametrize("name", ["png", ".tif"])
def test_labels_go_out_in_any_format(name: str, send: Send, capfdbinary: Binary) -> None:
    send(PICTURE)
    assert run("label", "-", "-o", "-", "--format", name, *EMULATED) == 0
    with Image.open(io.BytesIO(capfdbinary.readouterr().out)) as image:
        np.testing.assert_array_equal(np.asarray(image), LABELS)


def test_a_recording_goes_through_pipes(send: Send, capfdbinary: Binary, tmp_path: Path) -> None:
    send(PICTURE)
    assert run("record", "-", "-o", "-", "-a", "ha4", "-q", *EMULATED) == 0
    recording, told = capfdbinary.readouterr()
    assert told == b""
    send(recording)
    assert run("export", "-", "-o", "-", "--format", "svg", "-q") == 0
    assert b"<svg" in capfdbinary.readouterr().out
    send(recording)
    assert run("export", "-", "-o", tmp_path / "run.cclrec") == 0
    np.testing.assert_array_equal(
        ccl.open_recording(tmp_path / "run.cclrec").image, np.array(LABELS) > 0
    )


def test_tables_and_figures_go_out_as_text(send: Send, capfdbinary: Binary, picture: Path) -> None:
    send(PICTURE)
    assert run("components", "-", "-o", "-", *EMULATED) == 0
    out, err = capfdbinary.readouterr()
    assert len(out.splitlines()) == 4
    assert b"3 components" in err
    send(PICTURE)
    assert run("components", "-", "-o", "-", "--format", "json", "-q", *EMULATED) == 0
    assert json.loads(capfdbinary.readouterr().out)["source"] == "-"
    assert run("profile", picture, "--json", "-") == 0
    assert json.loads(capfdbinary.readouterr().out)["counted_by"] == "the emulator"
    assert run("phases", picture, "--json", "-") == 0
    assert json.loads(capfdbinary.readouterr().out)["connectivity"] == 4
    assert run("check", "ha4", "--grid", picture, "--orders", 0, "--json", "-") == 0
    assert json.loads(capfdbinary.readouterr().out)[0]["algorithm"] == "ha4"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "picture.txt", "-o", "-"), "Choose a format for standard output: --format"),
        (("export", "picture.txt", "-o", "-", "--format", "doc"), ".gif"),
        (("label", "picture.txt", "-o", "-", "--format", "zarr"), "A Zarr array is a folder"),
        (("label", "picture.txt", "-o", "-", "--json"), "takes one output"),
        (("label", "picture.txt", "-o", "a.npy", "--format", "png"), "leave out --format"),
        (("export", "picture.txt", "-o", "a.gif", "--format", "png"), "leave out --format"),
        (("phases", "picture.txt", "-o", "-"), "name a file or folder"),
        (("bench", "-a", "ha4", "pattern:spiral", "-o", "-"), "name a file or folder"),
        (("check", "ha4", "-o", "-"), "name a file or folder"),
        (("lesson", "shibata", "-o", "-"), "name a file or folder"),
        (("lesson", "--gallery", "-"), "name a file or folder"),
        (("picture.txt", "--screenshot", "-"), "name a file or folder"),
        (("label", "missing.png", "-o", "-"), "missing.png cannot be opened"),
    ],
)
def test_what_is_no_stream_is_refused(
    arguments: tuple[str, ...], said: str, picture: Path, capfdbinary: Binary
) -> None:
    assert run(*arguments) == 2
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert said in err.decode()
    assert [*picture.parent.iterdir()] == [picture]  # and no file or folder has the name -


def test_a_terminal_is_not_waited_for_and_gets_no_bytes(
    send: Any, capfdbinary: Binary, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(b"", terminal=True)
    assert run("label", "-", "-o", "a.npy") == 2
    assert b"Standard input is empty" in capfdbinary.readouterr().err
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run("label", picture, "-o", "-") == 2
    assert b".npy cannot be shown in a terminal" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "Standard input is empty: name a file"),
        (b"x", "standard input is not a readable picture"),
        (b"##\n#\n", "standard input: Line 2 has 1 cell"),
        (b"\x93NUMPY", "standard input is not an NPY file"),
    ],
)
@pytest.mark.parametrize("others", [[], ["pattern:spiral"]])
def test_errors_of_standard_input_name_no_temporary_file(
    data: bytes, told: str, others: list[str], send: Any, capfdbinary: Binary, tmp_path: Path
) -> None:
    send(data)
    assert run("label", "-", *others, "-o", f"{tmp_path}/out/") == 2
    error = capfdbinary.readouterr().err.decode()
    assert told in error
    assert "/standard-input" not in error


def test_a_reader_that_went_away_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys; from ccl_viewer.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "label", "pattern:spiral", "-o", "-", "-q", *EMULATED],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_while_standard_input_is_read() -> None:
    code = "import sys; from ccl_viewer.cli import main; sys.exit(main(sys.argv[1:]))"
    # A shell's background jobs ignore it.
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    begun = hears + "print('ready', flush=True); " + code
    with subprocess.Popen(
        [sys.executable, "-c", begun, "label", "-", "-o", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.stdin.write(b"#" * (1 << 20))  # more than a pipe holds: it is being read
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 130


@pytest.mark.skipif(sys.platform == "win32", reason="names cannot have control characters there")
def test_no_name_of_a_file_gives_the_terminal_orders(
    picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name can change the title of the terminal's window, or look like a line of output."""
    evil = "\x1b]0;title\x07\nAll goals are reached.\x9b31m"
    image = picture.rename(picture.with_name(f"{evil}.txt"))
    copied = picture.with_name(f"{evil}2.txt")
    copied.write_bytes(PICTURE)
    lesson = picture.with_name(f"{evil}.toml")
    lesson.write_text('title = "A \\u001b]0;lesson"\nscenes = 3\n')
    answers = picture.with_name("answers")
    answers.mkdir()
    (answers / f"{evil}.cu").write_text("no kernel")
    emulated = ("-d", "emulator")
    for command in (
        ("label", image, "-o", f"{evil}.npy", *emulated),
        ("label", image, copied, "-o", "out/", *emulated),
        ("components", image, copied, *emulated),
        ("record", image, "-o", f"{evil}.cclrec", *emulated),
        ("export", image, "-o", f"{evil}.csv", *emulated),
        ("export", f"{evil}.cclrec", "-o", f"{evil}.svg"),
        ("bench", "-a", "ha4", image, "-o", evil, *emulated),
        ("check", "ha4", "-p", "variant=printed", "-c", "4", "--orders", "0", "--grid", image),
        ("lesson", lesson, "--check"),
        ("lesson", lesson),
        ("grade", answers, "--exercise", "walk-to-the-root"),
        ("exercise", "walk-to-the-root", "-o", f"{evil}.cu"),
        ("label", f"{evil}.missing", "-o", "a.npy"),
        ("list", "algorithms", evil),
    ):
        try:
            run(*command)
        except SystemExit as end:
            assert end.code == 2  # noqa: PT017  (argparse ends so)
        out, err = capsys.readouterr()
        assert out + err, command
        assert not {"\x1b", "\x07", "\x9b"} & {*out, *err}, command
        assert not any(line.startswith("All goals") for line in (out + err).split("\n")), command


# Several images


def test_each_image_has_an_output_in_a_folder(
    picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = picture.parent / "out"
    spiral = "pattern:spiral?size=9"
    assert run("label", picture, spiral, "-o", "out/", *EMULATED) == 0
    np.testing.assert_array_equal(np.load(folder / "picture.npy"), LABELS)
    assert np.load(folder / "spiral-size=9.npy").shape == (9, 9)
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("out/picture.npy: 3 components, 4-connected")
    assert len(told) == 2
    assert run("record", picture, spiral, "-o", "out", *EMULATED) == 0  # it is there now
    assert run("components", picture, spiral, "-o", "out/", *EMULATED) == 0
    assert run("components", picture, spiral, "-o", "out/", "--format", "json", *EMULATED) == 0
    names = {path.name for path in folder.iterdir()}
    stems = ("picture", "spiral-size=9")
    assert names == {
        f"{stem}{suffix}" for stem in stems for suffix in (".npy", ".cclrec", ".csv", ".json")
    }


def test_one_image_can_have_a_folder_too(picture: Path) -> None:
    assert run("label", picture, "-o", "out/", "--format", "png", *EMULATED) == 0
    assert [path.name for path in (picture.parent / "out").iterdir()] == ["picture.png"]


def test_an_image_that_cannot_be_read_stops_no_other(
    picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("label", "missing.png", picture, "pattern:nothing", "-o", "out/", *EMULATED) == 2
    assert [path.name for path in (picture.parent / "out").iterdir()] == ["picture.npy"]
    told = capsys.readouterr()
    assert "missing.png cannot be opened" in told.err
    assert "There is no pattern" in told.err
    assert "3 components" in told.out


def test_a_choice_that_no_image_can_have_is_refused_once(
    picture: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    both = ("picture.txt", "pattern:spiral")
    for command in ("label", "record", "components"):
        assert run(command, *both, "-o", "out/", "-a", "ha4", "-c", 8) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1

    def missing(*_: object, **__: object) -> None:
        raise DeviceUnavailableError("No GPU.")

    monkeypatch.setattr("ccl_viewer.api.label", missing)
    assert run("label", *both, "-o", "out/") == 1
    assert capsys.readouterr().err == "ccl-viewer: No GPU.\n"


def test_an_empty_folder_that_was_there_stays(picture: Path) -> None:
    folder = picture.parent / "out"
    folder.mkdir()
    assert run("label", "missing.png", "-o", "out/") == 2
    assert folder.is_dir()


def test_nothing_is_left_where_nothing_was_written(picture: Path) -> None:
    assert run("label", "missing.png", "-o", "out/") == 2
    assert run("label", picture, "-o", "out/", "-a", "ha5") == 2
    assert [*picture.parent.iterdir()] == [picture]


def test_ctrl_c_stops_all_images(picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise CancelledError

    monkeypatch.setattr("ccl_viewer.api.label", stop)
    assert run("label", picture, "pattern:spiral", "-o", "out/", *EMULATED) == 130


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("label", "picture.txt", "pattern:spiral", "-o", "a.npy"), "give a name that ends in /"),
        (("label", "picture.txt", "./picture.txt", "-o", "out/"), "would both be written to"),
        (("label", "picture.txt", "-o", "out/", "--format", "doc"), "not as picture.doc"),
        (("label", "picture.txt", "-o", "picture.txt/"), "cannot be created"),
        (("label", "-", "-", "-o", "out/"), "would both be written to"),
    ],
)
def test_outputs_of_several_that_cannot_be(
    arguments: tuple[str, ...],
    said: str,
    picture: Path,
    send: Send,
    capsys: pytest.CaptureFixture[str],
) -> None:
    send(PICTURE)
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err
    assert [*picture.parent.iterdir()] == [picture]


def test_tables_of_several_images_are_named(
    picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("components", "picture.txt", "pattern:spiral?size=9", *EMULATED) == 0
    told = capsys.readouterr().out
    assert "picture.txt: 3 components" in told
    assert "pattern:spiral?size=9: 1 component" in told


# JSON


def test_label_tells_programs_what_was_found(
    picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ("picture.txt", "pattern:spiral?size=9")
    assert run("label", *both, "-o", "out/", "-a", "stava_benes:tile=4", "--json", *EMULATED) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first == {
        "source": "picture.txt",
        "output": "out/picture.npy",
        "height": 3,
        "width": 4,
        "components": 3,
        "connectivity": 8,
        "multivalued": False,
        "algorithm": "stava_benes",
        "parameters": {"tile": 4},
    }
    assert (second["source"], second["components"]) == ("pattern:spiral?size=9", 1)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("algorithms", {"key", "title", "connectivities", "multivalued", "parameters"}),
        ("patterns", {"key", "title", "multivalued", "parameters"}),
        ("devices", {"key", "title", "available", "detail"}),
        ("formats", {"name", "title", "kind", "needs"}),
        ("lessons", {"name", "title", "scenes", "aims"}),
    ],
)
def test_lists_for_programs_have_what_those_for_people_have(
    what: str, names: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list", what, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(names <= row.keys() for row in rows)
    assert run("list", what) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    told = [head.removeprefix("pattern:").split()[0] for head in heads]
    assert told == [row.get("key", row.get("name")) for row in rows]


def test_doctor_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("doctor", "--json") == 0
    found = {each["topic"]: each for each in json.loads(capsys.readouterr().out)}
    assert found["device emulator"]["good"] is True


# Without a terminal


def tenths(*texts: str) -> list[int]:
    count = ProgressParser()
    return [share for text in texts if (share := count.next_tenth(text)) is not None]


def test_each_tenth_is_told_once() -> None:
    blocks = [f"Labelling: block {n} of 64" for n in range(1, 65)]
    assert tenths(*blocks) == [10, 20, 31, 40, 50, 60, 70, 81, 90, 100]
    assert tenths(*blocks, *blocks) == 2 * tenths(*blocks)  # as of the next phase of the work
    assert tenths("Labelling 3 of 10 large files: a", "and 3 of 10 again", "none") == [30]
    assert tenths("Frame 1,000 of 10,000", "Frame 1,001 of 10,000") == [10]
    assert tenths("step 1 of 3", "step 2 of 3") == []  # too few for tenths


def test_what_is_counted_within_is_left_out() -> None:
    texts = [
        text
        for grid in range(1, 21)
        for text in (f"Grid {grid} of 20", *(f"Order {n} of 50" for n in range(1, 51)))
    ]
    assert tenths(*texts)[:9] == [10, 20, 30, 40, 50, 60, 70, 80, 90]


def test_progress_is_told_where_there_is_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = ("pattern:spiral?size=11", "-a", "shibata_naive", *EMULATED)
    assert run("export", *steps, "-o", tmp_path / "a.gif") == 0
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert 9 <= len(lines) <= 10
    assert all(line.startswith("Writing frame ") for line in lines)
    assert lines[-1].endswith("(100 %)")
    assert len(told.out.splitlines()) == 1
    for quiet in ("-q", "--quiet"):
        assert run("export", *steps, "-o", tmp_path / "a.gif", quiet) == 0
        assert capsys.readouterr() == ("", "")


def test_errors_are_heard_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("label", "missing.png", "-o", "a.npy", "-q") == 2
    assert "missing.png cannot be opened" in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_has_one_line_unless_it_is_to_be_quiet(
    quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    line = ProgressLine(quiet=quiet)
    line("Step 3 of 20")
    assert shown.getvalue() == ("" if quiet else "\r\x1b[KStep 3 of 20")


@pytest.mark.parametrize(
    ("command", "product"),
    [
        ("label", ""),
        ("record", ""),
        ("components", "3 components"),
        ("profile", "Counts of the emulator"),
        ("phases", "Step 1 of "),
    ],
)
def test_quiet_keeps_what_a_command_is_for(
    command: str, product: str, picture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = {"label": ["-o", "a.npy"], "record": ["-o", "a.cclrec"]}.get(command, [])
    assert run(command, picture, *output, "-q", *EMULATED) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert product in told.out
    assert bool(told.out) == bool(product)
