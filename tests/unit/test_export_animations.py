"""Animations, read back with Pillow and PyAV: every frame, time, size and colour."""

from __future__ import annotations

import math
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from support.exported_frames import durations_of, frames_of, painted
from support.fakes import picture, recorded
from support.grids import noise

from ccl_viewer.errors import CancelledError, InputError
from ccl_viewer.export import (
    ExportOptions,
    Granularity,
    Sync,
    export,
    export_format,
    missing_requirement,
)
from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.frames import FrameStyle
from ccl_viewer.export.job import frame_durations as durations
from ccl_viewer.export.options import MAX_SECONDS
from ccl_viewer.recording import Recording
from ccl_viewer.support.cancellation import CancelToken

av = pytest.importorskip("av")

EXACT = [".gif", ".apng", ".webp"]
ANIMATED = [*EXACT, ".mp4"]


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n#...#\n###.#"))


def decoded(path: Path) -> tuple[list[npt.NDArray[np.uint8]], Fraction]:
    """Frames and rate of a video."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        rate = stream.average_rate
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
    assert rate is not None
    return frames, Fraction(rate)


@pytest.mark.parametrize("suffix", [".apng", ".webp"])
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("caption", [True, False])
@pytest.mark.parametrize("scale", [1, 21])
def test_every_step_is_shown_exactly(
    recording: Recording, tmp_path: Path, suffix: str, scale: int, caption: bool, theme: str
) -> None:
    path = tmp_path / f"run{suffix}"
    options = ExportOptions(scale=scale, theme=theme, caption=caption)
    assert export(recording, path, options) == len(recording)
    expected = painted(recording, range(len(recording)), FrameStyle(scale, theme, caption))
    for shown, frame in zip(frames_of(path), expected, strict=True):
        np.testing.assert_array_equal(shown, frame)


@pytest.mark.parametrize(("suffix", "name"), [(".apng", "PNG"), (".webp", "WEBP")])
def test_they_loop_and_hold_their_last_frame(
    recording: Recording, tmp_path: Path, suffix: str, name: str
) -> None:
    path = tmp_path / f"run{suffix}"
    export(recording, path, ExportOptions(fps=20, hold=1.5))
    with Image.open(path) as animation:
        assert animation.format == name
        assert animation.info["loop"] == 0
        assert getattr(animation, "is_animated", False)
    # Pillow tells when a frame of WebP ends by the time, and when one of PNG began by its own.
    assert durations_of(path) == [50] * (len(recording) - 1) + [1500]


@pytest.mark.parametrize("seconds", [65.53, 65.54, 90.0, MAX_SECONDS])
def test_a_frame_can_be_held_for_more_than_a_minute(
    recording: Recording, tmp_path: Path, seconds: float
) -> None:
    """Two numbers of 16 bits tell a time in APNG, and milliseconds would end at 65.535 seconds."""
    path = tmp_path / "run.apng"
    export(recording, path, ExportOptions(hold=seconds))
    assert durations_of(path)[-1] == pytest.approx(1000 * seconds, abs=10)


def test_durations_are_rounded_to_the_nearest_hundredth_of_a_second() -> None:
    assert durations(2, fps=60, hold=0.026) == (20, 30)
    assert durations(2, fps=1000 / 14, hold=0.034) == (10, 30)


@pytest.mark.parametrize("suffix", EXACT)
def test_noise_with_changing_parts_is_exact(tmp_path: Path, suffix: str) -> None:
    run = recorded(noise(37, 41, 0.6))
    path = tmp_path / f"run{suffix}"
    export(run, path, ExportOptions(scale=3, caption=False))
    expected = painted(run, range(len(run)), FrameStyle(3, caption=False))
    for shown, frame in zip(frames_of(path), expected, strict=True):
        np.testing.assert_array_equal(shown, frame)


@pytest.mark.parametrize(
    ("fps", "hold", "held"),
    [(10, 2.0, 20), (24, 0.98, 24), (30, 0.35, 10), (30, 0.0, 1), (0.5, 2.0, 20), (0.5, 0.1, 20)],
)
def test_a_video_has_its_rate_and_holds_its_last_frame(
    recording: Recording, tmp_path: Path, fps: float, hold: float, held: int
) -> None:
    path = tmp_path / "run.mp4"
    export(recording, path, ExportOptions(fps=fps, hold=hold, scale=8, caption=False))
    frames, rate = decoded(path)
    times = math.ceil(10 / fps)  # players expect some frames per second
    assert rate == Fraction(fps * times)
    assert len(frames) == times * (len(recording) - 1) + held
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert float(stream.duration * stream.time_base) == pytest.approx(
            len(frames) / fps / times, abs=2e-3
        )


def test_a_video_has_even_sides_and_shows_the_colours(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.mp4"
    export(recording, path, ExportOptions(scale=21, caption=False, numbers="off"))
    expected = painted(
        recording, range(len(recording)), FrameStyle(21, caption=False, numbers="off")
    )
    assert expected[0].shape == (64, 106, 3)
    frames, _ = decoded(path)
    assert frames[0].shape == (64, 106, 3)
    export(recording, path, ExportOptions(scale=7, caption=False))
    assert decoded(path)[0][0].shape == (22, 36, 3)
    for shown, frame in zip(frames[::15], expected, strict=False):
        middles = (slice(10, 63, 21), slice(10, 105, 21))
        apart = shown[middles].astype(int) - frame[middles].astype(int)
        assert np.abs(apart).max() <= 20  # encoders of older versions lose more


@pytest.mark.parametrize("suffix", ANIMATED)
def test_the_same_export_has_the_same_bytes(
    recording: Recording, tmp_path: Path, suffix: str
) -> None:
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    export(recording, one)
    export(recording, other)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("suffix", ANIMATED)
def test_a_cancelled_export_leaves_nothing(
    recording: Recording, tmp_path: Path, suffix: str
) -> None:
    cancel = CancelToken()

    def stop(done: int, of: int) -> None:
        if done == 3:
            cancel.cancel()

    with pytest.raises(CancelledError):
        export(recording, tmp_path / f"run{suffix}", progress=stop, cancel=cancel)
    assert not [*tmp_path.iterdir()]


@pytest.fixture
def no_pyav(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyAV is not installed."""
    monkeypatch.setitem(sys.modules, "av", None)


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts an ffmpeg on the PATH that says something and fails."""
    if os.name == "nt":
        pytest.skip("scripts are no programs on Windows")
    folder = tmp_path / "bin"
    folder.mkdir()

    def put(text: str) -> None:
        (folder / "ffmpeg").write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 1\n")
        (folder / "ffmpeg").chmod(0o755)

    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return put


@pytest.mark.usefixtures("no_pyav")
def test_without_pyav_and_ffmpeg_one_sentence_says_what_to_do(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match=r"ccl-viewer\[video\]'.*ffmpeg on the PATH"):
        export(recording, tmp_path / "run.mp4")
    assert not [*tmp_path.iterdir()]


@pytest.mark.usefixtures("no_pyav")
@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg on the PATH")
def test_without_pyav_ffmpeg_writes_the_same_video(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, again = tmp_path / "run.mp4", tmp_path / "again.mp4"
    options = ExportOptions(scale=7, caption=False, fps=10, hold=1.0)
    assert export(recording, path, options) == len(recording)
    export(recording, again, options)
    assert path.read_bytes() == again.read_bytes()
    monkeypatch.undo()  # PyAV is there again
    export(recording, again, options)
    (own, rate), (expected, same) = decoded(path), decoded(again)
    assert rate == same
    assert len(own) == len(expected)
    for shown, frame in zip(own, expected, strict=True):
        assert np.abs(shown.astype(int) - frame.astype(int)).max() <= 12
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"


@pytest.mark.usefixtures("no_pyav")
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Unknown encoder libx264", "has no H.264"),
        ("av_interleaved_write_frame(): No space left on device", "No space left"),
        ("Something else", "cannot write the video .Something else."),
    ],
)
def test_what_ffmpeg_cannot_do_is_one_sentence(
    recording: Recording, tmp_path: Path, say: Callable[[str], None], said: str, message: str
) -> None:
    say(said)
    with pytest.raises(InputError, match=message):
        export(recording, tmp_path / "run.mp4")
    assert [one.name for one in tmp_path.iterdir()] == ["bin"]


@pytest.mark.usefixtures("no_pyav")
def test_a_video_lacks_nothing_where_ffmpeg_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Callable[[str], None]
) -> None:
    row = export_format("run.mp4")
    say("")
    assert missing_requirement(row) == ""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert missing_requirement(row) == "pip install 'ccl-viewer[video]', or ffmpeg on the PATH"


def test_only_the_last_steps_of_stages_or_iterations_can_be_shown(tmp_path: Path) -> None:
    run = recorded(noise(9, 9, 0.6), measure=1)
    path = tmp_path / "run.apng"
    assert export(run, path, ExportOptions(each=Granularity.STAGE, steps=slice(0, 4))) == 4
    twice = recorded(noise(9, 9, 0.6))
    twice.data.steps[1] = replace(twice.step(1), iteration=2)
    options = ExportOptions(each=Granularity.ITERATION, steps=slice(0, 3), caption=False)
    assert export(twice, path, options) == 2
    expected = painted(twice, [0, 2], FrameStyle(caption=False))
    for shown, frame in zip(frames_of(path), expected, strict=True):
        np.testing.assert_array_equal(shown, frame)


def test_runs_stand_side_by_side(recording: Recording, tmp_path: Path) -> None:
    other = recorded(recording.image, 8)
    path = tmp_path / "both.apng"
    options = ExportOptions(sync=Sync.SHARE, scale=20)
    count = export([recording, other], path, options)
    assert count == max(len(recording), len(other))
    frames = frames_of(path)
    job = make_job([recording, other], options, export_format(path))
    assert job.frames[-1] == (len(recording) - 1, len(other) - 1)
    np.testing.assert_array_equal(frames[-1], job.paint_rgb(count - 1))
    left, right = (frames[-1][:, :360], frames[-1][:, 340:])
    assert left.shape[1] == right.shape[1]
    assert (left != right).any()
