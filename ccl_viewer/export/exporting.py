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
from ccl_viewer.recording.together import stops_of, together

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
