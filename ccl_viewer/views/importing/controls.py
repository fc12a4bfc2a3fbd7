"""The settings of an import: what becomes of pixels, which part is used, and how large it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.grids.import_settings import (
    MOST_FACTOR,
    MOST_LEVELS,
    Background,
    Channel,
    Crop,
    ImportSettings,
    Kind,
)
from ccl_viewer.grids.scaling import Method
from ccl_viewer.session.files.import_preview import Preview
from ccl_viewer.views.importing.threshold_picker import ThresholdPicker
from ccl_viewer.views.looks.text import TIMES
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.field_label import FieldLabel

_KINDS = {
    Kind.BINARY: "Foreground and background",
    Kind.LEVELS: "Levels of grey as segments",
    Kind.VALUES: "Each value or colour a segment",
}
_CHANNELS = {
    Channel.LUMA: "Brightness",
    Channel.RED: "Red",
    Channel.GREEN: "Green",
    Channel.BLUE: "Blue",
    Channel.ALPHA: "Opacity",
}
_BACKGROUNDS = {
    Background.DARKEST: "Darkest, or black",
    Background.COMMONEST: "Commonest",
    Background.NONE: "None",
}
_METHODS = {Method.MAJORITY: "Majority", Method.NEAREST: "Middle pixel"}
_Value = TypeVar("_Value")

_MOST_SIDE = 16384
_SAME, _SMALLER, _LARGER, _TARGET = range(4)
_SCALES = {
    _SAME: "A cell for each pixel",
    _SMALLER: "Smaller by",
    _LARGER: "Larger by",
    _TARGET: "To a size",
}


class ImportControls(QWidget):
    """Fields for all settings of an import.

    Parameters
    ----------
    channels : tuple of Channel
        Channels of the picture.
    size : tuple of int
        Its width and height.
    theme : Theme
        The colours.
    coloured : bool
        Whether it has colours.
    binary : bool
        Whether it has one bit a pixel, so that there is no threshold.
    """

    changed = Signal(object)
    """Keywords of :class:`~ccl_viewer.grids.importing.ImportSettings` with their new values."""

    def __init__(
        self,
        channels: tuple[Channel, ...],
        size: tuple[int, int],
        theme: Theme,
        *,
        coloured: bool,
        binary: bool,
    ) -> None:
        super().__init__()
        self.setFixedWidth(scaled(320))
        self._size = size
        self._coloured, self._binary = coloured, binary
        self._showing = False
        self.kind = _choice("What becomes of pixels", _KINDS)
        self.channel = _choice("Channel", {c: _CHANNELS[c] for c in channels})
        self.threshold = ThresholdPicker(theme)
        self.invert = QCheckBox("&Invert")
        self.invert.setToolTip("Exchange foreground and background; turn the order of levels about")
        self.levels = _number("Levels of grey", 2, MOST_LEVELS)
        self.background = _choice("Background", _BACKGROUNDS)
        self.crop_x = _number("Left edge of the crop", 0, size[0] - 1)
        self.crop_y = _number("Top edge of the crop", 0, size[1] - 1)
        self.crop_width = _number("Width of the crop", 1, size[0])
        self.crop_height = _number("Height of the crop", 1, size[1])
        self.whole = QPushButton("&Whole picture")
        self.scale = _choice("Scale", _SCALES)
        self.factor = _number("Factor", 2, MOST_FACTOR)
        self.target_width = _number("Width of the grid", 1, _MOST_SIDE)
        self.target_height = _number("Height of the grid", 1, _MOST_SIDE)
        self.method = _choice("Pixels that become one cell", _METHODS)
        self.method.setToolTip("Which pixel counts where several become one cell")
        self._lay_out()
        self._connect()

    def show_settings(self, settings: ImportSettings, preview: Preview) -> None:
        """Show settings, and what was found out with them."""
        self._showing = True
        binary = settings.kind is Kind.BINARY
        _choose(self.kind, settings.kind)
        _choose(self.channel, settings.channel)
        _choose(self.background, settings.background)
        _choose(self.method, settings.method)
        self.invert.setChecked(settings.invert)
        self.levels.setValue(settings.levels)
        self.threshold.show_level(preview.bars, preview.scale, settings.threshold, preview.otsu)
        self.threshold.setVisible(binary and not self._binary)
        self._form.setRowVisible(self.levels, settings.kind is Kind.LEVELS)
        self._form.setRowVisible(self.background, not binary)
        self._form.setRowVisible(self.channel, self.channel.count() > 1)
        self._show_box(settings.box(self._size))
        self._show_scale(settings)
        self._showing = False

    def _show_box(self, box: Crop) -> None:
        self.crop_width.setMaximum(self._size[0] - box.x)
        self.crop_height.setMaximum(self._size[1] - box.y)
        for field, value in (
            (self.crop_x, box.x),
            (self.crop_y, box.y),
            (self.crop_width, box.width),
            (self.crop_height, box.height),
        ):
            field.setValue(value)
        self.whole.setEnabled(box != Crop(0, 0, *self._size))

    def _show_scale(self, settings: ImportSettings) -> None:
        mode = _SAME
        if settings.target is not None:
            mode = _TARGET
        elif abs(settings.factor) > 1:
            mode = _LARGER if settings.factor > 1 else _SMALLER
            self.factor.setValue(abs(settings.factor))
        _choose(self.scale, mode)
        self.factor.setVisible(mode in (_SMALLER, _LARGER))
        self._sizes.setVisible(mode == _TARGET)
        width, height = settings.result_size(self._size)
        self.target_width.setValue(width)
        self.target_height.setValue(height)
        self._form.setRowVisible(self.method, mode in (_SMALLER, _TARGET))

    def _emit(self, **changes: object) -> None:
        if not self._showing:
            self.changed.emit(changes)

    def _change_scale(self, *_: object) -> None:
        if self._showing:
            return
        mode = self.scale.currentData()
        factor = {_SMALLER: -self.factor.value(), _LARGER: self.factor.value()}.get(mode, 1)
        target = (
            (self.target_width.value(), self.target_height.value()) if mode == _TARGET else None
        )
        self._emit(factor=factor, target=target)

    def _change_box(self, *_: object) -> None:
        self._emit(
            crop=Crop(
                self.crop_x.value(),
                self.crop_y.value(),
                self.crop_width.value(),
                self.crop_height.value(),
            ).within(self._size)
        )

    def _connect(self) -> None:
        self.kind.activated.connect(lambda _: self._emit(kind=Kind(self.kind.currentData())))
        self.channel.activated.connect(
            lambda _: self._emit(channel=Channel(self.channel.currentData()), threshold=None)
        )
        self.threshold.picked.connect(lambda level: self._emit(threshold=level))
        self.invert.toggled.connect(lambda on: self._emit(invert=on))
        self.levels.valueChanged.connect(lambda number: self._emit(levels=number))
        self.background.activated.connect(
            lambda _: self._emit(background=Background(self.background.currentData()))
        )
        self.method.activated.connect(
            lambda _: self._emit(method=Method(self.method.currentData()))
        )
        for field in (self.crop_x, self.crop_y, self.crop_width, self.crop_height):
            field.valueChanged.connect(self._change_box)
        self.whole.clicked.connect(lambda: self._emit(crop=None))
        self.scale.activated.connect(self._change_scale)
        for field in (self.factor, self.target_width, self.target_height):
            field.valueChanged.connect(self._change_scale)

    def _lay_out(self) -> None:
        self._form = QFormLayout()
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setVerticalSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.addRow(FieldLabel("&Cells", self.kind), self.kind)
        self._form.addRow(FieldLabel("C&hannel", self.channel), self.channel)
        self._form.addRow(self.threshold)
        self._form.addRow(FieldLabel("&Levels", self.levels), self.levels)
        self._form.addRow(FieldLabel("&Background", self.background), self.background)
        self._form.addRow("", self.invert)
        self._form.addRow(FieldLabel("C&rop", self.crop_x), self._crop_fields())
        self._form.addRow(FieldLabel("&Scale", self.scale), self._scale_fields())
        self._form.addRow(FieldLabel("&Take the", self.method), self.method)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._form)
        layout.addStretch(1)

    def _crop_fields(self) -> QWidget:
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(6)
        for index, (name, field) in enumerate(
            (
                ("x", self.crop_x),
                ("y", self.crop_y),
                ("w", self.crop_width),
                ("h", self.crop_height),
            )
        ):
            label = QLabel(name)
            label.setProperty("role", "dim")
            grid.addWidget(label, index // 2, index % 2 * 2)
            grid.addWidget(field, index // 2, index % 2 * 2 + 1)
        grid.addWidget(self.whole, 2, 0, 1, 4)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        return holder

    def _scale_fields(self) -> QWidget:
        holder = QWidget()
        self._sizes = QWidget()
        sizes = QHBoxLayout(self._sizes)
        sizes.setContentsMargins(0, 0, 0, 0)
        sizes.addWidget(self.target_width, 1)
        sizes.addWidget(QLabel(TIMES))
        sizes.addWidget(self.target_height, 1)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.scale, 1)
        row.addWidget(self.factor)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self._sizes)
        return holder


# Qt hands enumerations of strings back as plain strings.
def _choice(name: str, titles: Mapping[_Value, str]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for value, title in titles.items():
        box.addItem(title, value)
    return box


def _choose(box: QComboBox, value: object) -> None:
    for index in range(box.count()):
        if box.itemData(index) == value:
            box.setCurrentIndex(index)


def _number(name: str, low: int, high: int) -> QSpinBox:
    box = QSpinBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setRange(low, high)
    box.setKeyboardTracking(False)
    return box
