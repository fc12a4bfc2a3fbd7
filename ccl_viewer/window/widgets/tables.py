"""Tables with rows to choose, copy and save."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ccl_viewer.window.widgets.keys import claim_keys
from ccl_viewer.window.widgets.style import scaled, theme

Index = QModelIndex | QPersistentModelIndex
_SAMPLED = 64  # rows of a table that decide how wide a column is
_MEASURED_AFTER = 50  # milliseconds; the frame and the end of a quick run come first


class TwoTextsDelegate(QStyledItemDelegate):
    """Draws an item, and in dim text a second one, which the model has in a separate role.

    The second text is aligned right, or begins at a column, counted in letters.
    """

    def __init__(self, role: int, parent: QObject, column: int = 0) -> None:
        super().__init__(parent)
        self._role, self._column = role, column

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Elide the first text where the second one begins."""
        super().initStyleOption(option, index)
        metrics, second = option.fontMetrics, index.data(self._role) or ""
        beside = option.rect.width() - metrics.horizontalAdvance(second)
        room = (self._start(option) if self._column else beside) - scaled(16)
        option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = option.fontMetrics
        text = index.data(self._role) or ""
        width = self._start(option) + metrics.horizontalAdvance(text) if self._column else 10
        return QSize(width + scaled(24), metrics.height() + scaled(8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        align = Qt.AlignmentFlag.AlignLeft if self._column else Qt.AlignmentFlag.AlignRight
        room = option.rect.adjusted(self._start(option), 0, -8, 0)
        painter.setPen(theme().color("dim"))
        painter.drawText(
            room, int(align | Qt.AlignmentFlag.AlignVCenter), index.data(self._role) or ""
        )

    def _start(self, option: QStyleOptionViewItem) -> int:
        gap = scaled(20) if self._column else 0
        return self._column * option.fontMetrics.averageCharWidth() + gap


class CopyableTable(QTableView):
    """A table with rows that can be chosen, copied and saved; `name` is for screen readers."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setIconSize(QSize(14, 14))
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_SAMPLED)
        self._widths: dict[int, int] = {}
        self._outgrown = False
        self._measure_timer = QTimer(self, singleShot=True, interval=_MEASURED_AFTER)
        self._measure_timer.timeout.connect(self._measure_again)
        self._set_row_height()

    def copy(self) -> None:
        """Copy the chosen rows; the table handles Ctrl+C, though the window uses the key, too."""
        raise NotImplementedError

    def make_menu(self) -> QMenu:
        """Return the menu for the chosen rows."""
        raise NotImplementedError

    def chosen_rows(self) -> list[int]:
        """Return the chosen rows; all rows if only the current one is chosen."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return rows if len(rows) > 1 else list(range(self.model().rowCount()))

    def choose_row(self, row: int) -> None:
        """Make a row the current and only chosen one, even while Ctrl is held."""
        index, flag = self.model().index(row, 0), QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.scrollTo(index)

    def measure_columns(self) -> None:
        """Fit each column to its texts; call it when these change."""
        self.resizeColumnsToContents()
        header = self.horizontalHeader()
        columns = (header.logicalIndex(position) for position in range(header.count()))
        self._widths = {
            column: self.columnWidth(column)
            for column in columns
            if not self.isColumnHidden(column)
        }
        self._fill_width()

    def _fill_width(self) -> None:
        """Stretch columns that fit to the width of the table, so that the last is not cut."""
        room = self.viewport().width()
        ends = [*accumulate(self._widths.values())]
        fitting = max(1, sum(end <= room for end in ends))
        if ends and ends[fitting - 1] <= room:
            share, rest = divmod(room - ends[fitting - 1], fitting)
        else:
            share = rest = 0
        for position, (column, width) in enumerate(self._widths.items()):
            more = share + (position < rest) if position < fitting else 0
            self.setColumnWidth(column, width + more)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.make_menu().popup(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the new width; keep the current row in sight when a message takes some height."""
        row = self.visualRect(self.currentIndex())
        was_seen = row.top() >= 0 and row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        self._fill_width()
        if was_seen and row.isValid():
            self.scrollTo(self.currentIndex())

    def changeEvent(self, event: QEvent) -> None:
        """Adapt to another text size; several changes in a turn are handled once."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._set_row_height()
            self.measure_soon()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._measure_again()

    @property
    def pending(self) -> bool:
        """Whether its columns will soon have other widths."""
        return self._measure_timer.isActive()

    def measure_soon(self) -> None:
        """Measure the columns after the frame, or when the table is shown."""
        self._outgrown = True
        if self.isVisible():
            self._measure_timer.start()

    def _measure_again(self) -> None:
        if self._outgrown:
            self._outgrown = False
            self.measure_columns()

    def _set_row_height(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)

    def event(self, event: QEvent) -> bool:
        """Claim the key for copying, which the window uses for cells of the grid."""
        return claim_keys(event, QKeySequence.StandardKey.Copy) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
