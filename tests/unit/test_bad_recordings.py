"""Recording files that mean harm: each is opened or refused, within limits of memory and time."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from data.make_bad_recordings import FOLDER, bad_recordings, good, packed, recording
from support.fakes import recorded
from support.grids import noise
from support.limits import run_limited

from ccl_viewer.errors import CancelledError, RecordingFileError
from ccl_viewer.recording import open_recording
from ccl_viewer.support.cancellation import CancelToken

limited = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds such limits")

MAX_TOLD: Final = 500

OPEN: Final = """
import json
from ccl_viewer.errors import InputError
from ccl_viewer.recording import open_recording
told = {}
for path in sys.argv[1:]:
    try:
        opened = open_recording(path)
        told[path] = f"opened: {opened.sentence} {opened.labels(-1).sum()}"
    except InputError as error:
        told[path] = f"refused: {error}"
print(json.dumps(told))
"""

EXPORT: Final = """
import io
from contextlib import redirect_stderr
from ccl_viewer.cli import main
with redirect_stderr(io.StringIO()):
    print(*(main(["export", path, "-o", f"{path}.csv"]) for path in sys.argv[1:]))
"""

FUZZ: Final = """
import copy, json, zipfile
from hypothesis import given, settings, HealthCheck, Phase, strategies as st
from pathlib import Path
from data.make_bad_recordings import good, packed
from ccl_viewer.errors import RecordingFileError
from ccl_viewer.recording import open_recording

path = Path(sys.argv[1])
members = good()
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from([0, -1, 2**31, 2**63, 10**30, "", "../x", "<b>", "=1", "\\x00", "\\ud800"])
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner)
)

def opens(data):
    path.write_bytes(data)
    try:
        opened = open_recording(path)
    except RecordingFileError as error:
        assert len(str(error)) <= 500, error
        assert "than there is" not in str(error), error
    else:
        for index in range(len(opened)):
            opened.labels(index)
        opened.sentence, repr(opened)

def places(node, way=()):
    yield way
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*way, key))

quiet = settings(
    max_examples=50, deadline=None, database=None, derandomize=True,
    suppress_health_check=list(HealthCheck), phases=[Phase.generate],
)
manifest = json.loads(members["manifest.json"])
ways = [*places(manifest)][1:]

@quiet
@given(st.lists(st.tuples(st.sampled_from(ways), values), min_size=1, max_size=3))
def manifests(changes):
    edited = copy.deepcopy(manifest)
    for way, value in changes:
        node = edited
        try:
            for key in way[:-1]:
                node = node[key]
            node[way[-1]] = value
        except (TypeError, KeyError, IndexError):
            pass
    opens(packed({**members, "manifest.json": json.dumps(edited).encode()}))

@quiet
@given(
    st.sampled_from(sorted(members)),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(min_size=1, max_size=12)), max_size=4),
    st.integers(0, 2000) | st.none(),
)
def arrays(name, changes, length):
    data = bytearray(members[name])
    for place, piece in changes:
        data[place : place + len(piece)] = piece
    opens(packed({**members, name: bytes(data[:length])}))

