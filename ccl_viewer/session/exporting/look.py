"""Finding out what will come of an export: its frames, how it begins, and how large it will be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ccl_viewer.export import Estimate, ExportFormat, ExportOptions, Kind, estimate
from ccl_viewer.export.exporting import job_of
from ccl_viewer.export.job import ExportJob
from ccl_viewer.export.labels import step_labels
from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.choices import ARRAYS, WHOLE
from ccl_viewer.session.exporting.reel import Reel, frames_of
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.temporaries import scratch

MOST_SAVED: Final = 64 << 20
"""Bytes of a recording that is written only to know how large its file is."""

_BEFORE_ESTIMATE: Final = 12
_LINES: Final = 12
_ROWS: Final = 24
_COLUMNS: Final = 12
_MOST_LABELS: Final = 1 << 20
"""Cells of a grid whose labels are worked out only to show some of them."""

_WHOLE_RUN: Final = (
    "The whole run: the grid, the settings, and the labels, times and counts of every step. "
    "It opens here without being run again."
)
_TEXTS: Final = frozenset({".csv", ".json"})


@dataclass(eq=False)
class ExportLook:
    """Paints frames for the preview, and estimates the size.

    Parameters
    ----------
    recordings : tuple of Recording
        The runs.
    options : ExportOptions
        What is exported, and how it looks.
    row : ExportFormat
        As what.
    reel : Reel or None
        The frames so far; None for data, and before the first.
    head : str
        How the file begins, if it is text; the first labels, if it holds labels; or what it holds.
    estimate : Estimate or None
        How large it will be; None before that is known, or if it takes too long to find out.
    estimated : bool
        Whether no more will be known of that.
    error : str
        Why it cannot be exported like that.
    """

    recordings: tuple[Recording, ...]
    options: ExportOptions
    row: ExportFormat
    reel: Reel | None = None
    head: str = ""
    estimate: Estimate | None = None
    estimated: bool = False
    error: str = ""

    def same_as(self, other: ExportLook) -> bool:
        """Return whether the same would come of it, but for the speed."""
        mine = (self.recordings, _timeless(self.options), self.row)
        return mine == (other.recordings, _timeless(other.options), other.row)

    def perform(self, job: Job, /) -> None:
        """Find out; called on the worker's thread."""
        what = job_of(self.recordings, self.options, self.row, cancel=job.cancel)
        if self.row.kind is not Kind.DATA:
            self._paint(what, job)
        elif self.row.suffix in _TEXTS:
            self.head = _beginning(what, self.row)
            job.report("")
        else:
            self.head = _first_labels(what) if self.row.suffix in ARRAYS else _WHOLE_RUN
            job.report("")
        if not self.estimated:
            self._estimate(job)

    def _paint(self, what: ExportJob, job: Job) -> None:
        reel = Reel(1 if self.row.one_step else len(what.frames), what.renderer.size)
        self.reel = reel
        for frame in frames_of(what):
            reel.add(frame)
            job.report("")
            if len(reel) == _BEFORE_ESTIMATE:
                self._estimate(job)
            if reel.full:
                return

    def _estimate(self, job: Job) -> None:
        small = self.row.suffix not in WHOLE or self.recordings[0].nbytes <= MOST_SAVED
        if small:
            self.estimate = estimate(self.recordings, self.options, self.row.suffix, job.cancel)
        self.estimated = True
        job.report("")


def _beginning(what: ExportJob, row: ExportFormat) -> str:
    """Return the first lines of a table, of which only the first steps are written."""
    with scratch() as folder:
        path = folder / f"head{row.suffix}"
        row.write(replace(what, frames=what.frames[:_LINES], progress=None), path)
        lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[: 4 * _LINES])


def _first_labels(what: ExportJob) -> str:
    """Return the labels at the top left of the first step that is written, in columns."""
    height, width = what.recording.image.shape
    if height * width > _MOST_LABELS:
        return f"A number for each of {width:,} \N{MULTIPLICATION SIGN} {height:,} cells."
    labels = step_labels(what, what.steps[0])
    corner = labels[:_ROWS, :_COLUMNS]
    digits = max(len(str(label)) for label in (corner.min(), corner.max()))
    more = "" if width <= _COLUMNS else " …"
    lines = [" ".join(f"{label:{digits}}" for label in row) + more for row in corner.tolist()]
    if height > _ROWS:
        lines.append("…")
    return "\n".join([f"Step {what.steps[0] + 1:,}", "", *lines])


def _timeless(options: ExportOptions) -> ExportOptions:
    return replace(options, fps=1.0, hold=0.0)
