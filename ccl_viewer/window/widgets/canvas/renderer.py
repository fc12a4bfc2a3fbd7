"""The cached picture of a step on a canvas, and the marks painted over it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QPixmap

from ccl_viewer.grids.shapes import Spans
from ccl_viewer.render.display_list import DisplayList
from ccl_viewer.render.forest import Mask
from ccl_viewer.render.geometry import Window, buffer_window
from ccl_viewer.render.layers import COUNTED, CellColours
from ccl_viewer.render.scene import SceneCache, build_base, build_overlay
from ccl_viewer.render.step_view import (
    Placement,
    RootPath,
    Sampler,
    StepView,
    ViewOptions,
    view_step,
)
from ccl_viewer.render.themes import canvas_theme, pack_colour
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.canvas.painter import DisplayListPainter

if TYPE_CHECKING:
    from ccl_viewer.grids.shapes import Cell
    from ccl_viewer.window.core.run_display import RunDisplay
    from ccl_viewer.window.core.session import Session


class CanvasRenderer:
    """Makes the view of the step on display, and caches its picture."""

    def __init__(self, session: Session, display: RunDisplay) -> None:
        self.difference: Mask | None = None  # cells to hatch
        self.waiting = False  # labels are being decoded, so the picture is of an earlier step
        self._session = session
        self._display = display
        self._sampler = Sampler()
        self.cache = SceneCache()
        self.painter = DisplayListPainter(style.fixed_font())
        self.view: StepView | None = None
        self._picture: QPixmap | None = None
        # The step has been on display for a while. Until then, large grids are coloured by label,
        # because trees take long to find.
        # long to find, have the colours of labels.
        self.rested = False
        self._outdated = True
        self._look: tuple[Placement, str, float] | None = None

    def cells_to_fit(self, shape: tuple[int, int]) -> Window | None:
        """Return the cells to fit if the padding around the grid is shown; None otherwise."""
        recording = self._display.recording
        if not self._session.view.layers.structure or recording is None:
            return None
        return buffer_window(recording.layout) if recording.image.shape == shape else None

    @property
    def provisional(self) -> bool:
        """Whether cells are coloured by label until the step has been shown for a while."""
        recording, colours = self._display.recording, self._session.view.layers.colours
        if recording is None or colours is not CellColours.TREE or self.rested:
            return False
        return not self._session.labels.follows_at_once(recording, self._display.index)

    def invalidate(self) -> None:
        """Mark the picture as outdated; changes that follow the mouse do not count."""
        self._outdated = True

    def render_picture(self, placement: Placement, theme: str, text_size: float) -> QPixmap:
        """Return the picture, repainted if something changed.

        While its labels are being decoded, the old picture is kept, unless cells have moved.
        """
        look = placement, theme, text_size
        if self._picture is not None and not self._outdated and look == self._look:
            return self._picture
        view = self._make_view(placement, theme, text_size)
        self.waiting = view is not None and self._is_waiting(view)
        self._outdated = False
        if self.waiting and self._picture is not None and look == self._look:
            return self._picture
        self.view, self._look = view, look
        if view is None:
            background = pack_colour(canvas_theme(theme).canvas)
            display = DisplayList(placement.width, placement.height, background)
        else:
            display = build_base(view, self.cache)
        self._picture = self.painter.make_pixmap(display)
        self._picture.setDevicePixelRatio(placement.ratio)
        return self._picture

    def paint_overlay(
        self,
        painter: QPainter,
        paths: tuple[RootPath, ...],
        brush: Spans | None,
        flash: Cell | None,
    ) -> None:
        """Paint what follows the mouse, in device pixels.

        These are cells with their paths, the cells under the brush, and a cell just revealed.
        """
        if self.view is None:
            return
        tools, marks = self._session.tools, self._session.view.marks
        preview = replace(tools.preview, brush=brush, brush_value=tools.front)
        view = replace(self.view, paths=paths, marks=marks, preview=preview, flash=flash)
        self.painter.paint(painter, build_overlay(view))

    def _make_view(self, placement: Placement, theme: str, text_size: float) -> StepView | None:
        session, display = self._session, self._display
        grid = session.document.grid
        if grid is None:
            return None
        sample = self._sampler.sample(grid, placement, session.document.revision)
        layers = session.view.layers
        if self.provisional:
            layers = replace(layers, colours=CellColours.LABEL)
        recording = display.recording
        if recording is None or recording.image.shape != grid.shape:
            cells, multivalued = sample.of_grid(grid), session.document.multivalued
            return StepView(
                sample,
                cells,
                canvas_theme(theme),
                layers,
                multivalued=multivalued,
                text_size=text_size,
            )
        pin = session.view.pin
        options = ViewOptions(
            layers,
            display.colouring,
            canvas_theme(theme),
            text_size,
            grid,
            stale=display.stale,
            pin=pin.cell if pin is not None and pin.component else None,
            alone=pin.cell if pin is not None and not pin.component else None,
            difference=self.difference,
            wrong=None if session.analysis.hidden_answers else display.wrong_mask,
            marks=session.view.marks,
        )
        view = view_step(session.labels, recording, display.index, sample, options)
        return session.phases.with_phase(view) if display is session.display else view

    def _is_waiting(self, view: StepView) -> bool:
        """Whether labels for the view are being decoded."""
        recording, kind = self._display.recording, view.layers.colours
        if recording is None or self._display.colouring is None or view.sample.empty:
            return False
        if recording.image.shape != view.sample.shape:
            return False
        uncounted = kind in COUNTED and not recording.has_counts
        complete = view.labels is not None and (view.colours is kind or uncounted)
        return not complete and self._session.labels.is_decoding(recording)
