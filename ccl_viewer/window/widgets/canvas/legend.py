"""The legend in a corner of the canvas: the meaning of the visible colours and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from ccl_viewer.render import legend
from ccl_viewer.render.display_list import DisplayList, Layer, Rects, as_boxes, with_alpha
from ccl_viewer.render.layers import COUNTED, CellColours
from ccl_viewer.render.scene import SceneCache, legend_contents
from ccl_viewer.render.step_view import StepView
from ccl_viewer.render.themes import canvas_colours, pack_colour
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.canvas.painter import DisplayListPainter
from ccl_viewer.window.widgets.layouts import hbox, vbox

if TYPE_CHECKING:
    from ccl_viewer.window.core.settings import Settings

_EDGE: Final = 8
_GAP: Final = 6
_OPACITY: Final = 0.92
_SETTING: Final = "view/legend"


class QtLegend(QWidget):
    """Explains colours and marks, over the canvas.

    It is open if it fits beside the grid; otherwise it is a small button until the user opens
    it. The user's choice is remembered.
    """

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._painter, self._canvas = DisplayListPainter(self.font()), parent
        self._view: StepView | None = None
        self.button = QToolButton()
        self.button.setText("Legend")
        self.button.setProperty("low", "true")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(self._toggle)
        self.card = QLabel()
        right = hbox(1, self.button)
        self.setLayout(vbox(right, self.card, spacing=_GAP))
        self.setAccessibleName("Legend")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    @property
    def wanted(self) -> bool:
        """Whether the user has not closed it."""
        return self._settings.value(_SETTING) is not False

    def show_view(self, view: StepView | None, cache: SceneCache) -> None:
        """Explain what a view shows; hide if there is nothing to explain."""
        items = () if view is None else legend.legend_items(legend_contents(view, cache))
        self._view = view
        self.setVisible(view is not None and _is_needed(view, items))
        if view is not None and self.isVisible():
            self.setAccessibleDescription("; ".join(item.text for item in items))
            self.card.setPixmap(self._draw(view, items))
            self._place()

    def event(self, event: QEvent) -> bool:
        """Resize the button when its text is larger."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.move_to_corner()
        return super().event(event)

    def _draw(self, view: StepView, items: tuple[legend.LegendItem, ...]) -> QPixmap:
        """Return the card; it is cached, because the canvas is painted at every step."""
        ratio, theme = self.devicePixelRatioF(), view.theme
        edge, gap = _EDGE * ratio, _GAP * ratio
        metrics = legend.LegendMetrics(self._painter.measure, view.text_size, ratio)
        width = round(max(metrics.item_width(item) for item in items) + 2 * edge)
        height = round(len(items) * metrics.line + 2 * gap)
        back = Rects(
            as_boxes([[0.5, 0.5, width - 0.5, height - 0.5]]),
            fill=with_alpha(pack_colour(theme.panel), _OPACITY),
            radius=6 * ratio,
        )
        colours = canvas_colours(theme, view.layers.strength)
        rows = legend.draw_rows([[item] for item in items], metrics, edge, gap, colours)
        card = self._painter.make_pixmap(DisplayList(width, height, 0, (Layer("", (back, *rows)),)))
        card.setDevicePixelRatio(ratio)
        return card

    def _toggle(self) -> None:
        self._settings.set_value(_SETTING, self.card.isHidden())
        self._place()

    def _is_open(self) -> bool:
        """Return the user's choice, or else whether the legend fits beside or below the grid."""
        chosen, view = self._settings.value(_SETTING), self._view
        if isinstance(chosen, bool) or view is None:
            return chosen is True
        size = self.card.pixmap().deviceIndependentSize()
        placement, canvas, ratio = view.placement, self._canvas, self.devicePixelRatioF()
        height, width = view.sample.shape
        right = (placement.x + width * placement.scale) / ratio
        bottom = (placement.y + height * placement.scale) / ratio
        beside = canvas.width() - right >= size.width() + 2 * _GAP
        needed = size.height() + self.button.sizeHint().height() + 3 * _GAP
        return beside or canvas.height() - bottom >= needed

    def _place(self) -> None:
        is_open = self._is_open()
        self.card.setVisible(is_open)
        self.button.setText(
            "Legend \N{BLACK DOWN-POINTING SMALL TRIANGLE}" if is_open else "Legend"
        )
        self.button.setToolTip("Hide the legend" if is_open else "Explain what is marked")
        style.set_role(self.button, "true" if is_open else "", "flat")
        self.move_to_corner()

    def move_to_corner(self) -> None:
        """Move to the corner of the canvas now; the contents may follow later."""
        self.adjustSize()
        corner = self._canvas.rect().bottomRight() - self.rect().bottomRight()
        self.move(corner - QPoint(_GAP, _GAP))


def _is_needed(view: StepView, items: tuple[legend.LegendItem, ...]) -> bool:
    """Return whether anything but the colours of labels needs explaining."""
    return len(items) > 1 or (bool(items) and view.colours in {CellColours.DEPTH, *COUNTED})
