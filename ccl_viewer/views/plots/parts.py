"""What the plots have in common: a themed plot without menus of its own, and how it is saved.

This module imports pyqtgraph, which takes a quarter of a second: only plots that are shown need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QWidget

from ccl_viewer.files import replacing
from ccl_viewer.views.looks.theme import Theme

_SMALL = 0.9
_SAVED_SCALE = 2.0
_APART = 12
"""Pixels that a sample or a name of the legend takes at most besides its own."""

Ticks = Sequence[tuple[float, str]]


class Figure:
    """One plot: axes with units, a legend, and nothing that opens a menu of pyqtgraph's.

    Parameters
    ----------
    name : str
        What it shows, for assistive technology.
    clicked : callable or None
        Called with the place on the horizontal axis that was clicked.
    legend : bool
        Whether there is a legend.
    """

    def __init__(
        self,
        name: str,
        clicked: Callable[[float], object] | None = None,
        *,
        legend: bool = False,
    ) -> None:
        # The menu of its box, which is never shown, takes a third of the time to make it.
        self.widget: Any = pg.PlotWidget(enableMenu=False)
        self.widget.setAccessibleName(name)
        self.widget.setFrameShape(self.widget.Shape.NoFrame)
        self.widget.setMinimumSize(120, 80)
        self.widget.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.item: Any = self.widget.getPlotItem()
        self.item.hideButtons()
        self.item.setMouseEnabled(x=False, y=False)
        self.legend: Any = None
        if legend:
            self.legend = self.item.addLegend(offset=(-10, 2))
            self.legend.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
            self.item.vb.sigResized.connect(self._lay_legend)
        self._clicked = clicked
        if clicked is not None:
            self.widget.scene().sigMouseClicked.connect(self._click)

    @property
    def view(self) -> QWidget:
        """The widget to be shown."""
        widget: QWidget = self.widget
        return widget

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme, and the size of type that the application has."""
        font = QFont(QApplication.font())
        font.setPointSizeF(font.pointSizeF() * _SMALL)
        self.widget.setBackground(QColor(theme.surface))
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(pg.mkPen(QColor(theme.border)))
            axis.setTextPen(pg.mkPen(QColor(theme.dim)))
            axis.setTickFont(font)
            axis.label.setFont(font)
            axis.setStyle(tickTextOffset=5, tickLength=-4, maxTickLevel=0)
            axis.setZValue(self.item.getViewBox().zValue() - 1)  # lines lie behind bars
        self.item.showGrid(x=False, y=True, alpha=0.25)
        if self.legend is not None:
            self.legend.setLabelTextColor(QColor(theme.text))
            self.legend.setLabelTextSize(f"{font.pointSizeF():.1f}pt")
            back = QColor(theme.surface)
            back.setAlpha(210)
            self.legend.setBrush(pg.mkBrush(back))

    def label(self, side: str, text: str, theme: Theme) -> None:
        """Say what an axis shows, with its unit."""
        self.item.setLabel(side, text, color=theme.dim)

    def set_ticks(self, side: str, ticks: Ticks | None) -> None:
        """Set the ticks of an axis; None leaves them to the axis."""
        self.item.getAxis(side).setTicks(None if ticks is None else [list(ticks)])

    def clear(self) -> None:
        """Take away all that is plotted."""
        self.item.clear()
        if self.legend is not None:
            self.legend.clear()

    def show_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Show a stretch of both axes."""
        self.item.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)
        self._lay_legend()

    def picture(self) -> QImage:
        """Return the plot as a picture, which another thread may write."""
        size = self.widget.size()
        picture = QImage(size * _SAVED_SCALE, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(_SAVED_SCALE)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter)
        painter.end()
        return picture

    def write_svg(self, path: Path) -> None:
        """Write the plot as SVG.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        size = self.widget.size()
        buffer, generator = QBuffer(), QSvgGenerator()
        generator.setSize(size)
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(self.widget.accessibleName())
        generator.setOutputDevice(buffer)
        painter = QPainter(generator)
        self._paint(painter)
        painter.end()
        with replacing(path) as beside:
            beside.write_bytes(buffer.data().data())

    def close(self) -> None:
        """Let go of everything that pyqtgraph keeps for the plot."""
        if self._clicked is not None:
            self.widget.scene().sigMouseClicked.disconnect(self._click)
            self._clicked = None
        self.clear()
        if self.legend is not None:
            self.item.vb.sigResized.disconnect(self._lay_legend)
            # Plot and legend hold each other, and with them a widget of the plot's menu.
            self.widget.scene().removeItem(self.legend)
            self.item.legend = self.legend = None
        self.widget.close()
        self.widget.deleteLater()

    def _lay_legend(self, *_: object) -> None:
        """Let the legend be one row above the curves, or a column where that is too narrow."""
        if self.legend is not None and self.legend.items:
            parts = [part.width() + _APART for entry in self.legend.items for part in entry]
            fits = sum(parts) <= self.item.vb.width()
            self.legend.setColumnCount(len(self.legend.items) if fits else 1)

    def _paint(self, painter: QPainter) -> None:
        area = QRectF(0, 0, self.widget.width(), self.widget.height())
        painter.fillRect(area, self.widget.backgroundBrush())
        self.widget.scene().render(painter, area, self.widget.sceneRect())

    def _click(self, event: Any) -> None:
        inside = self.item.vb.sceneBoundingRect().contains(event.scenePos())
        if self._clicked is not None and inside and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self._clicked(self.item.vb.mapSceneToView(event.scenePos()).x())


def pen(color: str, width: float = 2.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> Any:
    """Return a pen of a theme's colour."""
    return pg.mkPen(QColor(color), width=width, style=style)


def bars(left: Any, right: Any, height: Any, colors: Sequence[str]) -> Any:
    """Return bars from the axis up.

    Parameters
    ----------
    left, right, height : sequences of float
        Their sides and heights.
    colors : sequence of str
        One for each, as ``#rrggbb``.
    """
    return pg.BarGraphItem(
        x0=left,
        x1=right,
        y0=0,
        height=height,
        brushes=[pg.mkBrush(QColor(color)) for color in colors],
        pens=[pg.mkPen(QColor(color).darker(120)) for color in colors],
    )


def note(text: str, color: str, anchor: tuple[float, float] = (0.5, 1.0)) -> Any:
    """Return a text to be put at a point."""
    item = pg.TextItem(text, color=QColor(color), anchor=anchor)
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * _SMALL)
    item.setFont(font)
    return item


def upright(color: str, *, movable: bool = False, text: str = "", back: str = "#000000") -> Any:
    """Return an upright line, which the mouse may move."""
    options = {"position": 0.92, "color": QColor(color), "fill": QColor(back), "movable": False}
    return pg.InfiniteLine(
        angle=90,
        movable=movable,
        pen=pen(color, 1.6),
        hoverPen=pen(color, 3.5),
        label=text or None,
        labelOpts=options,
    )


def error_bars(x: Any, y: Any, top: Any, bottom: Any, color: str) -> Any:
    """Return bars that say how measurements vary."""
    return pg.ErrorBarItem(x=x, y=y, top=top, bottom=bottom, beam=0.18, pen=pen(color, 1.5))
