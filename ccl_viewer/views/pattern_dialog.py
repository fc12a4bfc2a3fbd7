"""Choosing a pattern and its parameters, with a preview."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.grids.patterns import PATTERNS, Pattern, PatternParameter
from ccl_viewer.grids.specs import pattern_spec
from ccl_viewer.views.theme import Theme

_THUMBNAIL = 40
_PREVIEW = 240
_PREVIEW_CELLS = 1 << 20
_LARGEST_INT = 2**31 - 1


class PatternDialog(QDialog):
    """Lists the patterns; the chosen one's parameters can be set.

    Parameters
    ----------
    theme : Theme
        Colours of the previews.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New pattern")
        self._theme = theme
        self.list = QListWidget()
        self.list.setAccessibleName("Patterns")
        self.list.setIconSize(QSize(_THUMBNAIL, _THUMBNAIL))
        self.list.setFixedWidth(230)
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.summary = QLabel()
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        self.summary.setFixedHeight(4 * self.fontMetrics().lineSpacing())
        self.summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.preview = QLabel()
        self.preview.setFixedSize(_PREVIEW, _PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setAccessibleName("Preview")
        self.form = QFormLayout()
        self.form.setVerticalSpacing(10)
        self.form.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.form.setFormAlignment(Qt.AlignmentFlag.AlignTop)
        self.boxes: dict[str, QSpinBox | QDoubleSpinBox] = {}
        self.buttons = QDialogButtonBox()
        self.buttons.addButton("Create", QDialogButtonBox.ButtonRole.AcceptRole).setProperty(
            "role", "primary"
        )
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        for pattern in PATTERNS.values():
            item = QListWidgetItem(thumbnail(pattern.key, theme), pattern.title)
            item.setData(Qt.ItemDataRole.UserRole, pattern.key)
            item.setToolTip(pattern.summary)
            self.list.addItem(item)
        self.list.currentRowChanged.connect(self._choose)
        self.list.itemDoubleClicked.connect(self.accept)
        self.choose("spiral")

    @property
    def spec(self) -> str:
        """The choice, as ``pattern:NAME?key=value``."""
        return pattern_spec(self._pattern().key, self._values())

    def choose(self, key: str) -> None:
        """Choose a pattern."""
        self.list.setCurrentRow(list(PATTERNS).index(key))

    def _pattern(self) -> Pattern:
        return PATTERNS[self.list.currentItem().data(Qt.ItemDataRole.UserRole)]

    def _values(self) -> dict[str, int | float]:
        return {name: box.value() for name, box in self.boxes.items()}

    def _choose(self, _row: int) -> None:
        pattern = self._pattern()
        self.title.setText(pattern.title)
        self.summary.setText(pattern.summary)
        while self.form.rowCount():
            self.form.removeRow(0)
        self.boxes = {parameter.name: self._box(parameter) for parameter in pattern.parameters}
        for parameter in pattern.parameters:
            label = QLabel(parameter.title)
            label.setMinimumHeight(self.boxes[parameter.name].sizeHint().height())
            self.form.addRow(label, self.boxes[parameter.name])
        self._show_preview()

    def _box(self, parameter: PatternParameter) -> QSpinBox | QDoubleSpinBox:
        box: QSpinBox | QDoubleSpinBox
        if parameter.kind is float:
            box = QDoubleSpinBox()
            box.setRange(parameter.minimum, parameter.maximum)
            box.setSingleStep((parameter.maximum - parameter.minimum) / 20)
            box.setDecimals(3)
            box.setValue(parameter.default)
        else:
            box = QSpinBox()
            box.setRange(int(parameter.minimum), int(min(parameter.maximum, _LARGEST_INT)))
            box.setValue(int(parameter.default))
        box.setToolTip(parameter.help)
        box.setAccessibleName(parameter.title)
        box.setMinimumWidth(110)
        box.valueChanged.connect(self._show_preview)
        return box

    def _show_preview(self) -> None:
        values = self._values()
        cells = values.get("size", 64) ** 2
        if "width" in values:
            cells = values["width"] * values["height"]
        if cells > _PREVIEW_CELLS:
            self.preview.setText(f"{int(cells):,} cells: no preview")
            return
        try:
            self.preview.setPixmap(picture(self._pattern().make(**values), _PREVIEW, self._theme))
        except CCLViewerError as error:
            self.preview.setText(str(error))

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.title)
        right.addWidget(self.summary)
        middle = QHBoxLayout()
        middle.setSpacing(20)
        middle.addWidget(self.preview)
        middle.addLayout(self.form, 1)
        right.addLayout(middle)
        right.addStretch(1)
        right.addWidget(self.buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(18)
        layout.addWidget(self.list)
        layout.addLayout(right, 1)
        self.resize(760, 560)


@cache
def thumbnail(key: str, theme: Theme) -> QIcon:
    """Return a small picture of a pattern; all are of one size, so that texts beside them align."""
    pattern = PATTERNS[key]
    names = {parameter.name for parameter in pattern.parameters}
    small = {"size": 17, "width": 20, "height": 20, "count": 5, "radius": 4}
    grid = pattern.make(**{name: value for name, value in small.items() if name in names})
    shown = picture(grid, _THUMBNAIL, theme)
    square = QPixmap(_THUMBNAIL, _THUMBNAIL)
    square.fill(Qt.GlobalColor.transparent)
    painter = QPainter(square)
    painter.drawPixmap((_THUMBNAIL - shown.width()) // 2, (_THUMBNAIL - shown.height()) // 2, shown)
    painter.end()
    return QIcon(square)


def picture(grid: npt.NDArray[np.uint8], side: int, theme: Theme) -> QPixmap:
    """Return a picture of a grid, no larger than a square.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        Non-zero is foreground.
    side : int
        Side of the square in pixels.
    theme : Theme
        The colours.
    """
    height, width = grid.shape
    cells = np.ascontiguousarray(grid != 0, dtype=np.uint8)
    image = QImage(cells.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable([QColor(theme.raised).rgb(), QColor(theme.accent).rgb()])
    factor = side // max(height, width)
    target = QSize(width * factor, height * factor) if factor else QSize(side, side)
    return QPixmap.fromImage(
        image.scaled(
            target,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.FastTransformation,
        )
    )
