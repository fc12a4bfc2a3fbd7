"""MP4 videos (H.264), by PyAV, which is an extra."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from pathlib import Path
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

_CODEC: Final = "libx264"
# x264's macroblock tree reads memory that was never written, so its bytes differ at times.
_SETTINGS: Final = {"crf": "21", "preset": "veryfast", "mbtree": "0"}
_REPEATABLE: Final = {"fflags": "+bitexact", "movflags": "+faststart"}
_KEY_SECONDS: Final = 5
_FEWEST_A_SECOND: Final = 10
"""Frames; some players show nothing, or the wrong step, at lower rates."""
_BT709: Final = 1
_TO_YUV: Final = np.array(
    [
        [46.5594, 156.6288, 15.8118],
        [-25.6642, -86.3358, 112.0],
        [112.0, -101.7303, -10.2697],
    ]
)
_ZERO: Final = np.array([16.0, 128.0, 128.0])


def write_mp4(job: ExportJob, path: Path) -> int:
    """Write a video of a constant rate; slow steps, and the last one, are repeated.

    Frames of odd sides get one more row or column, as the format asks for even ones.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If PyAV is not installed, or has no H.264.
    OSError
        If the file cannot be written.
    """
    av = video_library()
    animation = job.animation()
    times = ceil(_FEWEST_A_SECOND / animation.fps)
    rate = Fraction(animation.fps * times).limit_denominator(1000)
    held = max(times, round(animation.hold * rate))
    # Everything but PyAV's own errors of the file system would be a fault in this module.
    with av.open(str(path), "w", format="mp4", container_options=_REPEATABLE) as container:
        stream = _stream(container, animation, rate)
        planes = _Planes(animation.palette)
        for place, plane in enumerate(_repeated(job, animation, planes, times, held)):
            frame = av.VideoFrame.from_ndarray(plane, "yuv420p")
            frame.pts = place
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return len(animation.durations)


def video_library() -> Any:
    """Return PyAV.

    Raises
    ------
    InputError
        If it is not installed, or has no H.264.
    """
    try:
        import av
        from av.codec import codecs_available
    except ImportError:
        raise InputError(
            "MP4 needs PyAV: install it with pip install 'ccl-viewer[video]', or export a .webp."
        ) from None
    if _CODEC not in codecs_available:
        raise InputError("This PyAV has no H.264: install av from PyPI, or export a .webp.")
    return av


def _stream(container: OutputContainer, animation: Animation, rate: Fraction) -> VideoStream:
    stream = container.add_stream(_CODEC, rate=rate, options=dict(_SETTINGS))
    context = stream.codec_context
    context.width, context.height = _even(animation.width), _even(animation.height)
    context.pix_fmt = "yuv420p"
    context.thread_count = 1  # with more, a busy machine gets other bytes at times
    context.gop_size = max(1, round(_KEY_SECONDS * rate))
    context.color_range = _BT709  # the same number means limited range here
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    return stream


def _repeated(
    job: ExportJob, animation: Animation, planes: _Planes, times: int, held: int
) -> Iterator[Plane]:
    """Yield each frame so many times, and the last one as often as it is held."""
    plane = None
    for frame in animation.frames():
        plane = planes.of(frame)
        for _ in range(times):
            yield plane
    for _ in range(held - times):
        job.check()
        if plane is not None:
            yield plane


class _Planes:
    """Turns indices into luminance and colour of half the size, by tables made of the palette."""

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


def _even(side: int) -> int:
    return side + side % 2
