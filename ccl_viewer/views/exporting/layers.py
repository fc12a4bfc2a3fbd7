"""The layers of an export: those on the canvas, or others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QWidget

from ccl_viewer.session.showing.look import Layers, numbers_of
from ccl_viewer.views.canvas.layers_panel import COLOURS, numbers_title

_SWITCHES: Final = {
    "arrows": ("Arrows", "From each cell to its parent"),
    "changed": ("Changed cells", "A mark on the cells that the step changed"),
    "structure": ("Structure", "How the launch divides the grid"),
    "contours": ("Contours", "Around the components"),
    "lines": ("Lines", "Between cells"),
    "onion": ("Step before", "The colours of the step before, around those of this one"),
}


class LayerChoice(QWidget):
    """Colours, numbers, and a switch for each layer.

    Parameters
    ----------
    arrays : sequence of str
        Names of the arrays that were recorded beside the labels.
    """

    changed = Signal(object)
    """The layers that are chosen now."""

    def __init__(self, arrays: Sequence[str]) -> None:
        super().__init__()
        self.colours = QComboBox()
        self.colours.setAccessibleName("Colours")
        for kind, title in COLOURS.items():
            self.colours.addItem(title, kind)
        self.numbers = QComboBox()
        self.numbers.setAccessibleName("Numbers")
        for value in numbers_of(arrays):
            self.numbers.addItem(numbers_title(value), value)
        self.switches = {name: _switch(*words) for name, words in _SWITCHES.items()}
        self._layers = Layers()
        self._lay_out()
        self.colours.activated.connect(
            lambda _: self._choose(colours=list(COLOURS)[self.colours.currentIndex()])
        )
        self.numbers.activated.connect(lambda _: self._choose(numbers=self.numbers.currentData()))
        for name, box in self.switches.items():
            box.clicked.connect(lambda on, name=name: self._choose(**{name: on}))

    def show_layers(self, layers: Layers) -> None:
        """Show which layers are chosen."""
        self._layers = layers
        self.colours.setCurrentIndex(self.colours.findData(layers.colours))
        self.numbers.setCurrentIndex(max(self.numbers.findData(layers.numbers), 0))
        for name, box in self.switches.items():
            box.setChecked(layers.shows(name))

    def _choose(self, **changes: Any) -> None:
        self._layers = replace(self._layers, **changes)
        self.changed.emit(self._layers)

    def _lay_out(self) -> None:
        table = QGridLayout(self)
        table.setContentsMargins(0, 0, 0, 0)
        table.setHorizontalSpacing(10)
        table.setVerticalSpacing(6)
        for row, (title, field) in enumerate(
            (("Colours", self.colours), ("Numbers", self.numbers))
        ):
            label = QLabel(title)
            label.setProperty("role", "dim")
            table.addWidget(label, row, 0)
            table.addWidget(field, row, 1, 1, 2)
        for place, box in enumerate(self.switches.values()):
            table.addWidget(
                box, 2 + place // 2, 0 if place % 2 == 0 else 2, 1, 1 + (place % 2 == 0)
            )
        table.setColumnStretch(2, 1)


def _switch(title: str, tip: str) -> QCheckBox:
    box = QCheckBox(title)
    box.setToolTip(tip)
    return box
