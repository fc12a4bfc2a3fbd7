"""The canvas with the strip above it, and the notices and the hint that lie over it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.views.canvas import Canvas
from ccl_viewer.views.compare_view import CompareView
from ccl_viewer.views.elided import ElidedLabel
from ccl_viewer.views.flat_button import action_button
from ccl_viewer.views.late import Late
from ccl_viewer.views.layers_panel import LayersPanel, look_memories
from ccl_viewer.views.memory import Memory
from ccl_viewer.views.notices import Notices
from ccl_viewer.views.states import EmptyPage, StateBanner
from ccl_viewer.views.text import DOT, TIMES
from ccl_viewer.views.theme import Theme
from ccl_viewer.views.tool_palette import ToolPalette

_LEFT = ("undo", "redo")
_LAYERS = ("numbers", "arrows", "structure", "changed", "layers")


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
        self.title = ElidedLabel(separator=DOT)
        self.title.setProperty("role", "title")
        self.scale = QLabel()
        self.scale.setProperty("role", "dim")
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.scale.setMinimumWidth(self.fontMetrics().horizontalAdvance("1/16 px") + 12)
        self.scale.setToolTip("Size of a cell on the screen")
        self.canvas = Canvas(session)
        self.empty = EmptyPage((actions["open"], actions["pattern"]), self.canvas)
        self.banner = StateBanner(session, actions["run"])
        self._layers = Late(partial(LayersPanel, session, actions, self))
        self.tools = ToolPalette(session, actions)
        self.compare = CompareView(session, self.canvas, actions)
        self.notices = Notices(session, self.compare.area, self.canvas)
        self._buttons: dict[str, QToolButton] = {}
        self.canvas.installEventFilter(self)
        self.compare.area.installEventFilter(self)
        self._lay_out(actions)
        self.canvas.zoomed.connect(self._show_scale)
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
        self.layers.show_under(self._buttons["layers"])

    def refresh(self) -> None:
        """Show name and size of the grid."""
        grid = self._session.grid
        self.empty.setVisible(grid is None)
        self._place()
        if grid is None:
            self.title.setText("No grid")
            self.scale.clear()
            return
        height, width = grid.shape
        self.title.setText(f"{self._session.title}{DOT}{width:,} {TIMES} {height:,}")
        self.title.setToolTip(f"{self.title.text()}\n{self._session.source}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep what lies over the canvas in its place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.empty.setGeometry(self.canvas.rect())
        self.notices.place()

    def _show_scale(self, scale: float) -> None:
        self.scale.setText(f"{scale:.0f} px" if scale >= 1 else f"{scale:.2g} px")

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        self.strip = QWidget()
        strip = QHBoxLayout(self.strip)
        strip.setContentsMargins(4, 4, 0, 4)
        strip.setSpacing(2)
        strip.addWidget(self.title, 1)
        for group in (_LEFT, _LAYERS):
            for name in group:
                self._buttons[name] = action_button(actions[name])
                strip.addWidget(self._buttons[name])
            strip.addSpacing(4)
            strip.addWidget(_divider())
            strip.addSpacing(4)
        strip.addWidget(action_button(actions["zoom_out"]))
        strip.addWidget(self.scale)
        strip.addWidget(action_button(actions["zoom_in"]))
        strip.addWidget(action_button(actions["fit"]))
        strip.addWidget(action_button(actions["hide_panels"]))
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


def _divider() -> QFrame:
    line = QFrame()
    line.setProperty("role", "divider")
    line.setFixedSize(1, 18)
    return line
