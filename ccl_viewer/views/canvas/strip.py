"""The strip above the canvas: name and size of the grid, layers, and the size of a cell."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from ccl_viewer.grids import Grid
from ccl_viewer.views.looks.text import DOT, TIMES
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.flat_button import action_button

_LEFT = ("undo", "redo")
_LAYERS = ("numbers", "arrows", "structure", "changed", "layers")
_GAP = 2
_LEAST = 8
"""Letters of a title that can be read at least."""

_USUAL = 14
"""Letters of a title that are worth more than the size of a cell, and buttons for it."""

_ZOOM = ("zoom_out", "zoom_in")


class CanvasStrip(QWidget):
    """Says what is on the canvas; where there is little room, without the size of a cell.

    Where there is less, buttons for it go as well: the wheel, keys and the menu have that too.

    Parameters
    ----------
    actions : dict of str to QAction
        The window's actions.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = _Title()
        self.scale = _Scale()
        self.buttons: dict[str, QToolButton] = {}
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 0, 4)
        row.setSpacing(_GAP)
        row.addWidget(self.title, 1)
        for group in (_LEFT, _LAYERS):
            for name in group:
                self._add(actions[name])
            row.addSpacing(4)
            row.addWidget(_divider())
            row.addSpacing(4)
        self._add(actions["zoom_out"])
        row.addWidget(self.scale)
        for name in ("zoom_in", "fit", "hide_panels"):
            self._add(actions[name])

    def show_grid(self, grid: Grid | None, title: str, source: str) -> None:
        """Show name and size of a grid.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width), or None
            The grid.
        title, source : str
            Its name, and where it came from.
        """
        if grid is None:
            self.title.setText("No grid")
            self.title.setToolTip("")
            self.scale.clear()
            return
        height, width = grid.shape
        self.title.setText(f"{title}{DOT}{width:,} {TIMES} {height:,}")
        self.title.setToolTip(f"{self.title.text()}\n{source}")

    def show_scale(self, scale: float) -> None:
        """Show the size of a cell, in pixels."""
        self.scale.setText(f"{scale:.0f} px" if scale >= 1 else f"{scale:.2g} px")

    def minimumSizeHint(self) -> QSize:
        """Return a size with room for all that is never left out."""
        spared = [part for part in (*self._zooms(), self.scale) if not part.isHidden()]
        return super().minimumSizeHint() - QSize(_room(*spared), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what the title needs the place of."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Look again when parts need more room or less, as with text of another size."""
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        title = self.title.room_for(_USUAL) - self.title.room_for(_LEAST)
        zooms = self._zooms()
        spare = self.width() - self.minimumSizeHint().width() - title
        for button in zooms:
            button.setHidden(spare < _room(*zooms))
        self.scale.setHidden(spare < _room(*zooms, self.scale))

    def _zooms(self) -> list[QWidget]:
        return [self.buttons[name] for name in _ZOOM]

    def _add(self, action: QAction) -> None:
        button = action_button(action)
        self.buttons[action.objectName()] = button
        self._row.addWidget(button)


class _Title(ElidedLabel):
    """The name and the size of the grid, of which the beginning can be read at least."""

    def __init__(self) -> None:
        super().__init__(separator=DOT)
        self.setProperty("role", "title")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the least size: the room that is left is the title's anyway."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return a size with room for a few letters."""
        return QSize(self.room_for(_LEAST), super().minimumSizeHint().height())

    def room_for(self, letters: int) -> int:
        """Return the width of a number of letters."""
        return self.fontMetrics().averageCharWidth() * letters


class _Scale(QLabel):
    """The size of a cell, with room for any, so that what is beside it stays in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "dim")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setToolTip("Size of a cell on the screen")

    def sizeHint(self) -> QSize:
        """Return a size with room for the smallest cells."""
        return QSize(
            self.fontMetrics().horizontalAdvance("1/16 px") + 12, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()


def _room(*parts: QWidget) -> int:
    return sum(part.sizeHint().width() + _GAP for part in parts)


def _divider() -> QFrame:
    line = QFrame()
    line.setProperty("role", "divider")
    line.setFixedSize(1, 18)
    return line
