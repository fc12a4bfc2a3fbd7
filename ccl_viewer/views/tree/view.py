"""The equivalence forest of the pinned component, drawn as trees that change with the steps."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.session.tree.pinned_tree import PinnedTree
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.tree.canvas import ZOOM, TreeCanvas
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.flat_button import icon_button
from ccl_viewer.views.widgets.lazy_refresh import LazyRefresh


class TreeView(QWidget):
    """Shows the tree of the pinned component, and what there is to say of it.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = PinnedTree(session)
        self.canvas = TreeCanvas(session, self.tree)
        self.summary = ElidedLabel()
        self.summary.setProperty("role", "dim")
        self.summary.setAccessibleName("The tree in figures")
        self.largest = QPushButton("Pin the largest component")
        self.fold = icon_button("Fold again what was unfolded")
        self.zoom_out = icon_button("Smaller (-)")
        self.zoom_in = icon_button("Larger (+)")
        self.fit = icon_button("Show the whole tree (0)")
        self._lay_out()
        self.largest.clicked.connect(self.tree.pin_largest)
        self.fold.clicked.connect(self.tree.fold)
        self.zoom_in.clicked.connect(lambda: self.canvas.zoom(ZOOM))
        self.zoom_out.clicked.connect(lambda: self.canvas.zoom(1 / ZOOM))
        self.fit.clicked.connect(self.canvas.fit)
        self._lazy = LazyRefresh(self, self._show)
        self.tree.changed.connect(self._lazy.follow_soon)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for button, name in (
            (self.fold, "fold"),
            (self.zoom_out, "zoom-out"),
            (self.zoom_in, "zoom-in"),
            (self.fit, "fit"),
        ):
            button.setIcon(icon(name, theme.text, theme.dim))
        self.canvas.set_theme(theme)

    def _show(self) -> None:
        hint = self.tree.hint
        self.summary.setText(self.tree.summary)
        self.summary.setToolTip(self.tree.summary)
        self.fold.setVisible(self.tree.unfolded)
        for button in (self.zoom_out, self.zoom_in, self.fit):
            button.setEnabled(not hint)
        self.largest.setVisible(bool(hint) and self.tree.can_pin)
        self.canvas.refresh()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 0, 0, 0)
        top.setSpacing(2)
        top.addWidget(self.summary, 1)
        for button in (self.largest, self.fold, self.zoom_out, self.zoom_in, self.fit):
            top.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self.canvas, 1)
