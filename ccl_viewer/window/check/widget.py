"""The panel that checks the algorithm: a table of findings, and progress."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QCheckBox, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ccl_viewer.window.check.model import COLUMNS, Checker, CheckFinding, difficult_text
from ccl_viewer.window.core.copies import CopyEditor
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.runs import RunController
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.progress import TaskProgressBar
from ccl_viewer.window.widgets.style import set_role

_TOO_LARGE: Final = "This grid is too large for a check here."


class QtChecker(Panel):
    """Shows the findings of a :class:`Checker`; a click on a row shows the place, or the run."""

    def __init__(
        self,
        checker: Checker,
        document: Document,
        runs: RunController,
        copies: CopyEditor,
        playback: Playback,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(playback, parent)
        self._runs = runs
        self._checker = checker
        self._rows: tuple[CheckFinding, ...] = ()
        self.check = make_text_button("Check", self._start_or_cancel, primary=True)
        self.difficult = QCheckBox(difficult_text())
        self.difficult.toggled.connect(self._checker.set_difficult_grids)
        self.bar = TaskProgressBar()
        self.summary = make_label("", wrap=True)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Defects")
        self.tree.setHeaderLabels(list(COLUMNS))
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.details = make_label("", "dim", wrap=True)
        tip = "Show the smallest grid that fails, and its run at the step where it goes wrong"
        self.smallest = make_text_button("", self._checker.open_smallest, tip)
        top = hbox(self.check, (self.difficult, 1))
        last = hbox(1, self.smallest, 1)
        parts = (top, self.bar, self.summary, (self.tree, 1), self.details, last)
        self.setLayout(vbox(*parts, margins=(8, 4, 8, 4), spacing=4))
        for model in (self._checker, document, runs, copies):
            model.changed.connect(self._follow)
        self.tree.currentItemChanged.connect(self._describe)
        self.tree.itemClicked.connect(self._show)
        self.tree.itemActivated.connect(self._show)

    def refresh(self) -> None:
        """Show progress and findings."""
        checker, task = self._checker, self._checker.task
        self.check.setText("Check" if task is None else "Cancel")
        self.check.setEnabled(task is not None or checker.can_start)
        self.difficult.setChecked(checker.difficult_grids)
        self.difficult.setEnabled(task is None)
        self.bar.show_task(task)
        large = self._runs.can_run and not checker.can_start
        self.summary.setText(_TOO_LARGE if large else task.detail if task else checker.summary)
        set_role(self.summary, "dim" if checker.stale else "")
        self._fill()
        failure = None if checker.report is None else checker.report.counterexample
        self.smallest.setVisible(failure is not None)
        if failure is not None:
            height, width = failure.grid.shape
            self.smallest.setText(
                f"Open the smallest failure ({width} \N{MULTIPLICATION SIGN} {height})"
            )

    def _fill(self) -> None:
        rows = self._checker.findings
        if rows == self._rows:
            return
        self._rows = rows
        self.tree.clear()
        for row in rows:
            item = QTreeWidgetItem(self.tree, list(row.words))
            item.setFirstColumnSpanned(len(row.words) == 1)
            tip = row.text if row.run is None else f"{row.text} Click to see the run."
            for column in range(len(COLUMNS)):
                item.setToolTip(column, tip)
        self._describe()

    def _row(self) -> CheckFinding | None:
        number = self.tree.currentIndex().row()
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def _describe(self) -> None:
        row = self._row()
        self.details.setText("" if row is None else row.text)
        self.details.setVisible(row is not None)

    def _show(self, item: QTreeWidgetItem) -> None:
        number = self.tree.indexOfTopLevelItem(item)
        if 0 <= number < len(self._rows):
            self._checker.show_finding(self._rows[number])

    def _start_or_cancel(self) -> None:
        if self._checker.running:
            self._checker.cancel()
        else:
            self._checker.start()
