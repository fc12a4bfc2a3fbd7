"""Pictures of grids, and the gallery of patterns."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QImage, QPixmap
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem

from ccl_viewer.grids import Grid
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.window.core.pattern_chooser import small_pattern
from ccl_viewer.window.widgets.style import fit_image, scaled, theme


def grid_image(
    grid: Grid, *, multivalued: bool, background: str = "#000000", foreground: str = "#ffffff"
) -> QImage:
    """Return a grid as a picture, a pixel a cell; with `multivalued`, each value has a colour."""
    height, width = grid.shape
    cells = np.ascontiguousarray(grid if multivalued else grid != 0, dtype=np.uint8)
    image = QImage(cells.data, width, height, width, QImage.Format.Format_Indexed8)
    colours = [QColor(background).rgb(), QColor(foreground).rgb()]
    if multivalued:
        colours[1:] = [QColor(*colour).rgb() for colour in segment_colours()[1:].tolist()]
    image.setColorTable(colours)
    return image.convertToFormat(QImage.Format.Format_RGB32)


_ICON: Final = 72


_TILE: Final = 108


class PatternGallery(QListWidget):
    """A thumbnail and a title for each pattern; the items' data are the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Patterns")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        self.setIconSize(QSize(_ICON, _ICON))
        self.setGridSize(QSize(max(_TILE, scaled(90)), _ICON + scaled(44)))
        for row in range(self.count()):
            self.item(row).setSizeHint(self.gridSize())

    def fill(self) -> None:
        for key, pattern in PATTERNS.items():
            item = QListWidgetItem(pattern_icon(key, _ICON), pattern.title)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setToolTip(pattern.summary)
            item.setSizeHint(self.gridSize())  # otherwise Qt keeps room for one line of text
            self.addItem(item)


def pattern_icon(key: str, side: int) -> QIcon:
    """Return a small picture of a pattern that fits into a square of `side` pixels."""
    shown = grid_pixmap(small_pattern(key), side, multivalued=PATTERNS[key].multivalued)
    icon = QIcon(shown)
    icon.addPixmap(shown, QIcon.Mode.Selected)  # otherwise it would be tinted
    return icon


def grid_pixmap(grid: Grid, side: int, *, multivalued: bool = False) -> QPixmap:
    """Return a picture of a grid that fits into a square of `side` pixels."""
    colours = theme().canvas, theme().accent
    image = grid_image(grid, multivalued=multivalued, background=colours[0], foreground=colours[1])
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    return fit_image(image, QSize(side, side), ratio)
