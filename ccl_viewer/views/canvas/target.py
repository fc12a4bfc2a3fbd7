"""Where and how the layers of a canvas are painted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QPainter

from ccl_viewer.render.structure import Window
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.style import CanvasStyle


@dataclass(frozen=True, eq=False)
class PaintTarget:
    """What every layer is painted with.

    Parameters
    ----------
    painter : QPainter
        Paints, in the units and with the font of the window.
    view : Viewpoint
        Where cells lie, in these units.
    size : tuple of float
        Width and height of the canvas, in the same.
    style : CanvasStyle
        Colours.
    """

    painter: QPainter
    view: Viewpoint
    size: tuple[float, float]
    style: CanvasStyle

    @property
    def ratio(self) -> float:
        """How many pixels of the screen are one of the window."""
        return self.painter.device().devicePixelRatioF()

    @property
    def window(self) -> Window:
        """All cells that would be in sight if the grid had no end."""
        left, top = self.view.to_cell(0, 0)
        right, bottom = self.view.to_cell(*self.size)
        return left, top, right + 1, bottom + 1
