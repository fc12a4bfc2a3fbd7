"""Fields for the parameters of a pattern."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from ccl_viewer.grids.pattern import Pattern, PatternParameter, Value
from ccl_viewer.views.widgets.field_label import FieldLabel

_LARGEST_INT = 2**31 - 1

Field = QSpinBox | QDoubleSpinBox | QLineEdit


class ParameterForm(QWidget):
    """A field for each parameter of the pattern on display."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, Field] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setVerticalSpacing(8)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    @property
    def values(self) -> dict[str, Value]:
        """The values in the fields, by parameter name."""
        return {
            name: field.text() if isinstance(field, QLineEdit) else field.value()
            for name, field in self.fields.items()
        }

    def show_pattern(self, pattern: Pattern) -> None:
        """Show the parameters of a pattern, at their defaults."""
        while self._form.rowCount():
            self._form.removeRow(0)
        self.fields = {parameter.name: self._field(parameter) for parameter in pattern.parameters}
        for parameter in pattern.parameters:
            field = self.fields[parameter.name]
            self._form.addRow(FieldLabel(parameter.title, field), field)
        self.changed.emit()

    def _field(self, parameter: PatternParameter) -> Field:
        field = _make(parameter)
        field.setToolTip(parameter.help)
        field.setAccessibleName(parameter.title)
        field.setMinimumWidth(110)
        if isinstance(field, QLineEdit):
            field.textChanged.connect(self._tell)
        else:
            field.valueChanged.connect(self._tell)
        return field

    def _tell(self, _value: object) -> None:
        self.changed.emit()


def _make(parameter: PatternParameter) -> Field:
    low, high, default = parameter.minimum, parameter.maximum, parameter.default
    if isinstance(default, str):
        line = QLineEdit(default)
        line.setMaxLength(int(high))
        return line
    if isinstance(default, float):
        fraction = QDoubleSpinBox()
        fraction.setRange(low, high)
        fraction.setSingleStep((high - low) / 20)
        fraction.setDecimals(3)
        fraction.setValue(default)
        return fraction
    number = QSpinBox()
    number.setRange(int(low), int(min(high, _LARGEST_INT)))
    number.setValue(default)
    return number
