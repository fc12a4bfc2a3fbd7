"""The panel of plots: time by stage, and counts over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from PySide6.QtCore import (
    QBuffer,
    QEvent,
    QIODevice,
    QPoint,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtWidgets import QApplication, QCheckBox, QStackedLayout, QWidget

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.render.themes import stage_colour
from ccl_viewer.storage.files import replacing
from ccl_viewer.support.units import time_scale_for
from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.plots import PLOTS, PlotKind, Plots, log_ticks
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.widgets.buttons import make_icon_button, make_segments
from ccl_viewer.window.widgets.file_dialogs import ask_and_save
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.style import theme

_SUFFIXES: Final = (".png", ".svg", ".csv")
_FILTERS: Final = "PNG picture (*.png);;SVG picture (*.svg);;Figures as CSV (*.csv)"
_SMALL: Final = 0.9
_SAVED_SCALE: Final = 2
_ROOM_FOR_TIMES: Final = 1.4
_LEGEND_MARGIN: Final = 4  # pixels above and below the legend
_BAR: Final = 0.72
_FEW: Final = 60  # up to this many steps, each has a dot
_WIDE: Final = 340  # from this width in pixels, the legend has one line
_NOTHING_TO_SAVE: Final = "There is no plot to save yet. Run an algorithm first."


class QtPlots(Panel):
    """Shows one of two plots of the run on display: the user's choice, or a fixed one."""

    def __init__(
        self,
        analysis: RunAnalysis,
        playback: Playback,
        settings: Settings,
        messages: Messages,
        parent: QWidget | None = None,
        *,
        only: PlotKind | None = None,
    ) -> None:
        super().__init__(playback, parent)
        self._settings, self._messages = settings, messages
        self.plots = Plots(analysis)
        self.renderer: PlotRenderer | None = None  # None until shown: pyqtgraph loads slowly
        self.choice = make_segments(self, dict(enumerate(PLOTS.values())))
        self.logarithmic = QCheckBox("Log")
        self.logarithmic.setAccessibleName("Log scale")
        self.logarithmic.setToolTip("Log scale: each factor of ten has the same height")
        self.hint = make_label("", "dim", wrap=True, centred=True)
        tip = "Save the plot as a picture, or its figures as CSV"
        self.save_button = make_icon_button("save", tip, self.ask_and_save)
        self._restore(only)
        self._lay_out()
        self.choice.idClicked.connect(lambda index: self.plots.show(tuple(PlotKind)[index]))
        self.logarithmic.toggled.connect(self.plots.set_logarithmic)
        plots = self.plots
        plots.shown_changed.connect(self._remember_shown)
        plots.logarithmic_changed.connect(self._remember_logarithmic)
        watch(self._follow, plots.shown_changed, plots.logarithmic_changed, plots.figures_changed)
        plots.position_changed.connect(self._move_line)
        self.destroyed.connect(self.plots.close)

    def refresh(self) -> None:
        plots = self.plots
        self.choice.button(tuple(PlotKind).index(plots.shown)).setChecked(True)
        self.logarithmic.setVisible(plots.shown is PlotKind.COUNTS)
        self.save_button.setEnabled(not plots.empty_text)
        if plots.empty_text:
            self.hint.setText(plots.empty_text)
            self._stack.setCurrentWidget(self.hint)
            return
        if self.renderer is None:
            self.renderer = PlotRenderer(plots)
            self._stack.addWidget(self.renderer.widget)
            self.destroyed.connect(self.renderer.close)
        self.renderer.draw()
        self._stack.setCurrentWidget(self.renderer.widget)

    def save(self, path: Path) -> None:
        """Write the plot as a picture, or its figures as CSV, by the suffix."""
        suffix = path.suffix.lower()
        if self.renderer is None or self.plots.empty_text:
            raise InputError(_NOTHING_TO_SAVE)
        if suffix not in _SUFFIXES:
            raise InputError(f"Name {shorten(path)} .png, .svg or .csv.")
        if suffix == ".csv":
            content = self.plots.csv().encode()
        else:
            content = self.renderer.svg() if suffix == ".svg" else self.renderer.png()
        with replacing(path) as beside:
            beside.write_bytes(content)

    def ask_and_save(self) -> None:
        name = f"{self.plots.shown.value}.png"
        ask_and_save(self, self._messages, "Save plot", name, _FILTERS, self.save)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = {QEvent.Type.FontChange, QEvent.Type.PaletteChange}
        if event.type() in kinds and self.isVisible():
            self.refresh()

    def _remember_shown(self) -> None:
        self._settings.set_value("plots/shown", self.plots.shown.value)

    def _remember_logarithmic(self) -> None:
        self._settings.set_value("plots/logarithmic", self.plots.logarithmic)

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _move_line(self) -> None:
        if self.isVisible() and self.renderer is not None:
            self.renderer.move_line()

    def _restore(self, only: PlotKind | None) -> None:
        settings = self._settings
        self.plots.set_logarithmic(settings.value("plots/logarithmic") is not False)
        name = settings.text("plots/shown", PlotKind.TIME)
        self.plots.show(only or (PlotKind(name) if name in set(PlotKind) else PlotKind.TIME))
        for button in () if only is None else self.choice.buttons():
            button.hide()

    def _lay_out(self) -> None:
        self.logarithmic.setChecked(self.plots.logarithmic)
        buttons = hbox(*self.choice.buttons(), spacing=0)
        parts = buttons, 1, self.logarithmic, self.save_button
        top = hbox(*parts, margins=(8, 2, 0, 0), spacing=6)
        self._stack = QStackedLayout()
        self.setLayout(vbox(top, (self._stack, 1), spacing=4))
        self._stack.addWidget(self.hint)  # otherwise it would be a window


