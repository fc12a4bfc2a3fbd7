"""Palette indices for the values of a grid: what its cells look like before they are labelled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ccl_viewer.grids import Grid
from ccl_viewer.render.themes import BACKGROUND, FIRST_COLOUR, LABEL_COLOURS, UNLABELLED


def value_table(*, multivalued: bool) -> npt.NDArray[np.uint8]:
    """Return the palette index of each value, ``uint8`` of shape (256,).

    Parameters
    ----------
    multivalued : bool
        Whether values are told apart, by the colours of labels over and over; otherwise all that
        is not 0 looks like foreground without a label.
    """
    table = np.full(256, UNLABELLED, np.uint8)
    if multivalued:
        table[:] = FIRST_COLOUR + (np.arange(256) - 1) % len(LABEL_COLOURS)
    table[0] = BACKGROUND
    return table


def value_indices(grid: Grid, *, multivalued: bool) -> npt.NDArray[np.uint8]:
    """Return the palette index of each cell's value, ``uint8`` of shape (height, width).

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        The grid, or a part of it.
    multivalued : bool
        As for :func:`value_table`.
    """
    return value_table(multivalued=multivalued)[grid]
