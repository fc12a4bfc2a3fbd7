"""The canvas with the strip above it, and the notices and the hint that lie over it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.canvas.key_place import key_place
from ccl_viewer.views.canvas.layers_panel import LayersPanel, look_memories
from ccl_viewer.views.canvas.strip import CanvasStrip
from ccl_viewer.views.compare.view import CompareView
from ccl_viewer.views.drawing.tool_palette import ToolPalette
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.memory.parts import Memory
from ccl_viewer.views.notices.notices import Notices
from ccl_viewer.views.notices.states import EmptyPage, StateBanner
from ccl_viewer.views.widgets.late import Late


class CanvasPanel(QWidget):
    """Canvas, its tools, and what lies over it.

    Parameters
    ----------
    session : Session
        What is on display.
    actions : dict of str to QAction
        The window's actions.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, session: Session, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.strip = CanvasStrip(actions)
        self.canvas = Canvas(session)
        self.empty = EmptyPage((actions["open"], actions["pattern"]), self.canvas)
        self.banner = StateBanner(session, actions["run"])
        self._layers = Late(partial(LayersPanel, session, actions, self))
        self.tools = ToolPalette(session, actions)
        self.compare = CompareView(session, self.canvas, actions)
        self.notices = Notices(session, self.compare.area, self.canvas, self._key_place)
        self.canvas.installEventFilter(self)
        self.compare.area.installEventFilter(self)
        self._lay_out()
        self.compare.area.told.connect(self.notices.place_soon.start)
        self.canvas.zoomed.connect(self.strip.show_scale)
        session.grid_changed.connect(self.refresh)
        session.keeping.changed.connect(self.refresh)
        self.refresh()

    @property
    def layers(self) -> LayersPanel:
        """What the button of layers shows."""
        return self._layers.get()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.canvas.set_theme(theme)
        self.notices.message.set_theme(theme)
        self.banner.set_theme(theme)
        self.tools.set_theme(theme)

    def set_low(self, low: bool) -> None:
        """Say what there is to say in few lines in a window that is low for its text."""
        self.banner.set_low(low)
        self.empty.set_low(low)

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered of the layers and of comparisons."""
        yield from look_memories(self._session.look)
        yield from self.compare.memories()

    def show_layers(self) -> None:
        """Show the layers below their button."""
        self.layers.show_under(self.strip.buttons["layers"])

    def refresh(self) -> None:
        """Show name and size of the grid."""
        session = self._session
        self.empty.setVisible(session.grid is None)
        self._place()
        self.strip.show_grid(session.grid, session.title, session.source)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep what lies over the canvas in its place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def _key_place(self) -> QRect:
        """Return where the key stands, seen from where the notices lie."""
        grid = self._session.grid
        if grid is None or self._session.comparison.open:
            return QRect()
        place = key_place(self.canvas, grid.shape[1]).toAlignedRect()
        return place.translated(self.canvas.mapTo(self.compare.area, QPoint(0, 0)))

    def _place(self) -> None:
        self.empty.setGeometry(self.canvas.rect())
        self.notices.place()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.tools)
        middle.addWidget(self.compare, 1)
        layout.addWidget(self.strip)
        layout.addWidget(self.banner)
        layout.addLayout(middle, 1)
