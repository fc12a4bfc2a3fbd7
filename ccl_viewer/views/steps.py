"""The panel of steps: a table with a row for each, and the sums by stage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from ccl_viewer.files import replacing
from ccl_viewer.recording import Recording
from ccl_viewer.session.analysis import WITHHELD, Conceal, RunAnalysis
from ccl_viewer.session.playback import Section
from ccl_viewer.session.session import Session
from ccl_viewer.session.step_table import (
    COLUMNS,
    SUM_TITLES,
    Row,
    as_csv,
    default_columns,
    row_at,
    sum_texts,
    sums_of,
    times_text,
)
from ccl_viewer.views.files import save
from ccl_viewer.views.help import explain
from ccl_viewer.views.timeline import stage_icon
from ccl_viewer.views.widgets import (
    CopyTable,
    add_switch,
    hbox,
    icon_button,
    labelled,
    popup_menu,
    set_up_table,
    vbox,
)

NAMES: Final = tuple(COLUMNS)
_COLUMNS: Final = tuple(COLUMNS.values())
_WHILE_PLAYING: Final = 250  # milliseconds between two rows, of which each paints the table
_SAMPLED: Final = 64  # rows whose texts say how wide a column is
_NO_PARENT: Final = QModelIndex()
_WORDS: Final = {
    "step": "step",
    "iteration": "iteration",
    "stage": "stage",
    "kernel": "kernel",
    "roots": "root",
    "merged": "merge",
    "launch": "launch",
    "atomics": "atomic operation",
}
"""Words of the glossary by column."""

_Index = QModelIndex | QPersistentModelIndex


class StepTableModel(QAbstractTableModel):
    """The steps of the run on display; rows are added as they are recorded."""

    def __init__(self, analysis: RunAnalysis, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._analysis = analysis
        self._recording: Recording | None = None
        self._rows = 0
        self._last: tuple[int, Row] | None = None

    def update_rows(self) -> bool:
        """Show the run on display as it is now; return whether it is another one."""
        recording, count = self._analysis.recording, self._analysis.display.count
        self._last = None
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
        """Show what was found out or measured since."""
        self._last = None
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self._rows - 1, len(NAMES) - 1))

    def row(self, index: int) -> Row:
        return row_at(self._analysis, index)

    def rowCount(self, parent: _Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: _Index = _NO_PARENT) -> int:
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
                meaning = explain(_WORDS.get(NAMES[section], ""))
                return f"{column.tip} (right-click to choose columns)\n{meaning}".strip()
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        # The display may be ahead of what the table was told.
        if not index.isValid() or self._recording is not self._analysis.recording:
            return None
        if self._last is None or self._last[0] != index.row():
            self._last = index.row(), self.row(index.row())
        row = self._last[1]  # kept, as a row's cells are painted one after the other
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[index.column()].text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.DecorationRole if NAMES[index.column()] == "stage":
                return stage_icon(row.step.stage)
        return None


class StepTable(CopyTable):
    """The table of steps; the step on display is the current row."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._analysis = session, session.analysis
        self.steps = StepTableModel(session.analysis, self)
        self._chosen: frozenset[str] | None = None
        self.setModel(self.steps)
        set_up_table(self, "Steps")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setResizeContentsPrecision(_SAMPLED)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._ask_for_columns)
        self.selectionModel().currentRowChanged.connect(self._on_row_chosen)
        self._set_row_height()

    @property
    def columns(self) -> str:
        """Which columns are shown: names with commas between, or ``"auto"``."""
        return "auto" if self._chosen is None else ",".join(sorted(self._chosen))

    def choose_columns(self, columns: str) -> None:
        """Show columns, given as :attr:`columns` returns them; unknown names are left out."""
        names = frozenset(columns.split(",")) & frozenset(NAMES)
        self._chosen = None if columns == "auto" or not names else names | {"step"}
        self._session.settings.set_value("steps/columns", self.columns)
        self._show_columns()

    def refresh(self) -> None:
        if self.steps.update_rows() or self.steps.rowCount() <= _SAMPLED:
            self._show_columns()
        self.select_position()

    def refresh_counts(self) -> None:
        self.steps.update_counts()
        self._show_columns()

    def select_position(self) -> None:
        """Make the row of the step on display the current one."""
        row = self._analysis.display.index
        if row < self.steps.rowCount() and row != self.currentIndex().row():
            index, flag = self.steps.index(row, 0), QItemSelectionModel.SelectionFlag
            # QTableView.setCurrentIndex would add the row to the others while Ctrl is held.
            self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
            self.scrollTo(index)

    def chosen_rows(self) -> list[int]:
        """Return the rows that were chosen; all of them, if it is only the current one."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return rows if len(rows) > 1 else list(range(self.steps.rowCount()))

    def csv(self) -> str:
        return as_csv(self.steps.row(row) for row in self.chosen_rows())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())

    def ask_and_save(self) -> None:
        text = self.csv()

        def write(path: Path) -> None:
            with replacing(path) as beside:
                beside.write_text(text, encoding="utf-8")

        save(self, self._session, "Save table", "steps.csv", "CSV (*.csv)", write)

    def column_menu(self) -> QMenu:
        menu = QMenu("Columns", self)

        def choose(columns: str) -> Callable[[bool], None]:
            return lambda _on: self.choose_columns(columns)

        add_switch(menu, "The usual ones", self._chosen is None, choose("auto"))
        menu.addSeparator()
        shown = {name for place, name in enumerate(NAMES) if not self.isColumnHidden(place)}
        for name, column in COLUMNS.items():
            others = choose(",".join(shown ^ {name}))
            action = add_switch(menu, column.title, name in shown, others)
            action.setEnabled(name != "step")
        return menu

    def row_menu(self) -> QMenu:
        menu, rows, playback = popup_menu(self), self.chosen_rows(), self._session.playback
        some = len(rows) < self.steps.rowCount()
        menu.addAction("&Copy these rows as CSV" if some else "&Copy as CSV", self.copy)
        menu.addAction("&Save as CSV\u2026", self.ask_and_save)
        if playback.lead is None and rows:
            section = Section(rows[0], rows[-1])
            play = menu.addAction("&Play only these", lambda: playback.set_section(section))
            play.setEnabled(some)
            clear = menu.addAction("Play &all steps", playback.clear_section)
            clear.setEnabled(playback.section is not None)
        menu.addSeparator()
        menu.addMenu(self.column_menu())
        return menu

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._set_row_height()
            self._show_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_columns()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.row_menu().popup(event.globalPos())

    def _set_row_height(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)

    def _ask_for_columns(self, at: QPoint) -> None:
        menu = self.column_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    def _show_columns(self) -> None:
        """Show the chosen columns, or the most important ones that there is room for."""
        if not self.isVisible():  # measuring the columns takes long; showEvent comes back
            return
        for place in range(len(NAMES)):  # or its title would not count
            self.setColumnHidden(place, False)
        self.resizeColumnsToContents()
        shown = self._chosen
        if shown is None:
            shown, room = frozenset(), self.viewport().width()
            for name in default_columns(self._analysis):
                room -= self.columnWidth(NAMES.index(name))
                if room < 0:
                    break
                shown |= {name}
        for place, name in enumerate(NAMES):
            self.setColumnHidden(place, name not in shown)

    def _on_row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self._analysis.display.index:
            self._session.playback.pause()
            self._analysis.display.go_to(current.row())


class QtSteps(QWidget):
    """The table of steps with the sums by stage under it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._analysis = session, session.analysis
        self._fresh = False
        self.table = StepTable(session)
        # After the frame of the step; the table takes longer to paint than the canvas.
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self.table.select_position)
        self.times = labelled("", "dim", wrap=True)
        self.measure = icon_button(
            "measure", "Measure times over repeated runs", self._analysis.measure
        )
        self.copy = icon_button(
            "copy", "Copy the table, or the chosen rows, as CSV (Ctrl+C)", self.table.copy
        )
        self.fold = icon_button("sums", "Sums by stage")
        self.fold.setCheckable(True)
        self.withheld = labelled(WITHHELD, "dim", wrap=True)
        self.withheld.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sums = _make_sums()
        self._lay_out()
        self.fold.setChecked(session.settings.value("steps/sums") is not False)
        columns = session.settings.text("steps/columns", "auto")
        if columns != "auto":
            self.table.choose_columns(columns)
        self.fold.toggled.connect(self._on_folded)
        self._analysis.changed.connect(self._on_analysis_changed)
        session.tasks.changed.connect(self._on_tasks_changed)

    def refresh(self) -> None:
        self._fresh = True
        self.table.refresh()
        self._refresh_sums()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._fresh:
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sums()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self.isVisible():
            self._refresh_sums()

    def _on_analysis_changed(self, fields: frozenset[str]) -> None:
        if not self.isVisible():
            self._fresh = False
        elif fields & {"display", "recording", "count", "conceal"}:
            self.refresh()
        else:
            if fields & {"facts", "metrics", "timing"}:
                self.table.refresh_counts()
            if "index" in fields and not self._soon.isActive():
                self._soon.start(_WHILE_PLAYING if self._session.playback.playing else 0)
            if "timing" in fields:
                self._refresh_sums()

    def _on_tasks_changed(self, fields: frozenset[str]) -> None:
        if "current" in fields:
            self.measure.setEnabled(self._analysis.can_measure)

    def _on_folded(self, on: bool) -> None:
        self._session.settings.set_value("steps/sums", on)
        self._refresh_sums()

    def _refresh_sums(self) -> None:
        withheld = Conceal.TABLES in self._analysis.conceal
        self.withheld.setVisible(withheld)
        self.table.setVisible(not withheld)
        self.times.setText(times_text(self._analysis))
        self.measure.setEnabled(self._analysis.can_measure)
        self.copy.setEnabled(self._analysis.recording is not None and not withheld)
        shown = self.fold.isChecked() and not withheld and self._analysis.recording is not None
        self.sums.setVisible(shown)
        if shown:
            self._fill_sums()

    def _fill_sums(self) -> None:
        steps = self.table.steps
        sums = sums_of(steps.row(index) for index in range(steps.rowCount()))
        texts_of_sums = sum_texts(sums, self._analysis.time_scale)
        self.sums.setRowCount(len(sums))
        for row, (found, texts) in enumerate(zip(sums, texts_of_sums, strict=True)):
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                if not column:
                    item.setIcon(stage_icon(found.stage))
                self.sums.setItem(row, column, item)
        self._fit_sums()

    def _fit_sums(self) -> None:
        """Show the columns that there is room for, and all rows."""
        room = self.sums.viewport().width()
        for place in (0, 1, 3, 2):
            self.sums.setColumnHidden(place, False)
            title = self.sums.horizontalHeader().sectionSizeHint(place)
            room -= max(self.sums.sizeHintForColumn(place), title)
            self.sums.setColumnHidden(place, room < 0 and place > 0)
        self.sums.verticalHeader().setDefaultSectionSize(self.sums.fontMetrics().height() + 7)
        lines = self.sums.verticalHeader().length() + self.sums.horizontalHeader().height()
        self.sums.setFixedHeight(lines + 2 * self.sums.frameWidth())

    def _lay_out(self) -> None:
        buttons = (self.measure, self.copy, self.fold)
        top = hbox((self.times, 1), *buttons, margins=(8, 0, 2, 0), spacing=2)
        parts = top, (self.table, 1), (self.withheld, 1), self.sums
        self.setLayout(vbox(*parts, margins=(0, 0, 0, 0), spacing=2))


def _make_sums() -> QTableWidget:
    table = QTableWidget(0, len(SUM_TITLES))
    table.setHorizontalHeaderLabels(SUM_TITLES)
    set_up_table(table, "Sums by stage")
    table.setIconSize(QSize(12, 12))
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if _COLUMNS[column].words else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
