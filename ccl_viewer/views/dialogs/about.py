"""What the program is: its version, what it runs on, and whose methods it shows."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.session.jobs.details import versions
from ccl_viewer.views.dialogs.buttons import add_plain
from ccl_viewer.views.looks.icons import program_icon
from ccl_viewer.views.looks.text_size import resize_with_text, scaled
from ccl_viewer.views.widgets.dialog import Dialog
from ccl_viewer.views.widgets.scrolling import scrolled

_SIZE = QSize(640, 520)
_SIGN = 56
_WHAT = "Shows how GPUs label connected components, kernel by kernel. Under the MIT License."


class AboutDialog(Dialog):
    """Names the program's version and the papers; the versions can be copied.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About CCL Viewer")
        known = {**versions(), "Qt": qVersion()}
        self.versions = _text("\n".join(f"{name} {value}" for name, value in known.items()))
        self.versions.setProperty("role", "dim")
        self.papers = _text("\n\n".join(dict.fromkeys(row.citation for row in ALGORITHMS.values())))
        self.papers.setContentsMargins(10, 8, 10, 8)
        self.copy_button = QPushButton("&Copy versions")
        self.copy_button.clicked.connect(self._copy)
        buttons = QDialogButtonBox()
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        add_plain(buttons, QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 14)
        layout.setSpacing(12)
        layout.addLayout(_head())
        layout.addWidget(self.versions)
        layout.addWidget(_heading("Papers"))
        layout.addWidget(scrolled(self.papers, "Papers"), 1)
        layout.addWidget(buttons)
        resize_with_text(self, _SIZE)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.versions.text())


def _head() -> QHBoxLayout:
    sign = QLabel()
    sign.setPixmap(program_icon().pixmap(scaled(_SIGN), scaled(_SIGN)))
    words = QVBoxLayout()
    words.addWidget(_heading("CCL Viewer"))
    words.addWidget(_text(_WHAT))
    row = QHBoxLayout()
    row.setSpacing(16)
    row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
    row.addLayout(words, 1)
    return row


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "heading")
    return label


def _text(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
