"""Frames of exported animations, read by Pillow, and the frames to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from ccl_viewer.export import FRAME_LAYERS, ExportOptions, export_format
from ccl_viewer.export.exporting import make_job
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.recording import Recording

Rgb = npt.NDArray[np.uint8]


def frames_of(path: Path) -> list[Rgb]:
    """The frames of a file, read by Pillow."""
    with Image.open(path) as image:
        frames = []
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            frames.append(np.asarray(image.convert("RGB")))
        return frames


def durations_of(path: Path) -> list[float]:
    """Milliseconds that each frame is shown."""
    with Image.open(path) as image:
        times = []
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            image.load()  # WebP has its times only then
            times.append(image.info["duration"])
        return times


def painted(
    recording: Recording, steps: Sequence[int], style: FrameStyle | None = None
) -> list[Rgb]:
    """The expected frames of steps."""
    renderer = FrameRenderer([recording], [(step,) for step in steps], as_exported(style))
    return [renderer.palette[renderer.indices(number)] for number in range(len(steps))]


def as_exported(style: FrameStyle | None = None) -> FrameStyle:
    """A style with the default layers of exports."""
    return replace(style or FrameStyle(), layers=FRAME_LAYERS)


def frame_of(recording: Recording, step: int, style: FrameStyle | None = None) -> Rgb:
    """The expected frame of one step."""
    return painted(recording, [recording.step(step).index], style)[0]


def exported(recording: Recording, options: ExportOptions, number: int = 0) -> Rgb:
    """A frame of an export with these options."""
    job = make_job(recording, options, export_format("image.apng"))
    return job.renderer.palette[job.renderer.indices(number)]
