"""The legend in a corner of the canvas: what the colours and the marks in sight mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from ccl_viewer.render import legend
from ccl_viewer.render.display_list import DisplayList, Layer, Rects, boxes_of, with_alpha
from ccl_viewer.render.layers import COUNTED, CellColours
from ccl_viewer.render.step_view import StepView
from ccl_viewer.render.themes import canvas_colours, packed
from ccl_viewer.views import style
from ccl_viewer.views.canvas.painter import DisplayPainter

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session

_EDGE: Final = 8
_GAP: Final = 6
_OPACITY: Final = 0.92
_SETTING: Final = "view/legend"


class QtLegend(QWidget):
    """Explains what is marked, over the canvas.

    Where it fits beside the grid it is open; elsewhere it is a small button, until the user opens
    it. What the user chose is remembered.
    """

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = session.settings
        self._painter, self._canvas = DisplayPainter(self.font()), parent
        self._items: tuple[legend.LegendItem, ...] = ()
        self._view: StepView | None = None
        self._look: tuple[object, ...] = ()
        self._card: QPixmap | None = None
        self.button = QToolButton(self)
        self.button.setText("Legend")
        self.button.setProperty("low", "true")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(self._toggle)
        self.setAccessibleName("Legend")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    def explain(self, view: StepView | None, shown: legend.LegendContents | None) -> None:
        """Explain what is shown in a view; hide where nothing is marked.

        As long as that stays the same from step to step, nothing is painted anew.
        """
        look: tuple[object, ...] = ()
        if view is not None:
            ratio, room = self.devicePixelRatioF(), self._canvas.rect()
            look = shown, view.theme, view.text_size, view.placement, ratio, room
        if look == self._look:
            return
        items = () if shown is None else legend.items_of(shown)
        self._look, self._items, self._view = look, items, view
        self.setVisible(view is not None and _is_worth_it(view, items))
        if self.isVisible():
            self.setAccessibleDescription("; ".join(item.text for item in items))
            self._place()
            self.update()

    def sizeHint(self) -> QSize:
        if self._view is None:
            return QSize()
        ratio = self.devicePixelRatioF()
        metrics, fold = self._metrics(self._view), self.button.sizeHint()
        widest = max((metrics.room(item) for item in self._items), default=0.0) / ratio
        height = len(self._items) * metrics.line / ratio + fold.height() + 2 * _GAP
        return QSize(round(max(widest, fold.width()) + 2 * _EDGE), round(height))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card, which is kept: the canvas below is painted at every step."""
        if self._view is None or not self._is_open(self.sizeHint()):
            return
        painter = QPainter(self)
        if self._card is None:
            self._card = self._make_card(self._view)
        painter.drawPixmap(0, 0, self._card)
        painter.end()

    def _make_card(self, view: StepView) -> QPixmap:
        ratio, theme = self.devicePixelRatioF(), view.theme
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        colours = canvas_colours(theme, view.layers.strength)
        top = (self.button.sizeHint().height() + _GAP) * ratio
        rows = [[item] for item in self._items]
        back = Rects(
            boxes_of([[0.5, 0.5, width - 0.5, height - 0.5]]),
            fill=with_alpha(packed(theme.panel), _OPACITY),
            radius=6 * ratio,
        )
        items = legend.draw_rows(rows, self._metrics(view), _EDGE * ratio, top, colours)
        card = self._painter.picture(DisplayList(width, height, 0, (Layer("", (back, *items)),)))
        card.setDevicePixelRatio(ratio)
        return card

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and self._view is not None:
            self._place()

    def _metrics(self, view: StepView) -> legend.LegendMetrics:
        return legend.LegendMetrics(self._painter.measure, view.text_size, self.devicePixelRatioF())

    def _toggle(self) -> None:
        is_open = self._is_open(self.sizeHint())
        self._settings.set_value(_SETTING, not is_open)
        self._place()
        self.update()

    def _is_open(self, size: QSize) -> bool:
        chosen = self._settings.value(_SETTING)
        return chosen if isinstance(chosen, bool) else self._fits_beside(size)

    def _fits_beside(self, size: QSize) -> bool:
        """Return whether a size has room at the right of the grid, or below it."""
        if self._view is None:
            return False
        place, canvas, ratio = self._view.placement, self._canvas, self.devicePixelRatioF()
        height, width = self._view.sample.shape
        right = (place.x + width * place.scale) / ratio
        bottom = (place.y + height * place.scale) / ratio
        beside = canvas.width() - right >= size.width() + 2 * _GAP
        return beside or canvas.height() - bottom >= size.height() + 2 * _GAP

    def _place(self) -> None:
        self._card = None
        size, fold = self.sizeHint(), self.button.sizeHint()
        is_open = self._is_open(size)
        size = size if is_open else fold
        room = self._canvas.rect().adjusted(_GAP, _GAP, -_GAP, -_GAP)
        corner = room.bottomRight() - QPoint(size.width() - 1, size.height() - 1)
        self.setGeometry(QRect(corner, size))
        self.button.setGeometry(QRect(QPoint(size.width() - fold.width(), 0), fold))
        self.button.setText(
            "Legend \N{BLACK DOWN-POINTING SMALL TRIANGLE}" if is_open else "Legend"
        )
        self.button.setToolTip("Hide the legend" if is_open else "Explain what is marked")
        style.set_role(self.button, "true" if is_open else "", "flat")


def _is_worth_it(view: StepView, items: tuple[legend.LegendItem, ...]) -> bool:
    """Return whether there is more to explain than that labels have colours."""
    return len(items) > 1 or (bool(items) and view.colours in {CellColours.DEPTH, *COUNTED})
