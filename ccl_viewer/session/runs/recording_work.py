"""Recording a run, away from the window's thread."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ccl_viewer.algorithms import algorithm
from ccl_viewer.devices.registry import open_device
from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recorder, Step
from ccl_viewer.render.palette import colouring_of
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.showing.displayed_run import CHOOSING_COLOURS, DisplayedRun
from ccl_viewer.session.state import RunSettings


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
