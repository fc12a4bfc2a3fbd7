"""The controls of a comparison: lanes, how they keep in step, differences, baseline, table."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QWidget

from ccl_viewer.recording.together import Sync
from ccl_viewer.session.comparison.compared import SECONDS
from ccl_viewer.session.comparison.comparison import Comparison
from ccl_viewer.session.comparison.heading import lanes_scale
from ccl_viewer.views.compare.key_strip import KeyStrip
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.flat_button import action_button

SYNCS = {
    Sync.STEP: ("By step", "All go on by one launch"),
    Sync.ITERATION: ("By iteration", "All go on by one round of work"),
    Sync.SHARE: ("By share", "All begin and end together"),
    Sync.TIME: ("Race", "Each goes on as fast as its kernels did, slowed to be seen"),
}
"""Names of the ways to keep in step, and what they mean."""

_SWITCHES = ("compare_measure", "compare_difference", "compare_baseline", "compare_table")


class CompareBar(QFrame):
    """One line above the lanes.

    Parameters
    ----------
    comparison : Comparison
        What is controlled.
    actions : dict of str to QAction
        The window's actions.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        comparison: Comparison,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self.setAccessibleName("Comparison")
        self.add = action_button(actions["compare_add"])
        self.add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.sync = QComboBox()
        self.seconds = QComboBox()
        self.clock = QLabel()
        self.note = ElidedLabel()
        self.note.setProperty("role", "dim")
        self.key = KeyStrip()
        self.switches = {name: action_button(actions[name]) for name in _SWITCHES}
        self.close_button = action_button(actions["compare_close"])
        self._set_up_choices()
        self._lay_out()
        comparison.changed.connect(self.refresh)
        comparison.moved.connect(self._show_clock)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.key.set_theme(theme)

    def refresh(self) -> None:
        """Show how it is looked at."""
        view = self._comparison.view
        with QSignalBlocker(self.sync), QSignalBlocker(self.seconds):
            self.sync.setCurrentIndex(self.sync.findData(view.sync))
            self.seconds.setCurrentIndex(self.seconds.findData(view.seconds))
        self.switches["compare_measure"].setVisible(view.sync is Sync.TIME or view.table)
        self.sync.setToolTip(f"How the runs keep in step: {SYNCS[view.sync][1].lower()}")
        self.seconds.setVisible(view.sync is Sync.TIME)
        # Where no lane can be added, what is said of those that there are has its room.
        self.add.setHidden(self._comparison.full)
        note = self._comparison.note
        self.note.setText(note)
        self.note.set_shorter((note.removesuffix(" runs"),))
        self.note.setToolTip(note)
        self.note.setVisible(bool(note))
        self._show_clock()

    def _show_clock(self) -> None:
        clock = self._comparison.moments.clock
        self.clock.setVisible(not math.isnan(clock))
        if not math.isnan(clock):
            self.clock.setText(lanes_scale(self._comparison).write(clock))

    def _set_up_choices(self) -> None:
        self.sync.setAccessibleName("How the runs keep in step")
        self.seconds.setAccessibleName("Seconds that the slowest run takes")
        self.seconds.setToolTip("How long the slowest run takes in the race")
        self.clock.setToolTip("Time of the kernels so far, the same for all runs")
        for sync, (name, tip) in SYNCS.items():
            self.sync.addItem(name, sync)
            last = self.sync.count() - 1
            self.sync.setItemData(last, tip, Qt.ItemDataRole.ToolTipRole)
        for seconds in SECONDS:
            self.seconds.addItem(f"{seconds:g} s", seconds)
        for combo in (self.sync, self.seconds):
            combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.sync.activated.connect(self._choose_sync)
        self.seconds.activated.connect(self._choose_seconds)

    def _choose_sync(self, index: int) -> None:
        self._comparison.look(replace(self._comparison.view, sync=Sync(self.sync.itemData(index))))

    def _choose_seconds(self, index: int) -> None:
        view = replace(self._comparison.view, seconds=self.seconds.itemData(index))
        self._comparison.look(view)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 2, 0, 4)
        row.setSpacing(4)
        row.addWidget(self.add)
        row.addSpacing(4)
        row.addWidget(self.sync)
        row.addWidget(self.seconds)
        row.addWidget(self.clock)
        row.addWidget(self.note, 2)
        row.addSpacing(4)
        row.addWidget(self.key, 3)
        for button in (*self.switches.values(), self.close_button):
            row.addWidget(button)
