"""Arrays beside the labels: recorded with every step, saved and opened again."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fakes import FakeDevice, picture, recorded

import ccl_viewer as ccl
from ccl_viewer.algorithms.base import Algorithm
from ccl_viewer.errors import InputError, RecordingFileError
from ccl_viewer.execution.plan import (
    Array,
    Buffer,
    Fill,
    Kernel,
    LabelLayout,
    Launch,
    Plan,
    Stage,
    Task,
)
from ccl_viewer.execution.plan import Outcome as Ended
from ccl_viewer.recording import Recorder, Recording, open_recording
from ccl_viewer.recording.partial_frames import ChosenCells

GRID = picture(
    """
    ##.
    .##
    """
)
LARGE = 2**40


def _prepare(image: Array, wide: Array) -> None:
    wide[...] = LARGE + np.arange(wide.size, dtype=np.uint64).reshape(wide.shape)


def _label(image: Array, labels: Array) -> None:
    labels[...] = np.where(image != 0, 0, -1)


def _size(labels: Array, sizes: Array) -> None:
    sizes[1:-1, 1:-1] = labels != -1
    sizes[1, 1] += 3


def _plan(task: Task) -> Plan:
    height, width = shape = (task.height, task.width)
    labels = Buffer(
        "labels", shape, np.dtype(np.int32), layout=LabelLayout(height, width, width, background=-1)
    )
    sizes = Buffer(
        "sizes",
        (height + 2, width + 2),
        np.dtype(np.int32),
        fill=7,
        layout=LabelLayout(height, width, pitch=width + 2, margin=1),
        layer="sizes",
    )
    wide = Buffer("wide", shape, np.dtype(np.uint64), fill=5, layer="wide")

    def launch(name: str, *arguments: Buffer) -> Launch:
        return Launch(
            Kernel("layered", name), (1, 1, 1), (1, 1, 1), arguments, Stage.INIT, "Do it."
        )

    yield labels
    yield sizes
    yield wide
    yield launch("prepare", task.image, wide)
    yield launch("label", task.image, labels)
    yield launch("size", labels, sizes)
    yield Fill(sizes, 9)
    yield launch("label", task.image, labels)
    return Ended(labels)


LAYERED = Algorithm("layered", "Layered", "", "With layers.", (4,), False, _plan)
KERNELS: dict[str, Callable[..., None]] = {"prepare": _prepare, "label": _label, "size": _size}


@pytest.fixture
def recording() -> Recording:
    return Recorder(GRID, LAYERED, FakeDevice(KERNELS), 4).run()


def check(recording: Recording) -> None:
    assert recording.layers == ("wide", "sizes")
    wide = LARGE + np.arange(6).reshape(2, 3)
    sizes = np.array([[4, 1, 0], [0, 1, 1]])
    for i in range(4):
        np.testing.assert_array_equal(recording.layer("wide", i), wide)
    for i in range(2):  # before the first step that has it
        np.testing.assert_array_equal(recording.layer("sizes", i), np.full((2, 3), 7))
    np.testing.assert_array_equal(recording.layer("sizes", 2), sizes)
    np.testing.assert_array_equal(recording.layer("sizes", -1), np.full((2, 3), 9))
    np.testing.assert_array_equal(recording.labels(0), np.full((2, 3), -1))
    np.testing.assert_array_equal(recording.labels(-1), np.where(GRID != 0, 0, -1))
    assert recording.layer("sizes", 2).dtype == np.int32
    assert recording.layer("wide", 2).dtype == np.int64


def rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    """Change what a file says of its layers."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["layers"] = change(manifest["layers"])
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_layers_are_recorded_with_every_step(recording: Recording) -> None:
    check(recording)
    assert recording.verdict is not None
    assert recording.verdict.correct


def test_layers_are_read_only(recording: Recording) -> None:
    with pytest.raises(ValueError, match="read-only"):
        recording.layer("sizes", 2)[0, 0] = 1


def test_layers_are_saved(recording: Recording, tmp_path: Path) -> None:
    recording.save(tmp_path / "run.cclrec")
    check(open_recording(tmp_path / "run.cclrec"))


