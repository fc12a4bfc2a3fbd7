"""Sessions at a terminal as text files: run, compared with what is kept, written anew on request.

A transcript has comments (``#``), commands after ``$``, and what they answer:

- lines without a mark: standard output;
- ``! ``: standard error;
- ``+ ``: files and folders that are new or changed;
- ``exit N``: the exit code, unless it is 0.

Commands: ``ccl-viewer`` in this process; ``write FILE "LINES"``, where ``|`` ends a line;
``show FILE`` prints what other programs read in it; ``remove FILE``. ``< FILE`` and ``> FILE``
stand for standard input and output, ``| WORD`` keeps the lines of the output that contain WORD.

What differs from machine to machine is masked: the time that a run took becomes ``<time>``, the
temporary folder ``<here>``, the program's version ``<version>``; ``bench`` and argparse have a
mask each (``_MASKS``).

``pytest tests/journeys --write-transcripts`` writes the files anew.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ccl_viewer import __version__, open_recording
from ccl_viewer.cli import main

_MASKS = (
    (re.compile(r"[\d.,]+ (µs|ms|s|min)(?= (on the )?emulator)"), "<time>"),
    (re.compile(re.escape(__version__)), "<version>"),
    (re.compile(r"^date .*"), "<date, versions and machine>"),
    (re.compile(r"\(choose from .*?\)"), "(choose from <these>)"),  # Python's versions differ
)


def run_transcript(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The transcript as it is today, run in an empty folder."""
    monkeypatch.chdir(folder)
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            before = _files(folder)
            answer = _run(line[2:], monkeypatch)
            assert not any(each.startswith(("# ", "$ ")) for each in answer), line
            new = sorted(name for name, file in _files(folder).items() if before.get(name) != file)
            lines += [line, *_masked(answer, folder), *(f"+ {name}" for name in new)]
        elif line.startswith("# "):
            lines += [*([""] if lines and not lines[-1].startswith("# ") else []), line]
    return "\n".join(lines) + "\n"


def _files(folder: Path) -> dict[str, object]:
    """Files with what changes if they are written, and folders, by name."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        name, status = path.relative_to(folder).as_posix(), path.stat()
        if path.is_dir():
            found[f"{name}/"] = "a folder"
        else:
            found[name] = status.st_mtime_ns, status.st_ino
    return found


def _masked(lines: list[str], folder: Path) -> list[str]:
    for mask, word in _MASKS:
        lines = [mask.sub(word, line) for line in lines]
    return [line.replace(str(folder), "<here>").rstrip() for line in lines]


def _run(command: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    words, kept, given, target = shlex.split(command), "", b"", None
    while len(words) > 2 and words[-2] in ("<", ">", "|"):
        *words, sign, name = words
        kept = name if sign == "|" else kept
        target = name if sign == ">" else target
        given = Path(name).read_bytes() if sign == "<" else given
    data, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(data, "utf-8", newline="\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = _COMMANDS[words[0]](words[1:])
        except SystemExit as ended:  # as argparse ends
            code = int(ended.code or 0)
    out.flush()
    written = data.getvalue()
    if target is not None:
        Path(target).write_bytes(written)
        written = b""
    told = [line for line in written.decode().splitlines() if kept in line]
    return [
        *told,
        *(f"! {line}" for line in err.getvalue().splitlines()),
        *([f"exit {code}"] if code else []),
    ]


def _write(words: list[str]) -> int:
    Path(words[0]).write_text(words[1].replace("|", "\n") + "\n", "utf-8")
    return 0


def _remove(words: list[str]) -> int:
    path = Path(words[0])
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    return 0


def _show(words: list[str]) -> int:
    sys.stdout.write(f"{_seen(Path(words[0]))}\n")
    return 0


def _seen(path: Path) -> object:
    match path.suffix:
        case ".npy":
            return np.load(path)
        case ".cclrec":
            run = open_recording(path)
            told = f"{run.algorithm}, {run.connectivity}-connected, {len(run)} steps, labels"
            return f"{told}\n{run.labels(-1)}"
        case ".csv":
            return path.read_text("utf-8").rstrip("\n")
        case ".svg":
            return ", ".join(re.findall(r">([^<>]+)</text>", path.read_text("utf-8")))
        case ".html":
            return re.findall(r"<title>(.*?)</title>", path.read_text("utf-8"))
    with Image.open(path) as image:
        frames = getattr(image, "n_frames", 1)
        told = f"{image.format}, {frames} of {image.width} x {image.height}, {image.mode}"
        lasts = image.info.get("duration")
        return told if lasts is None else f"{told}\nthe first for {lasts} thousandths of a second"


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "ccl-viewer": main,
    "write": _write,
    "remove": _remove,
    "show": _show,
}
