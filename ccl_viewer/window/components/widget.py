"""The panel of components: a table that can be sorted; a click shows the component."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.export.component_table import Table, write_components
from ccl_viewer.support.units import counted
from ccl_viewer.window.components.model import Components
from ccl_viewer.window.core.analysis import HIDDEN_TEXT
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.widgets.buttons import make_icon_button, make_popup_menu
from ccl_viewer.window.widgets.file_dialogs import ask_and_save
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.tables import CopyableTable, Index

_COLUMNS: Final = {
    "label": ("Number", "In raster order of the first cells"),
    "area": ("Area", "Cells"),
    "perimeter": ("Perimeter", "Sides of cells at the edge of the component"),
    "x": ("x", "Column of the centroid"),
    "y": ("y", "Row of the centroid"),
    "x0": ("Left", "First column"),
    "y0": ("Top", "First row"),
    "x1": ("Right", "Column after the last"),
    "y1": ("Bottom", "Row after the last"),
    "xx": ("xx", "Mean of the squared distances in x from the centroid"),
    "yx": ("yx", "Mean of the products of the distances in y and x from the centroid"),
    "yy": ("yy", "Mean of the squared distances in y from the centroid"),
}
_NAMES: Final = tuple(_COLUMNS)
_MOST: Final = 100_000  # rows; laying out a table of millions takes seconds
_NO_PARENT: Final = QModelIndex()
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ComponentTableModel(QAbstractTableModel):
    """Rows of a table of components in any order; NumPy sorts far faster than a proxy model."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.table: Table | None = None
        self._by, self._order = _NAMES.index("area"), Qt.SortOrder.DescendingOrder
        self._rows: npt.NDArray[np.intp] = np.empty(0, np.intp)

    def set_table(self, table: Table | None) -> None:
        self.table = table
        self.sort(self._by, self._order)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; rows with equal values stay in the order of their numbers."""
        self.beginResetModel()
        self._by, self._order = column, order
        if self.table is None:
            self._rows = np.empty(0, np.intp)
        else:
            values = self.table[_NAMES[column]]
            values = -values if order is Qt.SortOrder.DescendingOrder else values
            self._rows = np.argsort(values, kind="stable")[:_MOST]
        self.endResetModel()

    def number(self, row: int) -> int:
        return int(self._rows[row]) + 1

    def row_of(self, number: int) -> int:
        rows = np.flatnonzero(self._rows == number - 1)
        return int(rows[0]) if rows.size else -1

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else self._rows.size

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        return 0 if parent.isValid() else len(_NAMES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[_NAMES[section]][0]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return f"{_COLUMNS[_NAMES[section]][1]}. Click to sort."
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole or self.table is None or not index.isValid():
            return None
        value = self.table[_NAMES[index.column()]][self._rows[index.row()]]
        return f"{value:,}" if isinstance(value, np.integer) else f"{value:,.2f}"


class ComponentTableView(CopyableTable):
    """The table of components; the pinned one is the current row."""

    def __init__(self, components: Components, messages: Messages, parent: QWidget) -> None:
        super().__init__("Components", parent)
        self._components, self._messages = components, messages
        self.items = ComponentTableModel(self)
        self.setModel(self.items)
        self.sortByColumn(_NAMES.index("area"), Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.items.modelReset.connect(self.select_pinned)
        self.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.clicked.connect(self._on_row_clicked)

    def show_table(self, table: Table | None) -> None:
        """Show the components of another run."""
        if table is not self.items.table:
            self.items.set_table(table)
            self.measure_columns()

    def select_pinned(self) -> None:
        """Select the row of the pinned component."""
        row, pinned = self.currentIndex().row(), self._components.pinned
        if row < 0 or self.items.number(row) != pinned:
            self.choose_row(self.items.row_of(pinned))

    def chosen_components(self) -> Table | None:
        """Return the chosen rows of the table, in the order of their numbers."""
        table, rows = self._components.table, self.chosen_rows()
        if table is None or len(rows) == self.items.rowCount():
            return table
        return table[[self.items.number(row) - 1 for row in rows]]

    def copy(self) -> None:
        """Copy the chosen rows to the clipboard, with tabs between the columns."""
        rows, text = self.chosen_components(), io.StringIO()
        if rows is not None:
            write_components(text, [rows], "\t")
            QGuiApplication.clipboard().setText(text.getvalue())

    def ask_and_save(self) -> None:
        """Write the chosen rows to a file."""
        rows, kinds = self.chosen_components(), "CSV (*.csv);;JSON (*.json)"
        if rows is not None:
            ask_and_save(
                self, self._messages, "Save components", "components.csv", kinds,
                lambda path: self._components.save(path, rows),
            )  # fmt: skip

    def make_menu(self) -> QMenu:
        menu = make_popup_menu(self)
        menu.addAction("&Copy with tabs between columns", self.copy)
        menu.addAction("&Save as CSV\N{HORIZONTAL ELLIPSIS}", self.ask_and_save)
        return menu

    def _on_row_changed(self, index: QModelIndex) -> None:
        # The row of the pinned component is only selected: the user chose a cell, not the row.
        if index.isValid() and self.items.number(index.row()) != self._components.pinned:
            self._on_row_clicked(index)

    def _on_row_clicked(self, index: QModelIndex) -> None:
        self._components.pin_and_fit(self.items.number(index.row()))


class QtComponents(Panel):
    """Shows the table of a :class:`Components` with a line above it."""

    def __init__(
        self,
        components: Components,
        playback: Playback,
        messages: Messages,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(playback, parent)
        self._components = components
        self.title = ElidedLabel()
        self.table = ComponentTableView(components, messages, self)
        self.copy = make_icon_button(
            "copy", "Copy the table, or the chosen rows (Ctrl+C)", self.table.copy
        )
        self.save = make_icon_button(
            "save", "Save the table as CSV or JSON", self.table.ask_and_save
        )
        self.note = make_label("", "dim", wrap=True, centred=True)
        top = hbox((self.title, 1), self.copy, self.save, margins=(8, 0, 2, 0), spacing=2)
        self.setLayout(vbox(top, (self.table, 1), (self.note, 1), spacing=2))
        self._components.changed.connect(self._follow)

    def refresh(self) -> None:
        components = self._components
        components.request_table()
        table = components.table
        shown = table is not None and table.size > 0
        self.table.setVisible(shown)
        self.copy.setEnabled(shown)
        self.save.setEnabled(shown)
        self.note.setVisible(not shown)
        none = "No components yet." if table is None else "The grid has no component."
        none = "Counting\N{HORIZONTAL ELLIPSIS}" if components.computing else none
        self.note.setText(HIDDEN_TEXT if components.hidden else none)
        total = "" if table is None else counted(table.size, "component")
        part = f"; {_MOST:,} are shown" if table is not None and table.size > _MOST else ""
        self.title.setText(f"{total}{part}")
        self.table.show_table(table)
        self.table.select_pinned()
