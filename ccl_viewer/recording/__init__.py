"""Compact recordings of runs, which can be replayed in any order."""

from ccl_viewer.recording.archive import open_recording
from ccl_viewer.recording.data import RunFault, Step
from ccl_viewer.recording.recorder import OnStep, Recorder
from ccl_viewer.recording.recording import Recording
from ccl_viewer.recording.timing import RunTiming, measure_steps, time_plan

__all__ = [
    "OnStep",
    "Recorder",
    "Recording",
    "RunFault",
    "RunTiming",
    "Step",
    "measure_steps",
    "open_recording",
    "time_plan",
]
