"""The panel of memory accesses: the emulator's counts of a step, its stage, or the run."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ccl_viewer.window.core.analysis import HIDDEN_TEXT
from ccl_viewer.window.core.model import emit
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.runs import RunController
from ccl_viewer.window.core.view_state import ViewState
from ccl_viewer.window.memory.model import Memory, Scope
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.fields import ChoiceBox
from ccl_viewer.window.widgets.glossary import explain
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.style import scaled

_WHILE_PLAYING: Final = 250  # milliseconds between two updates
_SCOPES: Final = {Scope.STEP: "This step", Scope.STAGE: "This stage", Scope.RUN: "Whole run"}
_NOT_COUNTED: Final = (
    "Memory accesses of this run were not counted. Counting runs it again, on the emulator."
)


class QtMemory(Panel):
    """Shows the figures of a :class:`Memory` as a tree of names and values."""

    def __init__(
        self,
        memory: Memory,
        runs: RunController,
        view: ViewState,
        playback: Playback,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(playback, parent, _WHILE_PLAYING)
        self._runs, self._view = runs, view
        self._memory = memory
        self.title = ElidedLabel()
        self.scope = ChoiceBox("Which launches are counted", _SCOPES)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Memory accesses")
        self.tree.setHeaderLabels(["Emulator", "Count"])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(scaled(12))
        header, modes = self.tree.header(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, modes.Stretch)
        header.setSectionResizeMode(1, modes.ResizeToContents)
        self.note = make_label(_NOT_COUNTED, "dim", wrap=True, centred=True)
        self.count = make_text_button("Count", runs.run_counted)
        top = hbox((self.title, 1), self.scope, margins=(8, 0, 2, 0))
        again = hbox(1, self.count, 1)
        self.setLayout(
            vbox(top, (self.tree, 1), (self.note, 1), again, margins=(0, 0, 0, 4), spacing=2)
        )
        self.scope.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.scope.chosen.connect(self._memory.set_scope)
        self._memory.changed.connect(self._follow)
        self.tree.itemClicked.connect(self._show_line)
        self.tree.itemActivated.connect(self._show_line)

    def refresh(self) -> None:
        memory = self._memory
        groups = memory.groups
        self.title.setText(memory.scope_title)
        self.scope.show_value(memory.scope)
        self.tree.setVisible(bool(groups))
        self.note.setVisible(not groups)
        self.note.setText(HIDDEN_TEXT if memory.hidden else _NOT_COUNTED)
        self.count.setVisible(not memory.counted and self._runs.can_run)
        self.tree.clear()
        for title, counts in groups.items():
            top = QTreeWidgetItem(self.tree, [title])
            font = top.font(0)
            font.setBold(True)
            top.setFont(0, font)
            top.setFirstColumnSpanned(True)
            for count in counts:
                item = QTreeWidgetItem(top, [count.name, count.value])
                item.setData(0, Qt.ItemDataRole.UserRole, (count.file, count.line))
                tips = explain(count.word), count.tip, "The emulator's count"
                for column in range(2):
                    item.setToolTip(column, "\n".join(filter(None, tips)))
        self.tree.expandAll()

    def _show_line(self, item: QTreeWidgetItem) -> None:
        file, line = item.data(0, Qt.ItemDataRole.UserRole) or ("", 0)
        if file:
            emit(self._view.line_chosen, file, line)
