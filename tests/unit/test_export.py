"""Exports, read back with Pillow: every frame, time, size and colour."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.exported_frames import as_exported, durations_of, frame_of, frames_of
from support.fakes import picture, recorded
from support.grids import noise
from support.limits import no_room

from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.export import ExportOptions, export, export_format
from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.export.job import default_fps
from ccl_viewer.recording import Recording
from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.support.cancellation import CancelToken

GRID = picture(
    """
    ##.##
    #...#
    ###.#
    """
)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(GRID)


def renderer_of(recording: Recording, steps: Sequence[int], style: FrameStyle) -> FrameRenderer:
    return FrameRenderer([recording], [(step,) for step in steps], as_exported(style))


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("caption", [True, False])
@pytest.mark.parametrize("scale", [1, 12, 40, None])
def test_a_gif_shows_every_step_exactly(
    recording: Recording, tmp_path: Path, scale: int | None, caption: bool, theme: str
) -> None:
    path = tmp_path / "run.gif"
    count = export(recording, path, ExportOptions(scale=scale, caption=caption, theme=theme))
    assert count == len(recording)
    frames = frames_of(path)
    assert len(frames) == count
    renderer = renderer_of(recording, range(count), FrameStyle(scale, theme, caption=caption))
    for step, frame in enumerate(frames):
        np.testing.assert_array_equal(frame, renderer.palette[renderer.indices(step)])


def test_a_gif_loops_and_holds_its_last_frame(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    export(recording, path, ExportOptions(fps=20, hold=1.5))
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.info["loop"] == 0
    assert durations_of(path) == [50] * (len(recording) - 1) + [1500]


def test_the_usual_pace_is_that_of_the_window(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    export(recording, path, ExportOptions(hold=3.0, caption=False))
    pace = round(1000 * seconds_per_step(len(recording)))
    assert durations_of(path) == [pace] * (len(recording) - 1) + [3000]
    assert default_fps(10_000) == 50  # as fast as a GIF can be


def test_frames_that_do_not_differ_are_still_shown(recording: Recording, tmp_path: Path) -> None:
    assert recording.step(-1).changed == 0
    path = tmp_path / "run.gif"
    export(recording, path, ExportOptions(caption=False))
    assert len(frames_of(path)) == len(recording)


def test_a_folder_holds_numbered_pictures(recording: Recording, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    export(recording, f"{folder}/", ExportOptions(scale=20))
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"frame_{index:04}.png" for index in range(len(recording))]
    renderer = renderer_of(recording, range(len(recording)), FrameStyle(20))
    for step, name in enumerate(names):
        with Image.open(folder / name) as frame:
            assert frame.format == "PNG"
            shown = np.asarray(frame.convert("RGB"))
        np.testing.assert_array_equal(shown, renderer.palette[renderer.indices(step)])
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_that_is_there_must_be_empty(recording: Recording, tmp_path: Path) -> None:
    (tmp_path / "empty.d").mkdir()
    export(recording, tmp_path / "empty.d")
    assert len(list((tmp_path / "empty.d").iterdir())) == len(recording)
    with pytest.raises(InputError, match="not empty"):
        export(recording, tmp_path / "empty.d")
    assert len(list((tmp_path / "empty.d").iterdir())) == len(recording)


def test_steps_can_be_chosen(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    assert export(recording, path, ExportOptions(steps=slice(1, None, 2), caption=False)) == 3
    renderer = renderer_of(recording, [1, 3, 5], FrameStyle(caption=False))
    shown = frames_of(path)
    for number, frame in enumerate(shown):
        np.testing.assert_array_equal(frame, renderer.palette[renderer.indices(number)])
    assert export(recording, path, ExportOptions(steps=range(2), caption=False)) == 2
    with pytest.raises(InputError, match="no step to export"):
        export(recording, path, ExportOptions(steps=slice(50, None)))
    with pytest.raises(InputError, match="no step 50"):
        export(recording, path, ExportOptions(steps=range(50, 52)))


def test_numbers_can_be_forced_or_left_out(tmp_path: Path) -> None:
    recording = recorded(noise(40, 40, 0.6), passes=1)
    path = tmp_path / "run.gif"
    export(recording, path, ExportOptions(numbers="off", caption=False))
    plain = frames_of(path)[0]
    export(recording, path, ExportOptions(numbers="auto", caption=False))
    np.testing.assert_array_equal(frames_of(path)[0], plain)  # too small to be read
    export(recording, path, ExportOptions(numbers="on", caption=False))
    assert frames_of(path)[0].shape > plain.shape
    with pytest.raises(InputError, match="not legible in cells of 10 pixels"):
        export(recording, path, ExportOptions(numbers="on", scale=10))


def test_the_caption_is_there(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    export(recording, path, ExportOptions(steps=slice(0, 1)))
    with_caption = frames_of(path)[0]
    export(recording, path, ExportOptions(steps=slice(0, 1), caption=False))
    assert with_caption.shape[0] > frames_of(path)[0].shape[0] + 80
    np.testing.assert_array_equal(with_caption, frame_of(recording, 0))


@pytest.mark.parametrize("name", ["run.gif", "run/"])
def test_a_cancelled_export_leaves_nothing(recording: Recording, tmp_path: Path, name: str) -> None:
    cancel = CancelToken()

    def stop(done: int, of: int) -> None:
        cancel.cancel()

    with pytest.raises(CancelledError):
        export(recording, f"{tmp_path}/{name}", progress=stop, cancel=cancel)
    assert list(tmp_path.iterdir()) == []


def test_choosing_colours_before_the_first_frame_can_be_stopped(recording: Recording) -> None:
    cancel = CancelToken()
    job = make_job(recording, ExportOptions(), export_format("run.gif"), cancel=cancel)
    renderer = job.renderer
    cancel.cancel()
    with pytest.raises(CancelledError):
        _ = renderer.palette


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited there")
def test_a_failed_export_leaves_the_old_file(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    export(recording, path)
    before = path.read_bytes()

    with no_room(1000), pytest.raises(InputError, match="File too large"):
        export(recording, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_frames_that_are_too_large_are_refused_before_they_are_painted(
    recording: Recording, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"too large.*smaller scale"):
        export(recording, tmp_path / "run.gif", ExportOptions(scale=1000))
    assert list(tmp_path.iterdir()) == []
