"""Asks how cells are to be filled at random."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QSpinBox,
    QWidget,
)

_LARGEST_SEED = 2**31 - 1


class RandomDialog(QDialog):
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
        self.density = QDoubleSpinBox()
        self.density.setRange(0, 1)
        self.density.setSingleStep(0.05)
        self.density.setDecimals(3)
        self.density.setValue(0.5)
        self.density.setToolTip("Share of cells that are foreground, 0 to 1")
        self.seed = QSpinBox()
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setToolTip("The same seed gives the same cells")
        self.several = QCheckBox("All values of the palette")
        self.several.setChecked(multivalued)
        self.several.setVisible(multivalued)
        self.buttons = QDialogButtonBox()
        self.buttons.addButton("Fill", QDialogButtonBox.ButtonRole.AcceptRole).setProperty(
            "role", "primary"
        )
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.setContentsMargins(18, 16, 18, 16)
        form.setSpacing(12)
        form.addRow("&Density", self.density)
        form.addRow("&Seed", self.seed)
        form.addRow(self.several)
        form.addRow(self.buttons)
