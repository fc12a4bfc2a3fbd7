"""Recording files: recordings survive saving, and faults of files are reported."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.fakes import NAIVE, FakeDevice, fault, picture, recorded
from support.grids import any_grid
from support.limits import no_room

from ccl_viewer.errors import InputError, KernelFaultError, RecordingFileError
from ccl_viewer.recording import Recorder, Recording, open_recording
from ccl_viewer.recording.json_node import JsonNode

GRID = picture(
    """
    ###.#
    ..#.#
    ###..
    """
)

Members = dict[str, bytes]
Edit = Callable[[dict[str, Any]], None]


def same(one: Recording, other: Recording) -> bool:
    return (
        one.steps == other.steps
        and np.array_equal(one.image, other.image)
        and all(np.array_equal(one.labels(i), other.labels(i)) for i in range(len(one)))
        and one.layout == other.layout
        and one.verdict == other.verdict
        and (one.complete, one.failure, one.converged, one.iterations)
        == (other.complete, other.failure, other.converged, other.iterations)
        and (one.fault, one.cancelled) == (other.fault, other.cancelled)
        and (one.algorithm, one.connectivity, one.parameters, one.multivalued)
        == (other.algorithm, other.connectivity, other.parameters, other.multivalued)
        and (one.device, one.device_title, one.schedule)
        == (other.device, other.device_title, other.schedule)
    )


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path: Path, members: Members, compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def npy_bytes(array: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.cclrec"
    recorded(GRID).save(path)
    return path


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    image=any_grid(20, values=3),
    connectivity=st.sampled_from([4, 8]),
    passes=st.none() | st.integers(1, 4),
)
def test_what_goes_in_comes_out(
    tmp_path: Path,
    image: np.ndarray[Any, np.dtype[np.uint8]],
    connectivity: int,
    passes: int | None,
) -> None:
    recording = recorded(image, connectivity, passes=passes)
    recording.save(tmp_path / "run.cclrec")
    assert same(recording, open_recording(tmp_path / "run.cclrec"))


def test_parameters_are_whole_numbers_of_64_bits_names_or_none() -> None:
    values = {"least": -(2**63), "most": 2**63 - 1, "variant": "paper", "unset": None}
    assert JsonNode(values, "parameters").parameter_values() == values
    with pytest.raises(ValueError, match="variant in the parameters"):
        JsonNode({"variant": "<b>paper</b>"}, "parameters").parameter_values()
    with pytest.raises(ValueError, match="least in the parameters"):
        JsonNode({"least": -(2**63) - 1}, "parameters").parameter_values()


def test_an_untimed_step_stays_untimed(saved: Path) -> None:
    members = members_of(saved)
    manifest = json.loads(members["manifest.json"])
    manifest["steps"][1]["milliseconds"] = None
    write_members(saved, {**members, "manifest.json": json.dumps(manifest).encode()})
    recording = open_recording(saved)
    assert np.isnan(recording.step(1).milliseconds)
    recording.save(saved)
    assert np.isnan(open_recording(saved).step(1).milliseconds)


def test_a_run_that_broke_off_is_saved_as_far_as_it_came(tmp_path: Path) -> None:
    recorder = Recorder(GRID, NAIVE, FakeDevice({"naive_propagate": fault}), 4)
    with pytest.raises(KernelFaultError):
        recorder.run()
    recorder.recording.save(tmp_path / "run.cclrec")
    opened = open_recording(tmp_path / "run.cclrec")
    assert same(recorder.recording, opened)
    assert not opened.complete
    assert opened.failure == "The kernel stopped at a barrier."


def test_there_is_no_pickle_in_it(saved: Path) -> None:
    members = members_of(saved)
    assert sorted(members) == ["deltas.npy", "image.npy", "manifest.json", "payload.npy"]
    for name, data in members.items():
        if name.endswith(".npy"):
            np.load(io.BytesIO(data), allow_pickle=False)


def test_the_same_recording_gives_the_same_file(tmp_path: Path) -> None:
    recording = recorded(GRID)
    for name in ("a.cclrec", "b.cclrec"):
        recording.save(tmp_path / name)
    assert (tmp_path / "a.cclrec").read_bytes() == (tmp_path / "b.cclrec").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited there")
def test_a_failed_save_leaves_the_old_file_and_nothing_else(saved: Path) -> None:
    before = saved.read_bytes()

    with no_room(1000), pytest.raises(InputError, match="File too large"):
        recorded(GRID).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_recording_without_steps_is_not_saved(tmp_path: Path) -> None:
    recorder = Recorder(GRID, NAIVE, FakeDevice(), 4)
    with pytest.raises(InputError, match="no step"):
        recorder.recording.save(tmp_path / "run.cclrec")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"PK\x05\x06" + bytes(18), b"PK" * 300])
def test_what_is_no_recording_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run.cclrec"
    path.write_bytes(data)
    with pytest.raises(RecordingFileError, match=r"run\.cclrec is not a whole recording"):
        open_recording(path)


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingFileError, match="cannot be opened"):
        open_recording(tmp_path / "nothing.cclrec")
    with pytest.raises(RecordingFileError, match="cannot be opened"):
        open_recording(tmp_path)


@pytest.mark.parametrize("name", ["manifest.json", "image.npy", "deltas.npy", "payload.npy"])
def test_a_missing_member_is_refused(saved: Path, name: str) -> None:
    members = members_of(saved)
    del members[name]
    write_members(saved, members)
    with pytest.raises(RecordingFileError, match=name):
        open_recording(saved)


@pytest.mark.parametrize("version", [1, 3, 5])
def test_a_file_of_another_version_is_refused_in_a_sentence(saved: Path, version: int) -> None:
    members = members_of(saved)
    manifest = json.loads(members["manifest.json"])
    manifest["version"] = version
    write_members(saved, {**members, "manifest.json": json.dumps(manifest).encode()})
    sentence = f"has format {version}, while this CCL Viewer reads format 4: update the program"
    with pytest.raises(RecordingFileError, match=sentence):
        open_recording(saved)


def put(key: str, value: object) -> Edit:
    return lambda manifest: manifest.__setitem__(key, value)


def put_in(part: str, key: str, value: object) -> Edit:
    return lambda manifest: manifest[part].__setitem__(key, value)


def put_in_step(key: str, value: object) -> Edit:
    return lambda manifest: manifest["steps"][1].__setitem__(key, value)


@pytest.mark.parametrize(
    "edit",
    [
        put("format", "zip"),
        put("version", "1"),
        put("height", 0),
        put("height", True),
        put("height", 4),
        put("height", 2**40),
        put("width", 1e3),
        put("connectivity", 6),
        put("algorithm", None),
        put("parameters", [1]),
        put("parameters", {"passes": "=1+1"}),
        put("layout", None),
        put("steps", []),
        put("steps", {}),
        put("steps", [3]),
        put("ending", {}),
        put("failure", 3),
        put_in("layout", "pitch", 3),
        put_in("layout", "margin", -1),
        put_in("layout", "pitch", 2**31 - 1),
        put("device_title", "half a surrogate pair: \ud800"),
        put_in("layout", "background", 2**31),
        put_in("ending", "converged", 1),
        put_in("ending", "found", -1),
        put_in("ending", "first_wrong", [1]),
        put_in_step("stage", "dream"),
        put_in_step("kernel", 5),
        put_in_step("grid", [1, 1]),
        put_in_step("block", [1, 1, -1]),
        put_in_step("milliseconds", -1),
        put_in_step("milliseconds", True),
        put_in_step("changed", 5),
        put_in_step("roots", 100),
        put_in_step("macros", [["A"]]),
        put_in_step("iteration", 0),
        put("opening", -1),
        lambda manifest: manifest.update(opening=len(manifest["steps"])),
        lambda manifest: manifest["steps"].pop(),
        lambda manifest: manifest.pop("schedule"),
    ],
)
def test_a_manifest_that_says_nonsense_is_refused(saved: Path, edit: Edit) -> None:
    members = members_of(saved)
    manifest = json.loads(members["manifest.json"])
    edit(manifest)
    write_members(saved, {**members, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        open_recording(saved)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 200_000, b'{"version": NaN}']
)
def test_a_manifest_that_is_no_manifest_is_refused(saved: Path, text: bytes) -> None:
    write_members(saved, {**members_of(saved), "manifest.json": text})
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        open_recording(saved)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("image.npy", np.zeros((3, 6), np.uint8)),
        ("image.npy", np.zeros((3, 5), np.int16)),
        ("image.npy", np.asfortranarray(np.zeros((3, 5), np.uint8))),
        ("deltas.npy", np.zeros((3, 3), np.int64)),
        ("deltas.npy", np.full((8, 3), -1, np.int64)),
        ("deltas.npy", np.full((8, 3), 2**62, np.int64)),
        ("payload.npy", np.zeros(5, np.uint8)),
        ("payload.npy", np.zeros((5, 5), np.uint8)),
    ],
)
def test_arrays_that_do_not_fit_the_manifest_are_refused(
    saved: Path, name: str, array: np.ndarray[Any, Any]
) -> None:
    write_members(saved, {**members_of(saved), name: npy_bytes(array)})
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        open_recording(saved)


def test_a_pickle_is_never_loaded(saved: Path) -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([print], dtype=object), allow_pickle=True)
    write_members(saved, {**members_of(saved), "image.npy": stream.getvalue()})
    with pytest.raises(RecordingFileError, match="another shape or type"):
        open_recording(saved)


def test_payload_that_does_not_decode_is_refused(saved: Path) -> None:
    members = members_of(saved)
    payload = np.load(io.BytesIO(members["payload.npy"]))
    members["payload.npy"] = npy_bytes(np.bitwise_not(payload))
    write_members(saved, members)
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        open_recording(saved)


def test_an_array_that_is_longer_than_it_says_is_refused(saved: Path) -> None:
    members = members_of(saved)
    members["image.npy"] += b"\0"
    write_members(saved, members)
    with pytest.raises(RecordingFileError, match="another size"):
        open_recording(saved)


@pytest.mark.parametrize("header", [b"{'descr': (", b"[" * 500, b"0x" + b"9" * 70_000])
def test_an_array_header_is_compared_and_not_run(saved: Path, header: bytes) -> None:
    members = members_of(saved)
    length = min(len(header), 65_535).to_bytes(2, "little")
    members["image.npy"] = b"\x93NUMPY\x01\x00" + length + header + bytes(15)
    write_members(saved, members)
    with pytest.raises(RecordingFileError, match=r"image\.npy has (another|an unknown)"):
        open_recording(saved)


def test_a_small_file_that_claims_a_huge_grid_allocates_nothing(saved: Path) -> None:
    members = members_of(saved)
    manifest = json.loads(members["manifest.json"])
    manifest["height"], manifest["width"] = 46_000, 46_000
    manifest["layout"]["pitch"] = 46_002
    header = npy_bytes(np.zeros((1, 1), np.uint8)).replace(b"(1, 1)", b"(46000, 46000)")
    edited = {**members, "manifest.json": json.dumps(manifest).encode(), "image.npy": header}
    write_members(saved, edited)
    with pytest.raises(RecordingFileError, match="is not a whole recording"):
        open_recording(saved)


@pytest.mark.parametrize(
    "change",
    [{"algorithm": "ha4", "connectivity": 8}, {"algorithm": "ha4", "multivalued": True}],
)
def test_a_run_that_the_algorithm_cannot_make_is_refused(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "run.cclrec"
    recorded(GRID).save(path)
    members = members_of(path)
    manifest = json.loads(members["manifest.json"]) | {"parameters": {}} | change
    write_members(path, {**members, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(RecordingFileError, match="HA4"):
        open_recording(path)