def test_an_unknown_layer_is_refused(recording: Recording) -> None:
    with pytest.raises(InputError, match=r"no layer 'weights': it has wide, sizes"):
        recording.layer("weights", 0)
    with pytest.raises(InputError, match="no step 4"):
        recording.layer("wide", 4)
    assert recorded(GRID).layers == ()
    with pytest.raises(InputError, match="it has none"):
        recorded(GRID).layer("sizes", 0)


def test_a_layer_may_refer_to_cells(tmp_path: Path) -> None:
    run = ccl.record(GRID, algorithm="label_equivalence_hawick", device="emulator")
    run.save(tmp_path / "run.cclrec")
    for one in (run, open_recording(tmp_path / "run.cclrec")):
        assert one.references == one.layers == ("references",)
        np.testing.assert_array_equal(one.parents(0, "references"), one.parents(0))
        np.testing.assert_array_equal(one.parents(1, "references"), [[0, 0, -1], [-1, 1, 4]])
        cells = ChosenCells.of(np.array([4, 5, 2]))
        assert one.read_cells(1, cells, layer="references").tolist() == [1, 4, -1]


@pytest.mark.parametrize(
    ("fill", "refers", "before"), [(None, False, 0), (7, False, 7), (None, True, -1), (7, True, -1)]
)
def test_what_a_layer_holds_before_its_first_step(
    fill: int | None, refers: bool, before: int, tmp_path: Path
) -> None:
    """What it is filled with; cells that no value of it names yet refer to none."""
    late = Buffer("late", (2, 3), np.dtype(np.int32), fill=fill, layer="late", refers=refers)

    def plan(task: Task) -> Plan:
        layout = LabelLayout(2, 3, 3, background=-1)
        labels = Buffer("labels", (2, 3), np.dtype(np.int32), layout=layout)
        yield labels
        yield late
        for name, arguments in (("label", (task.image, labels)), ("label", (task.image, late))):
            kernel = Kernel("layered", name)
            yield Launch(kernel, (1, 1, 1), (1, 1, 1), arguments, Stage.INIT, "Do it.")
        return Ended(labels)

    run = Recorder(
        GRID,
        Algorithm("late", "Late", "", "With a late layer.", (4,), False, plan),
        FakeDevice(KERNELS),
        4,
    ).run()
    run.save(tmp_path / "run.cclrec")
    for one in (run, open_recording(tmp_path / "run.cclrec")):
        assert one.layer("late", 0).tolist() == [[before] * 3] * 2
        assert one.layer("late", 1).tolist() == np.where(GRID != 0, 0, -1).tolist()


def test_values_that_are_no_cells_have_no_parents(recording: Recording) -> None:
    assert recording.references == ()
    with pytest.raises(InputError, match="'sizes' name no cells"):
        recording.parents(2, "sizes")
    with pytest.raises(InputError, match="no layer 'weights'"):
        recording.parents(2, "weights")


@pytest.mark.parametrize(
    "layers",
    [
        "none",
        [{"name": "wide"}],
        [{"name": "wide", "background": 0, "bits": 16}] * 2,
        [{"name": "wide", "background": 5, "bits": 64}] * 2,
        [{"name": "wide", "background": 2**31, "bits": 32}] * 2,
        [{"name": "wide", "background": 5, "bits": 32}, {"name": "s", "background": 0, "bits": 32}],
        [{"name": str(i), "background": 0, "bits": 32} for i in range(65)],
        [{"name": str(i), "background": 0, "bits": 32} for i in range(3)],
    ],
)
def test_damaged_layers_are_refused(recording: Recording, tmp_path: Path, layers: Any) -> None:
    path = tmp_path / "run.cclrec"
    recording.save(path)
    rewrite(path, lambda _: layers)
    with pytest.raises(RecordingFileError, match="not a whole recording"):
        open_recording(path)


def test_a_missing_layer_is_refused(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.cclrec"
    recording.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    del members["layers/1/payload.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(RecordingFileError, match="layers/1/payload"):
        open_recording(path)
