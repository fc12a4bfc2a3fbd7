"""Exports recordings to a file or folder; the name chooses the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ccl_viewer.errors import InputError
from ccl_viewer.export.formats import ExportFormat, export_format
from ccl_viewer.export.job import ExportJob, OnFrame
from ccl_viewer.export.options import ExportOptions
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import Stops, align_steps, choose_stops
from ccl_viewer.storage.files import replacing, replacing_folder
from ccl_viewer.support.cancellation import CancelToken

DEFAULT = ExportOptions()


def export(
    recordings: Recording | Sequence[Recording],
    path: str | Path,
    options: ExportOptions = DEFAULT,
    *,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
    replace: bool = False,
) -> int:
    """Export recordings as an animation, as pictures, or as data.

    Parameters
    ----------
    recordings : Recording or sequence of Recording
        A run, or up to four of them side by side.
    path : str or Path
        Destination. The suffix chooses the format; a name that ends with ``/`` or has no suffix
        means a folder. An existing file is replaced at the end; a folder must be new or empty.
    options : ExportOptions
        The content and its look.
    progress : callable or None
        Called after each frame.
    cancel : CancelToken or None
        Stops the work.
    replace : bool
        Whether to replace a Zarr array of that name.

    Returns
    -------
    int
        Number of steps written, or of components.

    Raises
    ------
    InputError
        If these options do not fit, or the file cannot be written.
    CancelledError
        If the work was cancelled; nothing is left behind.
    """
    row = export_format(path)
    job = make_job(recordings, options, row, progress, cancel)
    if row.is_folder:
        with replacing_folder(Path(path), replace=replace) as beside:
            return row.write(job, beside)
    with replacing(Path(path)) as beside:
        return row.write(job, beside)


def export_moment(
    recordings: Sequence[Recording],
    moment: Stops,
    path: str | Path,
    options: ExportOptions = DEFAULT,
    *,
    cancel: CancelToken | None = None,
) -> None:
    """Export one picture of runs side by side, each at its own step.

    Parameters
    ----------
    recordings : sequence of Recording
        The runs.
    moment : tuple of int
        The step of each run.
    path : str or Path
        Destination; the suffix chooses the format.
    options : ExportOptions
        The look; the choice of steps is ignored.
    cancel : CancelToken or None
        Stops the work.

    Raises
    ------
    InputError
        If these options do not fit, or the file cannot be written.
    CancelledError
        If the work was cancelled; nothing is left behind.
    """
    row = export_format(path)
    row.check(len(recordings), options)
    job = ExportJob(tuple(recordings), (moment,), options, cancel=cancel)
    with replacing(Path(path)) as beside:
        row.write(job, beside)


def make_job(
    recordings: Recording | Sequence[Recording],
    options: ExportOptions,
    row: ExportFormat,
    progress: OnFrame | None = None,
    cancel: CancelToken | None = None,
) -> ExportJob:
    """Return the job of an export; nothing is painted yet.

    Parameters
    ----------
    recordings : Recording or sequence of Recording
        A run, or up to four of them side by side.
    options : ExportOptions
        The content and its look.
    row : ExportFormat
        The format.
    progress : callable or None
        Called after each frame.
    cancel : CancelToken or None
        Stops the work.

    Raises
    ------
    InputError
        If these options do not fit.
    """
    runs = _runs(recordings)
    row.check(len(runs), options)
    if row.one_step and len(runs) > 1:
        return ExportJob(runs, (_find_moment(runs, options),), options, progress, cancel)
    frames = _frames_alone(runs, options) if len(runs) == 1 else _frames_together(runs, options)
    return ExportJob(runs, frames, options, progress, cancel)


def _runs(recordings: Recording | Sequence[Recording]) -> tuple[Recording, ...]:
    return (recordings,) if isinstance(recordings, Recording) else tuple(recordings)


def _frames_alone(runs: tuple[Recording, ...], options: ExportOptions) -> tuple[Stops, ...]:
    return tuple((step,) for step in choose_stops(runs[0], options.each, options.steps))


def _frames_together(runs: tuple[Recording, ...], options: ExportOptions) -> tuple[Stops, ...]:
    """Return the step of each run, picture by picture.

    The options choose steps of the first run, because others may have fewer. The other runs show
    the steps aligned with them in the whole runs, as the section of the window does.
    """
    frames = align_steps(runs, [choose_stops(run, options.each) for run in runs], options.sync)
    if options.steps is None:
        return frames
    chosen = {*choose_stops(runs[0], steps=options.steps)}
    selected = tuple(frame for frame in frames if frame[0] in chosen)
    if not selected:
        raise InputError(
            f"No {options.each} of the first run ends within the steps chosen: choose more steps."
        )
    return selected


def _find_moment(runs: tuple[Recording, ...], options: ExportOptions) -> Stops:
    """Return the step of each run when the first shows the last chosen step.

    If that is its last step, all runs show their last steps.
    """
    step = choose_stops(runs[0], options.each, options.steps)[-1]
    frames = align_steps(runs, [choose_stops(run, options.each) for run in runs], options.sync)
    if step == frames[-1][0]:
        return frames[-1]
    return next(frame for frame in frames if frame[0] >= step)
