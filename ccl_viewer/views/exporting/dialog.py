"""Exporting: what is written, how it looks, how large it will be, and how far the writing is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import counted
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.export import EXPORT_FORMATS, Kind
from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.command import SAVED_FIRST, command_line
from ccl_viewer.session.exporting.exporting import Exporting, Phase
from ccl_viewer.views.dialogs.buttons import answer_return
from ccl_viewer.views.exporting.controls import ExportControls
from ccl_viewer.views.exporting.footer import Footer, size_text
from ccl_viewer.views.exporting.preview import PreviewPane
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.text import DOT
from ccl_viewer.views.looks.text_size import resize_with_text, scaled
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.dialog import Dialog

_COLUMN, _WIDEST_COLUMN = 372, 465
"""Pixels at the usual size of text."""


class ExportDialog(Dialog):
    """Asks how a run is exported, and exports it.

    Parameters
    ----------
    exporting : Exporting
        What is shown and changed; closed with the dialog.
    sources_of : callable
        Returns the arguments with which a command line names runs.
    controls : ExportControls or None
        What can be chosen, where it was made in another turn of the event loop: half of the dialog.
    theme : Theme
        The colours.
    still : bool
        Whether nothing is to move before it is asked to.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        exporting: Exporting,
        sources_of: Callable[[Sequence[Recording]], list[str]],
        controls: ExportControls | None = None,
        *,
        theme: Theme,
        still: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.exporting = exporting
        self._sources_of = sources_of
        self._sources: dict[tuple[Recording, ...], list[str]] = {}
        self.preview = PreviewPane(theme, still=still)
        self.controls = ExportControls(exporting.subject, theme) if controls is None else controls
        self.facts = QLabel()
        self.facts.setProperty("role", "title")
        self.facts.setAccessibleName("What the file will be")
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setAccessibleName("Note")
        self.footer = Footer()
        self._lay_out()
        answer_return(self.footer.export_button)
        self._connect()
        self._show_choices()
        self._show_preview()
        self.controls.format.setFocus()

    def poll(self) -> None:
        """Show what is known by now."""
        self.exporting.poll()

    def reject(self) -> None:
        """Stop the writing, if it is under way; close the dialog otherwise."""
        if self.exporting.phase is Phase.WRITING:
            self.exporting.cancel()
        elif self.exporting.phase is not Phase.STOPPING:
            super().reject()

    def done(self, result: int) -> None:
        """Stop all work."""
        self.preview.stop()
        self.exporting.close()
        super().done(result)

    def _connect(self) -> None:
        exporting, controls, footer = self.exporting, self.controls, self.footer
        exporting.chosen.connect(self._show_choices)
        exporting.previewed.connect(self._show_preview)
        exporting.phase_changed.connect(self._show_phase)
        controls.changed.connect(lambda changes: exporting.choose(**changes))
        controls.format_chosen.connect(exporting.choose_format)
        controls.browse.connect(self._browse)
        footer.export.connect(exporting.export)
        footer.cancel.connect(exporting.cancel)
        footer.again.connect(exporting.begin_again)
        footer.close_asked.connect(self.reject)

    def _show_choices(self) -> None:
        exporting = self.exporting
        self.controls.show_choices(exporting.choices, exporting.format)
        self.preview.set_time(exporting.choices.fps, exporting.choices.hold)
        self._show_phase()
        self._show_facts()

    def _show_preview(self) -> None:
        exporting = self.exporting
        reel = exporting.reel
        if exporting.format.kind is Kind.DATA:
            self.preview.show_text(exporting.head or "Reading…")
        elif reel is not None and not exporting.error:
            self.preview.show_reel(reel)
        else:
            self.preview.show_text(exporting.error or "Painting…")
        self._show_facts()
        self._show_note()

    def _show_phase(self) -> None:
        exporting = self.exporting
        writing = exporting.phase in (Phase.WRITING, Phase.STOPPING)
        self.controls.setEnabled(not writing)
        if self.preview.isEnabled() == writing:
            self.preview.rest(writing)
        if writing:
            stopping = exporting.phase is Phase.STOPPING
            self.footer.show_progress(exporting.progress, stopping=stopping)
        elif exporting.phase is Phase.DONE:
            self.footer.show_made(exporting.choices.path, exporting.written)
        else:
            ready = exporting.can_export
            self.footer.show_choosing(
                self._command(), can_export=ready, replaces=exporting.replaces
            )
        self._show_note()

    def _show_facts(self) -> None:
        exporting = self.exporting
        estimate = exporting.estimate
        reel = None if exporting.format.kind is Kind.DATA else exporting.reel
        self.controls.show_size(None if reel is None else reel.size)
        facts = []
        if exporting.seconds is not None:
            facts.append(f"{exporting.seconds:.1f} s")
        if estimate is not None:
            facts.insert(0, counted(estimate.steps, "step"))
            facts.append(f"{'' if estimate.exact else 'about '}{size_text(estimate.nbytes)}")
        elif exporting.estimating:
            facts.append("working out the size…")
        self.facts.setText(DOT.join(facts))

    def _show_note(self) -> None:
        exporting = self.exporting
        text, role = exporting.error, "warning"
        if not text and exporting.replaces and exporting.phase is Phase.CHOOSING:
            text = f"{Path(exporting.choices.path).name} is there already and will be replaced."
        elif not text and exporting.phase is Phase.DONE:
            text, role = exporting.choices.path, "dim"
        elif not text and any(SAVED_FIRST in source for source in self._names()):
            text = "For the command line, save the recording first (Ctrl+S)."
            role = "dim"
        self.note.setText(text)
        restyle(self.note, "role", role)

    def _command(self) -> str:
        exporting = self.exporting
        try:
            return command_line(self._names(), exporting.choices.path, exporting.options)
        except CCLViewerError:
            return ""

    def _names(self) -> list[str]:
        runs = self.exporting.recordings
        if runs not in self._sources:
            self._sources[runs] = self._sources_of(runs)
        return self._sources[runs]

    def _browse(self) -> None:
        exporting = self.exporting
        row = exporting.format
        if row.is_folder:
            chosen = QFileDialog.getExistingDirectory(
                self, "Export into a new folder in", str(Path(exporting.choices.path).parent)
            )
            name = Path(exporting.choices.path).name
            path = f"{chosen}/{name}{'' if Path(name).suffix else '/'}" if chosen else ""
        else:
            filters = ";;".join(
                f"{each.title} (*{each.suffix})" for each in EXPORT_FORMATS if not each.is_folder
            )
            wanted = f"{row.title} (*{row.suffix})"
            options = QFileDialog.Option.DontConfirmOverwrite
            path, _ = QFileDialog.getSaveFileName(
                self, "Export", exporting.choices.path, filters, wanted, options=options
            )
            if path and not Path(path).suffix:
                path += row.suffix
        if path:
            exporting.choose(path=path)

    def _lay_out(self) -> None:
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 2)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.preview, 1)
        left.addWidget(self.facts)
        left.addWidget(self.note)
        column = QScrollArea()
        column.setFrameShape(QFrame.Shape.NoFrame)
        column.setWidgetResizable(True)
        column.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.setWidget(self.controls)
        column.setMinimumWidth(scaled(_COLUMN))
        column.setMaximumWidth(scaled(_WIDEST_COLUMN))
        above = QHBoxLayout()
        above.setSpacing(18)
        above.addLayout(left, 1)
        above.addWidget(column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(12)
        layout.addLayout(above, 1)
        layout.addWidget(self.footer)
        resize_with_text(self, QSize(1000, 640))
