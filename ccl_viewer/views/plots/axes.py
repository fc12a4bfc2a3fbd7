"""Two axes and what is plotted between them, without the menus that pyqtgraph's plots have."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QSizePolicy

_PLACES = {"left": (0, 0), "bottom": (1, 1)}
_OVER_PICTURES = 0.5
_MARGIN = 1


class Axes:
    """An axis at the left, one below, and the box between them in which things are plotted.

    pyqtgraph's own ``PlotItem`` makes, for each plot, forms for six menus of its own, an axis on
    each side and a button, which are not shown here: 8 ms, where this takes 1.

    Attributes
    ----------
    item : pyqtgraph.GraphicsWidget
        All of it.
    box : pyqtgraph.ViewBox
        Where things are plotted.
    items : list
        What is plotted.
    legend : pyqtgraph.LegendItem or None
        Names what is plotted by :meth:`plot`.
    """

    def __init__(self) -> None:
        self.item: Any = pg.GraphicsWidget()
        self.item.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.box: Any = pg.ViewBox(parent=self.item, enableMenu=False, enableMouse=False)
        self.items: list[Any] = []
        self.legend: Any = None
        self._sides: dict[str, Any] = {
            side: pg.AxisItem(orientation=side, parent=self.item) for side in _PLACES
        }
        self._lay_out()

    def side(self, name: str) -> Any:
        """Return an axis, ``"left"`` or ``"bottom"``."""
        return self._sides[name]

    def add_legend(self, offset: tuple[int, int]) -> Any:
        """Add a legend, which lies that far from a corner of the box, and takes no clicks."""
        self.legend = pg.LegendItem(offset=offset)
        self.legend.setParentItem(self.box)
        self.legend.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        return self.legend

    def plot(self, *data: Any, **look: Any) -> Any:
        """Add a curve, as ``pyqtgraph.PlotDataItem`` makes it, and name it in the legend."""
        curve = pg.PlotDataItem(*data, **look)
        self.add(curve)
        if self.legend is not None and curve.name() is not None:
            self.legend.addItem(curve, name=curve.name())
        return curve

    def add(self, item: Any) -> None:
        """Add something to be seen between the axes."""
        self.items.append(item)
        self.box.addItem(item)

    def clear(self) -> None:
        """Take away all that is plotted."""
        for item in self.items:
            self.box.removeItem(item)
        self.items.clear()
        if self.legend is not None:
            self.legend.clear()

    def close(self) -> None:
        """Take everything out of the scene: pyqtgraph would keep it."""
        self.clear()
        scene = self.item.scene()
        if self.legend is not None:
            scene.removeItem(self.legend)
            self.legend = None
        for axis in self._sides.values():
            axis.close()
        self._sides.clear()
        scene.removeItem(self.box)
        self.box = None

    def _lay_out(self) -> None:
        layout = QGraphicsGridLayout()
        layout.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        layout.setSpacing(0)
        layout.addItem(self.box, 0, 1)
        for side, axis in self._sides.items():
            axis.linkToView(self.box)
            layout.addItem(axis, *_PLACES[side])
            axis.setZValue(_OVER_PICTURES)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
        layout.setRowStretchFactor(0, 1)
        layout.setColumnStretchFactor(1, 1)
        self.item.setLayout(layout)