manifests()
arrays()
"""


class Reluctant(CancelToken):
    """A token that is cancelled after a number of checks."""

    def __init__(self, asks: int | None = None) -> None:
        super().__init__()
        self.left = asks
        self.asked = 0

    def check(self) -> None:
        self.asked += 1
        if self.asked == self.left:
            self.cancel()
        super().check()


def told_of(paths: list[Path], *, megabytes: int, seconds: int) -> dict[str, str]:
    """What became of opening files in a child with limits, by the name of the file."""
    found = json.loads(run_limited(OPEN, *map(str, paths), megabytes=megabytes, seconds=seconds))
    return {Path(path).name: text for path, text in found.items()}


def test_the_corpus_is_what_the_script_makes() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(bad_recordings())
    assert len(bad_recordings()) >= 70
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 250_000


@limited
def test_each_bad_file_is_opened_or_refused() -> None:
    told = told_of(sorted(FOLDER.iterdir()), megabytes=900, seconds=30)
    for name, text in told.items():
        assert len(text) <= MAX_TOLD + 20, name
        assert "than there is" not in text, name
    opened = sorted(name for name, text in told.items() if text.startswith("opened"))
    assert opened == [
        "algorithm-unknown.cclrec",
        "device-title-formula.cclrec",
        "device-title-markup.cclrec",
        "roots-of-nothing.cclrec",
        "step-caption-markup.cclrec",
        "step-module-unknown.cclrec",
    ]


@pytest.mark.parametrize("key", ["failure", "fault"])
def test_what_a_file_says_of_its_end_is_cut_like_any_message(key: str, tmp_path: Path) -> None:
    path, members = tmp_path / "run.cclrec", good()
    manifest = json.loads(members["manifest.json"])
    (manifest if key == "failure" else manifest["ending"])[key] = "so long\n" * 1000
    if key == "failure":
        manifest["ending"] = None
    path.write_bytes(packed({**members, "manifest.json": json.dumps(manifest).encode()}))
    sentence = open_recording(path).sentence
    assert "so long\\nso long" in sentence
    assert len(sentence) < 300


@limited
def test_the_command_line_refuses_bad_files(tmp_path: Path) -> None:
    names = ("empty", "half", "manifest-deep", "step-module-path", "layers-of-4096-squared")
    paths = [str(shutil.copy(FOLDER / f"{name}.cclrec", tmp_path)) for name in names]
    assert run_limited(EXPORT, *paths, megabytes=900, seconds=30).split() == ["2"] * len(names)
    assert len(list(tmp_path.iterdir())) == len(names)


@limited
def test_whatever_is_changed_in_a_file_it_is_opened_or_refused(tmp_path: Path) -> None:
    run_limited(FUZZ, str(tmp_path / "run.cclrec"), megabytes=900, seconds=60)


@limited
@pytest.mark.parametrize(
    ("side", "steps", "layers", "sentence"),
    [
        (8192, 5_000, 0, "long to open, with 5,000 steps of 1 array of 8192 x 8192 cells"),
        (4096, 200, 48, "6.1 GiB of memory, of which a file may take 3"),
        (2048, 1_000, 63, "long to open, with 1,000 steps of 64 arrays of 2048 x 2048 cells"),
    ],
)
def test_what_would_take_much_is_refused_before_it_is_taken(
    side: int, steps: int, layers: int, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.cclrec"
    path.write_bytes(recording(side, steps, layers))
    assert path.stat().st_size < 200_000
    told = told_of([path], megabytes=600, seconds=10)
    assert sentence in told["run.cclrec"]
    assert "trusted=True" in told["run.cclrec"]


@limited
@pytest.mark.parametrize(
    "manifest", [b" " * (70 << 20), b"[" + b'{"":0},' * 4_500_000 + b"0]"], ids=["long", "values"]
)
def test_a_manifest_that_would_take_much_is_refused(manifest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    path.write_bytes(packed({**good(), "manifest.json": manifest}))
    assert path.stat().st_size < 100_000
    told = told_of([path], megabytes=600, seconds=10)
    assert "would take much memory, as its manifest has" in told["run.cclrec"]


@limited
def test_a_large_run_of_this_program_opens(tmp_path: Path) -> None:
    """60 steps of 4096 x 4096 cells, in less memory than two frames of each step would take."""
    path = tmp_path / "run.cclrec"
    one = (1).to_bytes(4, "little")
    path.write_bytes(recording(4096, 60, where=one, values=one, changed=1))
    told = told_of([path], megabytes=700, seconds=30)
    assert told["run.cclrec"] == "opened: Not finished: 60 steps so far. 60"


def test_opening_can_be_stopped_whenever_it_asks(tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    recorded(noise(12, 12, 0.6)).save(path)
    asking = Reluctant()
    steps = len(open_recording(path, asking))
    assert asking.asked > 2 * steps  # for the manifest, and for the labels
    for asks in range(1, asking.asked + 1):
        with pytest.raises(CancelledError):
            open_recording(path, Reluctant(asks))


def test_a_step_that_changes_many_cells_can_be_stopped_in_its_midst(tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    recorded(np.ones((1500, 1500), np.uint8), passes=1).save(path)
    asking = Reluctant()
    open_recording(path, asking)
    assert asking.asked > 20
    with pytest.raises(CancelledError):
        open_recording(path, Reluctant(asking.asked - 5))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("manifest.json", lambda data: data.replace(b"Scripted device", b"Scripted decive")),
        ("image.npy", lambda data: data[:-1] + bytes([data[-1] ^ 2])),
        ("payload.npy", lambda data: data[:128] + bytes([data[128] ^ 0x18]) + data[129:]),
        ("deltas.npy", lambda data: data[:-24] + bytes(24)),
    ],
)
def test_every_checksum_is_compared(
    name: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path, members = tmp_path / "run.cclrec", good()
    changed = change(members[name])
    assert changed != members[name]
    stored = dict.fromkeys(members, zipfile.ZIP_STORED)
    if name != "deltas.npy":  # whose every number is compared with others, too
        path.write_bytes(packed({**members, name: changed}, stored))
        open_recording(path)
    path.write_bytes(packed(members, stored).replace(members[name], changed))
    with pytest.raises(RecordingFileError, match=f"Bad CRC-32 for file '{name}'"):
        open_recording(path)
