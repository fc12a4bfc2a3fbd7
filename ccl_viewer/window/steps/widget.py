"""The panel of steps: a table with a row per step."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from psygnal import SignalInstance
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording import Recording
from ccl_viewer.storage.files import replacing
from ccl_viewer.window.core.analysis import HIDDEN_TEXT, RunAnalysis
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.step_table import (
    COLUMNS,
    StepRow,
    as_csv,
    filled_columns,
    row_at,
    times_text,
)
from ccl_viewer.window.widgets.buttons import make_icon_button, make_popup_menu
from ccl_viewer.window.widgets.file_dialogs import ask_and_save
from ccl_viewer.window.widgets.glossary import explain
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel, RefreshTimer
from ccl_viewer.window.widgets.tables import CopyableTable, Index
from ccl_viewer.window.widgets.timeline import stage_icon

NAMES: Final = tuple(COLUMNS)
_COLUMNS: Final = tuple(COLUMNS.values())
_WHILE_PLAYING: Final = 250  # milliseconds between two updates, each of which paints the table
_FEW: Final = 64  # up to this many rows, columns are fitted to each new one
_NO_PARENT: Final = QModelIndex()
_ROLES: Final = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.DecorationRole,
    }
)
_WORDS: Final = {"roots": "root", "merged": "merge", "atomics": "atomic operation"}
"""Terms of the glossary for columns with another name."""


class StepTableModel(QAbstractTableModel):
    """The steps of the run on display; rows are added as they are recorded."""

    def __init__(self, analysis: RunAnalysis, parent: QWidget) -> None:
        super().__init__(parent)
        self._analysis = analysis
        self._recording: Recording | None = None
        self._rows = 0
        self._kept: dict[int, StepRow] = {}  # rows are asked for once per column

    def update_rows(self) -> bool:
        """Show the current run on display; return whether it is another one."""
        recording, count = self._analysis.recording, self._analysis.display.count
        self._kept.clear()
        if recording is not self._recording or count < self._rows:
            self.beginResetModel()
            self._recording, self._rows = recording, count
            self.endResetModel()
            return True
        if count > self._rows:
            self.beginInsertRows(_NO_PARENT, self._rows, count - 1)
            self._rows = count
            self.endInsertRows()
        return False

    def update_counts(self) -> None:
        """Show new facts and times."""
        self._kept.clear()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self._rows - 1, len(NAMES) - 1))

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[section].title
            case Qt.ItemDataRole.ToolTipRole:
                column = _COLUMNS[section]
                meaning = explain(_WORDS.get(NAMES[section], NAMES[section]))
                return f"{column.tip}\n{meaning}".strip()
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ROLES:  # Qt asks for nine roles of each cell that it measures or paints
            return None
        # The display may be ahead of the table.
        if self._recording is not self._analysis.recording or not index.isValid():
            return None
        row = self._kept.get(index.row())
        if row is None:
            row = self._kept[index.row()] = row_at(self._analysis, index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[index.column()].text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.DecorationRole if NAMES[index.column()] == "stage":
                return stage_icon(row.step.stage_level)
        return None


class StepTable(CopyableTable):
    """The table of steps; the step on display is the current row."""

    def __init__(self, analysis: RunAnalysis, playback: Playback, messages: Messages) -> None:
        super().__init__("Steps")
        self._analysis, self._playback, self._messages = analysis, playback, messages
        self.steps = StepTableModel(analysis, self)
        self.setModel(self.steps)
        self.horizontalHeader().setSectionsMovable(True)
        self.selectionModel().currentRowChanged.connect(self._on_row_chosen)

    def refresh(self) -> None:
        if self.steps.update_rows() or self.steps.rowCount() <= _FEW:
            self._show_columns()
        self.select_position()

    def refresh_counts(self) -> None:
        self.steps.update_counts()
        self._show_columns()

    def select_position(self) -> None:
        """Make the row of the step on display the current one."""
        row = self._analysis.display.index
        if row < self.steps.rowCount() and row != self.currentIndex().row():
            self.choose_row(row)

    def csv(self) -> str:
        return as_csv(row_at(self._analysis, row) for row in self.chosen_rows())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())

    def ask_and_save(self) -> None:
        text = self.csv()

        def write(path: Path) -> None:
            with replacing(path) as beside:
                beside.write_text(text, encoding="utf-8")

        ask_and_save(self, self._messages, "Save table", "steps.csv", "CSV (*.csv)", write)

    def make_menu(self) -> QMenu:
        menu, rows, playback = make_popup_menu(self), self.chosen_rows(), self._playback
        some = len(rows) < self.steps.rowCount()
        menu.addAction("&Copy these rows as CSV" if some else "&Copy as CSV", self.copy)
        menu.addAction("&Save as CSV\u2026", self.ask_and_save)
        if playback.lead is None and rows:
            section = range(rows[0], rows[-1] + 1)
            play = menu.addAction("&Play only these", lambda: playback.set_section(section))
            play.setEnabled(some)
            clear = menu.addAction("Play &all steps", playback.clear_section)
            clear.setEnabled(playback.section is not None)
        return menu

    def _show_columns(self) -> None:
        """Show the columns that have values for the run, each as wide as its texts."""
        shown = filled_columns(self._analysis)
        for column, name in enumerate(NAMES):
            self.setColumnHidden(column, name not in shown)
        self.measure_soon()

    def _on_row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self._analysis.display.index:
            self._playback.pause()
            self._analysis.display.go_to(current.row())


class QtSteps(Panel):
    """The table of steps, with a line above it."""

    def __init__(
        self,
        analysis: RunAnalysis,
        playback: Playback,
        messages: Messages,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(playback, parent)
        self._analysis = analysis
        self.table = StepTable(analysis, playback, messages)
        # After the frame of the step: painting the table takes longer than the canvas.
        self._select = RefreshTimer(
            self.table.select_position, self, playback, interval=_WHILE_PLAYING
        )
        self.times = make_label("", "dim", wrap=True)
        self.copy = make_icon_button(
            "copy", "Copy the table, or the chosen rows, as CSV (Ctrl+C)", self.table.copy
        )
        self.hidden_note = make_label(HIDDEN_TEXT, "dim", wrap=True, centred=True)
        top = hbox((self.times, 1), self.copy, margins=(8, 0, 2, 0), spacing=2)
        parts = top, (self.table, 1), (self.hidden_note, 1)
        self.setLayout(vbox(*parts, spacing=2))
        self._analysis.changed.connect(self._on_analysis_changed)

    def refresh(self) -> None:
        self.table.refresh()
        self._show_parts()

    def _on_analysis_changed(self, changed: frozenset[SignalInstance]) -> None:
        run = self._analysis
        if not self.isVisible():
            return
        rows = {
            run.display_changed,
            run.recording_changed,
            run.count_changed,
            run.hidden_answers_changed,
        }
        if changed & rows:
            self.refresh()
        else:
            if changed & {run.facts_at_changed, run.metrics_changed}:
                self.table.refresh_counts()
                self._show_parts()
            if run.index_changed in changed:
                self._select.request()

    def _show_parts(self) -> None:
        hidden = HiddenInformation.TABLES in self._analysis.hidden_answers
        self.hidden_note.setVisible(hidden)
        self.table.setVisible(not hidden)
        self.times.setText(times_text(self._analysis))
        self.copy.setEnabled(self._analysis.recording is not None and not hidden)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if _COLUMNS[column].words else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
