"""Colours for the depth of cells in their trees: light at the root, darker the farther from it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.colours import Rgb
from ccl_viewer.render.themes import UNLABELLED

DEEPEST: Final = 12
"""Depths from here on share the last colour."""

FIRST_DEPTH: Final = 16
"""Palette index of depth 0."""

_ANCHORS: Final[tuple[Rgb, ...]] = (
    (255, 236, 143),
    (247, 176, 82),
    (221, 106, 94),
    (156, 76, 138),
    (92, 70, 156),
    (66, 84, 132),
)
"""Lightness falls all along, so the order is seen under every colour-vision deficiency."""


def depth_colours() -> npt.NDArray[np.uint8]:
    """Return the colours of depths 0 to :data:`DEEPEST`, ``uint8`` of shape (depths, 3)."""
    at = np.linspace(0, len(_ANCHORS) - 1, DEEPEST + 1)
    anchors = np.array(_ANCHORS, np.float64)
    channels = [np.interp(at, np.arange(len(_ANCHORS)), anchors[:, i]) for i in range(3)]
    return np.rint(np.stack(channels, axis=1)).astype(np.uint8)


def depth_indices(
    depths: npt.NDArray[np.int32], foreground: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint8]:
    """Return the palette index of each cell.

    Parameters
    ----------
    depths : ndarray of int32
        As :func:`ccl_viewer.render.forest.depths_of` returns them.
    foreground : ndarray of bool, of the same shape
        Which cells are foreground.

    Returns
    -------
    ndarray of uint8, of the same shape
        0 for background, 1 for foreground without a label, from :data:`FIRST_DEPTH` for depths.
    """
    shades = np.minimum(depths, DEEPEST) + FIRST_DEPTH
    shown = np.where(depths < 0, UNLABELLED, shades)
    indices: npt.NDArray[np.uint8] = np.multiply(shown, foreground, dtype=np.int32).astype(np.uint8)
    return indices
