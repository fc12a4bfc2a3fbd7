"""The line above the canvas: title, mouse mode, colours, layers, zoom."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QSlider, QToolButton, QWidget

from ccl_viewer.render.layers import (
    COUNTED,
    LAYER_PREFIX,
    SWITCHES,
    CellColours,
    Numbers,
    number_choices,
)
from ccl_viewer.window.core.messages import MessageAction, MessageKind
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.widgets.buttons import make_icon_button, make_segments
from ccl_viewer.window.widgets.fields import ChoiceBox, guard_from_wheel
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox
from ccl_viewer.window.widgets.style import DOT, TIMES, scaled

if TYPE_CHECKING:
    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.widgets.canvas.canvas import QtCanvas

_COLOUR_TIPS: Final = {
    CellColours.TREE: "Cells that lead to the same root have one colour",
    CellColours.LABEL: "Cells with the same label have one colour",
    CellColours.COMPONENT: "Cells of the same component of the finished run have one colour",
    CellColours.DEPTH: "The more steps to the root, the darker",
    CellColours.INPUT: "Only the grid",
    CellColours.LOADS: "How often the step loaded a value of a cell: the emulator's count",
    CellColours.STORES: "How often the step stored to a cell: the emulator's count",
    CellColours.ATOMICS: "Atomics of the step on a cell: the emulator's count",
    CellColours.CONTENTION: "Most simultaneous atomics on a cell: the emulator's count",
}
COLOURS: Final = {kind: kind.capitalize() for kind in _COLOUR_TIPS}
"""Names of the colourings."""

_MODES: Final = {
    Mode.EXPLORE: ("Explore", "Drag to pan, click to pin a cell, double-click for a component"),
    Mode.DRAW: ("Draw", "Draw with the left button, erase with the right; the middle one pans"),
}
_LOCKED: Final = "You can draw again when you stop predicting"
_NUMBERS: Final = {
    Numbers.NONE: "None",
    Numbers.RAW: "Label, as the paper writes it",
    Numbers.ROOT: "Root of the tree",
    Numbers.COMPONENT: "Component",
}


class QtCanvasHeader(QFrame):
    """One line: title and size of the grid, mode, colours, layers, zoom."""

    def __init__(self, session: Session, canvas: QtCanvas, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session, self._actions = session, actions
        self.setProperty("role", "bar")
        self.title = ElidedLabel("", "title")
        self._modes = make_segments(self, {n: _MODES[mode] for n, mode in enumerate(Mode)})
        self.mode_buttons = dict(zip(Mode, self._modes.buttons(), strict=True))
        self._modes.idClicked.connect(lambda number: session.view.set_mode([*Mode][number]))
        self._colour_by = make_label("Colour by", "dim")
        self.colours = ChoiceBox("Colour by", COLOURS, narrow=True)
        self.colours.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.colours.set_tips(_COLOUR_TIPS.values())
        self.colours.chosen.connect(partial(choose_colours, session))
        tip = "Layers: numbers, arrows, marks and lines"
        self.layers_button = make_icon_button("layers", tip, self.open_layers_panel)
        self.zoom_button = QToolButton()
        self.layers_panel: QtLayers | None = None
        self.zoom_button.setProperty("flat", "true")
        self.zoom_button.setAccessibleName("Zoom")
        self.zoom_button.clicked.connect(canvas.fit)
        self._lay_out()
        watch(self._show_title, session.document.shape_changed, session.document.source_changed)
        watch(
            self._show_view,
            session.view.mode_changed,
            session.view.locked_changed,
            session.view.layers_changed,
        )
        canvas.zoomed.connect(self._show_zoom)
        self._show_title()
        self._show_view()
        self._show_zoom(canvas.placement.logical_cell_size)

    def open_layers_panel(self) -> None:
        if self.layers_panel is None:
            self.layers_panel = QtLayers(self._session, self._actions, self)
        button = self.layers_button
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        self.layers_panel.show_at(corner)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._colour_by.setVisible(self.width() >= scaled(480))

    def _lay_out(self) -> None:
        modes = hbox(*self.mode_buttons.values(), spacing=0)
        others = hbox(self._colour_by, self.colours, self.layers_button, spacing=6)
        last = hbox(others, self.zoom_button, spacing=0)
        self.setLayout(hbox((self.title, 1), modes, last, margins=(8, 2, 4, 2), spacing=12))

    def _show_title(self) -> None:
        document, shape = self._session.document, self._session.document.shape
        if shape is None:
            self.title.setText("")
            return
        size = f"{shape[1]:,} {TIMES} {shape[0]:,}"
        self.title.setText(f"{document.title}{DOT}{size}")
        if document.source:
            self.title.setToolTip(f"{self.title.text()}\n{document.source}")

    def _show_view(self) -> None:
        view = self._session.view
        self.mode_buttons[view.mode].setChecked(True)
        draw = self.mode_buttons[Mode.DRAW]
        draw.setEnabled(not view.locked)
        draw.setToolTip(_LOCKED if view.locked else _MODES[Mode.DRAW][1])
        kind = view.layers.colours
        self.colours.show_value(kind)
        self.colours.setToolTip(f"Colour by: {_COLOUR_TIPS[kind]}")

    def _show_zoom(self, size: float) -> None:
        self.zoom_button.setText(f"{size:.0f} px" if size >= 10 else f"{size:.2g} px")
        self.zoom_button.setToolTip(f"A cell is {size:.3g} pixels wide. Click to fit the grid.")


def choose_colours(session: Session, kind: CellColours) -> None:
    """Colour cells differently; if that needs counts, offer to count."""
    recording = session.display.recording
    session.view.show_layers(colours=kind)
    if kind in COUNTED and recording is not None and not recording.has_counts:
        text = "Memory accesses of this run were not counted."
        count = MessageAction("Count", session.runs.run_counted)
        session.messages.show(MessageKind.INFO, text, action=count)


class QtLayers(QFrame):
    """A small panel with the layers and their keys; a click anywhere else closes it."""

    def __init__(self, session: Session, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session, self._view = session, session.view
        self.setProperty("role", "card")
        self.setAccessibleName("Layers")
        self.numbers = ChoiceBox("Numbers", {}, narrow=True)
        self.numbers.chosen.connect(lambda value: self._view.show_layers(numbers=value))
        self.strength = guard_from_wheel(QSlider(Qt.Orientation.Horizontal))
        self.strength.setRange(10, 100)
        self.strength.setAccessibleName("Strength of the colours")
        self.strength.setToolTip("How strongly the colours cover the input")
        self.strength.valueChanged.connect(
            lambda percent: self._view.show_layers(strength=percent / 100)
        )
        self.switches = {name: QCheckBox(switch.title) for name, switch in SWITCHES.items()}
        for box in self.switches.values():
            box.clicked.connect(self._switch)
        self._lay_out(actions)
        self._view.layers_changed.connect(self._refresh)

    def show_at(self, corner: QPoint) -> None:
        """Appear with the upper right corner at a position on the screen."""
        self._refresh()
        self.adjustSize()
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.numbers.setFocus(Qt.FocusReason.PopupFocusReason)

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        table = QGridLayout(self)
        table.setContentsMargins(14, 12, 14, 12)
        table.setHorizontalSpacing(12)
        for row, widget in enumerate((self.numbers, self.strength)):
            table.addWidget(make_label(("Numbers", "Strength")[row]), row, 0)
            table.addWidget(widget, row, 1, 1, 2)
        for row, (name, box) in enumerate(self.switches.items(), 2):
            table.addWidget(box, row, 0, 1, 2)
            table.addWidget(_key_label(actions.get(name)), row, 2, Qt.AlignmentFlag.AlignRight)

    def _refresh(self) -> None:
        layers, recording = self._view.layers, self._session.display.recording
        for name, box in self.switches.items():
            box.setChecked(layers.shows(name))
        choices = number_choices(() if recording is None else recording.layers)
        self.numbers.fill({value: numbers_title(value) for value in choices})
        self.numbers.show_value(layers.numbers)
        with QSignalBlocker(self.strength):
            self.strength.setValue(round(layers.strength * 100))

    def _switch(self) -> None:
        shown = {name: box.isChecked() for name, box in self.switches.items()}
        self._view.show_layers(**shown)


def numbers_title(value: str) -> str:
    if value.startswith(LAYER_PREFIX):
        return value.removeprefix(LAYER_PREFIX).replace("_", " ").capitalize()
    return _NUMBERS[Numbers(value)]


def _key_label(action: QAction | None) -> QLabel:
    keys = QKeySequence() if action is None else action.shortcut()
    return make_label(keys.toString(QKeySequence.SequenceFormat.NativeText), "dim")
