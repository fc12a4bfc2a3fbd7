"""Dialogs that edit the grid: resize, random fill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from ccl_viewer.grids.pattern_type import MAX_SIDE
from ccl_viewer.grids.transforms import Anchor
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.run_settings import LARGEST_SEED
from ccl_viewer.window.widgets.dialogs import Dialog, enable_accept, make_dialog_buttons
from ccl_viewer.window.widgets.fields import ChoiceBox, FormLayout, guard_from_wheel
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.style import TIMES

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.tools import Tools


class ResizeDialog(Dialog):
    """Asks for another size of the grid, and which part of it stays in place."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Resize grid", parent)
        self._document = document
        height, width = document.shape or (1, 1)
        self.columns, self.rows = _side_field("Width", width), _side_field("Height", height)
        self.fill = name_widget(guard_from_wheel(QSpinBox()), "Value of new cells")
        self.fill.setMaximum(255 if document.multivalued else 1)
        self.fill.setSpecialValueText("0 (background)")
        self.anchor = ChoiceBox("The grid stays", {each: f"at the {each}" for each in Anchor})
        self.note = make_label("", "dim")
        form = _form(self)
        form.addRow("&Width", self.columns)
        form.addRow("&Height", self.rows)
        form.addRow("The &grid stays", self.anchor)
        form.addRow("&New cells", self.fill)
        form.addRow(self.note)
        self.buttons = make_dialog_buttons(self, "Resize")
        form.addRow(self.buttons)
        self.columns.valueChanged.connect(self._follow)
        self.rows.valueChanged.connect(self._follow)
        self.accepted.connect(self._resize)
        self.columns.selectAll()
        self._follow()

    def _follow(self) -> None:
        possible = max(self.columns.value(), self.rows.value()) <= MAX_SIDE
        enable_accept(self.buttons, possible)
        if not possible:
            self.note.setText(f"At most {MAX_SIDE:,} {TIMES} {MAX_SIDE:,} cells are possible.")
            return
        height, width = self._document.shape or (1, 1)
        columns, rows = width - self.columns.value(), height - self.rows.value()
        lost = [counted(columns, "column")] if columns > 0 else []
        lost += [counted(rows, "row")] if rows > 0 else []
        text = f"Now {width:,} {TIMES} {height:,}."
        self.note.setText(f"{text} Cut off: {' and '.join(lost)}." if lost else text)

    def _resize(self) -> None:
        self._document.resize(
            self.columns.value(), self.rows.value(), self.anchor.value, self.fill.value()
        )


class RandomFillDialog(Dialog):
    """Asks how to fill the grid or the selection at random."""

    def __init__(self, document: Document, tools: Tools, parent: QWidget | None = None) -> None:
        self._tools = tools
        selected = document.selection.box is not None
        super().__init__("Fill the selection" if selected else "Fill the grid", parent)
        self._document = document
        self.density = QDoubleSpinBox(decimals=3, maximum=1, singleStep=0.05, value=0.5)
        name_widget(
            guard_from_wheel(self.density), tip="Share of cells that are foreground, 0 to 1"
        )
        self.seed = guard_from_wheel(QSpinBox(maximum=LARGEST_SEED))
        name_widget(self.seed, tip="The same seed gives the same cells")
        self.several = QCheckBox("&All values of the palette")
        self.several.setChecked(document.multivalued)
        form = _form(self)
        form.addRow("&Density", self.density)
        form.addRow("&Seed", self.seed)
        form.addRow("", self.several)
        form.setRowVisible(self.several, document.multivalued)
        form.addRow(make_dialog_buttons(self, "Fill"))
        self.accepted.connect(self._fill)
        self.density.selectAll()

    def _fill(self) -> None:
        values = (
            self._tools.palette if self.several.isChecked() else (self._tools.foreground_value,)
        )
        self._document.random_fill(self.density.value(), self.seed.value(), values)


def _form(dialog: Dialog) -> QFormLayout:
    form = FormLayout(dialog, 16)
    form.setSpacing(10)
    return form


def _side_field(name: str, value: int) -> QSpinBox:
    # The field accepts more than is allowed, so that a message can state the limit.
    field = QSpinBox(minimum=1, maximum=999_999, value=value, suffix=" cells")
    return name_widget(guard_from_wheel(field), f"{name} in cells")
