"""Asks how cells are to be filled at random."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QWidget,
)

from ccl_viewer.views.dialogs.buttons import dialog_buttons
from ccl_viewer.views.dialogs.random_fields import density_field, seed_field
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.field_label import FieldLabel


class RandomDialog(Dialog):
    """Density and seed.

    Parameters
    ----------
    selected : bool
        Whether only the selection is filled.
    multivalued : bool
        Whether the foreground may have several values.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, *, selected: bool, multivalued: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Fill the selection" if selected else "Fill the grid")
        self.density = density_field()
        self.density.selectAll()
        self.seed = seed_field()
        self.several = QCheckBox("All values of the palette")
        self.several.setChecked(multivalued)
        self.several.setVisible(multivalued)
        self.buttons = dialog_buttons("Fill")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 16)
        form.setSpacing(12)
        for title, field in (("&Density", self.density), ("&Seed", self.seed)):
            form.addRow(FieldLabel(title, field), field)
        form.addRow(self.several)
        form.addRow(self.buttons)
