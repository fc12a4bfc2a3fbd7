"""Times of the run on display, with their spread over runs that are not recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from ccl_viewer.algorithms import algorithm
from ccl_viewer.counted import TimeScale, scale_of
from ccl_viewer.devices.registry import open_device
from ccl_viewer.recording import Recording, RunTiming, time_plan
from ccl_viewer.recording.timing import StepTiming
from ccl_viewer.session.editing.settling import Settling
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import MessageKind

REPEATS = 20
"""Runs that are timed."""

_MEASURING = "Measuring times"


@dataclass(eq=False)
class MeasuringWork:
    """Does again what was recorded, several times, without recording it; run after run.

    Parameters
    ----------
    recordings : tuple of Recording
        The runs.

    Attributes
    ----------
    timings : list of RunTiming
        Their times, once they are measured.
    """

    recordings: tuple[Recording, ...]
    timings: list[RunTiming] = field(default_factory=list)

    def perform(self, job: Job, /) -> None:
        """Measure."""
        for recording in self.recordings:
            self.timings.append(self._timed(recording, job))

    def _timed(self, recording: Recording, job: Job) -> RunTiming:
        row = algorithm(recording.algorithm)
        whose = f"{row.title}: " if len(self.recordings) > 1 else ""
        schedule = recording.schedule if recording.device == "emulator" else "auto"
        job.report(f"{whose}Opening the device")
        return time_plan(
            recording.image,
            row,
            open_device(recording.device, schedule, cells=recording.image.size),
            recording.connectivity,
            recording.parameters,
            multivalued=recording.multivalued,
            repeats=REPEATS,
            cancel=job.cancel,
            progress=lambda text: job.report(f"{whose}{text}"),
        )


class Measuring:
    """Measures runs when asked to; what is recorded anew has no times until asked again.

    Parameters
    ----------
    jobs : Jobs
        Where work is done.
    recording : callable
        Returns the run on display.
    settling : Settling
        Places what floats before anything is measured.
    """

    def __init__(
        self, jobs: Jobs, recording: Callable[[], Recording | None], settling: Settling
    ) -> None:
        self.changed = Signal()
        self._jobs = jobs
        self._recording = recording
        self._settling = settling
        self._timings = WeakKeyDictionary[Recording, RunTiming]()
        self._steps = WeakKeyDictionary[Recording, tuple[StepTiming | None, ...]]()
        self._scales = WeakKeyDictionary[Recording, tuple[int, TimeScale]]()

    @property
    def timing(self) -> RunTiming | None:
        """The times of the run on display; None until they are measured."""
        recording = self._recording()
        return None if recording is None else self.timing_of(recording)

    def timing_of(self, recording: Recording) -> RunTiming | None:
        """Return the times of a run; None until they are measured."""
        return self._timings.get(recording)

    def at(self, index: int) -> StepTiming | None:
        """Return the times of a step of the run on display; None if they are not known."""
        recording = self._recording()
        steps = () if recording is None else self._steps.get(recording, ())
        return steps[index] if 0 <= index < len(steps) else None

    @property
    def scale(self) -> TimeScale:
        """The unit and the digits in which times of the steps on display are written."""
        recording = self._recording()
        if recording is None:
            return TimeScale()
        count, scale = self._scales.get(recording, (0, TimeScale()))
        if count != len(recording):
            spreads = [one.spread for one in self._steps.get(recording, ()) if one is not None]
            times = (step.milliseconds for step in recording.steps)
            medians = (spread.median for spread in spreads)
            scale = scale_of(medians if spreads else times, (spread.margin for spread in spreads))
            self._scales[recording] = len(recording), scale
        return scale

    def measure(self) -> None:
        """Measure the run on display; what floats is placed before."""
        self._settling.first(_MEASURING, self._measure)

    def _measure(self) -> None:
        recording = self._recording()
        if recording is None or not recording.complete:
            self._jobs.say(MessageKind.INFO, "There is no finished run to time: run one first.")
            return
        self._start((recording,), _MEASURING)

    def measure_all(self, recordings: Sequence[Recording]) -> None:
        """Measure several runs, one after the other; nothing is kept if that is cancelled."""
        finished = tuple(recording for recording in recordings if recording.complete)
        if len(finished) < len(recordings) or not finished:
            self._jobs.say(MessageKind.INFO, "Runs are timed once all have ended: wait for them.")
            return
        self._start(finished, f"Measuring times of {len(finished)} runs")

    def _start(self, recordings: tuple[Recording, ...], title: str) -> None:
        work = MeasuringWork(recordings)
        self._jobs.start(title, work, lambda: self._take(work))

    def _take(self, work: MeasuringWork) -> None:
        for recording, timing in zip(work.recordings, work.timings, strict=True):
            self._timings[recording] = timing
            self._steps[recording] = timing.of(recording)
            self._scales.pop(recording, None)
        self._jobs.say(MessageKind.INFO, f"The times are of {_sentence(work.timings)}")
        self.changed.emit()


def _sentence(timings: Sequence[RunTiming]) -> str:
    if len(timings) == 1:
        return timings[0].sentence
    return f"{timings[0].runs} runs of each lane, not recorded."
