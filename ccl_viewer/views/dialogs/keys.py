"""The list of all keys, in which one can search."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.views.actions import GROUPS
from ccl_viewer.views.actions.spec import Spec
from ccl_viewer.views.dialogs.buttons import add_plain
from ccl_viewer.views.looks.text_size import resize_with_text, scaled
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.scrolling import scrolled

_MOUSE = (
    ("Left button", "Use the tool: draw, choose, pin"),
    ("Right button", "Erase; with the tools Pick and Select, show the menu of the cell"),
    ("Ctrl + left", "Pin a cell's component, whatever the tool"),
    ("Ctrl + right, or Menu", "Show the menu of the cell, whatever the tool; or of the step"),
    ("Shift + arrows", "Move the cell cursor on the canvas"),
    ("Enter, Shift+Enter", "Pin the component, or the cell, under mouse or cursor"),
    ("Wheel", "Zoom at the cursor"),
    ("Middle button, or Shift + left", "Pan"),
    ("Tab, Shift+Tab", "Go through all controls"),
)
_SIZE = QSize(1180, 660)
_COLUMN = 360
"""Width of a column that can be read, in pixels, at the usual size of text."""


class KeysDialog(Dialog):
    """Shows all keys, from the table of actions.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search: a key, or what it does")
        self.search.setAccessibleName("Search among the keys")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.sections = [_Section(title, rows) for title, rows in _groups()]
        self.nothing = QLabel("No key does that. Everything that has no key is in the menus.")
        self.nothing.setProperty("role", "dim")
        self.nothing.hide()
        buttons = QDialogButtonBox()
        add_plain(buttons, QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 14)
        layout.setSpacing(12)
        layout.addWidget(self.search)
        layout.addWidget(self.nothing)
        resize_with_text(self, _SIZE)
        columns = max(self.width() // scaled(_COLUMN), 1)
        layout.addWidget(scrolled(_in_columns(self.sections, columns), "Keys"), 1)
        layout.addWidget(buttons)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        found = [section.filter(words) for section in self.sections]
        self.nothing.setVisible(not any(found))


_Row = tuple[str, str, str]
"""Keys, what they do, and what else it is called: its name in the menus."""


class _Section(QWidget):
    """A heading and its rows: keys at the left, what they do at the right."""

    def __init__(self, title: str, rows: tuple[_Row, ...]) -> None:
        super().__init__()
        self.length = len(rows) + 2
        self._rows: list[tuple[str, tuple[QLabel, QLabel]]] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 10)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(3)
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        grid.addWidget(heading, 0, 0, 1, 2)
        for number, (keys, text, called) in enumerate(rows, start=1):
            left, right = QLabel(keys), QLabel(text)
            left.setProperty("role", "title")
            left.setMaximumWidth(scaled(_COLUMN) // 2)
            left.setWordWrap(" " in keys)
            right.setWordWrap(True)
            right.setAlignment(Qt.AlignmentFlag.AlignTop)
            grid.addWidget(left, number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(right, number, 1)
            self._rows.append((f"{keys} {text} {called} {title}".casefold(), (left, right)))
        grid.setColumnStretch(1, 1)

    def filter(self, words: list[str]) -> bool:
        """Show the rows that have all words; return whether there are any."""
        found = False
        for text, labels in self._rows:
            fits = all(word in text for word in words)
            found = found or fits
            for label in labels:
                label.setVisible(fits)
        self.setVisible(found)
        return found


def _groups() -> list[tuple[str, tuple[_Row, ...]]]:
    """Return headings and rows of the list."""
    groups = [
        (group.title, tuple(_row(spec) for spec in group.specs if spec.keys)) for group in GROUPS
    ]
    mouse = tuple((does, text, "") for does, text in _MOUSE)
    return [(title, rows) for title, rows in groups if rows] + [("Mouse", mouse)]


def _row(spec: Spec) -> _Row:
    return _keys(spec.keys), spec.help, spec.text.replace("&", "")


def _in_columns(sections: list[_Section], count: int) -> QWidget:
    """Return sections side by side, each in the column that is shortest so far."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 8, 0)
    row.setSpacing(28)
    columns = [QVBoxLayout() for _ in range(count)]
    lengths = [0] * count
    for section in sorted(sections, key=lambda section: -section.length):
        shortest = lengths.index(min(lengths))
        lengths[shortest] += section.length
        columns[shortest].addWidget(section)
    for column in columns:
        column.addStretch(1)
        row.addLayout(column, 1)
    return holder


def _keys(keys: tuple[str, ...]) -> str:
    native = QKeySequence.SequenceFormat.NativeText
    return "\n".join(QKeySequence(key).toString(native) for key in keys)
