"""The long jobs of a session, without Qt: record a run, read a file, write one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError, RecordingFileError
from ccl_viewer.export import ExportOptions, export, export_moment
from ccl_viewer.grids import Grid, Loaded, open_grid, save_grid
from ccl_viewer.grids.specs import is_segmented, open_segments
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.recording import Recorder, Recording, Step, open_recording
from ccl_viewer.render.palette import Colouring, colouring_of
from ccl_viewer.session.components import ComponentTable, component_table
from ccl_viewer.session.job import Job
from ccl_viewer.session.settings import settings_of
from ccl_viewer.session.state import RunSettings
from ccl_viewer.temporaries import scratch

RECORDING_SUFFIX = ".cclrec"

CHOOSING_COLOURS = "Choosing colours"


class Work(Protocol):
    """Something that takes long; its results are read once it is done."""

    def perform(self, job: Job, /) -> None:
        """Do it; called on the worker's thread."""


@dataclass(frozen=True, eq=False)
class DisplayedRun:
    """A recording, the colours of its labels, and its components once it is whole.

    Parameters
    ----------
    recording : Recording
        The recording.
    colouring : Colouring
        The colours.
    table : ComponentTable or None
        The components.
    of : Hashable
        The state of grid and settings that it is a run of; None if that is not known.
    draft : bool
        Whether another run in that state may come out otherwise.
    """

    recording: Recording
    colouring: Colouring
    table: ComponentTable | None = None
    of: Hashable = None
    draft: bool = False

    @classmethod
    def whole(
        cls,
        recording: Recording,
        job: Job,
        of: Hashable = None,
        *,
        draft: bool = False,
        before: DisplayedRun | None = None,
    ) -> DisplayedRun:
        """Return a recording that has come to its end, with colours and components.

        Parameters
        ----------
        recording : Recording
            The recording.
        job : Job
            Whose work it is, which may be cancelled.
        of, draft
            As of the class.
        before : DisplayedRun or None
            The same recording as it was shown while it grew.
        """
        check = job.cancel.check
        job.report(CHOOSING_COLOURS)
        known = None if before is None else before.colouring
        colouring = colouring_of(recording, known, check)
        table = component_table(colouring.components, check)
        return cls(recording, colouring, table, of, draft)


@dataclass(eq=False)
class RecordingWork:
    """Records one run; it can be looked at while it grows.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid; nobody may change it afterwards.
    settings : RunSettings
        How to run.
    followed : bool
        Whether its steps are looked at as they are recorded; otherwise only the whole run is.
    of, draft
        As of :class:`DisplayedRun`.

    Attributes
    ----------
    shown : DisplayedRun or None
        The run, as far as it can be looked at.
    """

    grid: Grid
    settings: RunSettings
    followed: bool = True
    of: Hashable = None
    draft: bool = False
    shown: DisplayedRun | None = None

    def perform(self, job: Job, /) -> None:
        """Record the run."""
        settings = self.settings
        job.report("Opening the device")
        device = open_device(settings.device, settings.schedule, cells=self.grid.size)
        job.report("Working on the first step")

        def stepped(step: Step) -> None:
            if self.shown is None and self.followed:
                job.report(CHOOSING_COLOURS)
                colouring = colouring_of(recorder.recording, check=job.cancel.check)
                self.shown = DisplayedRun(recorder.recording, colouring, None, self.of, self.draft)
            job.report(f"Step {step.index + 1}: {step.kernel}")

        recorder = Recorder(
            self.grid,
            algorithm(settings.algorithm),
            device,
            settings.connectivity,
            settings.parameters,
            multivalued=settings.multivalued,
            cancel=job.cancel,
            progress=job.report,
            on_step=stepped,
        )
        recording = recorder.run()
        if len(recording):
            self.shown = DisplayedRun.whole(
                recording, job, self.of, draft=self.draft, before=self.shown
            )


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
    multivalued: bool = False
    segments: bool = False
    loaded: Loaded | None = None
    shown: DisplayedRun | None = None

    def perform(self, job: Job, /) -> None:
        """Read it."""
        if Path(self.spec).suffix.lower() == RECORDING_SUFFIX:
            recording = open_recording(Path(self.spec))
            _check_known(recording, self.spec)
            self.shown = DisplayedRun.whole(recording, job)
        elif self.multivalued or (self.segments and is_segmented(self.spec)):
            self.loaded = open_segments(self.spec)
        else:
            self.loaded = open_grid(self.spec, self.threshold, invert=self.invert)


def _check_known(recording: Recording, spec: str) -> None:
    """Refuse a run that the window could not do again, nor explain."""
    try:
        settings_of(recording, RunSettings())
    except InputError as error:
        raise RecordingFileError(
            f"{spec} holds a run of {recording.algorithm!r} that this CCL Viewer does not know: "
            "update the program, or record it again."
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
