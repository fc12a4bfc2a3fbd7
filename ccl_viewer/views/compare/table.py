"""The table of a comparison: what each run took, and how it ended; or that in a line."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.session.comparison.table import (
    COLUMNS,
    HELP,
    LaneRow,
    headline_of,
    notes_of,
    table_of,
)
from ccl_viewer.session.lessons.asking import WITHHELD, hides_tables
from ccl_viewer.views.widgets.elided import ElidedLabel

_AIR = 8
_GAP = 2
_NUMBERS = range(1, 7)
_VERDICT = COLUMNS.index("Verdict")
_SHARE = 1 / 3
"""Share of the room from which on the table is folded, unless somebody has unfolded it."""
_MOST = 1 / 2
"""Share of the room that it takes at most: the lanes are what is looked at."""
_LEAST_LINES = 3


class CompareTable(QWidget):
    """A row for each run, and one for the baseline; or a line, where lanes need the room.

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
        self._told = "", ""
        self._room = 0
        self.fold = QToolButton()
        self.table = QTableWidget(0, len(COLUMNS))
        self.notes = ElidedLabel()
        self.notes.setProperty("role", "dim")
        self._set_up()
        self._set_up_fold()
        heading = QHBoxLayout()
        heading.addWidget(self.fold)
        heading.addWidget(self.notes, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, _GAP, 0, 0)
        layout.setSpacing(_GAP)
        layout.addLayout(heading)
        layout.addWidget(self.table)
        for signal in (
            session.comparison.changed,
            session.lesson.changed,
            session.predictor.changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def folded(self) -> bool:
        """Whether there is a line instead of the table: by choice, or else for want of room."""
        chosen = self._comparison.view.folded
        return self._whole > self._room * _SHARE if chosen is None else chosen

    def set_room(self, room: int) -> None:
        """Share so many pixels of height with the lanes."""
        if room != self._room:
            self._room = room
            self._settle()

    def changeEvent(self, event: QEvent) -> None:
        """Have lines for the new size of text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._settle()

    def refresh(self) -> None:
        """Show the runs that there are, if the table is wanted."""
        comparison = self._comparison
        if not (comparison.open and comparison.view.table):
            return
        if self._withheld:
            self._rows = ()
        else:
            baseline = comparison.baseline_row
            rows = (*comparison.rows, baseline)
            if rows != self._rows:
                self._rows = rows
                self._fill(comparison.rows, baseline)
        self._settle()

    @property
    def _withheld(self) -> bool:
        return hides_tables(self._session.quiz)

    @property
    def _line(self) -> int:
        return self.fontMetrics().height() + _AIR

    @property
    def _whole(self) -> int:
        """Height of the table with all its rows."""
        table = self.table
        head, bar = table.horizontalHeader().sizeHint(), table.horizontalScrollBar().sizeHint()
        return head.height() + self._line * table.rowCount() + 4 + bar.height()

    def _settle(self) -> None:
        """Take as much room as there is for it."""
        withheld, folded = self._withheld, self.folded
        self.fold.setHidden(withheld)
        self.fold.setFixedHeight(self._line)
        self.table.setHidden(withheld or folded)
        self.notes.setText(WITHHELD if withheld else self._told[folded])
        self.fold.setArrowType(Qt.ArrowType.RightArrow if folded else Qt.ArrowType.DownArrow)
        self.fold.setToolTip(f"{'Unfold' if folded else 'Fold'} the table of runs")
        self.table.verticalHeader().setDefaultSectionSize(self._line)
        heading = self._line + 2 * _GAP
        most = max(int(self._room * _MOST) - heading, _LEAST_LINES * self._line)
        self.table.setFixedHeight(min(self._whole, most))

    def _choose_fold(self) -> None:
        view = self._comparison.view
        self._comparison.look(replace(view, folded=not self.folded))

    def _fill(self, rows: tuple[LaneRow, ...], baseline: LaneRow | None) -> None:
        every = rows if baseline is None else (*rows, baseline)
        shown = table_of(rows, baseline)
        self.table.setRowCount(len(shown))
        for place, (cells, row) in enumerate(zip(shown, every, strict=True)):
            for column, text in enumerate(cells):
                self.table.setItem(place, column, _item(text, column, row))
        self._told = notes_of(every), headline_of(rows)

    def _set_up_fold(self) -> None:
        self.fold.setText("Table")
        self.fold.setAccessibleName("Table of runs")
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setProperty("flat", "true")
        self.fold.setProperty("low", "true")
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.clicked.connect(self._choose_fold)

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
