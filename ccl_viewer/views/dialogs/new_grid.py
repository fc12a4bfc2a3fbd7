"""Asks for the size and the content of a new grid."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

from ccl_viewer.views.dialogs.random_fields import density_field, seed_field
from ccl_viewer.views.dialogs.size import SizeDialog
from ccl_viewer.views.looks.text import TIMES

_SIZES = (8, 16, 32, 64, 128, 256, 512)


class Filling(StrEnum):
    """What a new grid holds."""

    EMPTY = "empty"
    FULL = "full"
    RANDOM = "random"


class NewGridDialog(SizeDialog):
    """Width, height, and what the cells are.

    Parameters
    ----------
    size : tuple of int
        Width and height to begin with.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, size: tuple[int, int] = (64, 64), parent: QWidget | None = None) -> None:
        super().__init__("New grid", "Create", size, parent)
        self.fillings = {
            Filling.EMPTY: QRadioButton("&Empty, to draw on"),
            Filling.FULL: QRadioButton("&Full"),
            Filling.RANDOM: QRadioButton("&Random"),
        }
        self._group = QButtonGroup(self)
        for button in self.fillings.values():
            self._group.addButton(button)
        self.fillings[Filling.EMPTY].setChecked(True)
        self.density = density_field()
        self.seed = seed_field()
        self._lay_out()
        self._group.buttonToggled.connect(lambda *_: self._follow())
        self._follow()

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
        chance.setContentsMargins(24, 0, 0, 6)
        chance.setSpacing(8)
        for title, field in (("Density", self.density), ("Seed", self.seed)):
            chance.addWidget(QLabel(title))
            chance.addWidget(field, 1)
        self.lay_out(self.form, quick, *self.fillings.values(), chance)

    def _set_side(self, side: int) -> None:
        self.columns.setValue(side)
        self.rows.setValue(side)
