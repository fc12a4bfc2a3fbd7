"""Estimates are near."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from support.exported_frames import frames_of
from support.fakes import recorded
from support.grids import noise, spiral

from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.export import EXPORT_FORMATS, ExportOptions, estimate, export
from ccl_viewer.recording import Recording
from ccl_viewer.support.cancellation import CancelToken


@pytest.fixture(scope="module")
def short() -> Recording:
    return recorded(noise(7, 9, 0.6), passes=3)


@pytest.fixture(scope="module")
def long() -> Recording:
    return recorded(spiral(7))


def size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


@pytest.mark.parametrize("suffix", [row.suffix for row in EXPORT_FORMATS])
def test_few_steps_are_counted(short: Recording, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{'' if suffix == '/' else suffix}"
    count = export(short, path)
    found = estimate(short, ExportOptions(), suffix)
    assert (found.steps, found.exact) == (count, True)
    assert found.nbytes == size_of(path)
    if suffix == ".csv":
        assert (found.width, found.height, found.seconds) == (0, 0, 0)


def test_a_picture_has_the_size_of_its_frame_and_labels_have_none(
    short: Recording, tmp_path: Path
) -> None:
    path = tmp_path / "run.png"
    export(short, path)
    found = estimate(short, ExportOptions(), ".png")
    with Image.open(path) as frame:
        assert (found.width, found.height) == frame.size
    found = estimate(short, ExportOptions(labels="raw"), ".png")
    assert (found.width, found.height) == (0, 0)


@pytest.mark.parametrize("suffix", [".gif", "/", ".csv"])
def test_many_steps_are_estimated(long: Recording, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{'' if suffix == '/' else suffix}"
    animated = suffix in (".gif", ".apng", ".webp")
    options = ExportOptions(scale=None if suffix == ".csv" else 16)
    if animated:
        options = replace(options, fps=20, hold=1.0)
    count = export(long, path, options)
    found = estimate(long, options, suffix)
    assert (found.steps, found.exact) == (count, False)
    # Frames of animations hold what changed, so they differ more.
    assert found.nbytes == pytest.approx(size_of(path), rel=0.25 if animated else 0.05)
    if animated:
        assert found.seconds == pytest.approx((count - 1) / 20 + 1)
        assert (found.height, found.width) == frames_of(path)[0].shape[:2]


def test_an_estimate_can_be_cancelled(long: Recording) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CancelledError):
        estimate(long, ExportOptions(), ".gif", cancel)


def test_what_cannot_be_exported_cannot_be_estimated(long: Recording) -> None:
    with pytest.raises(InputError, match="exported as"):
        estimate(long, ExportOptions(), ".doc")
