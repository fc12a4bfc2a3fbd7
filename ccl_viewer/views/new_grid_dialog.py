"""Asks for the size and the content of a new grid."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.grids.pattern import MAX_SIDE
from ccl_viewer.views.text import TIMES

_SIZES = (8, 16, 32, 64, 128, 256, 512)
_MOST_SEED = 2**31 - 1


class Filling(StrEnum):
    """What a new grid holds."""

    EMPTY = "empty"
    FULL = "full"
    RANDOM = "random"


class NewGridDialog(QDialog):
    """Width, height, and what the cells are.

    Parameters
    ----------
    size : tuple of int
        Width and height to begin with.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, size: tuple[int, int] = (64, 64), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New grid")
        self.columns = side_field("Width in cells", size[0])
        self.rows = side_field("Height in cells", size[1])
        self.fillings = {
            Filling.EMPTY: QRadioButton("&Empty, to draw on"),
            Filling.FULL: QRadioButton("&Full"),
            Filling.RANDOM: QRadioButton("&Random"),
        }
        self._group = QButtonGroup(self)
        for button in self.fillings.values():
            self._group.addButton(button)
        self.fillings[Filling.EMPTY].setChecked(True)
        self.density = QDoubleSpinBox()
        self.density.setRange(0, 1)
        self.density.setSingleStep(0.05)
        self.density.setValue(0.5)
        self.density.setAccessibleName("Share of foreground")
        self.density.setToolTip("Share of foreground")
        self.seed = QSpinBox()
        self.seed.setRange(0, _MOST_SEED)
        self.seed.setAccessibleName("Seed")
        self.seed.setToolTip("The same seed gives the same cells")
        self.buttons = dialog_buttons("Create")
        self._lay_out()
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._group.buttonToggled.connect(lambda *_: self._follow())
        self._follow()
        self.columns.setFocus()
        self.columns.selectAll()

    @property
    def size_in_cells(self) -> tuple[int, int]:
        """Width and height."""
        return self.columns.value(), self.rows.value()

    @property
    def filling(self) -> Filling:
        """What the cells are."""
        return next(filling for filling, button in self.fillings.items() if button.isChecked())

    def choose(self, filling: Filling) -> None:
        """Choose what the cells are."""
        self.fillings[filling].setChecked(True)

    def _follow(self) -> None:
        for field in (self.density, self.seed):
            field.setEnabled(self.filling is Filling.RANDOM)

    def _lay_out(self) -> None:
        quick = QHBoxLayout()
        quick.setSpacing(4)
        for side in _SIZES:
            preset = QPushButton(str(side))
            preset.setToolTip(f"{side} {TIMES} {side} cells")
            preset.setAccessibleName(f"{side} by {side} cells")
            preset.setAutoDefault(False)
            preset.clicked.connect(lambda _on=False, side=side: self._set_side(side))
            quick.addWidget(preset)
        chance = QHBoxLayout()
        chance.setContentsMargins(24, 0, 0, 0)
        chance.setSpacing(8)
        for title, field in (("Density", self.density), ("Seed", self.seed)):
            chance.addWidget(QLabel(title))
            chance.addWidget(field, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 16)
        layout.setSpacing(12)
        layout.addLayout(size_form(self.columns, self.rows))
        layout.addLayout(quick)
        for button in self.fillings.values():
            layout.addWidget(button)
        layout.addLayout(chance)
        layout.addSpacing(6)
        layout.addWidget(self.buttons)

    def _set_side(self, side: int) -> None:
        self.columns.setValue(side)
        self.rows.setValue(side)


def side_field(name: str, value: int) -> QSpinBox:
    """Return a field for a number of cells along a side."""
    field = QSpinBox()
    field.setRange(1, MAX_SIDE)
    field.setValue(value)
    field.setAccessibleName(name)
    field.setToolTip(name)
    field.setMinimumWidth(110)
    return field


def size_form(columns: QSpinBox, rows: QSpinBox) -> QFormLayout:
    """Return fields for width and height below one another."""
    form = QFormLayout()
    form.setVerticalSpacing(8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for title, field in (("&Width", columns), ("&Height", rows)):
        label = QLabel(title)
        label.setBuddy(field)
        label.setMinimumHeight(field.sizeHint().height())
        form.addRow(label, field)
    return form


def dialog_buttons(title: str) -> QDialogButtonBox:
    """Return a button that does it, and Cancel."""
    buttons = QDialogButtonBox()
    does = QPushButton(title)
    does.setProperty("role", "primary")
    does.setDefault(True)
    buttons.addButton(does, QDialogButtonBox.ButtonRole.AcceptRole)
    buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
    return buttons
