"""Asks for the size of a grid: what dialogs that do have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QLayout, QSpinBox, QVBoxLayout, QWidget

from ccl_viewer.grids.pattern import MAX_SIDE
from ccl_viewer.views.dialogs.buttons import dialog_buttons
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.field_label import FieldLabel


class SizeDialog(Dialog):
    """Fields for width and height, and two buttons; :meth:`lay_out` puts the rest between them.

    Attributes
    ----------
    columns, rows : QSpinBox
        Width and height.
    form : QFormLayout
        Both, below one another.
    buttons : QDialogButtonBox
        The button that does it, and Cancel.

    Parameters
    ----------
    title : str
        Of the dialog.
    does : str
        Of the button that does it.
    size : tuple of int
        Width and height to begin with.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, title: str, does: str, size: tuple[int, int], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.columns = _side_field("Width in cells", size[0])
        self.rows = _side_field("Height in cells", size[1])
        self.form = _size_form(self.columns, self.rows)
        self.buttons = dialog_buttons(does)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @property
    def size_in_cells(self) -> tuple[int, int]:
        """Width and height."""
        return self.columns.value(), self.rows.value()

    def lay_out(self, *parts: QWidget | QLayout) -> None:
        """Put parts below one another, and the buttons below them all."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 16)
        layout.setSpacing(12)
        for part in parts:
            if isinstance(part, QLayout):
                layout.addLayout(part)
            else:
                layout.addWidget(part)
        layout.addWidget(self.buttons)
        self.columns.setFocus()
        self.columns.selectAll()


def _side_field(name: str, value: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(1, MAX_SIDE)
    field.setValue(value)
    field.setAccessibleName(name)
    field.setToolTip(name)
    field.setMinimumWidth(110)
    return field


def _size_form(columns: QSpinBox, rows: QSpinBox) -> QFormLayout:
    form = QFormLayout()
    form.setVerticalSpacing(8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for title, field in (("&Width", columns), ("&Height", rows)):
        form.addRow(FieldLabel(title, field), field)
    return form
