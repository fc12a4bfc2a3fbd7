"""The canvas on which the equivalence forest is drawn: mouse, keys, zoom, what stands out."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QSizePolicy,
    QToolTip,
    QWidget,
)

from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.session import Cell, Session
from ccl_viewer.session.tree.moves import Move, moved
from ccl_viewer.session.tree.pinned_tree import PinnedTree
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.tree.painting import Drawing, Marks, lay_out, paint_forest
from ccl_viewer.views.widgets.painting_guard import guarded

_MARGIN = 14.0
ZOOM = 1.25
"""Factor of one turn of the wheel, or of one key."""

_NOTCH = 120
_SCALES = (0.03, 4.0)
_LARGEST_FIT = 1.25
_DRAG = 4
_NODE_AREA = 4800
"""Square pixels for each node with which most trees can be read."""
_LEGEND = "Bold: changed in this step.  Double outline: root.  Dashed: folded, click to unfold."
_LEGEND_HEIGHT = 18
_MOVES = {
    Qt.Key.Key_Left: Move.LEFT,
    Qt.Key.Key_Right: Move.RIGHT,
    Qt.Key.Key_Up: Move.UP,
    Qt.Key.Key_Down: Move.DOWN,
}
_ZOOM_KEYS = {Qt.Key.Key_Plus: ZOOM, Qt.Key.Key_Equal: ZOOM, Qt.Key.Key_Minus: 1 / ZOOM}
_PRESS_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class TreeCanvas(QWidget):
    """Draws the forest; the wheel zooms, dragging pans, a click pins or unfolds.

    Parameters
    ----------
    session : Session
        Where the eye is: hover and pin.
    tree : PinnedTree
        What is drawn.
    parent : QWidget or None
        Parent.
    """

    scaled = Signal(float)

    def __init__(self, session: Session, tree: PinnedTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tree = tree
        self._theme = DARK
        self._colours = tree.colours
        self._shades: list[str] = []
        self._drawing: Drawing | None = None
        self._scale = 1.0
        self._origin = QPointF()
        self._fit = True
        self._current: int | None = None
        self._pressed: QPointF | None = None
        self._panning = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 100)
        self.setAccessibleName("Tree of the pinned component")
        self.setAccessibleDescription(
            "Each cell is drawn below the one that its label names. Shift and the arrows go from "
            "node to node, Enter pins or unfolds, plus and minus zoom, 0 shows all."
        )
        session.look.hover_changed.connect(self.update)

    @property
    def drawing(self) -> Drawing | None:
        """The forest as it is laid out; None while there is nothing to show."""
        return self._drawing

    @property
    def current(self) -> int | None:
        """The node that keys act on."""
        return self._current

    @property
    def scale(self) -> float:
        """Pixels a unit of the drawing."""
        return self._scale

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._color()
        self.update()

    def refresh(self) -> None:
        """Lay out the forest of the step on display."""
        self._tree.make_room(round(self.width() * self.height() / _NODE_AREA))
        forest = self._tree.forest
        aspect = max(self.width(), 1) / max(self.height(), 1)
        self._drawing = None if forest is None else lay_out(forest, self._font(), aspect)
        if self._current is not None and (forest is None or self._current >= len(forest.nodes)):
            self._current = None
        self._colours = self._tree.colours
        self._color()
        if self._fit:
            self._apply_fit()
        self.update()

    def fit(self) -> None:
        """Show the whole forest, and keep doing so."""
        self._fit = True
        self.refresh()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make everything larger or smaller, around a position or the middle."""
        if self._drawing is None:
            return
        at = at or QPointF(self.width() / 2, self.height() / 2)
        scale = min(max(self._scale * factor, _SCALES[0]), _SCALES[1])
        self._origin = at - (at - self._origin) * (scale / self._scale)
        self._scale, self._fit = scale, False
        self.scaled.emit(scale)
        self.update()

    def centre_of(self, index: int) -> QPoint:
        """Return where the middle of a node is on the widget."""
        if self._drawing is None:
            return QPoint()
        return (self._origin + self._drawing.box(index).center() * self._scale).toPoint()

    def node_at(self, position: QPointF) -> int | None:
        """Return the node at a position of the widget."""
        if self._drawing is None:
            return None
        return self._drawing.node_at((position - self._origin) * (1 / self._scale))

    def sizeHint(self) -> QSize:
        """Return a size that suits most trees."""
        return QSize(500, 280)

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the forest, or say why there is none."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        painter.setPen(QColor(theme.accent if self.hasFocus() else theme.border))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 8, 8)
        if self._drawing is None:
            painter.setPen(QColor(theme.dim))
            area = self.rect().adjusted(20, 20, -20, -20)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, int(flags), self._tree.hint)
        else:
            self._paint_legend(painter)
            painter.setClipRect(self.rect().adjusted(1, 1, -1, -_LEGEND_HEIGHT))
            painter.translate(self._origin)
            painter.scale(self._scale, self._scale)
            paint_forest(painter, self._drawing, self._shades, theme, self._marks())
        painter.end()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Use the room anew, if the whole is shown."""
        if self._fit:
            self.refresh()

    def event(self, event: QEvent) -> bool:
        """Claim the keys that zoom, and say what a node is in a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self._show_tip(event)
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and self._uses(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Lay out anew in another size of type."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.ApplicationFontChange, QEvent.Type.FontChange}:
            self.refresh()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse."""
        self.zoom(ZOOM ** (event.angleDelta().y() / _NOTCH), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or to pan."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._pressed, self._panning = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or show on the canvas the cell of the node under the mouse."""
        position = event.position()
        if self._pressed is None:
            self._point(self.node_at(position))
            return
        step = position - self._pressed
        if self._panning or step.manhattanLength() > _DRAG:
            self._panning, self._fit = True, False
            self._origin += step
            self._pressed = position
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pin the cell that was clicked, or unfold."""
        clicked = self._pressed is not None and not self._panning
        self._pressed, self._panning = None, False
        self.unsetCursor()
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            index = self.node_at(event.position())
            if index is not None:
                self._current = index
                self._tree.press(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole forest after a double click beside the nodes."""
        if self.node_at(event.position()) is None:
            self.fit()

    def leaveEvent(self, _event: QEvent) -> None:
        """Show no cell any more."""
        self._session.look.hover_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from node to node with Shift and the arrows; press, zoom, fit."""
        key = Qt.Key(event.key())
        if not self._uses(event):
            super().keyPressEvent(event)
        elif key in _ZOOM_KEYS:
            self.zoom(_ZOOM_KEYS[key])
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in _PRESS_KEYS:
            if self._current is not None:
                self._tree.press(self._current)
        elif self._drawing is not None:
            start = self._current if self._current is not None else self._marks().pinned
            self._current = moved(self._drawing.forest, start, _MOVES[key])
            self._show_current()

    def _uses(self, event: QKeyEvent) -> bool:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        plain = not modifiers & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if key in _MOVES:
            return plain and bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        return plain and (key in _ZOOM_KEYS or key in _PRESS_KEYS or key == Qt.Key.Key_0)

    def _marks(self) -> Marks:
        look = self._session.look
        pinned = None if look.pinned is None else self._tree.showing(look.pinned)
        hovered = look.hover or look.cursor
        pointed = None if hovered is None else self._tree.showing(hovered)
        return Marks(pinned, pointed, self._current if self.hasFocus() else None)

    def _point(self, index: int | None) -> None:
        cell: Cell | None = None
        if self._drawing is not None and index is not None:
            cell = self._tree.place(self._drawing.forest.nodes[index])
        self.setCursor(
            Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor
        )
        self._session.look.hover_at(cell)

    def _show_current(self) -> None:
        """Bring the current node into sight, and show its cell on the canvas."""
        self._point(self._current)
        if self._current is None:
            return
        where = self.centre_of(self._current)
        room = self.rect().adjusted(30, 30, -30, -30)
        if not room.contains(where):
            inside = QPoint(
                min(max(where.x(), room.left()), room.right()),
                min(max(where.y(), room.top()), room.bottom()),
            )
            self._origin += QPointF(inside - where)
            self._fit = False
        self.update()

    def _show_tip(self, event: QHelpEvent) -> None:
        index = self.node_at(QPointF(event.pos()))
        if self._drawing is None or index is None:
            QToolTip.hideText()
        else:
            node = self._drawing.forest.nodes[index]
            QToolTip.showText(event.globalPos(), self._tree.describe(node), self)

    def _apply_fit(self) -> None:
        if self._drawing is None:
            return
        whole = self._drawing.placement
        wide = (self.width() - 2 * _MARGIN) / max(whole.width, 1.0)
        room = self.height() - _LEGEND_HEIGHT
        high = (room - 2 * _MARGIN) / max(whole.height, 1.0)
        self._scale = max(min(wide, high, _LARGEST_FIT), _SCALES[0])
        self._origin = QPointF(
            (self.width() - whole.width * self._scale) / 2,
            (room - whole.height * self._scale) / 2,
        )
        self.scaled.emit(self._scale)

    def _paint_legend(self, painter: QPainter) -> None:
        font = QFont(QApplication.font())
        font.setPointSizeF(font.pointSizeF() * 0.82)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.dim))
        area = self.rect().adjusted(10, 0, -10, -4)
        text = painter.fontMetrics().elidedText(_LEGEND, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignBottom), text)

    def _color(self) -> None:
        """Take the colours of what is drawn, which may be older than the step on display."""
        table = canvas_theme(self._theme.name).table()
        self._shades = ["#{:02x}{:02x}{:02x}".format(*table[index, :3]) for index in self._colours]

    def _font(self) -> QFont:
        font = QFont(QApplication.font())
        font.setPointSizeF(font.pointSizeF() * 0.95)
        return font
