"""Times of the run on display, with their spread over runs that are not recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.recording import Recording, RunTiming, time_plan
from ccl_viewer.recording.timing import StepTiming
from ccl_viewer.session.desk import Desk
from ccl_viewer.session.job import Job
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import MessageKind

REPEATS = 20
"""Runs that are timed."""


@dataclass(eq=False)
class MeasuringWork:
    """Does again what was recorded, several times, without recording it."""

    recording: Recording
    timing: RunTiming | None = None

    def perform(self, job: Job, /) -> None:
        """Measure."""
        recording = self.recording
        schedule = recording.schedule if recording.device == "emulator" else "auto"
        job.report("Opening the device")
        self.timing = time_plan(
            recording.image,
            algorithm(recording.algorithm),
            open_device(recording.device, schedule, cells=recording.image.size),
            recording.connectivity,
            recording.parameters,
            multivalued=recording.multivalued,
            repeats=REPEATS,
            cancel=job.cancel,
            progress=job.report,
        )


class Measuring:
    """Measures the run on display when asked to; another run has no times until asked again.

    Parameters
    ----------
    desk : Desk
        Where work is done.
    recording : callable
        Returns the run on display.
    """

    def __init__(self, desk: Desk, recording: Callable[[], Recording | None]) -> None:
        self.changed = Signal()
        self._desk = desk
        self._recording = recording
        self._measured: Recording | None = None
        self._timing: RunTiming | None = None
        self._steps: tuple[StepTiming | None, ...] = ()

    @property
    def timing(self) -> RunTiming | None:
        """The times of the run on display; None until they are measured."""
        return self._timing if self._recording() is self._measured else None

    def at(self, index: int) -> StepTiming | None:
        """Return the times of a step of the run on display; None if they are not known."""
        known = self.timing is not None and 0 <= index < len(self._steps)
        return self._steps[index] if known else None

    def measure(self) -> None:
        """Measure the run on display."""
        recording = self._recording()
        if recording is None or not recording.complete:
            self._desk.say(MessageKind.INFO, "There is no finished run to time: run one first.")
            return
        work = MeasuringWork(recording)
        self._desk.start("Measuring times", work, lambda: self._take(work))

    def _take(self, work: MeasuringWork) -> None:
        if work.timing is None:
            return
        self._measured, self._timing = work.recording, work.timing
        self._steps = work.timing.of(work.recording)
        self._desk.say(MessageKind.INFO, f"The times are of {work.timing.sentence}")
        self.changed.emit()
