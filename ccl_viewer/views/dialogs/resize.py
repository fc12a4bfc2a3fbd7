"""Asks for another size of the grid, and which part of it stays in its place."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import counted
from ccl_viewer.grids.transforms import Anchor
from ccl_viewer.views.dialogs.size import SizeDialog
from ccl_viewer.views.looks.appearance import text_scale
from ccl_viewer.views.looks.text import TIMES
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.field_label import FieldLabel

_ICON = 22
_SIDE = 32
_PLACES = tuple(Anchor)  # from the top left corner, row by row


class ResizeDialog(SizeDialog):
    """Width, height, where the grid stays, and what new cells are.

    Parameters
    ----------
    size : tuple of int
        Width and height of the grid.
    theme : Theme
        The colours.
    multivalued : bool
        Whether cells have values from 0 to 255, or 0 and 1.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        size: tuple[int, int],
        theme: Theme,
        *,
        multivalued: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Resize grid", "Resize", size, parent)
        self._size = size
        self.fill = QSpinBox()
        self.fill.setRange(0, 255 if multivalued else 1)
        self.fill.setAccessibleName("Value of new cells")
        self.fill.setToolTip("0 is background; all else is foreground")
        self.fill.setSpecialValueText("background")
        if not multivalued:
            self.fill.setPrefix("foreground: ")
        self.anchors = {anchor: _anchor_button(anchor, theme) for anchor in _PLACES}
        self._group = QButtonGroup(self)
        for button in self.anchors.values():
            self._group.addButton(button)
        self.anchors[Anchor.TOP_LEFT].setChecked(True)
        self.note = QLabel()
        self.note.setProperty("role", "dim")
        self._lay_out()
        for field in (self.columns, self.rows):
            field.valueChanged.connect(lambda _value: self._follow())
        self._follow()

    @property
    def anchor(self) -> Anchor:
        """Which part of the grid stays in its place."""
        return next(anchor for anchor, button in self.anchors.items() if button.isChecked())

    def choose(self, anchor: Anchor) -> None:
        """Choose which part of the grid stays in its place."""
        self.anchors[anchor].setChecked(True)

    def _follow(self) -> None:
        lost = [
            counted(was - now, noun)
            for was, now, noun in zip(
                self._size, self.size_in_cells, ("column", "row"), strict=True
            )
            if now < was
        ]
        width, height = self._size
        text = f"Now {width:,} {TIMES} {height:,}."
        self.note.setText(f"{text} Cut off: {' and '.join(lost)}." if lost else text)

    def _lay_out(self) -> None:
        self.form.addRow(FieldLabel("&New cells", self.fill), self.fill)
        places = QGridLayout()
        places.setSpacing(3)
        for index, button in enumerate(self.anchors.values()):
            places.addWidget(button, index // 3, index % 3)
        for index in range(3):
            places.setRowMinimumHeight(index, scaled(_SIDE))
            places.setColumnMinimumWidth(index, scaled(_SIDE))
        side = QVBoxLayout()
        side.setSpacing(6)
        side.addWidget(QLabel("The grid stays"))
        side.addLayout(places)
        side.addStretch(1)
        columns = QHBoxLayout()
        columns.setSpacing(26)
        columns.addLayout(self.form, 1)
        columns.addLayout(side, 0)
        self.lay_out(columns, self.note)


def _anchor_button(anchor: Anchor, theme: Theme) -> QToolButton:
    button = QToolButton()
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setIcon(_anchor_icon(anchor, theme))
    button.setIconSize(QSize(_ICON, _ICON) * text_scale())
    button.setProperty("bare", "true")
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    button.setToolTip(f"At the {anchor}" if anchor is not Anchor.MIDDLE else "In the middle")
    button.setAccessibleName(f"The grid stays at the {anchor}")
    return button


def _anchor_icon(anchor: Anchor, theme: Theme) -> QIcon:
    """Return a small grid that lies in its place in a larger one."""
    row, column = divmod(_PLACES.index(anchor), 3)
    pixmap = QPixmap(_ICON * 2, _ICON * 2)  # for fine screens, and large text
    pixmap.fill(QColor(0, 0, 0, 0))
    painter = QPainter(pixmap)
    painter.setPen(QPen(QColor(theme.dim), 2))
    painter.drawRect(2, 2, 2 * _ICON - 4, 2 * _ICON - 4)
    third = (2 * _ICON - 12) // 3
    painter.fillRect(6 + column * third, 6 + row * third, third, third, QColor(theme.accent))
    painter.end()
    pixmap.setDevicePixelRatio(2)
    return QIcon(pixmap)
