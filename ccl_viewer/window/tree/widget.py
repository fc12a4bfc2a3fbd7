"""The panel of the tree: the equivalence forest of the pinned component as a scene."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsPathItem,
    QGraphicsPolygonItem,
    QGraphicsScene,
    QGraphicsSimpleTextItem,
    QGraphicsView,
    QPushButton,
    QStackedLayout,
    QWidget,
)

from ccl_viewer.render.themes import CanvasColours, canvas_theme
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.tree.model import DrawnForest, Node, TreeDiagram, lay_out_forest
from ccl_viewer.window.widgets.buttons import make_icon_button
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.style import text_on, theme

_HEIGHT: Final = 24.0
_GAP: Final = 9.0
_ROW: Final = 46.0
_ROOM: Final = 14.0
_NARROWEST: Final = 30.0
_ROUND: Final = 6.0
_ARROW: Final = 5.0
_MARGIN: Final = 14.0
_ZOOM: Final = 1.25
_SCALES: Final = (0.03, 4.0)
_LARGEST_FIT: Final = 1.25
_NOTCH: Final = 120
_NODE_AREA: Final = 4800  # square pixels per node; enough to read most trees
_LEGEND: Final = (
    "Bold: changed in this step. Double outline: root. Dashed: folded, click to unfold."
)


def text_of(node: Node) -> str:
    """Return the text of a node: the number of its cell, or the size of the group."""
    if node.trees:
        return f"+{counted(node.trees, 'tree')}"
    return f"+{counted(node.folded, 'cell')}" if node.folded else str(node.address)


def _rounded(box: QRectF, more: float = 0.0) -> QPainterPath:
    """Return a rounded box, enlarged by a margin on each side."""
    path = QPainterPath()
    path.addRoundedRect(box.adjusted(-more, -more, more, more), _ROUND + more, _ROUND + more)
    return path


class NodeItem(QGraphicsPathItem):
    """A node of the forest, in the colour of its label; a ring highlights it."""

    def __init__(self, node: Node, index: int, width: float, shade: str, tip: str) -> None:
        box = QRectF(-width / 2, -_HEIGHT / 2, width, _HEIGHT)
        super().__init__(_rounded(box))
        self.node, self.index = node, index
        self.ring = ""
        self._ring_item = QGraphicsPathItem(_rounded(box, 5), self)
        self.mark("")
        colors, fill = theme(), QColor(shade)
        text = QGraphicsSimpleTextItem(text_of(node), self)
        text.setPos(-text.boundingRect().center())
        if node.folded:
            self.setPen(QPen(QColor(colors.dim), 1.2, Qt.PenStyle.DashLine))
            self.setBrush(QColor(colors.raised))
            text.setBrush(QColor(colors.dim))
        else:
            edge = QColor(colors.warning) if node.changed else fill.darker(130)
            self.setPen(QPen(edge, 2.2 if node.changed else 1.0))
            self.setBrush(fill)
            text.setBrush(QColor(text_on(shade)))
            if node.parent < 0:
                QGraphicsPathItem(_rounded(box, 3), self).setPen(QPen(fill, 1.4))
        self.setToolTip(tip)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setZValue(1)

    @property
    def top(self) -> QPointF:
        """Start of the link to its parent."""
        return self.pos() + QPointF(0, -_HEIGHT / 2)

    @property
    def bottom(self) -> QPointF:
        """End of the links from its children."""
        return self.pos() + QPointF(0, _HEIGHT / 2 + 1)

    def mark(self, ring: str) -> None:
        """Draw a ring of a colour around it, or none."""
        self.ring = ring
        self._ring_item.setVisible(bool(ring))
        self._ring_item.setPen(QPen(QColor(ring), 3.0))


class LinkItem(QGraphicsPathItem):
    """The link of a node to its parent, with an arrow; dashed if cells between are hidden."""

    def __init__(self, node: Node, start: QPointF, end: QPointF) -> None:
        middle = (start.y() + end.y()) / 2
        path = QPainterPath(start)
        path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end)
        super().__init__(path)
        self._node = node
        sides = (QPointF(-_ARROW * 0.7, _ARROW * 1.3), QPointF(_ARROW * 0.7, _ARROW * 1.3))
        self._arrow = QGraphicsPolygonItem(QPolygonF([end, *(end + side for side in sides)]), self)
        self._arrow.setPen(QPen(Qt.PenStyle.NoPen))
        self._arrow.setVisible(not node.folded)
        if node.skipped:
            text = QGraphicsSimpleTextItem(f"{node.skipped:,} between", self)
            text.setBrush(QColor(theme().dim))
            text.setPos(path.pointAtPercent(0.5) + QPointF(5, -text.boundingRect().height()))
        self.mark(strong=False)

    def mark(self, *, strong: bool) -> None:
        """Draw it as part of the path from the node in question to the root, or normally."""
        colors, node = theme(), self._node
        color = QColor(colors.warning if node.changed else colors.text if strong else colors.dim)
        pen = QPen(color, 2.6 if node.changed else 1.8 if strong else 1.1)
        if node.skipped or node.folded:
            pen.setStyle(Qt.PenStyle.DashLine)
        self.setPen(pen)
        self._arrow.setBrush(color)


class TreeView(QGraphicsView):
    """Draws the forest: the wheel zooms, dragging pans, a click pins or unfolds."""

    def __init__(self, tree: TreeDiagram) -> None:
        super().__init__()
        self._tree = tree
        self._fitted = True
        self._pressed: QPointF | None = None
        self.nodes: list[NodeItem] = []
        self._links: dict[int, LinkItem] = {}
        self.setScene(QGraphicsScene(self))
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        for hide in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            hide(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.setMinimumSize(160, 100)
        self.setAccessibleName("Tree of the pinned component")
        self.setAccessibleDescription("Each cell is drawn below the one that its label names.")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys pin and point at cells on the canvas

    def refresh(self) -> None:
        room = self.viewport().size()
        self._tree.set_most(round(room.width() * room.height() / _NODE_AREA))
        forest = self._tree.forest
        self.scene().clear()
        self.nodes, self._links = [], {}
        if forest is None:
            return
        self._fill(forest, max(room.width(), 1) / max(room.height(), 1))
        self.mark()
        if self._fitted:
            self.fit()

    def mark(self) -> None:
        """Ring the pinned node and the node under the mouse."""
        colors, pointed, pinned = theme(), self._tree.pointed, self._tree.pinned
        rings = {pinned: colors.accent, pointed: colors.text}
        for item in self.nodes:
            item.mark(rings.get(item.index, ""))
        chain, index = set(), pointed if pointed is not None else pinned
        while index is not None and 0 <= index < len(self.nodes):
            chain.add(index)
            index = self.nodes[index].node.parent
        for child, link in self._links.items():
            link.mark(strong=child in chain)

    def fit(self) -> None:
        """Show the whole forest, and keep doing so."""
        self._fitted = True
        scene, room = self.sceneRect(), self.viewport().rect()
        if not scene.isEmpty():
            scale = min(room.width() / scene.width(), room.height() / scene.height())
            scale = max(min(scale, _LARGEST_FIT), _SCALES[0])
            self.resetTransform()
            self.scale(scale, scale)
            self.centerOn(scene.center())

    def zoom(self, factor: float) -> None:
        now = self.transform().m11()
        factor = min(max(now * factor, _SCALES[0]), _SCALES[1]) / now
        self._fitted = False
        self.scale(factor, factor)

    def node_at(self, position: QPointF) -> int | None:
        """Return the node at a position of the viewport, or None."""
        item = self.itemAt(position.toPoint())
        while item is not None and not isinstance(item, NodeItem):
            item = item.parentItem()
        return item.index if isinstance(item, NodeItem) else None

    # Qt's events

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(_ZOOM ** (event.angleDelta().y() / _NOTCH))
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitted and self.isVisible():
            self.refresh()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or show on the canvas the cell of the node under the mouse."""
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._fitted = False
        else:
            self._tree.hover_node(self.node_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        near = pressed is not None and (event.position() - pressed).manhattanLength() < 4
        index = self.node_at(event.position())
        if near and index is not None and event.button() == Qt.MouseButton.LeftButton:
            self._tree.press(index)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.node_at(event.position()) is None:
            self.fit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._tree.hover_node(None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = {QEvent.Type.PaletteChange, QEvent.Type.FontChange}
        if event.type() in kinds and self.isVisible():
            self.refresh()

    def _fill(self, forest: DrawnForest, aspect: float) -> None:
        font = QFont(QApplication.font())
        self.scene().setFont(font)
        metrics = QFontMetricsF(font)
        widths = [
            max(_NARROWEST, metrics.horizontalAdvance(text_of(node)) + _ROOM)
            for node in forest.nodes
        ]
        placement = lay_out_forest(
            forest.children, forest.roots, widths, gap=_GAP, row=_ROW, aspect=aspect
        )
        table = CanvasColours(canvas_theme(theme().name)).rgb_table
        for index, node in enumerate(forest.nodes):
            shade = "#{:02x}{:02x}{:02x}".format(*table[self._tree.colours[index]])
            item = NodeItem(node, index, widths[index], shade, self._tree.describe(node))
            item.setPos(placement.x[index], placement.y[index])
            self.scene().addItem(item)
            self.nodes.append(item)
        for index, node in enumerate(forest.nodes):
            if node.parent >= 0:
                link = LinkItem(node, self.nodes[index].top, self.nodes[node.parent].bottom)
                self.scene().addItem(link)
                self._links[index] = link
        bounds = QRectF(0, 0, placement.width, placement.height)
        self.setSceneRect(bounds.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))


class QtTreeDiagram(Panel):
    """Shows the tree of the pinned component, and its figures."""

    def __init__(
        self, tree: TreeDiagram, playback: Playback, parent: QWidget | None = None
    ) -> None:
        super().__init__(playback, parent)
        self.tree = tree
        self.view = TreeView(self.tree)
        self.hint = make_label("", "dim", wrap=True, centred=True)
        self.summary = ElidedLabel("", "dim")
        self.largest = QPushButton("Pin the largest")
        self.fold = make_icon_button("fold", "Fold what you unfolded", self.tree.fold)
        self.zoom_out = make_icon_button("zoom-out", "Smaller", lambda: self.view.zoom(1 / _ZOOM))
        self.zoom_in = make_icon_button("zoom-in", "Larger", lambda: self.view.zoom(_ZOOM))
        self.fit = make_icon_button("fit", "Show the whole tree")
        self._lay_out()
        self.largest.clicked.connect(self.tree.pin_largest)
        self.fit.clicked.connect(self.view.fit)
        self.tree.forest_changed.connect(self._follow)
        self.tree.pointed_changed.connect(self._mark)
        self.destroyed.connect(self.tree.close)

    def refresh(self) -> None:
        hint = self.tree.empty_text
        self.hint.setText(hint)
        self._legend.setHidden(bool(hint))
        self._stack.setCurrentWidget(self.hint if hint else self.view)
        self.summary.setText(self.tree.summary)
        self.fold.setVisible(self.tree.has_unfolded)
        self.largest.setVisible(bool(hint) and self.tree.can_pin)
        for button in (self.zoom_out, self.zoom_in, self.fit):
            button.setEnabled(not hint)
        self.view.refresh()

    def _mark(self) -> None:
        if self.isVisible():
            self.view.mark()

    def _lay_out(self) -> None:
        buttons = (self.largest, self.fold, self.zoom_out, self.zoom_in, self.fit)
        top = hbox((self.summary, 1), *buttons, margins=(8, 0, 0, 0), spacing=2)
        self._stack = QStackedLayout()
        self._legend = make_label(_LEGEND, "dim", wrap=True)
        parts = top, (self._stack, 1), self._legend
        self.setLayout(vbox(*parts, spacing=4))
        self._stack.addWidget(self.hint)  # otherwise it would be a window
        self._stack.addWidget(self.view)
