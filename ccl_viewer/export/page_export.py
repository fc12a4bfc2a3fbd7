"""Writes the page of a recording, or of several side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ccl_viewer.export.frames import check_layers
from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.options import FRAME_LAYERS
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_comparison import PageComparison, make_page_comparison, steps_shown
from ccl_viewer.export.page_runs import PageRun
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title
from ccl_viewer.render.layers import COUNTED, CellColours, Layers, Numbers


def write_page(job: ExportJob, path: Path) -> int:
    """Write a page that plays the recordings.

    Called as a :data:`~ccl_viewer.export.job.Writer`.

    Raises
    ------
    InputError
        If they are too large for a page or of different grids, or a layer or cell of the start does
        not exist.
    CancelledError
        If the work was cancelled.
    """

    def on_each(done: int, count: int) -> None:
        job.check_cancelled()
        if job.progress is not None:
            job.progress(done, count)

    _check_first_look(job)
    comparison = _comparison(job)
    page = Page(
        algorithm_title(job.first_recording.algorithm) if comparison is None else comparison.title,
        [_run(job, number) for number in range(len(job.recordings))],
        comparison=comparison,
        layers=_layers(job),
        pin=job.options.pin,
        follow=job.options.follow,
        theme=job.options.theme,
        caption=job.options.caption,
    )
    html = page_html(page, on_each)
    job.check_cancelled()
    path.write_bytes(html.encode())
    return len(job.frames)


def _comparison(job: ExportJob) -> PageComparison | None:
    """Return the alignment of the runs; None if there is only one."""
    if len(job.recordings) == 1:
        return None
    return make_page_comparison(job.recordings, job.frames, job.options.sync)


def _run(job: ExportJob, number: int) -> PageRun:
    recording, steps = job.recordings[number], steps_shown(job.frames, number)
    layers, note = _layers(job), omitted_steps_note(recording, len(steps))
    total = layers.total if layers.colours in COUNTED else None
    return PageRun(recording, steps, note, total)


def _check_first_look(job: ExportJob) -> None:
    """Refuse what pictures cannot show either."""
    options = job.options
    for recording in job.recordings:
        check_layers(recording, options.layers, options.pin, options.follow)


def omitted_steps_note(recording: Recording, shown: int) -> str:
    """Return a note if some steps are left out; else an empty text."""
    if shown == len(recording):
        return ""
    return f"Of {len(recording):,} steps, {shown:,} are shown here."


def _layers(job: ExportJob) -> Layers:
    """Return the initial layers: as requested, or as the window starts.

    Colours for counts need runs that all have them.
    """
    options = job.options
    layers = Layers() if options.layers == FRAME_LAYERS else options.layers
    if layers.colours in COUNTED and not all(one.has_counts for one in job.recordings):
        layers = replace(layers, colours=CellColours.LABEL)
    return replace(layers, numbers=Numbers.NONE) if options.numbers == "off" else layers
