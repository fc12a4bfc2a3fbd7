"""Odd arguments of the library and the command line end in one sentence each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.cli import main
from ccl_viewer.cli.parser import parse
from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.grids import as_grid, as_segments
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.recording import Recording


@pytest.mark.parametrize("schedule", [None, 3, b"sequential"])
def test_a_schedule_that_is_no_text(schedule: Any) -> None:
    for use in (ccl.label, ccl.components, ccl.record):
        with pytest.raises(InputError, match="A schedule is a text"):
            use([[1]], schedule=schedule, device="emulator")


LONG = [
    "x" * 5_000,
    "two words " * 500,
    "two words " * 25,
    'it\'s "quoted" ' * 500,
    "\x1b[31m" * 500,
    "/".join(["folder"] * 800),
    "\udcff" * 300,
]


def longest_of(text: str, message: str) -> int:
    """How much of a text a message repeats in one piece."""
    most = 0
    for start in range(len(message)):
        while message[start : start + most + 1] in text and start + most < len(message):
            most += 1
    return most


@pytest.mark.parametrize("text", LONG)
def test_a_message_repeats_little_of_its_input(text: str, tmp_path: Path) -> None:
    parameters: dict[str, Any] = {text: 1}
    uses: list[Callable[[], object]] = [
        lambda: ccl.label([[1]], algorithm=text),
        lambda: ccl.label([[1]], device=text),  # type: ignore[call-overload]
        lambda: ccl.label([[1]], schedule=text, device="emulator"),
        lambda: ccl.record([[1]], **parameters),
        lambda: ccl.open_recording(tmp_path / text),
        lambda: ccl.open_recording(text),
    ]
    for use in uses:
        with pytest.raises(CCLViewerError) as caught:
            use()
        told = str(caught.value)
        assert len(told) <= 500
        assert longest_of(text, told) <= 200
        assert told.isprintable()
        told.encode()


@pytest.mark.parametrize("text", LONG)
@pytest.mark.parametrize(
    "arguments", [("label", "{}", "-o", "x.npy"), ("{}",), ("list", "{}"), ("lesson", "{}")]
)
def test_the_command_line_repeats_little_of_its_input(
    text: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [argument.format(text) for argument in arguments]
    if argv == [text]:
        argv.append("--no-such-option")
    try:
        code = main(argv)
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == 2
    told = capsys.readouterr().err
    assert longest_of(text, told) <= 200
    assert told.replace("\n", "").isprintable()


def test_our_own_sentences_are_told_whole() -> None:
    sentence = "There is no algorithm 'ha5': choose one of " + ", ".join(ALGORITHMS) + "."
    assert str(InputError(sentence)) == sentence
    path = "/home/somebody/" + "folder/" * 20 + "run.cclrec"
    assert path in str(InputError(f"{path} cannot be opened: it isn't there."))


@pytest.mark.parametrize("index", [0.5, "1", None, slice(0, 1), (1,)])
def test_a_step_that_is_no_whole_number(index: Any, shibata_run: Recording) -> None:
    for use in (shibata_run.step, shibata_run.labels, shibata_run.parents):
        with pytest.raises(InputError, match="named by a whole number"):
            use(index)


def test_whole_numbers_of_numpy_name_steps(shibata_run: Recording) -> None:
    assert shibata_run.step(int(np.int64(1))) == shibata_run.step(np.int64(1))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def shibata_run() -> Recording:
    return ccl.record([[1, 0, 1], [1, 1, 1]])


def test_plain_arrays_do_not_import_masked_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(np, "ma", raising=False)
    monkeypatch.delitem(sys.modules, "numpy.ma", raising=False)
    as_grid(np.ones((2, 2)))
    assert "numpy.ma" not in sys.modules


def test_masked_cells_are_background() -> None:
    masked = np.ma.array([[1, 1, 1], [5, 5, 9]], mask=np.array([[0, 1, 0], [0, 0, 1]], bool))
    np.testing.assert_array_equal(as_grid(masked), [[1, 0, 1], [1, 1, 0]])
    np.testing.assert_array_equal(as_segments(masked), [[1, 0, 1], [5, 5, 0]])
    labels, count = ccl.label(masked, device="emulator")
    assert count == 2
    np.testing.assert_array_equal(labels, [[1, 0, 2], [1, 1, 0]])
    np.testing.assert_array_equal(ccl.record(masked).image, [[1, 0, 1], [1, 1, 0]])
    holes = np.ma.masked_invalid([[np.nan, 2.0]])
    np.testing.assert_array_equal(as_grid(holes), [[0, 1]])
    np.testing.assert_array_equal(as_grid(np.ma.array([[1, 0]])), [[1, 0]])


@pytest.mark.parametrize("text", ["-1:", "-3:-1", "-4::2", ":2"])
def test_steps_from_the_end_need_no_equals_sign(text: str) -> None:
    joined = parse(["export", "a", "-o", "b", f"--steps={text}"]).steps
    assert parse(["export", "a", "-o", "b", "--steps", text]).steps == joined
    assert parse(["export", "--steps", text, "a", "-o", "b"]).source == ["a"]


def test_an_option_after_steps_is_an_option_still() -> None:
    with pytest.raises(SystemExit) as caught:
        parse(["export", "a", "--steps", "-o", "b"])
    assert caught.value.code == 2


# Not /dev/full, which some machines do not have, and others take for a file.
_WITHOUT_ROOM = """
import resource, sys
from ccl_viewer.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
sys.exit(main(["list", "patterns"]))
"""


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_is_full_is_one_sentence(unbuffered: str, tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="files cannot be limited here")
    with (tmp_path / "full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", _WITHOUT_ROOM],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**_environment(), "PYTHONUNBUFFERED": unbuffered},
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("ccl-viewer: the output cannot be written (")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--help"], ["label", "--help"], ["--version"]])
def test_a_reader_of_the_help_may_go_away(arguments: list[str]) -> None:
    asked = subprocess.Popen(
        [sys.executable, "-m", "ccl_viewer", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    assert asked.stdout is not None
    assert asked.stderr is not None
    asked.stdout.close()
    complaint = asked.stderr.read()
    asked.stderr.close()
    assert asked.wait() == 0
    assert complaint == b""


def _environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.mark.parametrize(("connectivity", "count"), [(4, 5), (8, 1)])
def test_without_an_algorithm_one_is_taken_that_can(connectivity: int, count: int) -> None:
    cross = [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert ccl.label(cross, connectivity=connectivity, device="emulator")[1] == count


def test_without_an_algorithm_values_are_told_apart() -> None:
    assert ccl.label([[1, 2, 2]], multivalued=True, device="emulator")[1] == 2


def test_names_of_patterns_and_files_are_opened_as_on_the_command_line(tmp_path: Path) -> None:
    assert ccl.label("pattern:spiral?size=31", device="emulator")[1] == 1
    recording = ccl.record("pattern:spiral?size=7", device="emulator")
    np.testing.assert_array_equal(recording.image, PATTERNS["spiral"].make(size=7))
    path = tmp_path / "grid.txt"
    path.write_text("1.2\n..2\n")
    assert ccl.label(path, device="emulator")[1] == 2
    assert len(ccl.components(str(path), device="emulator", multivalued=True)) == 2
    assert ccl.time_run(path, device="emulator", repeats=1).total.median >= 0
    for text in ("pattern:spirl", "no such file", "#.\n##", "a\0b"):
        with pytest.raises(InputError, match=r"did you mean spiral|cannot be opened|no name"):
            ccl.label(text, device="emulator")


def test_labelling_takes_the_parameters_of_an_algorithm() -> None:
    image = [[1, 0, 1], [1, 1, 1]]
    labels, count = ccl.label(image, "shibata_fast", device="emulator", jumps=2)
    assert (labels.tolist(), count) == ([[1, 0, 1], [1, 1, 1]], 1)
    with pytest.raises(InputError, match="no parameter hops; it has"):
        ccl.label(image, "shibata_fast", device="emulator", hops=2)
    with pytest.raises(InputError, match="jumps"):
        ccl.label(image, "shibata_fast", device="emulator", jumps=-1)
