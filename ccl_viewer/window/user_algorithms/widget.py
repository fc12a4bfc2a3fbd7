"""The list of allowed user algorithms."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ccl_viewer.window.core.user_algorithms import UserAlgorithms
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, vbox

_COLUMNS = ("Name", "State", "Folder")
_SIZE = (620, 300)  # pixels at normal text size
_HELP = (
    "Code that you remove from this list does not run until you allow it again. Its folder stays "
    "as it is."
)


class QtUserAlgorithms(Dialog):
    """Lists user algorithms, removes and adds some."""

    def __init__(
        self, model: UserAlgorithms, add: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__("My algorithms", parent)
        self._model = model
        self.list = name_widget(QTreeWidget(), "My algorithms")
        self.list.setRootIsDecorated(False)
        self.list.setHeaderLabels(_COLUMNS)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._follow_choice)
        self.remove = make_text_button("&Remove", self._remove, "Stop allowing its code to run")
        self.add = make_text_button("&Add\N{HORIZONTAL ELLIPSIS}", add, "Choose a folder")
        close = make_text_button("Close", self.close)
        buttons = hbox(self.add, self.remove, 1, close)
        parts = ((self.list, 1), make_label(_HELP, "dim", wrap=True), buttons)
        self.setLayout(vbox(*parts, margins=(11, 11, 11, 11)))
        self.resize_with_text(*_SIZE)
        model.rows_changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.list.clear()
        for algorithm in self._model.rows:
            location = algorithm.folder.module or str(algorithm.folder.path)
            QTreeWidgetItem(self.list, [algorithm.folder.name, algorithm.state, location])
        first = self.list.topLevelItem(0)
        if first is not None:
            self.list.setCurrentItem(first)
        self._follow_choice()

    def _follow_choice(self) -> None:
        self.remove.setEnabled(self.list.currentItem() is not None)

    def _remove(self) -> None:
        chosen = self.list.currentItem()
        if chosen is not None:
            self._model.remove(chosen.text(0))
