"""Choosing a pattern and its parameters, with a preview."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import counted
from ccl_viewer.grids.specs import pattern_spec
from ccl_viewer.session.files.pattern_preview import PatternPreview
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.views.dialogs.buttons import answer_return, buttons_with
from ccl_viewer.views.looks.text import DOT, TIMES
from ccl_viewer.views.looks.text_size import resize_with_text, scaled
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.patterns.gallery import Gallery, picture
from ccl_viewer.views.patterns.parameter_form import ParameterForm
from ccl_viewer.views.widgets.dialog import Dialog

_PREVIEW = 272


class PatternDialog(Dialog):
    """A gallery of patterns; the chosen one's parameters can be set.

    Parameters
    ----------
    theme : Theme
        Colours of the previews.
    runner : Runner
        Makes the previews, away from this thread.
    connectivity : int
        4 or 8, for the number of components.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self, theme: Theme, runner: Runner, connectivity: int = 4, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("New pattern")
        self._theme = theme
        self._connectivity = connectivity
        self._preview = PatternPreview(runner, connectivity, self._show_preview)
        self.gallery = Gallery(theme)
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.summary = _wrapped(Qt.AlignmentFlag.AlignTop, "dim")
        self.summary.setFixedHeight(4 * self.fontMetrics().lineSpacing())
        self.preview = _wrapped(Qt.AlignmentFlag.AlignCenter)
        self.preview.setFixedSize(_PREVIEW, _PREVIEW)
        self.preview.setAccessibleName("Preview")
        self.facts = _wrapped(Qt.AlignmentFlag.AlignHCenter, "dim")
        self.form = ParameterForm()
        self.create_button = QPushButton("Create")
        self.buttons = buttons_with(self.create_button)
        self._lay_out()
        self._connect()
        self.choose("spiral")
        self.gallery.setFocus()

    @property
    def spec(self) -> str:
        """The choice, as ``pattern:NAME?key=value``."""
        return pattern_spec(self.gallery.pattern.key, self.form.values)

    @property
    def busy(self) -> bool:
        """Whether the preview is being made."""
        return self._preview.busy

    def choose(self, key: str) -> None:
        """Choose a pattern."""
        self.gallery.choose(key)

    def accept(self) -> None:
        """Create the pattern, unless it was seen that there is none."""
        if self.create_button.isEnabled():
            super().accept()

    def _connect(self) -> None:
        answer_return(self.create_button)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _result: self._preview.close())
        self.form.changed.connect(self._update_preview)
        self.gallery.chosen.connect(self._choose)
        self.gallery.itemActivated.connect(lambda _item: self.accept())

    def _choose(self, _key: str) -> None:
        pattern = self.gallery.pattern
        self.title.setText(pattern.title)
        self.summary.setText(pattern.summary)
        self.form.show_pattern(pattern)

    def _update_preview(self) -> None:
        self.create_button.setEnabled(True)
        self._preview.update(self.gallery.pattern, self.form.values)

    def _show_preview(self) -> None:
        grid, error = self._preview.grid, self._preview.error
        if grid is None:
            self.preview.setText(error or self._preview.note)
            self.facts.clear()
            self.create_button.setEnabled(not error)
            return
        multivalued = self.gallery.pattern.multivalued
        self.preview.setPixmap(picture(grid, _PREVIEW, self._theme, multivalued=multivalued))
        height, width = grid.shape
        components = counted(self._preview.components, "component")
        self.facts.setText(
            f"{width:,} {TIMES} {height:,}{DOT}{components} ({self._connectivity}-connected)"
        )

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.title)
        right.addWidget(self.summary)
        right.addWidget(self.preview, 0, Qt.AlignmentFlag.AlignHCenter)
        right.addWidget(self.facts)
        right.addSpacing(4)
        right.addWidget(self.form)
        right.addStretch(1)
        right.addWidget(self.buttons)
        holder = QWidget()
        right.setContentsMargins(0, 0, 0, 0)
        holder.setLayout(right)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(18)
        layout.addWidget(self.gallery, 1)
        layout.addWidget(holder)
        resize_with_text(self, QSize(1048, 660))
        holder.setFixedWidth(min(scaled(320), self.width() // 2))


def _wrapped(alignment: Qt.AlignmentFlag, role: str = "") -> QLabel:
    label = QLabel()
    if role:
        label.setProperty("role", role)
    label.setAlignment(alignment)
    label.setWordWrap(True)
    return label
