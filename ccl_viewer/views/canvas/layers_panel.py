"""The layers: what colours and numbers say, and a switch for all that lies over the cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import CellColours, Layers, Numbers, Session
from ccl_viewer.session.showing.look import LAYER_PREFIX, SWITCHES, Look, numbers_of
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.memory.parts import Memory

COLOURS: Final = {
    CellColours.LABEL: "by current label",
    CellColours.TREE: "by current tree",
    CellColours.COMPONENT: "by final component",
    CellColours.DEPTH: "by depth below the root",
    CellColours.INPUT: "input alone",
}
"""What each colouring is called."""

_NUMBERS: Final = {
    Numbers.NONE: "none",
    Numbers.RAW: "label, as the paper writes it",
    Numbers.ROOT: "root of the tree",
    Numbers.COMPONENT: "component",
}
_SWITCHED: Final = tuple(name for name in SWITCHES if name != "numbers")


class LayersPanel(QFrame):
    """A small panel over the canvas, which closes when anything else is clicked.

    Parameters
    ----------
    session : Session
        Whose look is changed.
    actions : dict of str to QAction
        The window's actions, among them one for each layer.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, session: Session, actions: dict[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session, self._look = session, session.look
        self.setProperty("role", "card")
        self.setAccessibleName("Layers")
        self.colours = QComboBox()
        self.numbers = QComboBox()
        self.strength = QSlider(Qt.Orientation.Horizontal)
        self.switches = {name: _switch(actions[name]) for name in _SWITCHED}
        self._actions = actions
        self._set_up_choices(actions)
        self._lay_out(actions)
        self._look.layers_changed.connect(self.refresh)
        session.recording_changed.connect(self.refresh)
        for name, box in self.switches.items():
            box.clicked.connect(lambda on, name=name: self._look.switch(name, on))
        self.refresh()

    def refresh(self) -> None:
        """Show the layers as they are."""
        layers, recording = self._look.layers, self._session.recording
        for name, box in self.switches.items():
            box.setChecked(layers.shows(name))
        with QSignalBlocker(self.colours):
            self.colours.setCurrentIndex(self.colours.findData(layers.colours))
        with QSignalBlocker(self.numbers):
            self.numbers.clear()
            for value in numbers_of(() if recording is None else recording.layers):
                self.numbers.addItem(numbers_title(value), value)
            self.numbers.setCurrentIndex(max(self.numbers.findData(layers.numbers), 0))
        with QSignalBlocker(self.strength):
            self.strength.setValue(round(layers.strength * 100))

    def set_theme(self, _theme: Theme) -> None:
        """Show the icons as the actions have them now."""
        for name, box in self.switches.items():
            box.setIcon(self._actions[name].icon())

    def show_under(self, button: QWidget) -> None:
        """Appear below a button, as far to the right as it."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.colours.setFocus(Qt.FocusReason.PopupFocusReason)

    def _set_up_choices(self, actions: dict[str, QAction]) -> None:
        for kind, title in COLOURS.items():
            self.colours.addItem(title, kind)
        for combo, name, choose in (
            (self.colours, "next_colours", self._choose_colours),
            (self.numbers, "next_numbers", self._choose_numbers),
        ):
            combo.setAccessibleName("Colours" if combo is self.colours else "Numbers")
            combo.setToolTip(actions[name].toolTip())
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.activated.connect(choose)
        self.strength.setRange(10, 100)
        self.strength.setAccessibleName("Strength of the colours")
        self.strength.setToolTip("How strongly the colours cover the input")
        self.strength.valueChanged.connect(lambda value: self._look.show(strength=value / 100))

    def _choose_colours(self, index: int) -> None:
        self._look.show(colours=self.colours.itemData(index))

    def _choose_numbers(self, index: int) -> None:
        self._look.show(numbers=self.numbers.itemData(index))

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        table = QGridLayout()
        table.setHorizontalSpacing(12)
        table.setVerticalSpacing(6)
        choices = (
            ("Colours", self.colours),
            ("Strength", self.strength),
            ("Numbers", self.numbers),
        )
        for row, (title, field) in enumerate(choices):
            label = QLabel(title)
            label.setProperty("role", "dim")
            table.addWidget(label, row, 0)
            table.addWidget(field, row, 1, 1, 2)
        for row, (name, box) in enumerate(self.switches.items(), len(choices) + 1):
            table.addWidget(box, row, 0, 1, 2)
            key = QLabel(_key(actions[name]))
            key.setProperty("role", "dim")
            table.addWidget(key, row, 2, Qt.AlignmentFlag.AlignRight)
        table.setRowMinimumHeight(len(choices), 4)
        table.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.addLayout(table)


def numbers_title(value: str) -> str:
    """Return what the user calls a choice of numbers."""
    if value.startswith(LAYER_PREFIX):
        return value.removeprefix(LAYER_PREFIX).replace("_", " ")
    return _NUMBERS[Numbers(value)]


def look_memories(look: Look) -> Iterator[Memory]:
    """Return what is to be remembered of the layers."""
    for name in Layers().to_values():
        yield _memory(look, name)


def _memory(look: Look, name: str) -> Memory:
    def write(text: str) -> None:
        look.show_all(Layers.from_values({**look.layers.to_values(), name: text}))

    return Memory(f"layers/{name}", lambda: look.layers.to_values()[name], write)


def _switch(action: QAction) -> QCheckBox:
    box = QCheckBox(action.text().replace("&", ""))
    box.setIcon(action.icon())
    box.setIconSize(QSize(18, 18))
    box.setToolTip(action.toolTip())
    box.setAccessibleName(action.toolTip())
    return box


def _key(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
