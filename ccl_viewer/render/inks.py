"""One palette for whole frames: cells, text over cells, text over the canvas, all in 256 colours.

A frame is an array of palette indices, which suits GIF and PNG as it is and takes a third of the
memory. Text is antialiased in sixteen steps from its paper to its ink.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, Rgb, Theme

LEVELS: Final = 16
"""Steps from paper to ink."""

PAPERS: Final = FIRST_COLOUR + len(LABEL_COLOURS)
"""Kinds of cells, each with text of its own on it."""


class Ink(IntEnum):
    """What text and bars on the canvas are drawn with."""

    TEXT = 0
    DIM = 1
    ACCENT = 2
    ERROR = 3


CANVAS: Final = PAPERS * LEVELS
"""Index of the canvas."""


def frame_palette(theme: Theme) -> npt.NDArray[np.uint8]:
    """Return the palette of a theme.

    Returns
    -------
    ndarray of uint8, shape (256, 3)
        Colour of each index of a frame.
    """
    rgb = np.empty((256, 3), np.uint8)
    rgb[:] = theme.canvas
    for paper, colour in enumerate(theme.table()[:PAPERS, :3].tolist()):
        red, green, blue = colour
        ramp = _ramp((red, green, blue), ink_over((red, green, blue)))
        rgb[paper * LEVELS : (paper + 1) * LEVELS] = ramp
    inks = {
        Ink.TEXT: theme.text,
        Ink.DIM: theme.dim,
        Ink.ACCENT: theme.accent,
        Ink.ERROR: theme.error,
    }
    for ink, colour in inks.items():
        start = canvas_index(ink)
        rgb[start : start + LEVELS] = _ramp(theme.canvas, colour)
    return rgb


def canvas_index(ink: Ink) -> int:
    """Return the index from which an ink's steps over the canvas begin."""
    return CANVAS + ink * LEVELS


def ink_over(paper: Rgb) -> Rgb:
    """Return black or white, whichever contrasts more with a colour.

    The measure is the relative luminance of WCAG 2, whose two contrasts are equal at 0.179.
    """
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in paper)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return (12, 14, 18) if luminance > 0.179 else (244, 246, 249)


def _ramp(paper: Rgb, ink: Rgb) -> npt.NDArray[np.uint8]:
    share = np.linspace(0.0, 1.0, LEVELS)[:, None]
    ramp = np.array(paper) * (1 - share) + np.array(ink) * share
    return np.rint(ramp).astype(np.uint8)
