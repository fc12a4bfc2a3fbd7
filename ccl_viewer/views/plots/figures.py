"""The three plots: time by stage, counts over the steps, sizes of the components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import Qt

from ccl_viewer.counted import counted, duration
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session.plots.figures import (
    Floats,
    SizeBins,
    StageTime,
    StepCounts,
    bin_sizes,
    log_ticks,
    unit_of,
)
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.plots.parts import Figure, bars, error_bars, note, pen, upright

_HEADROOM = 1.22
_LEGEND_ROOM = 1.3
_BAR = 0.36


class TimeFigure(Figure):
    """How long each stage took: a bar each, with the quartiles of repeated measurements."""

    def __init__(self) -> None:
        super().__init__("Time by stage")
        self.bars: Any = None

    def draw(self, times: tuple[StageTime, ...], theme: Theme) -> None:
        """Plot the times of the stages."""
        self.clear()
        self.set_theme(theme)
        unit, factor = unit_of(max((time.milliseconds for time in times), default=0.0))
        x = np.arange(len(times), dtype=np.float64)
        heights = np.array([time.milliseconds for time in times]) * factor
        low = heights - np.array([time.lower for time in times]) * factor
        high = np.array([time.upper for time in times]) * factor - heights
        colors = [STAGE_COLORS[time.stage] for time in times]
        self.bars = bars(x - _BAR, x + _BAR, heights, colors)
        self.item.addItem(self.bars)
        if times and max(np.max(low), np.max(high)) > 0:
            self.item.addItem(error_bars(x, heights, high, low, theme.text))
        for place, (time, height, spread) in enumerate(zip(times, heights, high, strict=True)):
            text = note(duration(time.milliseconds), theme.text)
            text.setPos(place, height + spread)
            self.item.addItem(text)
        self.set_ticks(
            "bottom",
            [(place, f"{time.stage} ({time.launches})") for place, time in enumerate(times)],
        )
        self.label("left", f"time ({unit})", theme)
        self.label("bottom", "stage (launches)", theme)
        top = float(np.max(heights + high)) if times else 1.0
        self.show_range((-0.6, max(len(times) - 0.4, 0.6)), (0, (top or 1.0) * _HEADROOM))


class CourseFigure(Figure):
    """Roots, changed cells and cells with a wrong root over the steps; a line is the step shown.

    Parameters
    ----------
    go_to : callable
        Called with the number of the step, from 0, that was clicked or dragged to.
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        name = "Roots, changed cells and cells with a wrong root, over the steps"
        super().__init__(name, self._choose, legend=True)
        self._go_to = go_to
        self._count = 0
        self._moving = False
        self.curves: dict[str, Any] = {}
        self.line: Any = None

    def draw(self, course: StepCounts, position: int, theme: Theme, *, logarithmic: bool) -> None:
        """Plot the counts of the steps."""
        self.clear()
        self.set_theme(theme)
        self._count = course.steps.size
        curves = {
            "changed": (course.changed, theme.ok, Qt.PenStyle.DotLine),
            "roots": (course.roots, theme.accent, Qt.PenStyle.DashLine),
            "wrong root": (course.wrong, theme.warning, Qt.PenStyle.SolidLine),
        }
        if not course.known:
            del curves["wrong root"]
        self.curves = {
            name: self._curve(name, course, values, color, style, logarithmic)
            for name, (values, color, style) in curves.items()
        }
        largest = max((float(np.nanmax(v, initial=1.0)) for v, _, _ in curves.values()), default=1)
        self.line = upright(theme.text, movable=True)
        self.item.addItem(self.line)
        self.move_to(position)
        self.line.sigPositionChanged.connect(self._dragged)
        self.set_ticks("left", log_ticks(largest) if logarithmic else None)
        self.label("left", "cells (log scale)" if logarithmic else "cells", theme)
        self.label("bottom", "step", theme)
        top = np.log10(1 + largest) if logarithmic else largest
        self.show_range((0.5, max(self._count, 1) + 0.5), (-0.05 * top, float(top) * _LEGEND_ROOM))

    def move_to(self, position: int) -> None:
        """Put the line at a step, from 0."""
        if self.line is not None:
            self._moving = True
            self.line.setPos(position + 1)
            self._moving = False

    def close(self) -> None:
        """Let go of everything."""
        if self.line is not None:
            self.line.sigPositionChanged.disconnect(self._dragged)
            self.line = None
        self.curves = {}
        super().close()

    def _curve(
        self,
        name: str,
        course: StepCounts,
        values: Floats,
        color: str,
        style: Qt.PenStyle,
        logarithmic: bool,
    ) -> Any:
        shown = np.log10(1 + values) if logarithmic else values
        few = course.steps.size <= 60
        return self.item.plot(
            course.steps.astype(np.float64),
            shown,
            name=name,
            pen=pen(color, 2.2, style),
            connect="finite",
            symbol="o" if few else None,
            symbolSize=5,
            symbolBrush=color,
            symbolPen=None,
        )

    def _choose(self, x: float) -> None:
        if self._count:
            self._go_to(min(max(round(x), 1), self._count) - 1)

    def _dragged(self) -> None:
        if not self._moving:
            self._choose(float(self.line.value()))


class SizesFigure(Figure):
    """How many components have which size, both axes logarithmic."""

    def __init__(self) -> None:
        super().__init__("Sizes of the components")
        self.bars: Any = None
        self.line: Any = None
        self.bins: SizeBins = bin_sizes(np.zeros(0, np.int64))

    def draw(
        self, bins: SizeBins, pinned: int | None, theme: Theme = DARK, *, logarithmic: bool = True
    ) -> None:
        """Plot the sizes.

        Parameters
        ----------
        bins : SizeBins
            How many components have which size.
        pinned : int or None
            Cells of the pinned component.
        theme : Theme
            The colours.
        logarithmic : bool
            Whether the upright axis is logarithmic too.
        """
        self.clear()
        self.set_theme(theme)
        self.bins = bins
        edges = np.log2(bins.edges)
        heights = np.log10(1 + bins.counts) if logarithmic else bins.counts.astype(np.float64)
        self.bars = None
        if len(heights):  # pyqtgraph cannot draw no bars
            self.bars = bars(edges[:-1], edges[1:], heights, [theme.accent] * len(heights))
            self.item.addItem(self.bars)
        for left, height, count in zip(edges[:-1], heights, bins.counts, strict=True):
            if count:
                text = note(f"{count:,}", theme.text)
                text.setPos(left + 0.5, height)
                self.item.addItem(text)
        last = max(len(bins.counts), 1)
        every = 1 + last // 12
        names = [(float(power), f"{2**power:,}") for power in range(0, last + 1, every)]
        self.set_ticks("bottom", names)
        self.set_ticks("left", log_ticks(bins.counts.max(initial=1)) if logarithmic else None)
        self.label("left", "components" + " (log scale)" * logarithmic, theme)
        self.label("bottom", "size (cells)", theme)
        self.line = None
        if pinned:
            text = f"pinned: {counted(pinned, 'cell')}"
            self.line = upright(theme.warning, text=text, back=theme.surface)
            self.line.setPos(np.log2(pinned) + _within(pinned))
            self.item.addItem(self.line)
        top = float(heights.max(initial=0.3)) * _HEADROOM
        self.show_range((-0.1, last + 0.1), (0, top))


def _within(size: int) -> float:
    """Return how far from a power of two the middle of the sizes 1 and 2 is drawn."""
    return 0.5 if size == 1 else 0.0
