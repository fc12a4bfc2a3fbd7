"""The table of a comparison: what each run took, and how it ended."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.session.asking import WITHHELD, hides_tables
from ccl_viewer.session.lane_table import COLUMNS, HELP, LaneRow, alike, cells_of, notes_of

_AIR = 8
_NUMBERS = range(1, 7)
_VERDICT = COLUMNS.index("Verdict")


class CompareTable(QWidget):
    """A row for each run, and one for the baseline.

    Parameters
    ----------
    session : Session
        Whose comparison it tells of.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparison = session.comparison
        self._session = session
        self._rows: tuple[LaneRow | None, ...] = ()
        self.table = QTableWidget(0, len(COLUMNS))
        self.notes = QLabel()
        self.notes.setProperty("role", "dim")
        self.notes.setWordWrap(True)
        self._set_up()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.table)
        layout.addWidget(self.notes)
        for signal in (
            session.comparison.changed,
            session.lesson.changed,
            session.predictor.changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the runs that there are, if the table is wanted."""
        comparison = self._comparison
        shown = comparison.open and comparison.view.table
        self.setVisible(shown)
        if not shown:
            return
        withheld = hides_tables(self._session.quiz)
        self.table.setVisible(not withheld)
        if withheld:
            self._rows = ()
            self.notes.setText(WITHHELD)
            return
        baseline = comparison.baseline_row
        rows = (*comparison.rows, baseline)
        if rows != self._rows:
            self._rows = rows
            self._fill(comparison.rows, baseline)

    def _fill(self, rows: tuple[LaneRow, ...], baseline: LaneRow | None) -> None:
        every = rows if baseline is None else (*rows, baseline)
        plain = alike(every)
        shown = [cells_of(row, baseline, plain=plain) for row in rows]
        if baseline is not None:
            name, *others = cells_of(baseline, plain=plain)
            shown.append((f"Baseline: {name}", *others))
        self.table.setRowCount(len(shown))
        for place, (cells, row) in enumerate(zip(shown, every, strict=True)):
            for column, text in enumerate(cells):
                self.table.setItem(place, column, _item(text, column, row))
        self.notes.setText(notes_of(every))
        line = self.fontMetrics().height() + _AIR
        self.table.verticalHeader().setDefaultSectionSize(line)
        height = self.table.horizontalHeader().sizeHint().height() + line * len(shown) + 4
        self.table.setFixedHeight(height + self.table.horizontalScrollBar().sizeHint().height())

    def _set_up(self) -> None:
        table = self.table
        for column, name in enumerate(COLUMNS):
            item = QTableWidgetItem(name)
            item.setToolTip(HELP[name])
            item.setTextAlignment(_RIGHT if column in _NUMBERS else _LEFT)
            table.setHorizontalHeaderItem(column, item)
        table.setAccessibleName("Runs that are compared")
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(8)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _item(text: str, column: int, row: LaneRow) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setTextAlignment(_RIGHT if column in _NUMBERS else _LEFT)
    item.setToolTip(row.verdict.text if column == _VERDICT else f"{row.name}, {row.device}")
    return item
