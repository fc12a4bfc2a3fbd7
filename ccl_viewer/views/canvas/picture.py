"""The picture of cells and layers that a canvas keeps until something of it changes."""

from __future__ import annotations

from collections.abc import Callable

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
    """

    def __init__(self, canvas: QWidget, session: OnDisplay, told: Callable[[], object]) -> None:
        self.key: tuple[KeyEntry, ...] = ()
        self.explains = True
        self.legend = QRectF()
        self.difference: Mask | None = None
        self._canvas = canvas
        self._session = session
        self._told = told
        self._scene = Scene(session)
        self._layers = LayerPainter(fixed_font(10))
        self._pixmap: QPixmap | None = None
        self._fresh = False
        self._soon = QTimer(canvas, singleShot=True, interval=0)
        self._soon.timeout.connect(canvas.update)

    def outdate(self) -> None:
        """Take note that something changed."""
        self._fresh = False

    def brought_up_to_date(self, view: Viewpoint, style: CanvasStyle) -> QPixmap:
        """Return the picture; the one before, while cells and labels for it are being found."""
        canvas, kept = self._canvas, self._pixmap
        ratio = canvas.devicePixelRatioF()
        if kept is not None and kept.size() != canvas.size() * ratio:
            kept = None
        if kept is None or not self._fresh:
            grid, fine = self._session.grid, view.fine(ratio)
            if kept is not None and grid is not None and not self._scene.catch_up(grid, fine):
                self._soon.start()  # other events come first
                return kept
            sight = self._look_at_cells(view)
            unseen = kept is not None and sight is not None and sight.unseen
            self._fresh = sight is None or not (unseen or sight.waits)
            if kept is None or self._fresh:
                self._pixmap = None  # should this fail, no older picture is taken for it
                kept = self._paint(sight, view, style)
        self._pixmap = kept
        return kept

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

    def _look_at_cells(self, view: Viewpoint) -> VisibleCells | None:
        grid, ratio = self._session.grid, self._canvas.devicePixelRatioF()
        if grid is None:
            return None
        size = round(self._canvas.width() * ratio), round(self._canvas.height() * ratio)
        return self._scene.look(grid, view.fine(ratio), size, self.difference)
