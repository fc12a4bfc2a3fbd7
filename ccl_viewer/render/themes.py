"""Colours: seven for labels, and two themes for everything around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.colours import OKABE_ITO, Rgb
from ccl_viewer.errors import InputError

BACKGROUND: Final = 0
UNLABELLED: Final = 1
FIRST_COLOUR: Final = 2

LABEL_COLOURS: Final = OKABE_ITO
"""The colours of labels."""


@dataclass(frozen=True)
class CanvasTheme:
    """Colours around the labels.

    Parameters
    ----------
    name : str
        ``"dark"`` or ``"light"``.
    canvas : tuple of three int
        Around the grid, and lines between cells.
    background, unlabelled : tuple of three int
        Background cells, and foreground cells without a label.
    text, dim, accent, error : tuple of three int
        Text on the canvas, secondary text, progress, and what is wrong.
    """

    name: str
    canvas: Rgb
    background: Rgb
    unlabelled: Rgb
    text: Rgb
    dim: Rgb
    accent: Rgb
    error: Rgb

    def table(self) -> npt.NDArray[np.uint8]:
        """Return the colours of palette indices.

        Returns
        -------
        ndarray of uint8, shape (256, 4)
            RGBA of index 0 (background), 1 (unlabelled foreground) and 2 to 8 (labels); the
            others are opaque canvas.
        """
        table = np.empty((256, 4), np.uint8)
        table[:] = (*self.canvas, 255)
        colours = (self.background, self.unlabelled, *LABEL_COLOURS)
        table[: len(colours), :3] = colours
        return table


DARK: Final = CanvasTheme(
    name="dark",
    canvas=(21, 23, 28),
    background=(38, 42, 51),
    unlabelled=(138, 146, 160),
    text=(230, 233, 238),
    dim=(160, 169, 184),
    accent=(90, 169, 255),
    error=(255, 123, 123),
)
LIGHT: Final = CanvasTheme(
    name="light",
    canvas=(250, 250, 251),
    background=(228, 231, 236),
    unlabelled=(133, 141, 154),
    text=(26, 30, 38),
    dim=(86, 96, 112),
    accent=(23, 99, 198),
    error=(194, 38, 38),
)
THEMES: Final[Mapping[str, CanvasTheme]] = MappingProxyType(
    {theme.name: theme for theme in (DARK, LIGHT)}
)


def canvas_theme(name: str) -> CanvasTheme:
    """Return a theme by its name.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in THEMES:
        raise InputError(f"There is no theme {name!r}: choose {' or '.join(THEMES)}.")
    return THEMES[name]
