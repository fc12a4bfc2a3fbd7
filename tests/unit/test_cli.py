"""The command line: what it prints, writes and answers to wrong input."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from urllib.parse import quote_from_bytes

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage
from support.limits import run_limited

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.cli.parser import parse

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


def test_a_photograph_is_split_by_brightness(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    grey = rng.integers(0, 256, (40, 50), np.uint8)
    path, out = tmp_path / "photo.png", tmp_path / "labels.npy"
    Image.fromarray(grey).save(path)
    assert run("label", path, "-o", out, "--threshold", 99, "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), ndimage.label(grey > 99)[0])
    assert run("label", path, "-o", out, "--threshold", 99, "--invert", "-d", "emulator") == 0
    np.testing.assert_array_equal(np.load(out), ndimage.label(grey <= 99)[0])


def test_doctor_tries_the_emulator(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("doctor") == 0
    printed = capsys.readouterr().out
    assert "labels correctly" in printed
    assert "kernels" in printed
    assert re.search(r"compiled kernels .*; \d+ MiB, of at most 256", printed)


def test_a_file_whose_name_resembles_a_command_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lable").write_text("#.")
    monkeypatch.chdir(tmp_path)
    assert parse(["lable"]).source == "lable"
    assert parse(["picture"]).source == "picture"  # the window says that there is none


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


class _Full(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("error", [None, _Full()], ids=["closed", "full"])
def test_standard_error_may_be_closed_or_full(
    error: io.StringIO | None, picture: Path, tmp_path: Path
) -> None:
    with redirect_stderr(error):
        assert run("label", picture, "-o", tmp_path / "labels.npy", "-d", "emulator") == 0
        assert run("label", "missing.png", "-o", tmp_path / "labels.npy") == 2


def test_names_that_the_output_cannot_spell_are_escaped(picture: Path, tmp_path: Path) -> None:
    out, printed = tmp_path / "größe.npy", io.TextIOWrapper(io.BytesIO(), "ascii")
    with redirect_stdout(printed):
        assert run("label", picture, "-o", out, "-d", "emulator") == 0
    printed.seek(0)
    assert r"gr\xf6\xdfe.npy" in printed.read()
    assert out.exists()


_STARVED = """
import resource, sys
from ccl_viewer.cli import main
code = main(["label", "pattern:full?width=4096&height=4096", "-o", sys.argv[1], "-d", "emulator"])
print(code, file=sys.stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_too_little_memory_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"ccl-viewer: .*not enough memory"):
        run_limited(_STARVED, str(tmp_path / "labels.npy"), megabytes=220, seconds=60)


def in_a_process(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


_READING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from ccl_viewer.cli import main
print("ready", flush=True)
sys.exit(main(["label", "-", "-o", "-"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="no signal can be sent to another process")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_reading_is_given_up_on_a_signal_to_stop(number: str, code: int) -> None:
    with in_a_process(_READING) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"ready\n"
        child.stdin.write(b"#" * (1 << 20))  # more than a pipe holds: it is being read
        child.stdin.flush()
        child.send_signal(signal.Signals[number])
        assert child.wait(60) == code
        assert len(child.stderr.read().splitlines()) == 1


_DEAF = """
import signal, sys, threading
from ccl_viewer.cli.reporting import stop_signals_as_interrupts
from ccl_viewer.cli.terminal import run_cancellable

def work(cancel, line):
    print("ready", flush=True)
    while not cancel.cancelled:
        threading.Event().wait(0.01)
    print("deaf", flush=True)
    threading.Event().wait(600)

with stop_signals_as_interrupts():
    run_cancellable(work)
"""


@pytest.mark.skipif(os.name != "posix", reason="no signal can be sent to another process")
def test_a_second_signal_to_stop_ends_at_once() -> None:
    with in_a_process(_DEAF) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGTERM)
        assert child.stdout.readline() == b"deaf\n"
        for _ in range(50):  # signals of one moment count as one
            child.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(0.2)
                break
        child.kill()
        assert child.wait() == 143
