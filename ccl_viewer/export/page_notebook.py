"""A recording in a notebook: its page, in a frame that can do nothing but play it."""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np

from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import PageRun
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title

MAX_LABELS: Final = 1 << 22
"""Cells times steps that are put into a notebook: a megabyte or two in most runs."""

_HEIGHT: Final = 720
_FEWEST: Final = 2


def notebook_html(recording: Recording) -> str | None:
    """Return the page of a recording, as a notebook shows it.

    Parameters
    ----------
    recording : Recording
        The run.

    Returns
    -------
    str or None
        A sandboxed frame. Of a recording that would make the notebook too large it shows some
        steps, evenly chosen, and says so. None if there is no step, or the grid is so large that
        not even two steps fit.
    """
    steps = chosen_steps(len(recording), recording.image.size)
    if not steps:
        return None
    title = algorithm_title(recording.algorithm)
    page = page_html(Page(title, (PageRun(recording, steps, _note(recording, len(steps))),)))
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts" width="100%" '
        f'height="{_HEIGHT}" style="border: 0; border-radius: 8px" '
        f'srcdoc="{escape(page)}"></iframe>'
    )


def chosen_steps(count: int, cells: int) -> tuple[int, ...]:
    """Return the steps that are shown: all, or as many as may be, the first and the last included.

    Parameters
    ----------
    count : int
        Steps of the recording.
    cells : int
        Cells of its grid.
    """
    most = MAX_LABELS // max(cells, 1)
    if count <= most:
        return tuple(range(count))
    if most < _FEWEST:
        return ()
    return tuple(np.linspace(0, count - 1, most).round().astype(int).tolist())


def _note(recording: Recording, shown: int) -> str:
    if shown == len(recording):
        return ""
    return (
        f"To keep the notebook small, {shown:,} of {len(recording):,} steps are shown. For all of "
        "them save the recording and run: ccl-viewer export RUN.cclrec -o run.html"
    )