class PlotRenderer:
    """Draws the plots with pyqtgraph, one at a time."""

    def __init__(self, plots: Plots) -> None:
        import pyqtgraph as pg

        self._pg: Any = pg
        self._plots = plots
        self.widget: Any = pg.PlotWidget(enableMenu=False)
        self.widget.setFrameShape(self.widget.Shape.NoFrame)
        self.widget.setMinimumSize(120, 80)
        self.widget.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.item: Any = self.widget.getPlotItem()
        self.item.hideButtons()
        self.item.setMouseEnabled(x=False, y=False)
        self.legend: Any = self.item.addLegend(offset=(-10, 2))
        self.line: Any = None
        self._highest = 0.0  # the largest count; 0 if no counts are drawn
        self.item.getViewBox().sigResized.connect(self._place_below_legend)
        self.widget.scene().sigMouseClicked.connect(self._on_clicked)

    def draw(self) -> None:
        self.item.clear()
        self.legend.clear()
        self.line = None
        self._highest = 0.0
        self._style()
        self.widget.setAccessibleName(PLOTS[self._plots.shown][1])
        match self._plots.shown:
            case PlotKind.TIME:
                self._draw_times()
            case PlotKind.COUNTS:
                self._draw_counts()

    def move_line(self) -> None:
        """Move the line to the step on display."""
        if self.line is not None:
            with QSignalBlocker(self.line):
                self.line.setPos(self._plots.analysis.display.index + 1)

    def close(self) -> None:
        """Release pyqtgraph's reference cycles, including a menu."""
        with suppress(RuntimeError):  # at exit, Qt may have deleted it already
            self.legend.clear()
            self.widget.scene().removeItem(self.legend)
            self.item.legend = self.legend = self.line = None  # otherwise clear() would crash
            self.item.clear()
            self.item.close()

    def png(self) -> bytes:
        picture, buffer = QImage(self._size() * _SAVED_SCALE, QImage.Format.Format_RGB32), QBuffer()
        picture.setDevicePixelRatio(_SAVED_SCALE)
        self._paint(picture)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, b"png").write(picture)
        return bytes(buffer.data().data())

    def svg(self) -> bytes:
        from PySide6.QtSvg import QSvgGenerator

        buffer, generator = QBuffer(), QSvgGenerator()
        generator.setSize(self._size())
        generator.setViewBox(QRect(QPoint(), self._size()))
        generator.setTitle(self.widget.accessibleName())
        generator.setOutputDevice(buffer)
        self._paint(generator)
        return bytes(buffer.data().data())

    def _draw_times(self) -> None:
        """Draw how long each stage took: a bar for each, from the first at the top."""
        times = self._plots.stage_times
        scale = time_scale_for(time.milliseconds for time in times)
        y = -np.arange(len(times), dtype=np.float64)
        lengths = np.array([time.milliseconds for time in times]) * scale.factor
        colors = [QColor(stage_colour(time.stage_level)) for time in times]
        self.item.addItem(
            self._pg.BarGraphItem(
                x0=np.zeros(len(times)),
                width=lengths,
                y=y,
                height=_BAR,
                brushes=[self._pg.mkBrush(color) for color in colors],
                pens=[self._pg.mkPen(color.darker(120)) for color in colors],
            )
        )
        for time, end, bar_y in zip(times, lengths, y, strict=True):
            text = scale.write(time.milliseconds)
            note = self._pg.TextItem(text, color=QColor(theme().text), anchor=(0.0, 0.5))
            note.setFont(_small_font())
            note.setPos(end, bar_y)
            self.item.addItem(note)
        names = [f"{time.stage_level} ({time.launches:,})" for time in times]
        by = "emulator time" if self._plots.analysis.emulated else "time"
        ticks = [*zip(y.tolist(), names, strict=True)]
        self._set_axes(f"{by} ({scale.unit})", "stage (launches)", None, ticks)
        longest = float(np.max(lengths)) or 1.0
        self._set_range((0, longest * _ROOM_FOR_TIMES), (min(-len(times) + 0.4, -0.6), 0.6))

    def _draw_counts(self) -> None:
        """Draw roots, changed and wrong cells over the steps; a line is the step on display."""
        counts, colors, log = self._plots.counts, theme(), self._plots.logarithmic
        lines = Qt.PenStyle
        styles = {
            "changed": (colors.ok, lines.DotLine),
            "roots": (colors.accent, lines.DashLine),
            "wrong root": (colors.warning, lines.SolidLine),
        }
        for name, values in counts.items():
            color, style = styles[name]
            self.item.plot(
                np.arange(1.0, len(values) + 1),
                np.log10(1 + values) if log else values,
                name=name,
                pen=self._pen(color, 2.2, style),
                connect="finite",
                antialias=True,
                symbol="o" if len(values) <= _FEW else None,
                symbolSize=5,
                symbolBrush=color,
                symbolPen=None,
            )
        self.legend.setColumnCount(3 if self.widget.width() >= _WIDE else 2)
        pens = self._pen(colors.text, 1.6), self._pen(colors.text, 3.5)
        self.line = self._pg.InfiniteLine(angle=90, movable=True, pen=pens[0], hoverPen=pens[1])
        self.item.addItem(self.line)
        self.move_line()
        self.line.sigPositionChanged.connect(lambda line: self._choose(line.value()))
        largest = max(float(np.nanmax(values, initial=1.0)) for values in counts.values())
        cells = "cells (log scale)" if log else "cells"
        self._set_axes("step", cells, None, log_ticks(largest) if log else None)
        top = float(np.log10(1 + largest)) if log else largest
        right = max(len(counts["roots"]), 1) + 0.5
        self._highest = top
        self._set_range((0.5, right), (-0.05 * top, top))
        self._place_below_legend()

    def _place_below_legend(self) -> None:
        """Leave room for the legend above the curves."""
        height = self.item.getViewBox().boundingRect().height()
        taken = self.legend.boundingRect().height() + 2 * _LEGEND_MARGIN
        if self._highest and height > taken:
            top = self._highest * height / max(height - taken, height / 4)
            self.item.getViewBox().setYRange(-0.05 * self._highest, top, padding=0)

    # Parts

    def _style(self) -> None:
        colors, pg, font = theme(), self._pg, _small_font()
        self.widget.setBackground(QColor(colors.surface))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            # Units are in the labels: pyqtgraph would scale µs by 0.001.
            axis.enableAutoSIPrefix(False)
            axis.setPen(pg.mkPen(QColor(colors.border)))
            axis.setTextPen(pg.mkPen(QColor(colors.dim)))
            axis.setTickFont(font)
            axis.label.setFont(font)
            axis.setStyle(tickTextOffset=5, tickLength=-4, maxTickLevel=0)
            axis.setZValue(self.item.getViewBox().zValue() - 1)  # lines are behind bars
        self.item.showGrid(x=False, y=True, alpha=0.25)
        self.legend.setLabelTextColor(QColor(colors.text))
        self.legend.setLabelTextSize(f"{font.pointSizeF():.1f}pt")

    def _set_axes(
        self, bottom: str, left: str, ticks: Sequence[Any] | None, upright: Sequence[Any] | None
    ) -> None:
        for side, text, at in (("bottom", bottom, ticks), ("left", left, upright)):
            self.item.setLabel(side, text, color=theme().dim)
            self.item.getAxis(side).setTicks(None if at is None else [list(at)])

    def _set_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.item.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def _pen(self, color: str, width: float, style: Any = Qt.PenStyle.SolidLine) -> Any:
        return self._pg.mkPen(QColor(color), width=width, style=style)

    def _size(self) -> QSize:
        size: QSize = self.widget.size()
        return size

    def _paint(self, device: QPaintDevice) -> None:
        with QPainter(device) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.widget.render(painter, QRectF(QRect(QPoint(), self._size())))

    def _on_clicked(self, event: Any) -> None:
        inside = self.item.vb.sceneBoundingRect().contains(event.scenePos())
        if self.line is not None and inside and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self._choose(self.item.vb.mapSceneToView(event.scenePos()).x())

    def _choose(self, x: float) -> None:
        display = self._plots.analysis.display
        display.go_to(min(max(round(x), 1), display.count) - 1)


def _small_font() -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    return font
