"""The list of all keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from ccl_viewer.views.actions import GROUPS

_MOUSE = (
    ("Left button", "Draw"),
    ("Right button", "Erase"),
    ("Wheel", "Zoom at the cursor"),
    ("Middle button, or Shift + left", "Pan"),
)
_COLUMNS = (("Playback", "Run"), ("File", "Edit", "Tools"), ("View", "Mouse", "Help"))


class KeysDialog(QDialog):
    """Shows all keys, from the table of actions.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        groups = {
            group.title: tuple((_keys(spec.keys), spec.help) for spec in group.specs if spec.keys)
            for group in GROUPS
        }
        groups["Mouse"] = _MOUSE
        grid = QGridLayout()
        grid.setHorizontalSpacing(36)
        for column, titles in enumerate(_COLUMNS):
            side = QVBoxLayout()
            side.setSpacing(14)
            for title in titles:
                side.addLayout(_section(title, groups[title]))
            side.addStretch(1)
            grid.addLayout(side, 0, column)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(18)
        layout.addLayout(grid)
        layout.addWidget(buttons)


def _section(title: str, rows: tuple[tuple[str, str], ...]) -> QGridLayout:
    section = QGridLayout()
    section.setHorizontalSpacing(16)
    section.setVerticalSpacing(5)
    heading = QLabel(title)
    heading.setProperty("role", "heading")
    section.addWidget(heading, 0, 0, 1, 2)
    for row, (keys, text) in enumerate(rows, start=1):
        label = QLabel(keys)
        label.setProperty("role", "title")
        section.addWidget(label, row, 0, Qt.AlignmentFlag.AlignLeft)
        section.addWidget(QLabel(text), row, 1)
    section.setColumnStretch(1, 1)
    return section


def _keys(keys: tuple[str, ...]) -> str:
    native = QKeySequence.SequenceFormat.NativeText
    return "   ".join(QKeySequence(key).toString(native) for key in keys)
