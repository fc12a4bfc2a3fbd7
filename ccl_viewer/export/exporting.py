"""Exports recordings to a file or folder, in the format that its name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.export.formats import ExportFormat, export_format
from ccl_viewer.export.job import Job, OnFrame
from ccl_viewer.export.options import ExportOptions
from ccl_viewer.files import replacing, replacing_folder
from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import Stops, stops_of, together

DEFAULT = ExportOptions()


def export(
    recordings: Recording | Sequence[Recording],
    path: str | Path,
    options: ExportOptions = DEFAULT,
    *,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
) -> int:
    """Export recordings as an animation, as pictures, or as data.

    Parameters
    ----------
    recordings : Recording or sequence of Recording
        A run, or up to four of them side by side.
    path : str or Path
        Where to; the suffix chooses the format, a name that ends with ``/`` or has no suffix is a
        folder. An existing file is replaced at the end; a folder must be new or empty.
    options : ExportOptions
        What is exported, and how it looks.
    progress : callable or None
        Told of each frame.
    cancel : CancelToken or None
        Stops the work.

    Returns
    -------
    int
        Number of steps written.

    Raises
    ------
    InputError
        If something cannot be exported as asked for, or the file cannot be written.
    CancelledError
        If the work was cancelled; nothing is left behind.
    """
    row = export_format(path)
    job = job_of(recordings, options, row, progress, cancel)
    with (replacing_folder if row.is_folder else replacing)(Path(path)) as beside:
        return row.write(job, beside)


def export_moment(
    recordings: Sequence[Recording],
    moment: Stops,
    path: str | Path,
    options: ExportOptions = DEFAULT,
    *,
    cancel: CancelToken | None = None,
) -> None:
    """Export one picture of runs side by side, each at a step of its own.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs.
    moment : tuple of int
        The step of each.
    path : str or Path
        Where to; the suffix chooses the format.
    options : ExportOptions
        How it looks; its steps have no say.
    cancel : CancelToken or None
        Stops the work.

    Raises
    ------
    InputError
        If it cannot be exported as asked for, or the file cannot be written.
    CancelledError
        If the work was cancelled; nothing is left behind.
    """
    row = export_format(path)
    row.check(len(recordings), options)
    job = Job(tuple(recordings), (moment,), options, cancel=cancel)
    with replacing(Path(path)) as beside:
        row.write(job, beside)


def job_of(
    recordings: Recording | Sequence[Recording],
    options: ExportOptions,
    row: ExportFormat,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
) -> Job:
    """Return what is to be written; nothing is painted yet.

    Raises
    ------
    InputError
        If it cannot be exported as asked for.
    """
    runs = _runs(recordings)
    row.check(len(runs), options)
    if row.one_step and len(runs) > 1:
        return Job(runs, (_moment_of(runs, options),), options, progress, cancel)
    return planned(runs, options, progress, cancel)


def planned(
    recordings: Recording | Sequence[Recording],
    options: ExportOptions,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
) -> Job:
    """Return what is to be written in a format that is not known yet.

    Raises
    ------
    InputError
        If there are no such steps, or runs do not go together as asked for.
    """
    runs = _runs(recordings)
    stops = [stops_of(run, options.each, options.steps) for run in runs]
    return Job(runs, together(runs, stops, options.sync), options, progress, cancel)


def _runs(recordings: Recording | Sequence[Recording]) -> tuple[Recording, ...]:
    return (recordings,) if isinstance(recordings, Recording) else tuple(recordings)


def _moment_of(runs: tuple[Recording, ...], options: ExportOptions) -> Stops:
    """Return the step of each run when the first shows the last step that is chosen of it.

    Steps are chosen of the first run, because others may have fewer. With its last step go the
    last ones of all.
    """
    wanted = stops_of(runs[0], options.each, options.steps)[-1]
    frames = together(runs, [stops_of(run, options.each) for run in runs], options.sync)
    if wanted == frames[-1][0]:
        return frames[-1]
    return next(frame for frame in frames if frame[0] >= wanted)
