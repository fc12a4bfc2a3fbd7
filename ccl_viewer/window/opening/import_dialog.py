"""Asks how a picture becomes a grid: threshold, channel, crop and scale, with the result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pyqtgraph as pg
from psygnal import SignalInstance
from PySide6.QtCore import QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainterPath
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGraphicsPathItem, QSpinBox, QWidget

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.grids.import_settings import (
    MAX_FACTOR,
    MAX_LEVELS,
    BackgroundSegment,
    Channel,
    Crop,
    ImportKind,
)
from ccl_viewer.grids.pattern_type import MAX_SIDE
from ccl_viewer.grids.saving import segment_colours
from ccl_viewer.grids.scaling import ScalingMethod
from ccl_viewer.grids.thresholds import Threshold, format_level
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.imports import ImportPreview, Imports, PendingPicture
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog, enable_accept, make_dialog_buttons
from ccl_viewer.window.widgets.fields import (
    ChoiceBox,
    Field,
    FormLayout,
    connect_chosen,
    make_number_box,
    make_row,
    show_value,
    show_values,
)
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.style import DOT, TIMES, mixed, scaled, set_role, theme

if TYPE_CHECKING:
    from ccl_viewer.window.core.runs import RunController

_KINDS: Final = {
    ImportKind.BINARY: "Foreground and background",
    ImportKind.LEVELS: "Levels of grey as segments",
    ImportKind.VALUES: "Each value or colour is a segment",
}
_CHANNELS: Final = {
    Channel.LUMA: "Brightness",
    Channel.RED: "Red",
    Channel.GREEN: "Green",
    Channel.BLUE: "Blue",
    Channel.ALPHA: "Opacity",
}
_BACKGROUNDS: Final = {
    BackgroundSegment.DARKEST: "Darkest, or black",
    BackgroundSegment.COMMONEST: "Commonest",
    BackgroundSegment.NONE: "None",
}
_METHODS: Final = {ScalingMethod.MAJORITY: "Majority", ScalingMethod.NEAREST: "Middle pixel"}
_SAME, _SMALLER, _LARGER, _TARGET = range(4)
_SCALES: Final = {
    _SAME: "A cell for each pixel",
    _SMALLER: "Smaller by",
    _LARGER: "Larger by",
    _TARGET: "To a size",
}


class ImportDialog(Dialog):
    """Asks how the pending picture becomes a grid."""

    def __init__(
        self, imports: Imports, runs: RunController, parent: QWidget | None = None
    ) -> None:
        pending = imports.pending
        if pending is None:
            raise ValueError("there is no pending picture")
        super().__init__(f"Import {pending.name}", parent)
        self._imports, self._runs, self._offer = imports, runs, pending
        self.page = make_number_box(QSpinBox(), "Which picture of the file", 1, 1)
        self.channel = make_number_box(QSpinBox(), "Which channel of the picture", 1, 1)
        self._show_place()
        self.page.valueChanged.connect(lambda number: imports.turn_to(index=number - 1))
        self.channel.valueChanged.connect(lambda number: imports.turn_to(channel=number - 1))
        self.picture = PictureView(imports, pending)
        self.fields = ImportFields(imports, pending)
        self.facts = make_label("", "title", wrap=True)
        self.note = make_label("", "dim", wrap=True)
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 4)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.remember = QCheckBox("&Don't ask again until the program closes")
        self.remember.setToolTip("Open the next pictures in the same way; Import again asks again")
        self.buttons = make_dialog_buttons(self, "Import")
        self._lay_out()
        self.accepted.connect(lambda: imports.accept(ask=not self.remember.isChecked()))
        self.rejected.connect(imports.decline)
        imports.changed.connect(self._on_imports_changed)
        self._show()

    def done(self, result: int) -> None:
        self._imports.changed.disconnect(self._on_imports_changed)
        self.picture.dispose()
        super().done(result)

    def _on_imports_changed(self, changed: frozenset[SignalInstance]) -> None:
        imports = self._imports
        if imports.pending_changed in changed:
            pending = imports.pending
            if pending is None or pending.name != self._offer.name:
                self.reject()
                return
            self._turn_to(pending)
        if imports.settings_changed in changed:
            self.picture.show_crop()
        if imports.preview_changed in changed:
            self.picture.show_cells()
        self.fields.refresh()
        self._show()

    def _turn_to(self, pending: PendingPicture) -> None:
        """Show another picture of the same file, which may have a different size."""
        before, self._offer = self._offer, pending
        self._show_place()
        if pending is before:
            return
        self.picture.dispose()
        shown: tuple[QWidget, QWidget] = self.picture, self.fields
        self.picture = PictureView(self._imports, pending)
        self.fields = ImportFields(self._imports, pending)
        after: tuple[QWidget, QWidget] = self.picture, self.fields
        for old, new in zip(shown, after, strict=True):
            self._layout.replaceWidget(old, new)
            old.hide()
            old.deleteLater()

    def _show_place(self) -> None:
        position = self._offer.position_in_file
        boxes = (
            (self.page, position.index, position.count),
            (self.channel, position.channel, position.channels),
        )
        for box, number, count in boxes:
            with QSignalBlocker(box):
                box.setMaximum(count)
                box.setSuffix(f" of {count:,}")
                box.setValue(number + 1)

    def _show(self) -> None:
        settings, preview = self._imports.settings, self._imports.preview
        width, height = settings.result_size(self._offer.size)
        facts = [f"{width:,} {TIMES} {height:,} cells"]
        if preview.component_count is not None:
            connectivity = self._runs.settings.connectivity
            components = counted(preview.component_count, "component")
            facts.append(f"{components} ({connectivity}-connected)")
        elif preview.counting:
            facts.append("counting…")
        self.facts.setText(DOT.join(facts))
        note = preview.error or ("" if preview.converted is None else preview.converted.note)
        able = find_algorithm(self._runs.settings.algorithm).multivalued
        if settings.kind is not ImportKind.BINARY and not able and not preview.error:
            note += " The algorithm in use cannot label several values: another one replaces it."
        self.note.setText(note.strip())
        set_role(self.note, "warning" if preview.error else "dim")
        enable_accept(self.buttons, not preview.error and not self._imports.turning)

    def _lay_out(self) -> None:
        left = vbox((self.picture, 1), self.facts, self.note, spacing=8)
        pages, channels = make_row("Picture", self.page), make_row("Channel", self.channel)
        pages.setVisible(self._offer.position_in_file.count > 1)
        channels.setVisible(self._offer.position_in_file.channels > 1)
        right = vbox(pages, channels, self.fields, 1, self.remember, self.buttons, spacing=12)
        self._layout = hbox((left, 1), right, margins=(16, 16, 16, 16), spacing=18)
        self.setLayout(self._layout)
        self.resize_with_text(1100, 640)


class PictureView(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """The picture with the grid over it, and a frame that crops it."""

    def __init__(self, imports: Imports, pending: PendingPicture) -> None:
        super().__init__(background=theme().canvas)
        self._imports, self._size = imports, pending.size
        width, height = pending.size
        self.setAccessibleName("Picture: drag the handles of the frame to crop it")
        self.setMinimumSize(scaled(360), scaled(300))
        box = pg.ViewBox(lockAspect=True, enableMouse=False, enableMenu=False, invertY=True)
        self.setCentralItem(box)
        box.setRange(QRectF(0, 0, width, height), padding=0.02)
        self._picture = pg.ImageItem(pending.thumbnail, axisOrder="row-major")
        self._picture.setRect(QRectF(0, 0, width, height))
        self._cells = pg.ImageItem(axisOrder="row-major")
        box.addItem(self._picture)
        box.addItem(self._cells)
        shade = theme().color("canvas")
        shade.setAlphaF(0.7)
        self._outside = QGraphicsPathItem()
        self._outside.setBrush(shade)
        self._outside.setPen(pg.mkPen(None))
        box.addItem(self._outside)
        pen = pg.mkPen(theme().accent, width=2)
        self.crop = pg.RectROI(
            (0, 0),
            (width, height),
            pen=pen,
            hoverPen=pg.mkPen(theme().text, width=2),
            handlePen=pen,
            snapSize=1.0,
            scaleSnap=True,
            translateSnap=True,
        )
        self.crop.addScaleHandle((0, 0), (1, 1))
        self.crop.addScaleHandle((1, 0), (0, 1))
        self.crop.addScaleHandle((0, 1), (1, 0))
        box.addItem(self.crop)
        self.crop.sigRegionChanged.connect(self._crop_moved)
        self.show_crop()
        self.show_cells()

    def dispose(self) -> None:
        """Delete what Qt does not delete."""
        for handle in self.crop.getHandles():
            handle.menu.deleteLater()  # it has no parent

    def show_crop(self) -> None:
        box = self._imports.settings.crop_for(self._size)
        outside = QPainterPath()  # fills where exactly one of its two rectangles is
        outside.addRect(0, 0, *self._size)
        outside.addRect(box.x, box.y, box.width, box.height)
        self._outside.setPath(outside)
        with QSignalBlocker(self.crop):
            self.crop.setPos((box.x, box.y), update=False)
            self.crop.setSize((box.width, box.height))

    def _crop_moved(self) -> None:
        x, y = (round(value) for value in self.crop.pos())
        width, height = (max(round(value), 1) for value in self.crop.size())
        before = self._imports.settings.crop_for(self._size)
        if (width, height) == (before.width, before.height):  # moved as a whole
            x = min(max(x, 0), self._size[0] - width)
            y = min(max(y, 0), self._size[1] - height)
        crop = Crop(x, y, width, height).clipped(self._size)
        self._imports.configure(crop=None if crop == Crop(0, 0, *self._size) else crop)
        self.show_crop()

    def show_cells(self) -> None:
        settings, cells = self._imports.settings, self._imports.preview.cells
        if cells is None:
            self._cells.clear()
            return
        background, foreground = theme().color("canvas"), theme().color("accent")
        colours = np.zeros((256, 3), np.uint8)
        for row, colour in ((slice(1), background), (slice(1, None), foreground)):
            colours[row] = colour.red(), colour.green(), colour.blue()
        if settings.kind is not ImportKind.BINARY:
            colours[1:] = segment_colours()[1:]
        box = settings.crop_for(self._size)
        self._cells.setImage(cells, levels=(0, 255), lut=colours)
        self._cells.setRect(QRectF(box.x, box.y, box.width, box.height))


class HistogramView(pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """How often each value occurs; a line at the threshold can be clicked or dragged to."""

    def __init__(self, imports: Imports) -> None:
        super().__init__()
        self.setBackground(theme().canvas)
        self._imports = imports
        self.setFixedHeight(scaled(110))
        self.setAccessibleName("Histogram")
        self.setToolTip("How often each value occurs; click or drag to move the threshold")
        self._box = self.addViewBox(0, 0, enableMouse=False, enableMenu=False)
        axis = pg.AxisItem("bottom", pen=theme().border, textPen=theme().dim)
        axis.linkToView(self._box)
        self.addItem(axis, 1, 0)
        self._bars = pg.BarGraphItem(x=[0], height=[0], width=1, pen=None)
        self.line = pg.InfiniteLine(
            0, movable=True, pen=pg.mkPen(theme().text, width=2), hoverPen=theme().accent
        )
        self._box.addItem(self._bars)
        self._box.addItem(self.line)
        self.line.sigPositionChanged.connect(self._line_moved)

    def show_level(self, level: float | None) -> None:
        """Show the bars of the preview, and a threshold: bars above it are foreground."""
        preview = self._imports.preview
        if preview.bars is None or level is None:
            return
        low, high = preview.scale
        step = (high - low) / preview.bars.size
        positions = low + (np.arange(preview.bars.size) + 0.5) * step
        # Square roots keep rare values visible beside a background that fills the picture.
        heights = np.sqrt(preview.bars / max(float(preview.bars.max()), 1.0))
        faint = QColor(mixed(theme().dim, theme().canvas, 0.35))
        accent = QColor(theme().accent)
        brushes = [accent if position > level else faint for position in positions]
        self._bars.setOpts(x=positions, height=heights, width=step, brushes=brushes)
        with QSignalBlocker(self.line):
            self.line.setBounds((low, high))
            self.line.setValue(level)
        self._box.setRange(xRange=(low, high), yRange=(0, 1), padding=0.01)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            at = self.mapToScene(event.position().toPoint())
            self.line.setValue(self._box.mapSceneToView(at).x())
        super().mousePressEvent(event)

    def _line_moved(self) -> None:
        level = float(self.line.value())
        self._imports.configure(threshold=round(level, self._imports.preview.decimals))


class ImportFields(QWidget):
    """Fields for all settings of an import."""

    def __init__(self, imports: Imports, pending: PendingPicture) -> None:
        super().__init__()
        self.setFixedWidth(scaled(340))
        self._imports, self._size = imports, pending.size
        self._binary = pending.source.picture.planes.dtype == np.bool_
        width, height = pending.size
        self.kind = ChoiceBox("Cells", _KINDS)
        channels = {each: _CHANNELS[each] for each in pending.source.channels}
        self.channel = ChoiceBox("Channel", channels)
        self.histogram = HistogramView(imports)
        self.threshold = make_number_box(QDoubleSpinBox(), "Values above it are foreground", 0, 1)
        otsu = "Find the threshold that divides the values best (Otsu's method)"
        self.otsu = name_widget(QCheckBox("Otsu"), tip=otsu)
        invert = "Exchange foreground and background, or reverse the levels"
        self.invert = name_widget(QCheckBox("&Invert"), tip=invert)
        self.levels = make_number_box(QSpinBox(), "Levels of grey", 2, MAX_LEVELS)
        self.background = ChoiceBox("Background", _BACKGROUNDS)
        self.crop = (
            make_number_box(QSpinBox(), "Left edge of the crop", 0, width - 1),
            make_number_box(QSpinBox(), "Top edge of the crop", 0, height - 1),
            make_number_box(QSpinBox(), "Width of the crop", 1, width),
            make_number_box(QSpinBox(), "Height of the crop", 1, height),
        )
        self.whole = make_text_button("&Whole picture", lambda: imports.configure(crop=None))
        self.scale = ChoiceBox("Scale", _SCALES)
        self.factor = make_number_box(QSpinBox(), "Factor", 2, MAX_FACTOR)
        self.target = (
            make_number_box(QSpinBox(), "Width of the grid", 1, MAX_SIDE),
            make_number_box(QSpinBox(), "Height of the grid", 1, MAX_SIDE),
        )
        self.method = ChoiceBox("Pixel that counts", _METHODS)
        self.method.setToolTip("Which pixel counts where several become one cell")
        self._fields: dict[str, Field] = {
            name: getattr(self, name)
            for name in ("kind", "channel", "invert", "levels", "background", "method")
        }
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        settings, preview = self._imports.settings, self._imports.preview
        binary = settings.kind is ImportKind.BINARY
        show_values(self._fields, settings)
        self._show_threshold(settings.threshold, preview)
        rows = self._form
        for row in (self.histogram, self._threshold_row):
            rows.setRowVisible(row, binary and not self._binary)
        rows.setRowVisible(self.levels, settings.kind is ImportKind.LEVELS)
        rows.setRowVisible(self.background, not binary)
        rows.setRowVisible(self.channel, self.channel.count() > 1)
        crop = settings.crop_for(self._size)
        for edge, value in zip(self.crop, (crop.x, crop.y, crop.width, crop.height), strict=True):
            show_value(edge, value)
        self.whole.setEnabled(settings.crop is not None)
        self._show_scale()

    def _show_threshold(self, threshold: Threshold, preview: ImportPreview) -> None:
        otsu = preview.otsu
        level = otsu if isinstance(threshold, str) else threshold
        with QSignalBlocker(self.threshold):
            self.threshold.setDecimals(preview.decimals)
            self.threshold.setRange(*preview.scale)
            self.threshold.setSingleStep(10.0 ** (1 - preview.decimals) if preview.decimals else 1)
            if level is not None:
                self.threshold.setValue(level)
        self.otsu.setText("Otsu" if otsu is None else f"Otsu: {format_level(otsu)}")
        show_value(self.otsu, threshold == "otsu")
        self.histogram.show_level(level)

    def _show_scale(self) -> None:
        settings = self._imports.settings
        mode = _SAME
        if settings.target is not None:
            mode = _TARGET
        elif abs(settings.factor) > 1:
            mode = _LARGER if settings.factor > 1 else _SMALLER
            show_value(self.factor, abs(settings.factor))
        self.scale.show_value(mode)
        self.factor.setVisible(mode in (_SMALLER, _LARGER))
        size = settings.result_size(self._size)
        for field, value in zip(self.target, size, strict=True):
            show_value(field, value)
        self._form.setRowVisible(self._target_row, mode == _TARGET)
        self._form.setRowVisible(self.method, mode in (_SMALLER, _TARGET))

    def _choose(self, name: str, value: object) -> None:
        changes = {name: value} | ({"threshold": "otsu"} if name == "channel" else {})
        self._imports.configure(**changes)

    def _choose_otsu(self, on: bool) -> None:
        self._imports.configure(threshold="otsu" if on else self.threshold.value())

    def _change_crop(self, _value: int) -> None:
        x, y, width, height = (field.value() for field in self.crop)
        self._imports.configure(crop=Crop(x, y, width, height).clipped(self._size))

    def _change_scale(self, _value: int) -> None:
        mode = self.scale.value
        factor = {_SMALLER: -self.factor.value(), _LARGER: self.factor.value()}.get(mode, 1)
        width, height = self.target
        target = (width.value(), height.value()) if mode == _TARGET else None
        self._imports.configure(factor=factor, target=target)

    def _connect(self) -> None:
        for name, field in (*self._fields.items(), ("threshold", self.threshold)):
            connect_chosen(field, partial(self._choose, name))
        connect_chosen(self.otsu, self._choose_otsu)
        for edge in self.crop:
            connect_chosen(edge, self._change_crop)
        for part in (self.scale, self.factor, *self.target):
            connect_chosen(part, self._change_scale)

    def _lay_out(self) -> None:
        x, y, width, height = self.crop
        self._threshold_row = make_row(self.threshold, self.otsu)
        self._target_row = make_row(self.target[0], TIMES, self.target[1], wide=(0, 2))
        self._form = FormLayout(self)
        self._form.addRow("&Cells", self.kind)
        self._form.addRow("C&hannel", self.channel)
        self._form.addRow(self.histogram)
        self._form.addRow("Threshold", self._threshold_row)
        self._form.addRow("&Levels", self.levels)
        self._form.addRow("&Background", self.background)
        self._form.addRow("", self.invert)
        self._form.addRow("Crop at", make_row(x, y, wide=(0, 1)))
        self._form.addRow("Crop size", make_row(width, TIMES, height, wide=(0, 2)))
        self._form.addRow("", self.whole)
        self._form.addRow("Scale", make_row(self.scale, self.factor))
        self._form.addRow("Size", self._target_row)
        self._form.addRow("&Take the", self.method)
