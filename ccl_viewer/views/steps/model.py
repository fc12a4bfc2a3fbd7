"""The steps of the run on display as a model for a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from ccl_viewer.counted import TimeScale
from ccl_viewer.recording import Recording
from ccl_viewer.session import Session
from ccl_viewer.session.facts.step_table import Row
from ccl_viewer.views.looks.stage_marks import stage_icon
from ccl_viewer.views.steps.columns import COLUMNS, NAMES
from ccl_viewer.views.steps.format import describe_spread, format_launch

Index = QModelIndex | QPersistentModelIndex
_NO_PARENT = QModelIndex()
_COLUMNS = tuple(COLUMNS.values())


class StepModel(QAbstractTableModel):
    """A row for each step; rows are added as they are recorded.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.

    Attributes
    ----------
    mark_size : int
        Pixels across the shapes of stages.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.mark_size = 12
        self._recording: Recording | None = None
        self._rows = 0
        self._times = TimeScale()

    def update_rows(self) -> int:
        """Show the run on display as it is now.

        Returns
        -------
        int
            The first row that is new: 0 if another run is shown than before.
        """
        before = self._rows
        recording = self._session.recording
        count = self._session.playback.count
        if recording is not self._recording or count < self._rows:
            self.beginResetModel()
            self._recording, self._rows = recording, count
            self._times = self._session.measuring.scale
            self.endResetModel()
            return 0
        if count > before:
            self.beginInsertRows(QModelIndex(), before, count - 1)
            self._rows = count
            times, self._times = self._times, self._session.measuring.scale
            self.endInsertRows()
            if times != self._times:
                self._show_again("time", "time")
        return before

    def update_counts(self) -> None:
        """Show what was found out or measured since."""
        if self._rows:
            self._times = self._session.measuring.scale
            self._show_again(NAMES[0], NAMES[-1])

    def row(self, index: int) -> Row:
        """Return what is known of a step of the run on display."""
        if self._recording is None:
            raise IndexError(index)
        insight = self._session.insight
        return Row(
            self._recording.step(index),
            self._session.measuring.at(index),
            insight.merged_at(index),
            insight.wrong_at(index),
            self._times,
        )

    def rows(self) -> tuple[Row, ...]:
        """Return what is known of all steps."""
        return tuple(self.row(index) for index in range(self._rows))

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of steps."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return title, help and alignment of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[section].title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{_COLUMNS[section].help} (right-click to choose columns)"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell of the table shows."""
        if not index.isValid() or self._recording is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _COLUMNS[index.column()].text(self.row(index.row()))
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return _told(self.row(index.row()))
            case Qt.ItemDataRole.DecorationRole if NAMES[index.column()] == "stage":
                return stage_icon(self._recording.step(index.row()).stage, self.mark_size)
        return None

    def _show_again(self, first: str, last: str) -> None:
        places = self.index(0, NAMES.index(first)), self.index(self._rows - 1, NAMES.index(last))
        self.dataChanged.emit(*places)


def _alignment(column: int) -> Qt.AlignmentFlag:
    left = _COLUMNS[column].left
    side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def _told(row: Row) -> str:
    lines = [f"{row.step.kernel}, {format_launch(row.step)} threads", row.step.caption]
    if row.timing is not None:
        lines.append(describe_spread(row.timing))
    return "\n".join(lines)
