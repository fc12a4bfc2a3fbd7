"""Importing a picture: threshold, channel, crop and scale, with the grid that results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import counted
from ccl_viewer.grids.import_settings import ImportSettings
from ccl_viewer.grids.importing import Converted
from ccl_viewer.session.files.import_preview import ImportPreview
from ccl_viewer.session.files.importing import Offer
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.views.dialogs.buttons import answer_return, buttons_with
from ccl_viewer.views.importing.canvas import ImportCanvas
from ccl_viewer.views.importing.controls import ImportControls
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.text import DOT, TIMES
from ccl_viewer.views.looks.text_size import resize_with_text
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.dialog import Dialog


class ImportDialog(Dialog):
    """Asks how a picture becomes a grid.

    Parameters
    ----------
    offer : Offer
        The picture, and the settings to begin with.
    controls : ImportControls or None
        What :func:`controls_for` made for it, where that was in another turn of the event loop.
    connectivity : int
        4 or 8, for the number of components.
    labels_values : bool
        Whether the algorithm in use tells values apart.
    runner : Runner
        Runs the conversions, away from this thread; :meth:`poll` is to be called at its news.
    theme : Theme
        The colours.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        offer: Offer,
        controls: ImportControls | None = None,
        *,
        connectivity: int,
        labels_values: bool,
        runner: Runner,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Import {offer.name}")
        self.settings = offer.settings
        self._connectivity = connectivity
        self._labels_values = labels_values
        self._preview = ImportPreview(offer.source, offer.settings, connectivity, runner)
        self.canvas = ImportCanvas(self._preview.size, theme)
        self.controls = controls_for(offer, theme) if controls is None else controls
        self.compare = _check("Show the &picture alone", "Hide the grid, to see what lies under it")
        self.facts = _wrapped("title")
        self.facts.setAccessibleName("Size and components of the grid")
        self.note = _wrapped("dim")
        self.remember = _check(
            "&Don't ask again until the program closes",
            "Import the pictures that follow in the same way; Import picture… in the menu File "
            "asks again",
        )
        self.accept_button = QPushButton("Import")
        self.buttons = buttons_with(self.accept_button)
        self._lay_out()
        answer_return(self.accept_button)
        self._connect()
        self._preview.update(self.settings)

    @property
    def converted(self) -> Converted | None:
        """The grid that the settings make, if it is known already."""
        preview = self._preview.preview
        return preview.converted if preview.settings == self.settings else None

    @property
    def components(self) -> int | None:
        """How many components the grid has, if that is known already."""
        return self._preview.preview.components

    def poll(self) -> None:
        """Show what was found out so far."""
        self._preview.poll()

    def change(self, **changes: Any) -> None:
        """Change settings, and show what comes of it."""
        settings = replace(self.settings, **changes)
        if settings != self.settings:
            self.settings = settings
            self._preview.update(settings)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all work."""
        self._preview.close()
        super().closeEvent(event)

    def _show(self) -> None:
        preview = self._preview.preview
        size = self._preview.size
        self.canvas.set_picture(preview.thumbnail)
        self.canvas.set_result(
            preview.cells,
            self.settings.box(size),
            multivalued=self.settings.kind != "binary",
        )
        self.controls.show_settings(self.settings, preview)
        self.accept_button.setEnabled(not preview.error)
        facts = _facts(self.settings, size, preview.components, self._connectivity)
        self.facts.setText(facts[0] if preview.error else DOT.join(facts))
        self.note.setText(self._note(preview.error, preview.converted))
        restyle(self.note, "role", "warning" if preview.error else "dim")

    def _note(self, error: str, converted: Converted | None) -> str:
        if error:
            return error
        text = "" if converted is None else converted.note
        if self.settings.kind != "binary" and not self._labels_values:
            text += (
                " The algorithm in use does not tell values apart: Label Equivalence takes over."
            )
        return text.strip()

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.controls.changed.connect(lambda changes: self.change(**changes))
        self.canvas.cropped.connect(lambda box: self.change(crop=box))
        self.compare.toggled.connect(lambda on: self.canvas.show_result(not on))
        self.finished.connect(self._preview.close)
        self._preview.changed.connect(self._show)

    def _lay_out(self) -> None:
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 4)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.canvas, 1)
        left.addWidget(self.facts)
        left.addWidget(self.note)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addWidget(self.controls, 1)
        right.addWidget(self.compare)
        right.addWidget(self.remember)
        right.addWidget(self.buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(18)
        layout.addLayout(left, 1)
        layout.addLayout(right)
        resize_with_text(self, QSize(960, 620))


def controls_for(offer: Offer, theme: Theme) -> ImportControls:
    """Return the fields for a picture: half of what a dialog takes to make."""
    source = offer.source
    return ImportControls(
        source.channels,
        source.picture.size,
        theme,
        coloured=source.picture.coloured,
        binary=source.picture.planes.dtype == bool,
    )


def _facts(
    settings: ImportSettings, size: tuple[int, int], components: int | None, connectivity: int
) -> tuple[str, str]:
    """Return how many cells the grid has, and how many components, as far as that is known."""
    width, height = settings.result_size(size)
    cells = f"{width:,} {TIMES} {height:,} cells"
    if components is None:
        return cells, "counting…"
    return cells, f"{counted(components, 'component')} ({connectivity}-connected)"


def _wrapped(role: str) -> QLabel:
    """Return a label in several lines: in large text, one would be wider than a screen."""
    label = QLabel()
    label.setProperty("role", role)
    label.setWordWrap(True)
    return label


def _check(text: str, tip: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setToolTip(tip)
    return box
