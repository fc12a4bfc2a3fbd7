"""The list of steps: a table with a row for each, in which a click goes to that step."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QWidget,
)

from ccl_viewer.recording import Recording, Step
from ccl_viewer.session import Session
from ccl_viewer.views.stage_marks import stage_icon
from ccl_viewer.views.step_format import format_round, format_time, short_kernel

Index = QModelIndex | QPersistentModelIndex

_STEP, _ROUND, _STAGE, _KERNEL, _CHANGED, _ROOTS = 0, 1, 2, 3, 5, 6
_ROOM = 20
"""Pixels beside a number: the style's padding on both sides."""

_KERNEL_WIDTH = 84
"""Pixels that stay for the kernel's name, however large the numbers are."""

_TITLES = ("Step", "Iter.", "Stage", "Kernel", "Time", "Changed", "Roots")
_HELP = (
    "Place in the recording",
    "Round of the convergence loop, or level of the merge",
    "What the launch is for",
    "Name of the kernel",
    "Time of the launch on the device",
    "Cells whose label the launch changed",
    "Cells that are their own parent: trees that are left",
)
_WIDTHS = (44, 44, 104, 100, 72, 68, 58)


class StageModel(QAbstractTableModel):
    """The steps of the run on display; rows are added as they are recorded.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._recording: Recording | None = None
        self._rows = 0

    def update_rows(self) -> None:
        """Show the run on display as it is now."""
        recording = self._session.recording
        count = self._session.playback.count
        if recording is not self._recording or count < self._rows:
            self.beginResetModel()
            self._recording, self._rows = recording, count
            self.endResetModel()
        elif count > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, count - 1)
            self._rows = count
            self.endInsertRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of steps."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return title, help and alignment of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _TITLES[section]
            case Qt.ItemDataRole.ToolTipRole:
                return _HELP[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell of the table shows."""
        if not index.isValid() or self._recording is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(self._recording.step(index.row()), index.column())
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                step = self._recording.step(index.row())
                return f"{step.kernel}\n{step.caption}"
            case Qt.ItemDataRole.DecorationRole if index.column() == _STAGE:
                return stage_icon(self._recording.step(index.row()).stage)
        return None


class StageList(QTableView):
    """The table of steps; the step on display is the selected row.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._model = StageModel(session, self)
        self.setModel(self._model)
        self.setAccessibleName("Steps")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setIconSize(QSize(12, 12))
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(36)
        for column, width in enumerate(_WIDTHS):
            header.resizeSection(column, width)
        header.setSectionResizeMode(_KERNEL, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().currentRowChanged.connect(self._row_chosen)
        session.recording_changed.connect(self.refresh)
        session.steps_changed.connect(self.refresh)
        session.playback.position_changed.connect(self._select)
        self.refresh()

    def refresh(self) -> None:
        """Show the steps of the run on display."""
        shown = self._model.rowCount()
        self._model.update_rows()
        self._widen(0 if self._model.rowCount() < shown else shown)
        self._select()

    def _select(self) -> None:
        row = self._session.playback.position
        if row < self._model.rowCount() and row != self.currentIndex().row():
            self.setCurrentIndex(self._model.index(row, 0))

    def _widen(self, first: int) -> None:
        """Make room for the numbers of the rows from `first` on; columns never become narrower."""
        recording = self._session.recording
        if recording is None:
            return
        steps = recording.steps[first : self._model.rowCount()]
        largest = {
            _STEP: len(recording) if steps else 0,
            _ROUND: max((step.iteration or 0 for step in steps), default=0),
            _CHANGED: max((step.changed for step in steps), default=0),
            _ROOTS: max((step.roots for step in steps), default=0),
        }
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        for column, number in largest.items():
            wanted = metrics.horizontalAdvance(f"{number:,}") + _ROOM
            if wanted > header.sectionSize(column):
                header.resizeSection(column, wanted)
        others = (header.sectionSize(column) for column in range(len(_TITLES)) if column != _KERNEL)
        self.setMinimumWidth(
            sum(others) + _KERNEL_WIDTH + self.verticalScrollBar().sizeHint().width()
        )

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self._session.playback.position:
            self._session.playback.pause()
            self._session.playback.go_to(current.row())


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column in {2, 3} else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def _text(step: Step, column: int) -> str:
    match column:
        case 0:
            return f"{step.index + 1:,}"
        case 1:
            return format_round(step)
        case 2:
            return str(step.stage)
        case 3:
            return short_kernel(step)
        case 4:
            return format_time(step.milliseconds)
        case 5:
            return f"{step.changed:,}"
    return f"{step.roots:,}"
