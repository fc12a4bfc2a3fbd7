"""What an algorithm leaves to choose: connectivity, and the parameters of its own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from ccl_viewer.algorithms import algorithm
from ccl_viewer.algorithms.base import Algorithm, Parameter
from ccl_viewer.session import Session
from ccl_viewer.views.widgets.boxes import NumberBox, titled

PARTS_APART = 8
"""Pixels between fields that belong together."""


class ConnectivityButtons(QWidget):
    """Two buttons, 4 and 8, of which one is down."""

    def __init__(self) -> None:
        super().__init__()
        self.group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for value, place in ((4, "left"), (8, "right")):
            button = QToolButton()
            button.setText(str(value))
            button.setCheckable(True)
            button.setProperty("segment", place)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setMinimumWidth(40)
            button.setAccessibleName(f"Connectivity {value}")
            self.group.addButton(button, value)
            layout.addWidget(button)

    def show_choice(self, row: Algorithm, connectivity: int) -> None:
        """Show which is chosen, and which the algorithm has."""
        sides = {4: "cells that share an edge", 8: "cells that share an edge or a corner"}
        for value, meaning in sides.items():
            button = self.group.button(value)
            button.setEnabled(value in row.connectivities)
            button.setChecked(value == connectivity)
            paper = "; the paper's own" if value == row.connectivities[0] else ""
            button.setToolTip(
                f"Connect {meaning}{paper}"
                if button.isEnabled()
                else f"{row.title} has no connectivity {value}"
            )


class ParameterFields(QWidget):
    """A field for each parameter of the algorithm.

    Parameters
    ----------
    session : Session
        Whose next run they are for.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._key: str | None = None
        self._low = False
        self.boxes: dict[str, QSpinBox] = {}
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(PARTS_APART)

    def show_parameters(self, row: Algorithm) -> None:
        """Show the fields of an algorithm, with the session's values."""
        if row.key != self._key:
            self._key = row.key
            self._rebuild(row.parameters)
        values = row.complete(self._session.settings.parameters)
        for parameter in row.parameters:
            box = self.boxes[parameter.name]
            value = values[parameter.name]
            with QSignalBlocker(box):
                box.setValue(box.minimum() if value is None else value)
        self.setVisible(bool(row.parameters))

    def set_low(self, low: bool) -> None:
        """Go without captions, here and with other algorithms, or have them again."""
        self._low = low
        _hide_captions(self, low)

    def _rebuild(self, parameters: Sequence[Parameter]) -> None:
        for box in self.boxes.values():  # what is being typed is for the algorithm before
            box.valueChanged.disconnect(self._changed)
        self.boxes.clear()
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for parameter in parameters:
            holder = QWidget()
            holder.setLayout(titled(parameter.title, self._box(parameter)))
            _hide_captions(holder, self._low)
            self._layout.addWidget(holder)
            holder.show()  # else the bar is laid out once without any

    def _box(self, parameter: Parameter) -> QSpinBox:
        box = NumberBox()
        optional = parameter.default is None
        box.setRange(parameter.minimum - (1 if optional else 0), parameter.maximum)
        if optional:
            box.setSpecialValueText(parameter.absent)
        box.setToolTip(f"{parameter.title}: {parameter.help}")
        box.setAccessibleName(parameter.title)
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self._changed)
        self.boxes[parameter.name] = box
        return box

    def _changed(self) -> None:
        row = algorithm(self._session.settings.algorithm)
        values: dict[str, int | None] = {}
        for parameter in row.parameters:
            value = self.boxes[parameter.name].value()
            absent = parameter.default is None and value < parameter.minimum
            values[parameter.name] = None if absent else value
        self._session.configure(parameters=values)


def _hide_captions(part: QWidget, hidden: bool) -> None:
    for caption in part.findChildren(QLabel):
        caption.setHidden(hidden)
