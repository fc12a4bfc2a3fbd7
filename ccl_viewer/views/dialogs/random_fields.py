"""Fields that say how cells are drawn at random."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_LARGEST_SEED = 2**31 - 1


def density_field() -> QDoubleSpinBox:
    """Return a field for the share of cells that are foreground."""
    field = QDoubleSpinBox()
    field.setRange(0, 1)
    field.setSingleStep(0.05)
    field.setDecimals(3)
    field.setValue(0.5)
    field.setAccessibleName("Share of foreground")
    field.setToolTip("Share of cells that are foreground, 0 to 1")
    return field


def seed_field() -> QSpinBox:
    """Return a field for what random numbers begin with."""
    field = QSpinBox()
    field.setRange(0, _LARGEST_SEED)
    field.setAccessibleName("Seed")
    field.setToolTip("The same seed gives the same cells")
    return field
