"""Patterns as thumbnails to choose from."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from ccl_viewer.grids import Grid
from ccl_viewer.grids.pattern import Pattern
from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.views.importing.canvas import cell_image
from ccl_viewer.views.looks.appearance import text_scale, the_application
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import Theme

_ICON = 72
_TILE = QSize(128, 122)
_COLUMNS = 2
_EDGES = 8
"""Pixels beside the words of a tile."""

_SMALL = {
    "size": 24,
    "width": 24,
    "height": 24,
    "count": 6,
    "radius": 3,
    "grain": 8,
    "order": 4,
    "cell": 3,
}


class Gallery(QListWidget):
    """A thumbnail and a title for each pattern.

    Parameters
    ----------
    theme : Theme
        Colours of the thumbnails.
    parent : QWidget or None
        Parent.
    """

    chosen = Signal(str)
    """The key of another pattern."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Patterns")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        side = scaled(_ICON)
        self.setIconSize(QSize(side, side))
        self.setViewportMargins(6, 6, 0, 6)
        self.setSpacing(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for pattern in PATTERNS.values():
            item = QListWidgetItem(thumbnail(pattern.key, theme, side), pattern.title)
            item.setData(Qt.ItemDataRole.UserRole, pattern.key)
            item.setToolTip(pattern.summary)
            item.setTextAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            self.addItem(item)
        metrics = self.fontMetrics()
        words = (word for pattern in PATTERNS.values() for word in pattern.title.split())
        self._least = max(side, *(metrics.horizontalAdvance(word) for word in words)) + _EDGES
        self._lay_tiles()
        self.currentItemChanged.connect(lambda *_: self.chosen.emit(self.pattern.key))

    @property
    def pattern(self) -> Pattern:
        """The pattern that is chosen; the first if none is."""
        item = self.currentItem() or self.item(0)
        return PATTERNS[item.data(Qt.ItemDataRole.UserRole)]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have two columns at least, where that cuts no word."""
        self._lay_tiles()
        super().resizeEvent(event)

    def choose(self, key: str) -> None:
        """Choose a pattern."""
        self.setCurrentRow(list(PATTERNS).index(key))

    def _lay_tiles(self) -> None:
        usual = _TILE * text_scale()
        half = (self.viewport().width() - _EDGES) // _COLUMNS
        width = max(min(usual.width(), half), self._least)
        if self.gridSize() != QSize(width, usual.height()):
            self.setGridSize(QSize(width, usual.height()))


def thumbnail(key: str, theme: Theme, side: int = 40) -> QIcon:
    """Return a small picture of a pattern; all are of one size, so that texts beside them align.

    Parameters
    ----------
    key : str
        The pattern.
    theme : Theme
        The colours.
    side : int
        Width and height in pixels.
    """
    shown = picture(_small(key), side, theme, multivalued=PATTERNS[key].multivalued)
    ratio = shown.devicePixelRatio()
    square = QPixmap(round(side * ratio), round(side * ratio))
    square.fill(Qt.GlobalColor.transparent)
    left, top = (square.width() - shown.width()) // 2, (square.height() - shown.height()) // 2
    square.setDevicePixelRatio(ratio)
    painter = QPainter(square)
    painter.drawPixmap(QPointF(left / ratio, top / ratio), shown)
    painter.end()
    icon = QIcon(square)
    icon.addPixmap(square, QIcon.Mode.Selected)
    return icon


def picture(grid: Grid, side: int, theme: Theme, *, multivalued: bool = False) -> QPixmap:
    """Return a picture of a grid, no larger than a square, for the finest screen there is.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        Non-zero is foreground.
    side : int
        Side of the square in pixels.
    theme : Theme
        The colours.
    multivalued : bool
        Whether each value gets a colour of its own.
    """
    height, width = grid.shape
    ratio = the_application().devicePixelRatio()
    fine = round(side * ratio)
    factor = fine // max(height, width)
    target = QSize(width * factor, height * factor) if factor else QSize(fine, fine)
    shown = QPixmap.fromImage(
        cell_image(grid, theme, multivalued=multivalued).scaled(
            target,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.FastTransformation,
        )
    )
    shown.setDevicePixelRatio(ratio)
    return shown


def make_small_patterns() -> None:
    """Make what the thumbnails show, in a turn before that in which a gallery is made."""
    for key in PATTERNS:
        _small(key)


@cache
def _small(key: str) -> Grid:
    """Return a pattern of few cells."""
    pattern = PATTERNS[key]
    names = {parameter.name for parameter in pattern.parameters}
    return pattern.make(**{name: value for name, value in _SMALL.items() if name in names})
