"""An export as its dialog sees it: choices, what will come of them, and the writing itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Any

from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.export import Estimate, ExportFormat, ExportOptions, export
from ccl_viewer.files import is_file
from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.choices import (
    Choices,
    Span,
    Subject,
    named,
    options_of,
    recordings_of,
)
from ccl_viewer.session.exporting.look import ExportLook
from ccl_viewer.session.exporting.reel import Reel
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.signals import Signal


class Phase(StrEnum):
    """What an export is at."""

    CHOOSING = "choosing"
    WRITING = "writing"
    STOPPING = "stopping"
    DONE = "done"


@dataclass(frozen=True)
class Progress:
    """How far the writing is.

    Parameters
    ----------
    done, total : int
        Frames; both 0 while nothing is known.
    left : float or None
        Seconds that it will take at the speed so far; None before that is known.
    """

    done: int = 0
    total: int = 0
    left: float | None = None


class Exporting:
    """Chooses, previews, estimates and writes; all long work is done by the runner.

    Attributes
    ----------
    chosen : Signal
        The choices changed.
    previewed : Signal
        More is known of what will come of them.
    phase_changed : Signal
        The writing began, went on or ended.

    Parameters
    ----------
    subject : Subject
        What can be exported.
    choices : Choices
        What to begin with.
    runner : Runner
        Does the long work; :meth:`poll` is to be called at its news.
    clock : callable
        Returns seconds, for the time that is left.
    """

    def __init__(
        self,
        subject: Subject,
        choices: Choices,
        runner: Runner,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.chosen, self.previewed, self.phase_changed = Signal(), Signal(), Signal()
        self.subject = subject
        self.phase = Phase.CHOOSING
        self.error = ""
        """Why the last export failed, or the choices cannot be exported; empty otherwise."""
        self.written = 0
        """Bytes of the file that was written."""
        self._choices = _fitting(choices, subject)
        self._format = self._choices.format
        self._runner = runner
        self._clock = clock
        self._latest = Latest(runner)
        self._look: ExportLook | None = None
        self._shown: ExportLook | None = None
        self._writing: _Writing | None = None
        self._job: Job | None = None
        self._preview()

    @property
    def choices(self) -> Choices:
        """What is chosen."""
        return self._choices

    @property
    def format(self) -> ExportFormat:
        """The format that is chosen; the last one while the name asks for none."""
        return self._format

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """The runs that are exported."""
        return recordings_of(self._choices, self.subject, self._format)

    @property
    def options(self) -> ExportOptions:
        """The options of the export.

        Raises
        ------
        InputError
            If the choices are none.
        """
        return options_of(self._choices, self.subject)

    @property
    def reel(self) -> Reel | None:
        """The frames so far; those of the choices before until there are some."""
        return None if self._shown is None else self._shown.reel

    @property
    def head(self) -> str:
        """How the file begins if it is text, or what it holds."""
        return "" if self._look is None else self._look.head

    @property
    def estimate(self) -> Estimate | None:
        """How large the file will be; None while that is not known."""
        return None if self._look is None else self._look.estimate

    @property
    def looking(self) -> bool:
        """Whether more will be known of what comes of the choices."""
        return self._latest.busy

    @property
    def estimating(self) -> bool:
        """Whether the size is still being worked out."""
        return self.looking and self._look is not None and not self._look.estimated

    @property
    def can_export(self) -> bool:
        """Whether the writing can begin."""
        return self.phase in (Phase.CHOOSING, Phase.DONE) and bool(self.place)

    @property
    def place(self) -> str:
        """Where to; empty while the name asks for no format."""
        try:
            row = self._choices.format
        except InputError:
            return ""
        name = Path(self._choices.path).name
        return self._choices.path if name and name != row.suffix else ""

    @property
    def replaces(self) -> bool:
        """Whether a file stands under the name, which will be replaced."""
        return bool(self.place) and not self._format.is_folder and is_file(self.place)

    @property
    def seconds(self) -> float | None:
        """How long the animation takes; None for everything else, and while it is not known."""
        if not self._format.is_animated or self._look is None or self._look.reel is None:
            return None
        count, fps = self._look.reel.count, self._choices.fps
        return (count - 1) / fps + max(1 / fps, self._choices.hold)

    @property
    def progress(self) -> Progress:
        """How far the writing is."""
        work = self._writing
        if work is None or not work.done:
            return Progress() if work is None else Progress(0, work.total)
        passed = self._clock() - work.began
        return Progress(work.done, work.total, passed / work.done * (work.total - work.done))

    def choose(self, **changes: Any) -> None:
        """Change choices, by the names that :class:`Choices` has for them."""
        if self.phase in (Phase.WRITING, Phase.STOPPING):
            return
        before = self._choices
        choices = _fitting(replace(before, **changes), self.subject)
        if choices == before:
            return
        refused = ""
        try:
            self._format = choices.format
        except InputError as error:
            refused = str(error)
        self._choices = _at_speed(choices, self._format)
        self._set_phase(Phase.CHOOSING, refused)
        self.chosen.emit()
        self._preview()

    def choose_format(self, suffix: str) -> None:
        """Choose a format; the suffix of the name follows."""
        self.choose(path=named(self._choices.path, suffix))

    def poll(self) -> None:
        """Take note of what is known by now."""
        if self._writing is not None:
            self.phase_changed.emit()
            return
        if self._look is not None and (self._look.reel is None or len(self._look.reel)):
            self._shown = self._look
        self.previewed.emit()

    def export(self) -> None:
        """Write the file; preview and estimate give way."""
        if not self.can_export:
            return
        self._latest.stop()
        self._look = self._shown
        work = _Writing(self.recordings, self._choices.path, self.options, self._clock)
        job = Job("Exporting", work.perform, self._exported, self._failed)
        self._writing, self._job = work, job
        self._set_phase(Phase.WRITING, "")
        self._runner.start(job)

    def cancel(self) -> None:
        """Ask the writing to stop; nothing is left of the file."""
        if self._job is not None:
            self._job.cancel.cancel()
            self._set_phase(Phase.STOPPING, "")

    def begin_again(self) -> None:
        """Choose anew after an export."""
        if self.phase is Phase.DONE:
            self._set_phase(Phase.CHOOSING, "")

    def close(self) -> None:
        """Stop all work and forget the views."""
        self._latest.stop()
        if self._job is not None:
            self._job.cancel.cancel()
        for signal in (self.chosen, self.previewed, self.phase_changed):
            signal.clear()

    def _preview(self) -> None:
        """Paint and estimate anew, unless what comes of the choices is the same as before."""
        if not self.place:
            self._latest.stop()
            self.previewed.emit()
            return
        try:
            look = ExportLook(self.recordings, self.options, self._format)
        except InputError as error:
            self.error = str(error)
            return
        if self._look is not None and look.same_as(self._look):
            self.error = self._look.error
            return
        self._look = look
        self._latest.start("Previewing", look, self.poll, self._not_previewed)
        self.previewed.emit()

    def _not_previewed(self, error: CCLViewerError) -> None:
        if self._look is not None:
            self._look.error = str(error)
        self.error = str(error)
        self._shown = self._look
        self.previewed.emit()

    def _exported(self) -> None:
        self.written = 0 if self._writing is None else self._writing.size
        self._end(Phase.DONE, "")

    def _failed(self, error: CCLViewerError) -> None:
        stopped = isinstance(error, CancelledError)
        self._end(Phase.CHOOSING, "Stopped: nothing was written." if stopped else str(error))

    def _end(self, phase: Phase, error: str) -> None:
        self._writing = self._job = None
        self._set_phase(phase, error)

    def _set_phase(self, phase: Phase, error: str) -> None:
        changed = (phase, error) != (self.phase, self.error)
        self.phase, self.error = phase, error
        if changed:
            self.phase_changed.emit()


@dataclass(eq=False)
class _Writing:
    """Writes the file, by the same function as the command line."""

    recordings: tuple[Recording, ...]
    path: str
    options: ExportOptions
    clock: Callable[[], float]
    done: int = 0
    total: int = 0
    began: float = 0.0
    size: int = 0

    def perform(self, job: Job, /) -> None:
        self.began = self.clock()

        def told(done: int, total: int) -> None:
            self.done, self.total = done, total
            job.report("")

        export(self.recordings, self.path, self.options, progress=told, cancel=job.cancel)
        self.size = size_of(Path(self.path))


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def _fitting(choices: Choices, subject: Subject) -> Choices:
    """Return choices whose steps are in the recording."""
    last = len(subject.recording) - 1
    start = min(max(choices.start, 0), last)
    end = min(max(choices.end, start), last)
    section = choices.span is Span.SECTION and subject.section is None
    return replace(
        choices,
        start=start,
        end=end,
        step=min(max(choices.step, 0), last),
        span=Span.ALL if section else choices.span,
    )


def _at_speed(choices: Choices, row: ExportFormat) -> Choices:
    """Return choices with a speed that the format can show."""
    return replace(choices, fps=min(choices.fps, 1000 / row.shortest))
