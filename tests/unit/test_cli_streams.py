"""Standard input and output, several images, JSON, and messages without a terminal."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ccl_viewer.cli import main
from ccl_viewer.cli.terminal import ProgressLine, ProgressParser

PICTURE = b"##.#\n...#\n#..#\n"
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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_not_waited_for_and_gets_no_bytes(
    send: Any, capfdbinary: Binary, picture: Path
) -> None:
    send(b"", terminal=True)
    assert run("label", "-", "-o", "a.npy") == 2
    assert b"Standard input is empty" in capfdbinary.readouterr().err
    with redirect_stdout(Terminal()):
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


def test_an_empty_folder_that_was_there_stays(picture: Path) -> None:
    folder = picture.parent / "out"
    folder.mkdir()
    assert run("label", "missing.png", "-o", "out/") == 2
    assert folder.is_dir()


# JSON


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
    steps = ("pattern:spiral?size=11", "--scale", 4, "-a", "shibata_naive", *EMULATED)
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


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_has_one_line_unless_it_is_to_be_quiet(quiet: bool) -> None:
    with redirect_stderr(Terminal()) as shown:
        ProgressLine(quiet=quiet)("Step 3 of 20")
    assert shown.getvalue() == ("" if quiet else "\r\x1b[KStep 3 of 20")


def test_without_a_gpu_several_images_end_in_one_sentence(
    picture: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)  # it is not installed
    assert run("label", "picture.txt", "pattern:spiral", "-o", "out/", "-d", "cuda") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [*picture.parent.iterdir()] == [picture]
