"""A recording in a notebook: its page, in a frame that can do nothing but play it, or a picture."""

from __future__ import annotations

import io
from base64 import b64encode
from html import escape
from typing import Final

import numpy as np

from ccl_viewer.export.frames import thumbnail
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import PageRun
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title

MAX_LABELS: Final = 1 << 22
"""Cells times steps that are put into a notebook: a megabyte or two in most runs."""

_HEIGHT: Final = 720
_FEWEST: Final = 2
_STILL: Final = "ccl-viewer-still"
_HIDDEN: Final = f"<style>.{_STILL} {{ display: none }}</style>"
"""What a notebook takes out together with the frame if it is not trusted."""

_UNTRUSTED: Final = (
    "This notebook is not trusted, so it shows the last step alone: trust the notebook, or run its "
    "cells again, and the steps can be played."
)

_TOO_LARGE: Final = (
    "Two steps of so many cells do not fit into a notebook, so it shows the last one alone: to "
    "play the run, save the recording and open it with: ccl-viewer RUN.cclrec"
)


def notebook_bundle(recording: Recording) -> dict[str, str]:
    """Return what a notebook may show of a recording, by its media type.

    Parameters
    ----------
    recording : Recording
        The run.

    Returns
    -------
    dict of str
        ``text/html`` has a sandboxed frame that plays the run. Of a recording that would make the
        notebook too large it shows some steps, evenly chosen, and says so; if not even two fit, a
        picture of the last step stands there, with the reason. The same picture is shown where the
        notebook is not trusted and takes the frame out. ``image/png``, in base64, is that picture
        for what shows no HTML. Nothing if there is no step.
    """
    if not len(recording):
        return {}
    picture = _picture(recording)
    steps = chosen_steps(len(recording), recording.image.size)
    still = _still(recording, picture, _UNTRUSTED if steps else _TOO_LARGE)
    if steps:
        title = algorithm_title(recording.algorithm)
        page = page_html(Page(title, (PageRun(recording, steps, _note(recording, len(steps))),)))
        frame = (
            f'<iframe title="{escape(title)}" sandbox="allow-scripts" width="100%" '
            f'height="{_HEIGHT}" style="border: 0; border-radius: 8px" '
            f'srcdoc="{escape(page)}"></iframe>'
        )
        still = f'{_HIDDEN}<div class="{_STILL}">{still}</div>{frame}'
    return {"text/html": still, "image/png": picture}


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


def _picture(recording: Recording) -> str:
    """Return the last step as a PNG, in base64."""
    from PIL import Image

    file = io.BytesIO()
    shown = Image.fromarray(thumbnail(recording, len(recording) - 1))
    shown.quantize(64).save(file, format="PNG", optimize=True)
    return b64encode(file.getvalue()).decode("ascii")


def _still(recording: Recording, picture: str, reason: str) -> str:
    height, width = recording.image.shape
    title = algorithm_title(recording.algorithm)
    about = f"{title}, {recording.connectivity}-connected, {width:,} x {height:,} cells"
    return (
        f'<img alt="{escape(about)}" src="data:image/png;base64,{picture}">'
        f"<p>{escape(about)}: step {len(recording):,} of {len(recording):,}. "
        f"{escape(recording.sentence)}</p><p>{escape(reason)}</p>"
    )


def _note(recording: Recording, shown: int) -> str:
    if shown == len(recording):
        return ""
    return (
        f"To keep the notebook small, {shown:,} of {len(recording):,} steps are shown. For all of "
        "them save the recording and run: ccl-viewer export RUN.cclrec -o run.html"
    )
