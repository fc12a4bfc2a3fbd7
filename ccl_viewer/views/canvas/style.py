"""The colours of the canvas in a theme, made once for all steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from ccl_viewer.colours import Rgb
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.views.canvas.cell_colours import DIMMED, cell_table
from ccl_viewer.views.canvas.cell_picture import packed_table
from ccl_viewer.views.looks.theme import Theme, mixed, text_on


@dataclass(frozen=True, eq=False)
class CanvasStyle:
    """What the canvas is painted with.

    Parameters
    ----------
    colors : ndarray of uint32, shape (256,)
        Of palette indices, as Qt packs them.
    shades : tuple of str
        The same, as ``#rrggbb``.
    inks : tuple of str
        Of text over each of them.
    around, panel, text, dim, accent : str
        The canvas, what lies over it, and what is written there.
    bold, halo : str
        Lines over cells, and what sets them off from any colour.
    """

    colors: npt.NDArray[np.uint32]
    shades: tuple[str, ...]
    inks: tuple[str, ...]
    around: str
    panel: str
    text: str
    dim: str
    accent: str
    bold: str
    halo: str

    @property
    def line(self) -> Rgb:
        """Colour of lines between cells."""
        return rgb_of(self.around)


def rgb_of(shade: str) -> Rgb:
    """Return red, green and blue of ``#rrggbb``."""
    color = QColor(shade)
    return color.red(), color.green(), color.blue()


def rgb_number(shade: str) -> int:
    """Return ``#rrggbb`` as Qt's ``0xAARRGGBB``, opaque."""
    return 0xFF << 24 | int(shade[1:], 16)


@lru_cache(maxsize=8)
def style_of(theme: Theme, strength: float) -> CanvasStyle:
    """Return the style of a theme.

    Parameters
    ----------
    theme : Theme
        Of the window.
    strength : float
        How strongly cells are coloured, 0 to 1.
    """
    table = cell_table(canvas_theme(theme.name), rgb_of(theme.canvas), strength)
    shades = tuple(f"#{r:02x}{g:02x}{b:02x}" for r, g, b, _ in table.tolist())
    faint = mixed(theme.dim, theme.canvas, 0.6)
    inks = [text_on(shade) for shade in shades]
    inks[0] = theme.dim
    inks[DIMMED : 2 * DIMMED] = [faint] * DIMMED
    dark = theme.name == "dark"
    return CanvasStyle(
        colors=packed_table(table),
        shades=shades,
        inks=tuple(inks),
        around=theme.canvas,
        panel=theme.surface,
        text=theme.text,
        dim=theme.dim,
        accent=theme.accent,
        bold="#ffffff" if dark else "#111318",
        halo="#0a0c10" if dark else "#ffffff",
    )
