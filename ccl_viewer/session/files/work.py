"""Reading and writing files away from the window's thread: grids, runs, animations, figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ccl_viewer.errors import InputError, RecordingFileError, cut
from ccl_viewer.export import ExportOptions, export, export_moment
from ccl_viewer.grids import Grid, Loaded, open_grid, save_grid
from ccl_viewer.grids.grid import MAX_PIXELS, USUAL_PIXELS
from ccl_viewer.grids.specs import is_segmented, open_segments
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.recording import Recording, open_recording
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.runs.settings import settings_of
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.state import RunSettings
from ccl_viewer.temporaries import scratch

RECORDING_SUFFIX: Final = ".cclrec"


@dataclass(eq=False)
class OpeningWork:
    """Reads a picture, a grid, a pattern or a recording.

    Parameters
    ----------
    spec : str
        A file name, or ``pattern:NAME?key=value``.
    threshold : float, "otsu" or None
        How grey values are divided.
    invert : bool
        Exchange foreground and background.
    large : bool
        Read a picture even if it takes gigabytes of memory.
    multivalued : bool
        Whether the values of the foreground are kept, and nothing is divided or exchanged.
    segments : bool
        Whether the values of patterns of segments are kept even so.

    Attributes
    ----------
    loaded : Loaded or None
        The grid, once it is read.
    shown : DisplayedRun or None
        The recording, once it is read, if it is one.
    """

    spec: str
    threshold: Threshold = "otsu"
    invert: bool = False
    large: bool = False
    multivalued: bool = False
    segments: bool = False
    loaded: Loaded | None = None
    shown: DisplayedRun | None = None

    def perform(self, job: Job, /) -> None:
        """Read it."""
        if Path(self.spec).suffix.lower() == RECORDING_SUFFIX:
            recording = open_recording(self.spec, job.cancel)
            _check_known(recording, self.spec)
            self.shown = DisplayedRun.whole(recording, job)
            return
        most = MAX_PIXELS if self.large else USUAL_PIXELS
        if self.multivalued or (self.segments and is_segmented(self.spec)):
            self.loaded = open_segments(self.spec, most)
        else:
            self.loaded = open_grid(self.spec, self.threshold, invert=self.invert, max_pixels=most)


def _check_known(recording: Recording, spec: str) -> None:
    """Refuse a run that the window could not do again, nor explain."""
    try:
        settings_of(recording, RunSettings())
    except InputError as error:
        raise RecordingFileError(
            f"{cut(spec)} holds a run of {recording.algorithm!r} that this CCL Viewer does not "
            "know: update the program, or record it again."
        ) from error


@dataclass(eq=False)
class SavingWork:
    """Writes a recording, or a grid.

    Parameters
    ----------
    path : Path
        Where to.
    what : Recording or ndarray of uint8, shape (height, width)
        What is written.
    """

    path: Path
    what: Recording | Grid

    def perform(self, _job: Job, /) -> None:
        """Write it."""
        if isinstance(self.what, Recording):
            self.what.save(self.path)
        else:
            save_grid(self.path, self.what, multivalued=bool(self.what.max() > 1))


@dataclass(eq=False)
class ExportingWork:
    """Writes a recording as an animation, as pictures or as data.

    Parameters
    ----------
    recording : Recording
        The run.
    path : Path
        Where to; its suffix says in which format.
    options : ExportOptions
        What is exported, and how it looks.
    """

    recording: Recording
    path: Path
    options: ExportOptions

    def perform(self, job: Job, /) -> None:
        """Write it."""
        job.report("Preparing", 0.0)
        export(
            self.recording,
            self.path,
            self.options,
            progress=lambda done, total: job.report(f"Frame {done} of {total}", done / total),
            cancel=job.cancel,
        )


@dataclass(eq=False)
class FigureWork:
    """Makes a picture of a step, and the same as vectors, for other programs.

    Parameters
    ----------
    recordings : tuple of Recording
        The runs, side by side.
    options : ExportOptions
        Which step, and how it looks.
    moment : tuple of int
        The step of each run; empty for the one that the options name.

    Attributes
    ----------
    png, svg : bytes
        The picture, once it is made.
    """

    recordings: tuple[Recording, ...]
    options: ExportOptions
    moment: tuple[int, ...] = ()
    png: bytes = b""
    svg: bytes = b""

    def perform(self, job: Job, /) -> None:
        """Make both."""
        with scratch() as folder:
            self.png = self._written(folder / "figure.png", job)
            self.svg = self._written(folder / "figure.svg", job)

    def _written(self, path: Path, job: Job) -> bytes:
        if self.moment:
            export_moment(self.recordings, self.moment, path, self.options, cancel=job.cancel)
        else:
            export(self.recordings, path, self.options, cancel=job.cancel)
        return path.read_bytes()
