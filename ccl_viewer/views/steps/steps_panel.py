"""The panel of steps: the table, its sums by stage, and the buttons over it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.counted import TimeScale, duration, scale_of
from ccl_viewer.recording.metrics import StageSum
from ccl_viewer.session import Session
from ccl_viewer.session.facts.step_table import sums_of
from ccl_viewer.session.lessons.asking import WITHHELD, hides_tables
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.stage_marks import mark_size, stage_icon
from ccl_viewer.views.looks.text import DASH
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.memory.parts import Memory, switch_memory
from ccl_viewer.views.steps.stage_list import StageList
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.flat_button import icon_button
from ccl_viewer.views.widgets.late import Late

_TITLES = ("Stage", "Launches", "Time", "Share", "Changed")


class StepsPanel(QWidget):
    """Shows the steps of the run on display.

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
        self.table = StageList(session)
        self.told = ElidedLabel()
        self.told.setProperty("role", "dim")
        self.measure = icon_button("Measure times over repeated runs (F6)", "Measure times")
        self.copy = icon_button(
            "Copy the table, or the chosen rows, as CSV (Ctrl+C)", "Copy as CSV"
        )
        self.fold = icon_button("Sums by stage", "Sums by stage")
        self.fold.setCheckable(True)
        self.withheld = QLabel(WITHHELD)
        layout = self._lay_out()
        self._sums = Late(_sums_table, layout.addWidget)
        self.measure.clicked.connect(session.measuring.measure)
        self.copy.clicked.connect(self.table.copy)
        self.fold.toggled.connect(self.show_sums)
        for signal in (
            session.recording_changed,
            session.steps_changed,
            session.busy_changed,
            session.measuring.changed,
            session.lesson.changed,
            session.predictor.changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def sums(self) -> QTableWidget:
        """The sums by stage."""
        return self._sums.get()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for button, name in ((self.measure, "measure"), (self.copy, "copy"), (self.fold, "sums")):
            button.setIcon(icon(name, theme.text, theme.dim))

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered: columns, and whether the sums are shown."""
        yield Memory("steps/columns", lambda: self.table.columns, self.table.choose_columns)
        yield switch_memory("steps/sums", self.fold.isChecked, self.fold.setChecked)

    def refresh(self) -> None:
        """Show what can be done, what was measured, and the sums."""
        recording, timing = self._session.recording, self._session.measuring.timing
        whole = recording is not None and recording.complete and not self._session.busy
        self.measure.setEnabled(whole)
        withheld = hides_tables(self._session.quiz)
        self.copy.setEnabled(recording is not None and not withheld)
        self.withheld.setVisible(withheld)
        self.table.setVisible(not withheld)
        if timing is None:
            total = math.nan if recording is None else recording.milliseconds
            self.told.setText("" if math.isnan(total) else f"{duration(total)} in all, recorded")
        else:
            self.told.setText(f"{duration(timing.total.median)} in all, median of {timing.runs}")
        self.show_sums(self.fold.isChecked())

    def show_sums(self, on: bool) -> None:
        """Show or hide the sums by stage."""
        shown = on and not hides_tables(self._session.quiz)
        self._sums.show(on=shown)
        if shown:
            self._fill()

    def _fill(self) -> None:
        sums = sums_of(self.table.steps.rows())
        self.sums.setRowCount(len(sums))
        size = mark_size(self.sums.fontMetrics())
        self.sums.setIconSize(QSize(size, size))
        self.sums.verticalHeader().setDefaultSectionSize(self.sums.fontMetrics().height() + 7)
        scale = scale_of(found.milliseconds for found in sums)
        for row, found in enumerate(sums):
            for column, text in enumerate(_texts(found, scale)):
                item = QTableWidgetItem(text)
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                if not column:
                    item.setIcon(stage_icon(found.stage, size))
                self.sums.setItem(row, column, item)
        header = self.sums.horizontalHeader().sizeHint().height()
        height = self.sums.verticalHeader().defaultSectionSize()
        self.sums.setFixedHeight(header + height * len(sums) + 2 * self.sums.frameWidth() + 2)

    def _lay_out(self) -> QVBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 2, 0)
        row.setSpacing(2)
        row.addWidget(self.told, 1)
        for button in (self.measure, self.copy, self.fold):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        self.withheld.setWordWrap(True)
        self.withheld.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.withheld.setProperty("role", "dim")
        layout.addWidget(self.table, 1)
        layout.addWidget(self.withheld, 1)
        return layout


def _texts(found: StageSum, scale: TimeScale) -> tuple[str, ...]:
    share = DASH if math.isnan(found.share) else f"{found.share:.0%}"
    return (
        str(found.stage),
        f"{found.launches:,}",
        scale.write(found.milliseconds, DASH),
        share,
        f"{found.changed:,}",
    )


def _sums_table() -> QTableWidget:
    table = QTableWidget(0, len(_TITLES))
    table.setAccessibleName("Sums by stage")
    table.setHorizontalHeaderLabels(list(_TITLES))
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    table.setShowGrid(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)  # no name is cut
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    stage = QTableWidgetItem(_TITLES[0])
    stage.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setHorizontalHeaderItem(0, stage)
    return table
