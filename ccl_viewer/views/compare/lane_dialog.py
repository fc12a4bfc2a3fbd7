"""Asks how a lane of a comparison is to be run."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.algorithms.base import Parameter
from ccl_viewer.session import RunSettings
from ccl_viewer.session.runs.settings import changed_settings, telling_apart
from ccl_viewer.views.dialogs.buttons import dialog_buttons
from ccl_viewer.views.setup.bar import DEVICE_NAMES, LARGEST_SEED, SCHEDULES
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.field_label import FieldLabel


class LaneDialog(Dialog):
    """Algorithm, connectivity, device, schedule and parameters.

    Parameters
    ----------
    settings : RunSettings
        What it begins with.
    does : str
        What the button says.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, settings: RunSettings, does: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"{does} lane")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.settings = telling_apart(settings, on=settings.multivalued)
        self.algorithm = _combo("Algorithm")
        self.connectivity = _combo("Connectivity")
        self.device = _combo("Device")
        self.schedule = _combo("Schedule")
        self.seed = QSpinBox()
        self.parameters: dict[str, QSpinBox] = {}
        self.summary = QLabel()
        self.buttons = dialog_buttons(does)
        self._form = QFormLayout()
        self._fill()
        self._lay_out()
        self._connect()
        self._show()
        self.algorithm.setFocus()

    def _fill(self) -> None:
        for row in ALGORITHMS.values():
            if row.multivalued or not self.settings.multivalued:
                self.algorithm.addItem(row.title, row.key)
        for key, name in DEVICE_NAMES.items():
            self.device.addItem(name, key)
        for key, name, tip in SCHEDULES:
            self.schedule.addItem(name, key)
            last = self.schedule.count() - 1
            self.schedule.setItemData(last, tip, Qt.ItemDataRole.ToolTipRole)
        self.seed.setRange(0, LARGEST_SEED)
        self.seed.setAccessibleName("Seed of the random schedule")

    def _lay_out(self) -> None:
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        self.summary.setMinimumWidth(340)
        self._form.setVerticalSpacing(8)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, field in (
            ("&Algorithm", self.algorithm),
            ("&Connectivity", self.connectivity),
            ("&Device", self.device),
            ("&Schedule", self.schedule),
            ("S&eed", self.seed),
        ):
            self._add(title, field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 16)
        layout.setSpacing(12)
        layout.addLayout(self._form)
        layout.addWidget(self.summary)
        layout.addStretch(1)
        layout.addWidget(self.buttons)

    def _add(self, title: str, field: QWidget) -> None:
        self._form.addRow(FieldLabel(title, field), field)

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.algorithm.activated.connect(
            lambda _index: self._choose(algorithm_key=self.algorithm.currentData())
        )
        self.connectivity.activated.connect(
            lambda _index: self._choose(connectivity=self.connectivity.currentData())
        )
        self.device.activated.connect(lambda _index: self._choose_device())
        self.schedule.activated.connect(lambda _index: self._choose(schedule=self._schedule()))
        self.seed.valueChanged.connect(lambda _value: self._choose(schedule=self._schedule()))

    def _choose(
        self,
        *,
        algorithm_key: str | None = None,
        connectivity: int | None = None,
        device: str | None = None,
        schedule: str | None = None,
    ) -> None:
        self.settings = changed_settings(
            self.settings,
            algorithm_key=algorithm_key,
            connectivity=connectivity,
            device=device,
            schedule=schedule,
        )
        self._show()

    def _choose_device(self) -> None:
        device = self.device.currentData()
        self._choose(device=device, schedule="auto" if device == "cuda" else None)

    def _schedule(self) -> str:
        kind: str = self.schedule.currentData()
        return f"random:{self.seed.value()}" if kind == "random" else kind

    def _choose_parameters(self) -> None:
        row = algorithm(self.settings.algorithm)
        values: dict[str, int | None] = {}
        for parameter in row.parameters:
            value = self.parameters[parameter.name].value()
            absent = parameter.default is None and value < parameter.minimum
            values[parameter.name] = None if absent else value
        self.settings = changed_settings(self.settings, parameters=values)

    def _show(self) -> None:
        settings, row = self.settings, algorithm(self.settings.algorithm)
        self.algorithm.setCurrentIndex(self.algorithm.findData(settings.algorithm))
        self.summary.setText(row.summary)
        self.connectivity.clear()
        for value in sorted(row.connectivities):
            self.connectivity.addItem(str(value), value)
        self.connectivity.setCurrentIndex(self.connectivity.findData(settings.connectivity))
        self.device.setCurrentIndex(self.device.findData(settings.device))
        kind, _, seed = settings.schedule.partition(":")
        self.schedule.setCurrentIndex(self.schedule.findData(kind))
        self.schedule.setEnabled(settings.device != "cuda")
        with QSignalBlocker(self.seed):
            self.seed.setValue(int(seed) if seed else self.seed.value())
        self._form.setRowVisible(self.seed, kind == "random")
        if set(self.parameters) != {parameter.name for parameter in row.parameters}:
            self._rebuild(row.parameters)

    def _rebuild(self, parameters: tuple[Parameter, ...]) -> None:
        for box in self.parameters.values():
            self._form.removeRow(box)
        self.parameters = {}
        values = algorithm(self.settings.algorithm).complete(self.settings.parameters)
        for parameter in parameters:
            self.parameters[parameter.name] = box = _box(parameter, values[parameter.name])
            box.valueChanged.connect(lambda _value: self._choose_parameters())
            self._add(parameter.title, box)


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    return combo


def _box(parameter: Parameter, value: int | None) -> QSpinBox:
    box = QSpinBox()
    optional = parameter.default is None
    box.setRange(parameter.minimum - (1 if optional else 0), parameter.maximum)
    if optional:
        box.setSpecialValueText(parameter.absent)
    box.setValue(box.minimum() if value is None else value)
    box.setToolTip(parameter.help)
    box.setAccessibleName(parameter.title)
    return box
