"""A recording in a notebook: its page in a sandboxed frame, or a picture."""

from __future__ import annotations

import io
from base64 import b64encode
from html import escape
from typing import Final

import numpy as np

from ccl_viewer.export.frames import draw_thumbnail
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import PageRun
from ccl_viewer.recording import Recording
from ccl_viewer.render.facts import algorithm_title

MAX_LABELS: Final = 1 << 22
"""Cells times steps in a notebook: usually a megabyte or two."""

_HEIGHT: Final = 720
_FEWEST: Final = 2
_STILL: Final = "ccl-viewer-still"
_HIDDEN: Final = f"<style>.{_STILL} {{ display: none }}</style>"
"""Untrusted notebooks remove this together with the frame."""

_UNTRUSTED: Final = (
    "This notebook is not trusted, so it shows only the last step: trust the notebook, or run its "
    "cells again, and the steps can be played."
)

_TOO_LARGE: Final = (
    "Two steps of this grid do not fit into a notebook, so it shows only the last one: to "
    "play the run, save the recording and open it with: ccl-viewer RUN.cclrec"
)


def notebook_bundle(recording: Recording) -> dict[str, str]:
    """Return representations of a recording for a notebook, by media type.

    Parameters
    ----------
    recording : Recording
        The run.

    Returns
    -------
    dict of str
        ``text/html`` has a sandboxed frame that plays the run. If the whole recording is too large,
        it shows some steps, evenly chosen, and says so; if not even two fit, it is a picture of the
        last step, with the reason. An untrusted notebook, which removes the frame, shows the same
        picture. ``image/png``, in base64, is that picture for viewers without HTML. Empty if there
        is no step.
    """
    if not len(recording):
        return {}
    picture = _picture(recording)
    steps = choose_steps(len(recording), recording.image.size)
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


def choose_steps(count: int, cells: int) -> tuple[int, ...]:
    """Return the steps to show: all, or as many as fit, including the first and the last.

    Parameters
    ----------
    count : int
        Number of steps of the recording.
    cells : int
        Number of cells of its grid.
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
    shown = Image.fromarray(draw_thumbnail(recording, len(recording) - 1))
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
