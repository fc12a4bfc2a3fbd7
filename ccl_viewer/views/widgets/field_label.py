"""A label that stands beside the first line of its field."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class FieldLabel(QLabel):
    """Names a field, leads to it, and is as high, so that both texts stand on one line.

    Parameters
    ----------
    text : str
        The name, with its mnemonic.
    field : QWidget
        The field, or the first of several.
    """

    def __init__(self, text: str, field: QWidget) -> None:
        super().__init__(text)
        self._field = field
        self.setBuddy(field)
        # Beside several lines, it stays at the first.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a size with the height of the field, as its style makes it now."""
        own = super().sizeHint()
        return QSize(own.width(), max(own.height(), self._field.sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()
