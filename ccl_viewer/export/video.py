"""MP4 videos (H.264), by PyAV, which is an extra, or else by an ffmpeg on the PATH."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.export.animation import Animation, FrameIndices
from ccl_viewer.export.job import ExportJob

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.video.stream import VideoStream

Plane: TypeAlias = npt.NDArray[np.uint8]

PROGRAM: Final = "ffmpeg"
"""The program that writes videos without PyAV."""

_CODEC: Final = "libx264"
# x264's macroblock tree reads uninitialised memory, so its bytes vary.
_SETTINGS: Final = {"crf": "21", "preset": "veryfast", "mbtree": "0"}
_REPEATABLE: Final = {"fflags": "+bitexact", "movflags": "+faststart"}
_KEY_SECONDS: Final = 5
_FEWEST_A_SECOND: Final = 10
"""Frames a second; at lower rates, some players show nothing, or the wrong step."""
_BT709: Final = 1
_TO_YUV: Final = np.array(
    [
        [46.5594, 156.6288, 15.8118],
        [-25.6642, -86.3358, 112.0],
        [112.0, -101.7303, -10.2697],
    ]
)
_ZERO: Final = np.array([16.0, 128.0, 128.0])
_MISSING: Final = (
    "MP4 needs PyAV or ffmpeg: install PyAV with pip install 'ccl-viewer[video]', put an ffmpeg on "
    "the PATH, or export a .webp."
)


def write_mp4(job: ExportJob, path: Path) -> int:
    """Write a video with a constant rate; slow steps, and the last one, are repeated.

    Frames with odd sides get one more row or column, because the format requires even ones.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If there is neither PyAV nor ffmpeg, or neither has H.264.
    OSError
        If the file cannot be written.
    """
    av, program = _video_library(), video_program()
    if av is None and program is None:
        raise InputError(_MISSING)
    animation = job.animation()
    times = ceil(_FEWEST_A_SECOND / animation.fps)
    rate = Fraction(animation.fps * times).limit_denominator(1000)
    held = max(times, round(animation.hold * rate))
    planes = _repeat_frames(job, animation, _Planes(animation.palette), times, held)
    if av is not None:
        _write_by_library(av, planes, animation, rate, path)
    elif program is not None:
        _write_by_program(program, planes, animation, rate, path)
    return len(animation.durations)


def video_program() -> str | None:
    """Return the path of an ffmpeg on the PATH; None if there is none.

    One in the current folder does not count, although Windows looks there first: the user did not
    choose a program that happens to be beside an opened file.
    """
    found = shutil.which(PROGRAM)
    if found is None or (os.name == "nt" and Path(found).resolve().parent == Path.cwd()):
        return None
    return found


def _video_library() -> Any:
    """Return PyAV, or None if it is not installed or has no H.264."""
    try:
        import av
        from av.codec import codecs_available
    except ImportError:
        return None
    return av if _CODEC in codecs_available else None


def _write_by_library(
    av: Any, planes: Iterator[Plane], animation: Animation, rate: Fraction, path: Path
) -> None:
    # Anything but PyAV's file system errors would be a bug in this module.
    with av.open(str(path), "w", format="mp4", container_options=_REPEATABLE) as container:
        stream = _stream(container, animation, rate)
        for place, plane in enumerate(planes):
            frame = av.VideoFrame.from_ndarray(plane, "yuv420p")
            frame.pts = place
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _stream(container: OutputContainer, animation: Animation, rate: Fraction) -> VideoStream:
    stream = container.add_stream(_CODEC, rate=rate, options=dict(_SETTINGS))
    context = stream.codec_context
    context.width, context.height = _make_even(animation.width), _make_even(animation.height)
    context.pix_fmt = "yuv420p"
    context.thread_count = 1  # with more threads, the bytes may vary on a busy machine
    context.gop_size = _key_frames(rate)
    context.color_range = _BT709  # here the same number means limited range
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    return stream


def _key_frames(rate: Fraction) -> int:
    """Return the frames from one keyframe up to the next."""
    return max(1, round(_KEY_SECONDS * rate))


def _write_by_program(
    program: str, planes: Iterator[Plane], animation: Animation, rate: Fraction, path: Path
) -> None:
    """Write frames to the standard input of ffmpeg, with the same settings as for PyAV."""
    size = f"{_make_even(animation.width)}x{_make_even(animation.height)}"
    colours = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709"]
    colours += ["-color_trc", "bt709"]
    raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", size, "-framerate", str(rate)]
    quality = ["-crf", _SETTINGS["crf"], "-preset", _SETTINGS["preset"]]
    quality += ["-x264-params", f"mbtree={_SETTINGS['mbtree']}", "-g", str(_key_frames(rate))]
    same = ["-threads", "1", "-flags:v", "+bitexact", "-map_metadata", "-1"]
    container = [each for name, value in _REPEATABLE.items() for each in (f"-{name}", value)]
    command = [
        *(program, "-hide_banner", "-loglevel", "error", "-y"),
        *(*raw, *colours, "-i", "pipe:0", "-c:v", _CODEC, "-pix_fmt", "yuv420p"),
        *(*quality, *colours, *same, *container, "-f", "mp4", str(path.absolute())),
    ]
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # no console window on Windows
    with TemporaryFile() as said:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=said, creationflags=hidden
        ) as process:
            try:
                _write_frames(process, planes)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            said.seek(0)
            raise _read_error(said.read().decode("utf-8", "replace"))


def _write_frames(process: subprocess.Popen[bytes], planes: Iterator[Plane]) -> None:
    """Write frames until ffmpeg has all, or has exited: then its output has the reason."""
    if process.stdin is None:
        return
    with suppress(BrokenPipeError), process.stdin as pipe:
        for plane in planes:
            pipe.write(plane.data)


def _read_error(said: str) -> Exception:
    """Return the error for the output of a failed ffmpeg."""
    if os.strerror(errno.ENOSPC) in said:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if _CODEC in said:
        return InputError(f"The {PROGRAM} on the PATH has no H.264. {_MISSING}")
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "no reason given")
    return InputError(f"{PROGRAM} cannot write the video ({last.strip()}): export a .webp.")


def _repeat_frames(
    job: ExportJob, animation: Animation, planes: _Planes, times: int, held: int
) -> Iterator[Plane]:
    """Yield each frame as often as it is repeated, and the last one as often as it is held."""
    plane = None
    for frame in animation.frames():
        plane = planes.of(frame)
        for _ in range(times):
            yield plane
    for _ in range(held - times):
        job.check_cancelled()
        if plane is not None:
            yield plane


class _Planes:
    """Converts indices to luminance, and to colour at half the size, by tables from the palette."""

    def __init__(self, palette: npt.NDArray[np.uint8]) -> None:
        yuv = palette / 255 @ _TO_YUV.T + _ZERO
        self._y = np.rint(yuv[:, 0]).astype(np.uint8)
        self._quarters = [np.rint(yuv[:, channel] * 4).astype(np.uint16) for channel in (1, 2)]

    def of(self, frame: FrameIndices) -> Plane:
        """Return the planes Y, U and V below each other, with even width and height."""
        height, width = frame.shape
        even = np.pad(frame, ((0, height % 2), (0, width % 2)), mode="edge")
        planes = np.empty((even.shape[0] * 3 // 2, even.shape[1]), np.uint8)
        np.take(self._y, even, out=planes[: even.shape[0]])
        colour = planes[even.shape[0] :].reshape(2, even.shape[0] // 2, even.shape[1] // 2)
        corners = [even[top::2, left::2] for top in (0, 1) for left in (0, 1)]
        for quarters, plane in zip(self._quarters, colour, strict=True):
            total = quarters[corners[0]]
            for corner in corners[1:]:
                total += quarters[corner]
            plane[:] = (total + 8) >> 4
        return planes


def _make_even(side: int) -> int:
    return side + side % 2
