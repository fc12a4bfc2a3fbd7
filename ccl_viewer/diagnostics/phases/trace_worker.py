"""The child process that traces a launch of user code; see `rerun`."""

from __future__ import annotations

from ccl_viewer.algorithms.copies import source_path
from ccl_viewer.devices.emulator.device import EmulatorDevice
from ccl_viewer.diagnostics.phases.rerun import EVENTS, collect_events, pickle_events
from ccl_viewer.execution.schedule import Schedule
from ccl_viewer.recording import open_recording
from ccl_viewer.user_kernels.process import RUN, write_report
from ccl_viewer.user_kernels.worker import ChildJob, WatchedDevice, serve


def trace_job(child: ChildJob) -> None:
    """Run a recording again up to a step, and write the events of that launch and a report.

    Parameters
    ----------
    child : ChildJob
        The job.
    """
    job, folder = child.job, child.folder
    recording = open_recording(folder / RUN)
    error: Exception | None = None
    device: WatchedDevice | None = None
    try:
        child.load()
        emulator = EmulatorDevice(Schedule.parse(job["schedule"]), source_path)
        device = WatchedDevice(emulator, child, job)
        block = None if job["block"] is None else tuple(job["block"])
        step = recording.step(job["step"])
        events = collect_events(recording, step, device, block, job["most"], child.token)
        child.say("save", "Keeping the events")
        pickle_events(events, folder / EVENTS)
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = child.explain_error(caught, device.last if device else "")
    write_report(folder, error)


if __name__ == "__main__":
    serve(trace_job)
