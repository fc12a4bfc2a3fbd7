"""Asks how a lane of a comparison is to be run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from ccl_viewer.algorithms import ALGORITHMS, algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.models.state import RunSettings
from ccl_viewer.qt.settings_bar import DEVICES, LARGEST_SEED, SCHEDULES, _parameter_box
from ccl_viewer.qt.widgets import Dialog, dialog_buttons, labelled

if TYPE_CHECKING:
    from ccl_viewer.models.comparison import Lane
    from ccl_viewer.models.session import Session


class QtLaneDialog(Dialog):
    """Algorithm, connectivity, device, schedule and parameters of a lane.

    Parameters
    ----------
    settings : RunSettings
        What it begins with.
    does : str
        Text of the button: "Add" or "Change".
    parent : QWidget or None
        Parent.

    Attributes
    ----------
    settings : RunSettings
        What was chosen.
    """

    def __init__(self, settings: RunSettings, does: str, parent: QWidget | None = None) -> None:
        super().__init__(f"{does} lane", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.settings = settings.with_values(settings.multivalued)
        self.algorithm = QComboBox()
        self.summary = labelled("", "dim", wrap=True)
        self.connectivity = QComboBox()
        self.device = QComboBox()
        self.schedule = QComboBox()
        self.seed = QSpinBox()
        self.parameters: dict[str, QSpinBox] = {}
        self._form = QFormLayout()
        self._key = ""
        self._fill()
        self._lay_out(does)
        self.algorithm.activated.connect(
            lambda _index: self._change(algorithm=self.algorithm.currentData())
        )
        self.connectivity.activated.connect(
            lambda _index: self._change(connectivity=self.connectivity.currentData())
        )
        self.device.activated.connect(self._choose_device)
        self.schedule.activated.connect(self._choose_schedule)
        self.seed.valueChanged.connect(self._choose_schedule)
        self._show()

    def _fill(self) -> None:
        for row in ALGORITHMS.values():
            if row.multivalued or not self.settings.multivalued:
                self.algorithm.addItem(row.title, row.key)
        for key, name in DEVICES.items():
            self.device.addItem(name, key)
        for key, name, tip in SCHEDULES:
            self.schedule.addItem(name, key)
            last = self.schedule.count() - 1
            self.schedule.setItemData(last, tip, Qt.ItemDataRole.ToolTipRole)
        self.seed.setRange(0, LARGEST_SEED)

    def _lay_out(self, does: str) -> None:
        self.summary.setMinimumWidth(340)
        self._form.addRow("Algorithm", self.algorithm)
        self._form.addRow(self.summary)
        self._form.addRow("Connectivity", self.connectivity)
        self._form.addRow("Device", self.device)
        self._form.addRow("Schedule", self.schedule)
        self._form.addRow("Seed", self.seed)
        layout = QVBoxLayout(self)
        layout.addLayout(self._form)
        layout.addStretch(1)
        layout.addWidget(dialog_buttons(self, does))

    def _choose_device(self) -> None:
        device = self.device.currentData()
        self._change(device=device, schedule="auto" if device == "cuda" else None)

    def _choose_schedule(self) -> None:
        kind = self.schedule.currentData()
        self._change(schedule=f"random:{self.seed.value()}" if kind == "random" else kind)

    def _choose_parameters(self) -> None:
        values: dict[str, int | None] = {}
        for parameter in algorithm(self._key).parameters:
            value = self.parameters[parameter.name].value()
            absent = parameter.default is None and value < parameter.minimum
            values[parameter.name] = None if absent else value
        self._change(parameters=values)

    def _change(self, **changes: Any) -> None:
        self.settings = self.settings.changed(**changes)
        self._show()

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
            self.seed.setValue(int(seed) if seed.isdigit() else self.seed.value())
        self._form.setRowVisible(self.seed, kind == "random")
        if self._key != row.key:
            self._key = row.key
            self._show_parameters()

    def _show_parameters(self) -> None:
        row = algorithm(self._key)
        for box in self.parameters.values():
            self._form.removeRow(box)
        self.parameters = {}
        values = row.complete(self.settings.parameters)
        for parameter in row.parameters:
            box = _parameter_box(parameter)
            value = values[parameter.name]
            box.setValue(box.minimum() if value is None else value)
            box.valueChanged.connect(self._choose_parameters)
            self.parameters[parameter.name] = box
            self._form.addRow(parameter.title, box)


def ask_for_lane(session: Session, parent: QWidget) -> QtLaneDialog:
    """Ask how another lane is to be run, and add it."""
    return _ask(session, session.comparison.rival(), "Add", session.comparison.add, parent)


def ask_to_change(session: Session, lane: Lane, parent: QWidget) -> QtLaneDialog:
    """Ask how a lane is to be run instead."""
    return _ask(
        session,
        lane.settings,
        "Change",
        lambda settings: session.comparison.change(lane, settings),
        parent,
    )


def _ask(
    session: Session,
    settings: RunSettings,
    does: str,
    then: Callable[[RunSettings], object],
    parent: QWidget,
) -> QtLaneDialog:
    dialog = QtLaneDialog(settings, does, parent)

    def accept() -> None:
        try:
            then(dialog.settings)
        except InputError as error:
            session.messages.show_error(f"{does} lane", error)

    dialog.accepted.connect(accept)
    dialog.open()
    return dialog
