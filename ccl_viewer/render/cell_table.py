"""The colours of cells in one table: plain, stepped back and brighter; and the grid's own."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.colours import Rgb
from ccl_viewer.render.depths import DEEPEST, FIRST_DEPTH, depth_colours
from ccl_viewer.render.themes import FIRST_COLOUR, LABEL_COLOURS, UNLABELLED, CanvasTheme

Indices = npt.NDArray[np.uint8]

DIMMED: Final = 64
"""Added to an index: the same colour, stepped back."""

LIT: Final = 128
"""Added to an index: the same colour, brighter, where the step changed a cell too small to mark."""

_DIMMED_SHARE: Final = 0.8
_LIT_SHARE: Final = 0.4


def input_indices(values: npt.NDArray[np.uint8], *, multivalued: bool) -> Indices:
    """Return the palette indices of cells of the grid itself: grey, or a colour for each value."""
    if not multivalued:
        plain: Indices = np.multiply(values != 0, np.uint8(UNLABELLED))
        return plain
    colours = (values - np.uint8(1)) % np.uint8(len(LABEL_COLOURS)) + np.uint8(FIRST_COLOUR)
    coloured: Indices = np.multiply(colours, values != 0, dtype=np.uint8)
    return coloured


def cell_table(theme: CanvasTheme, around: Rgb, strength: float) -> npt.NDArray[np.uint8]:
    """Return the colours of all indices.

    Parameters
    ----------
    theme : CanvasTheme
        Gives the colours of cells.
    around : tuple of three int
        Colour of the canvas, towards which dimmed cells step back.
    strength : float
        How far from the grey of the input coloured cells are, 0 to 1.

    Returns
    -------
    ndarray of uint8, shape (256, 4)
        RGBA.
    """
    table = theme.table()
    table[FIRST_DEPTH : FIRST_DEPTH + DEEPEST + 1, :3] = depth_colours()
    coloured = slice(FIRST_COLOUR, FIRST_DEPTH + DEEPEST + 1)
    table[coloured] = _mixed(table[coloured], theme.unlabelled, 1 - strength)
    plain = table[:DIMMED]
    table[DIMMED : 2 * DIMMED] = _mixed(plain, around, _DIMMED_SHARE)
    table[LIT : LIT + DIMMED] = _mixed(plain, (255, 255, 255), _LIT_SHARE)
    return table


def _mixed(table: npt.NDArray[np.uint8], colour: Rgb, share: float) -> npt.NDArray[np.uint8]:
    mixed = table.astype(np.float64)
    mixed[:, :3] += (np.array(colour) - mixed[:, :3]) * share
    return np.rint(mixed).astype(np.uint8)
