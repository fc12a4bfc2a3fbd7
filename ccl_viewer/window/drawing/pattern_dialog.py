"""The gallery of patterns, with a form for the parameters and a preview."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QListWidgetItem,
    QSpinBox,
    QWidget,
)

from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.pattern_type import PatternParameter
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.pattern_chooser import PatternChooser
from ccl_viewer.window.widgets.dialogs import Dialog, enable_accept, make_dialog_buttons
from ccl_viewer.window.widgets.fields import (
    Field,
    FormLayout,
    connect_chosen,
    guard_from_wheel,
    value_of,
)
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox
from ccl_viewer.window.widgets.patterns import PatternGallery, grid_pixmap
from ccl_viewer.window.widgets.style import DOT, TIMES, scaled

_PREVIEW: Final = 300
_LARGEST_INT: Final = 2**31 - 1
_LARGEST_TYPED: Final = 999_999  # larger than the limit, which a message states


class PatternDialog(Dialog):
    """A gallery of patterns, with fields for the parameters of the chosen one.

    Initially it offers an empty grid of a shape: height and width.
    """

    def __init__(
        self, chooser: PatternChooser, shape: tuple[int, int], parent: QWidget | None = None
    ) -> None:
        super().__init__("New grid", parent)
        self.chooser = chooser
        self.gallery = PatternGallery()
        self.gallery.fill()
        self.title = make_label("", "heading")
        self.summary = make_label("", "dim", wrap=True)
        self.summary.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self.summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.preview = name_widget(make_label("", wrap=True), "Preview")
        self.preview.setFixedSize(scaled(_PREVIEW), scaled(_PREVIEW))
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.facts = make_label("", "dim")
        self.facts.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.fields: dict[str, Field] = {}
        self._form = FormLayout()
        self.buttons = make_dialog_buttons(self, "Create")
        self._lay_out()
        self.gallery.currentItemChanged.connect(self._choose)
        self.gallery.itemDoubleClicked.connect(self.accept)
        self.chooser.pattern_changed.connect(self._show_pattern)
        self.chooser.preview_changed.connect(self._show_preview)
        self.finished.connect(self.chooser.close)
        self.choose("empty")
        height, width = shape
        first = self.fields["width"], self.fields["height"]
        for field, side in zip(first, (width, height), strict=True):
            if isinstance(field, QSpinBox):
                field.setValue(side)
        first[0].setFocus()

    def choose(self, key: str) -> None:
        self.gallery.setCurrentRow(list(PATTERNS).index(key))

    def accept(self) -> None:
        """Create the pattern, unless it cannot be made."""
        if not self.chooser.preview.error:
            super().accept()

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chooser.choose(item.data(Qt.ItemDataRole.UserRole))

    def _show_pattern(self) -> None:
        """Show a pattern, with a field for each of its parameters."""
        pattern = self.chooser.pattern
        self.title.setText(pattern.title)
        self.summary.setText(pattern.summary)
        while self._form.rowCount():
            self._form.removeRow(0)
        self.fields = {parameter.name: _field(parameter) for parameter in pattern.parameters}
        for parameter in pattern.parameters:
            field = self.fields[parameter.name]
            self._form.addRow(parameter.title, field)
            connect_chosen(field, self._set_values)

    def _show_preview(self) -> None:
        pattern, preview = self.chooser.pattern, self.chooser.preview
        enable_accept(self.buttons, not preview.error)
        if preview.grid is None:
            self.preview.setText(preview.error or preview.note)
            self.facts.clear()
            return
        side = self.preview.width()
        self.preview.setPixmap(grid_pixmap(preview.grid, side, multivalued=pattern.multivalued))
        height, width = preview.grid.shape
        components = counted(preview.component_count, "component")
        self.facts.setText(
            f"{width:,} {TIMES} {height:,}{DOT}{components} ({self.chooser.connectivity}-connected)"
        )

    def _set_values(self, _value: object) -> None:
        self.chooser.set_values({name: value_of(field) for name, field in self.fields.items()})

    def _lay_out(self) -> None:
        parts = (self.title, self.summary, self.preview, self.facts, self._form, 1)
        about = make_scroll_area(make_container(vbox(*parts, spacing=8)), "The pattern", down=True)
        bar = about.verticalScrollBar().sizeHint().width()
        about.setFixedWidth(max(self.preview.width(), self.buttons.sizeHint().width()) + bar)
        right = vbox((about, 1), self.buttons, spacing=8)
        self.setLayout(hbox((self.gallery, 1), right, margins=(16, 16, 16, 16), spacing=18))
        self.resize_with_text(1000, 640)


def _field(parameter: PatternParameter) -> Field:
    low, high, default = parameter.minimum, parameter.maximum, parameter.default
    field: Field
    if parameter.kind is bool:
        field = QCheckBox()
        field.setChecked(bool(default))
    elif isinstance(default, str):
        field = QLineEdit(default, maxLength=int(high))
    elif isinstance(default, float):
        step = (high - low) / 20
        field = QDoubleSpinBox(
            decimals=3, minimum=low, maximum=high, singleStep=step, value=default
        )
    else:
        most = min(max(int(high), _LARGEST_TYPED), _LARGEST_INT)
        field = QSpinBox(minimum=int(low), maximum=most, value=default)
    return name_widget(guard_from_wheel(field), parameter.title, parameter.help)
