"""Asks for the number of a step."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QSpinBox, QWidget

from ccl_viewer.views.dialogs.buttons import dialog_buttons
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.field_label import FieldLabel


class StepDialog(Dialog):
    """A field for a number.

    Parameters
    ----------
    step : int
        The number to begin with.
    count : int
        The largest one; the least is 1.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, step: int, count: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Go to step")
        self.number = QSpinBox()
        self.number.setRange(1, count)
        self.number.setValue(step)
        self.number.setAccessibleName(f"Step, 1 to {count:,}")
        self.number.selectAll()
        buttons = dialog_buttons("Go")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 16)
        form.setSpacing(12)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(FieldLabel(f"&Step, 1 to {count:,}", self.number), self.number)
        form.addRow(buttons)
