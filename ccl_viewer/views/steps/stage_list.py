"""The list of steps: a table with a row for each, in which a click goes to that step."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from ccl_viewer.session import Session
from ccl_viewer.session.facts.step_table import as_csv
from ccl_viewer.views.looks.stage_marks import mark_size
from ccl_viewer.views.steps.columns import COLUMNS, NAMES, fitting
from ccl_viewer.views.steps.model import StepModel

_ROOM = 20
"""Pixels beside a text: the style's padding on both sides."""

_AUTOMATIC = "auto"
_WIDENING = ("step", "iteration", "stage", "kernel", "time", "changed", "roots", "merged", "wrong")
_WORDS = {"stage", "kernel"}
_COUNTED = ("time", "merged", "wrong")
"""Columns of what is found out or measured after the run."""

_SAMPLED = 64
_WIDEST = 480
"""Pixels of width beyond which the table rather scrolls than takes room from the grid."""

_LEAST = {"time": {"8,888 µs"}}
"""Texts for which there is always room."""


class StageList(QTableView):
    """The table of steps; the step on display is the current row.

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
        self._model = StepModel(session, self)
        self._widths = dict.fromkeys(COLUMNS, 0)
        self._chosen: frozenset[str] | None = None
        # After the frame of the step, and once for all steps that were passed until then.
        self._select_soon = QTimer(self, singleShot=True, interval=0)
        self._select_soon.timeout.connect(self._select)
        self.setModel(self._model)
        self.setAccessibleName("Steps")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._make_headers()
        self._measure()
        self.selectionModel().currentRowChanged.connect(self._row_chosen)
        session.recording_changed.connect(self.refresh)
        session.steps_changed.connect(self.refresh)
        session.insight.changed.connect(self._show_counts)
        session.measuring.changed.connect(self._show_counts)
        session.playback.position_changed.connect(self._select_soon.start)
        self.refresh()

    @property
    def steps(self) -> StepModel:
        """What it shows."""
        return self._model

    @property
    def columns(self) -> str:
        """Which columns are shown: names with commas between, or ``"auto"``."""
        return _AUTOMATIC if self._chosen is None else ",".join(sorted(self._chosen))

    def choose_columns(self, columns: str) -> None:
        """Show the columns that are named, as :attr:`columns` returns them.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        names = None if columns == _AUTOMATIC else frozenset(columns.split(","))
        if names is not None and not names <= set(NAMES):
            raise ValueError(f"no such columns: {columns}")
        self._chosen = None if names is None else names | {"step"}
        self._fit()

    def refresh(self) -> None:
        """Show the steps of the run on display."""
        self._widen(self._model.update_rows())
        self._fit()
        self._select()

    def copy(self) -> None:
        """Put the chosen rows on the clipboard as CSV; all of them, if it is only the current."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        if len(rows) < 2:
            rows = list(range(self._model.rowCount()))
        QGuiApplication.clipboard().setText(as_csv(self._model.row(row) for row in rows))

    def changeEvent(self, event: QEvent) -> None:
        """Be as wide and as high as the text, when its size changes."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._measure()
            self._widen(0)
            self._fit()

    def event(self, event: QEvent) -> bool:
        """Claim the key for copying, which the window uses for cells of the grid."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy rows."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Choose columns by the menu key, as by a click on their titles."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self._ask_for_columns(QPoint(0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns for which there is room now, and the row of the step on display."""
        super().resizeEvent(event)
        self._fit()
        self.scrollTo(self.currentIndex())

    def column_menu(self) -> QMenu:
        """Return a menu in which columns are shown and hidden."""
        menu = QMenu(self)
        automatic = menu.addAction("As many as there is room for")
        automatic.setCheckable(True)
        automatic.setChecked(self._chosen is None)
        automatic.triggered.connect(lambda: self.choose_columns(_AUTOMATIC))
        menu.addSeparator()
        for place, (name, column) in enumerate(COLUMNS.items()):
            action = menu.addAction(column.title)
            action.setObjectName(name)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(place))
            action.setEnabled(name != "step")
            action.triggered.connect(lambda on, name=name: self._switch(name, on))
        return menu

    def _make_headers(self) -> None:
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(36)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._ask_for_columns)

    def _measure(self) -> None:
        """Give the rows their height, and the columns the width of their titles at least."""
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        size = self._model.mark_size = mark_size(self.fontMetrics())
        self.setIconSize(QSize(size, size))
        header = self.horizontalHeader()
        for place, (name, column) in enumerate(COLUMNS.items()):
            self._widths[name] = max(column.width, header.sectionSizeFromContents(place).width())

    def _ask_for_columns(self, at: QPoint) -> None:
        menu = self.column_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    def _switch(self, name: str, on: bool) -> None:
        shown = {n for place, n in enumerate(NAMES) if not self.isColumnHidden(place)}
        self.choose_columns(",".join(shown | {name} if on else shown - {name}))

    def _select(self) -> None:
        row = self._session.playback.position
        if row < self._model.rowCount() and row != self.currentIndex().row():
            self.setCurrentIndex(self._model.index(row, 0))
            # Qt scrolls only to where the table ended before the rows were there.
            self.scrollTo(self.currentIndex())

    def _show_counts(self) -> None:
        self._model.update_counts()
        before = dict(self._widths)
        self._widen(0, _COUNTED)
        if self._widths != before:
            self._fit()

    def _widen(self, first: int, names: tuple[str, ...] = _WIDENING) -> None:
        """Make room for the texts of the rows from `first` on; columns hardly become narrower.

        Numbers of the next run are much like those of the last; the names of its kernels are not,
        and columns that are shown where there is room would make way for them. Of long runs only
        some rows are looked at, and those with the largest numbers.
        """
        metrics, recording = self.fontMetrics(), self._session.recording
        if not first:
            for name in _WORDS & set(names):
                self._widths[name] = COLUMNS[name].width
        steps = () if recording is None else recording.steps
        # The table may still show the run before, of which the session has let go.
        count = min(self._model.rowCount(), len(steps))
        looked = set(range(first, count, max(1, (count - first) // _SAMPLED)))
        if first < count:
            most = range(first, count)
            looked |= {count - 1, max(most, key=lambda row: steps[row].changed)}
            looked.add(max(most, key=lambda row: steps[row].roots))
        rows = [self._model.row(row) for row in looked]
        for name in names:
            texts = {COLUMNS[name].text(row) for row in rows} | _LEAST.get(name, set())
            icon = self.iconSize().width() + 8 if name == "stage" else 0
            wanted = max(
                (metrics.horizontalAdvance(text) + _ROOM + icon for text in texts), default=0
            )
            self._widths[name] = max(self._widths[name], wanted)

    def _fit(self) -> None:
        header, recording = self.horizontalHeader(), self._session.recording
        bar = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        steps = () if recording is None else recording.steps[: self._model.rowCount()]
        needed = fitting(steps, self._widths, 0)
        shown = self._chosen
        if shown is None:
            shown = fitting(steps, self._widths, self.width() - bar)
            wanted = sum(self._widths[name] for name in needed) + bar
            self.setMinimumWidth(min(wanted, _WIDEST))
        # The kernel takes the room that is left; where there is none, the table scrolls.
        room = self.width() - bar - sum(self._widths[name] for name in shown)
        kernel = QHeaderView.ResizeMode.Stretch if room >= 0 else QHeaderView.ResizeMode.Interactive
        header.setSectionResizeMode(NAMES.index("kernel"), kernel)
        for place, name in enumerate(NAMES):
            self.setColumnHidden(place, name not in shown)
            if (name != "kernel" or room < 0) and header.sectionSize(place) != self._widths[name]:
                header.resizeSection(place, self._widths[name])

    def _row_chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and current.row() != self._session.playback.position:
            self._session.playback.pause()
            self._session.playback.go_to(current.row())
