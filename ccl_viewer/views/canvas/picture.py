"""The picture of cells and layers that a canvas keeps until something of it changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Final

from PySide6.QtCore import QRectF, QTimer
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from ccl_viewer.render.difference import Mask
from ccl_viewer.session.runs.on_display import OnDisplay
from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.canvas.key import KeyEntry
from ccl_viewer.views.canvas.layers import LayerPainter, key_of
from ccl_viewer.views.canvas.scene import Scene, VisibleCells
from ccl_viewer.views.canvas.style import CanvasStyle
from ccl_viewer.views.canvas.target import PaintTarget
from ccl_viewer.views.looks.theme import fixed_font

TURN: Final = 0.015
"""Seconds for a picture in a turn of the event loop; what is not found out by then has others.

They count from the news that made the picture old, as those who bring them need their time, too.
"""

_PUT_OFF: Final = 1
"""How often news may begin a picture anew before it is finished.

When they come fast, more would be thrown away than painted.
"""


class KeptPicture:
    """Paints what of a canvas does not follow the mouse, and keeps it.

    Parameters
    ----------
    canvas : QWidget
        Whose picture it is.
    session : OnDisplay
        What is shown.
    told : callable
        Called, while the canvas is painted, once other marks than before are in sight.

    Attributes
    ----------
    key : tuple of KeyEntry
        What the marks in sight mean.
    explains : bool
        Whether that is said on the canvas.
    legend : QRectF
        Where it was said last; empty without a legend.
    difference : ndarray of bool, shape (height, width), or None
        Cells that are hatched.
    painted : tuple of Viewpoint and tuple of int, or None
        From where the cells of the picture are seen, and the shape of their grid.
    """

    def __init__(self, canvas: QWidget, session: OnDisplay, told: Callable[[], object]) -> None:
        self.key: tuple[KeyEntry, ...] = ()
        self.explains = True
        self.legend = QRectF()
        self.difference: Mask | None = None
        self.painted: tuple[Viewpoint, tuple[int, ...]] | None = None
        self._canvas = canvas
        self._session = session
        self._told = told
        self._scene = Scene(session)
        self._layers = LayerPainter(fixed_font(10))
        self._pixmap: QPixmap | None = None
        self._fresh = False
        self._looking: Iterator[None] | None = None
        self._sight: VisibleCells | None = None
        self._from: Viewpoint | None = None
        self._put_off = 0
        self._news: float | None = None
        self._soon = QTimer(canvas, singleShot=True, interval=0)
        self._soon.timeout.connect(canvas.update)

    def outdate(self) -> None:
        """Take note that something changed."""
        self._fresh = False
        self._put_off += self._looking is not None
        self._looking = None
        self._news = self._news or perf_counter()

    @property
    def fresh(self) -> bool:
        """Whether the picture shows what there is now, and is as large as the canvas."""
        canvas, kept = self._canvas, self._pixmap
        fits = kept is not None and kept.size() == canvas.size() * canvas.devicePixelRatioF()
        return fits and self._fresh

    def get_ready(self, view: Viewpoint, style: CanvasStyle) -> bool:
        """Find out a part of what is to be painted; return whether the picture is painted."""
        if self.fresh:
            return True
        if not self._find_out(view, self._patience):
            return False
        self.brought_up_to_date(view, style)
        return True

    def brought_up_to_date(self, view: Viewpoint, style: CanvasStyle) -> QPixmap:
        """Return the picture; the one before, while cells and labels for it are being found.

        That one has the size that the canvas had then.
        """
        kept = self._pixmap
        if kept is not None and self.fresh:
            return kept
        found = self._find_out(view, math.inf if kept is None else self._patience)
        if kept is not None and not found:
            self._soon.start()  # other events come first
            return kept
        sight, self._looking, self._put_off = self._sight, None, 0
        unseen = kept is not None and sight is not None and sight.unseen
        self._fresh = sight is None or not (unseen or sight.waits)
        if kept is None or self._fresh:
            self._pixmap = None  # should this fail, no older picture is taken for it
            kept = self._paint(sight, view, style)
            self.painted = None if sight is None else (view, sight.grid.shape)
        self._pixmap = kept
        return kept

    @property
    def _patience(self) -> float:
        """Seconds after which what is not found out yet has to wait for another turn."""
        if self._put_off >= _PUT_OFF:
            return math.inf
        # What needs another turn is late already: those that follow can be short.
        return TURN if self._looking is None else TURN / 2

    def _find_out(self, view: Viewpoint, seconds: float) -> bool:
        """Find out what is in sight, for so long; return whether all is known."""
        if self._looking is None or self._from != view:
            self._looking, self._from = self._look(view), view
        end = (self._news or perf_counter()) + seconds
        self._news = None
        try:
            for _part in self._looking:
                if perf_counter() > end:
                    return False
        except Exception:  # it goes on its way, to where the painting is guarded
            self._looking = None  # what was found is not all, and not to be painted
            raise
        return True

    def _look(self, view: Viewpoint) -> Iterator[None]:
        """Look at the cells, with a chance to do other things after each part of it."""
        self._sight = None
        grid, ratio = self._session.grid, self._canvas.devicePixelRatioF()
        if grid is None:
            return
        size = round(self._canvas.width() * ratio), round(self._canvas.height() * ratio)
        fine = view.fine(ratio)
        while not self._scene.catch_up(grid, fine, size):
            yield
        self._sight = sight = self._scene.look(grid, fine, size, self.difference)
        if sight is None or (self._pixmap is not None and (sight.unseen or sight.waits)):
            return
        for find_out in sight.parts:
            while find_out() is False:
                yield
            yield

    def _paint(self, sight: VisibleCells | None, view: Viewpoint, style: CanvasStyle) -> QPixmap:
        canvas = self._canvas
        pixmap = QPixmap(canvas.size() * canvas.devicePixelRatioF())
        pixmap.setDevicePixelRatio(canvas.devicePixelRatioF())
        pixmap.fill(QColor(style.around))
        self.legend = QRectF()
        if sight is not None:
            painter = QPainter(pixmap)
            painter.setFont(canvas.font())
            room = float(canvas.width()), float(canvas.height())
            target = PaintTarget(painter, view, room, style)
            self._tell(key_of(sight, view.scale))
            self.legend = self._layers.paint(target, sight, self.key if self.explains else ())
            painter.end()
        return pixmap

    def _tell(self, key: tuple[KeyEntry, ...]) -> None:
        # The canvas is being painted: whoever is told may ask for a repaint, and no more.
        if key != self.key:
            self.key = key
            self._told()
