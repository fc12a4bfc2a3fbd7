"""The fields of the export dialog: each says what is chosen, and emits what is to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from ccl_viewer.export import AUTO, EXPORT_FORMATS, Each, Sync, lacking
from ccl_viewer.session.exporting.choices import Span
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.views.looks.text import DASH

_Field = TypeVar("_Field", QSpinBox, QDoubleSpinBox)

LARGEST_CELL: Final = 256
_AIR: Final = 28

EACH: Final = {
    Each.STEP: "every step",
    Each.ITERATION: "last step of each iteration or level",
    Each.STAGE: "last step of each stage",
}
SYNC: Final = {
    Sync.STEP: "step by step",
    Sync.ITERATION: "by iteration",
    Sync.SHARE: "ending together",
    Sync.TIME: "as fast as the kernels were",
}
THEMES: Final = {"dark": "dark", "light": "light"}
PAGE_THEMES: Final = {AUTO: "the reader's own", **THEMES}
PICTURES: Final = {"png": "PNG pictures", "svg": "SVG vectors"}
LABELS: Final = {"raw": "as the paper writes them", "component": "number of the component"}


def span_titles(section: Section | None) -> dict[Span, str]:
    """Return what can be chosen of the steps."""
    titles = {Span.ALL: "all", Span.CHOSEN: "from … to …"}
    if section is not None:
        titles[Span.SECTION] = f"section {section.start + 1}{DASH}{section.end + 1}"
    return titles


def choice(name: str, titles: Mapping[Any, str]) -> QComboBox:
    """Return a field to choose one of several things, each with its title."""
    box = QComboBox()
    box.setAccessibleName(name)
    box.setMinimumContentsLength(10)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for value, title in titles.items():
        box.addItem(title, value)
    return box


def format_choice() -> QComboBox:
    """Return a field for the format; those that lack something say so and cannot be chosen."""
    box = choice("Format", {row.suffix: _title(row.suffix, row.title) for row in EXPORT_FORMATS})
    model = box.model()
    for index, row in enumerate(EXPORT_FORMATS):
        need = lacking(row)
        if need and isinstance(model, QStandardItemModel):
            item: QStandardItem = model.item(index)
            item.setEnabled(False)
            item.setText(f"{item.text()} {DASH} needs {need}")
            item.setToolTip(f"To write these, install what is missing: {need}")
    view = box.view()
    view.setMinimumWidth(view.sizeHintForColumn(0) + _AIR)  # so that no reason is cut off
    return box


def show_choice(box: QComboBox, value: object) -> None:
    """Let a field show what is chosen, without emitting anything."""
    for index in range(box.count()):
        if box.itemData(index) == value:
            box.setCurrentIndex(index)


def step_field(name: str, steps: int) -> QSpinBox:
    """Return a field for the number of a step, from 1."""
    box = QSpinBox()
    box.setRange(1, steps)
    return _named(box, name)


def scale_field() -> QSpinBox:
    """Return a field for the pixels of a cell, 0 for as many as fit."""
    box = QSpinBox()
    box.setRange(0, LARGEST_CELL)
    box.setSpecialValueText("automatic")
    box.setSuffix(" px")
    return _named(box, "Pixels a cell")


def decimal_field(name: str, low: float, high: float, suffix: str) -> QDoubleSpinBox:
    """Return a field for a number with one decimal."""
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(1)
    box.setSuffix(suffix)
    return _named(box, name)


def in_a_row(*widgets: QWidget | str, stretch: int = -1) -> QWidget:
    """Return widgets beside each other; the one of number `stretch` takes the room that is left."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for place, widget in enumerate(widgets):
        shown = _words(widget) if isinstance(widget, str) else widget
        row.addWidget(shown, int(place == stretch))
    if stretch < 0:
        row.addStretch(1)
    return holder


def _words(text: str) -> QLabel:
    words = QLabel(text)
    words.setProperty("role", "dim")
    return words


def _title(suffix: str, title: str) -> str:
    return f"{title[0].upper()}{title[1:]}" if suffix else title


def _named(box: _Field, name: str) -> _Field:
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setKeyboardTracking(False)
    return box
