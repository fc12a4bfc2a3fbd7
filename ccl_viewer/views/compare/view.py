"""The comparison in the window: controls, lanes and table, and what is asked about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from ccl_viewer.counted import counted
from ccl_viewer.recording.together import Sync
from ccl_viewer.session import MessageKind, RunSettings, Session
from ccl_viewer.session.comparison.compared import SECONDS, View
from ccl_viewer.session.comparison.lane import Lane
from ccl_viewer.session.comparison.table import csv_of
from ccl_viewer.session.runs.settings import changed_settings
from ccl_viewer.session.values import exchange
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.compare.area import CompareArea
from ccl_viewer.views.compare.bar import CompareBar
from ccl_viewer.views.compare.lane_dialog import LaneDialog
from ccl_viewer.views.compare.table import CompareTable
from ccl_viewer.views.memory.parts import Memory
from ccl_viewer.views.widgets.late import Late


class CompareView(QWidget):
    """The canvas, with what a comparison puts around it.

    Parameters
    ----------
    session : Session
        Whose comparison it is.
    canvas : Canvas
        The session's own.
    actions : dict of str to QAction
        The window's actions.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        session: Session,
        canvas: Canvas,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison = session.comparison
        self.area = CompareArea(session, canvas, self._menu_of)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.area, 1)
        self._bar = Late(
            lambda: CompareBar(session.comparison, actions),
            lambda bar: layout.insertWidget(0, bar),
        )
        self._table = Late(lambda: CompareTable(session), layout.addWidget)
        session.comparison.changed.connect(self.refresh)
        self.area.told.connect(self._show_key)

    @property
    def bar(self) -> CompareBar:
        """The controls."""
        return self._bar.get()

    @property
    def table(self) -> CompareTable:
        """The table of runs."""
        return self._table.get()

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered: the lanes, and how they are looked at."""
        comparison = self._comparison
        yield Memory(
            "compare/lanes",
            lambda: _text_of(comparison.chosen),
            lambda text: comparison.remember(_lanes_of(text)),
        )
        yield Memory(
            "compare/view",
            lambda: _text_of_view(comparison.view),
            lambda text: comparison.look(_view_of(text)),
        )

    def refresh(self) -> None:
        """Show the controls while runs are compared."""
        compares = self._comparison.open
        self._bar.show(on=compares)
        self._table.show(on=compares and self._comparison.view.table)
        self._show_key()
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the table where it would take the lanes' room."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        bar, table = self._bar.there, self._table.there
        if bar is not None and table is not None:
            table.set_room(self.height() - bar.sizeHint().height())

    def _show_key(self) -> None:
        bar = self._bar.there
        if bar is not None:
            bar.key.show_key(self.area.key)

    def ask_for_lane(self) -> LaneDialog:
        """Ask how another lane is to be run."""
        return self._ask(self._comparison.rival(), "Add", self._comparison.add)

    def ask_to_change(self, lane: Lane) -> LaneDialog:
        """Ask how a lane is to be run instead."""
        return self._ask(
            lane.settings, "Change", lambda settings: self._comparison.change(lane, settings)
        )

    def lane_in_focus(self) -> Lane | None:
        """Return the lane whose canvas has the focus or had it last, or else the last one."""
        current = self.area.current.lane
        if current is not None:
            return current
        return self._comparison.lanes[-1] if self._comparison.lanes else None

    def copy_table(self) -> None:
        """Put the table into the clipboard, as CSV."""
        comparison = self._comparison
        baseline = comparison.baseline_row
        rows = comparison.rows if baseline is None else (*comparison.rows, baseline)
        QGuiApplication.clipboard().setText(csv_of(rows))
        self._session.say(
            MessageKind.INFO, f"Copied a table of {counted(len(rows), 'run')} as CSV."
        )

    def _ask(
        self, settings: RunSettings, does: str, then: Callable[[RunSettings], object]
    ) -> LaneDialog:
        dialog = LaneDialog(settings, does, self)
        dialog.accepted.connect(lambda: then(dialog.settings))
        dialog.open()
        return dialog

    def _menu_of(self, lane: Lane) -> QMenu:
        menu = QMenu(self)
        comparison = self._comparison
        for text, does in (
            ("&Change\N{HORIZONTAL ELLIPSIS}", lambda: self.ask_to_change(lane)),
            ("Run &again", lambda: comparison.retry(lane)),
            ("&Exchange with the first", lambda: exchange(self._session, lane)),
            ("&Remove", lambda: comparison.remove(lane)),
        ):
            menu.addAction(text).triggered.connect(does)
        return menu


def _text_of(lanes: tuple[RunSettings, ...]) -> str:
    return json.dumps(
        [
            {
                "algorithm": lane.algorithm,
                "connectivity": lane.connectivity,
                "device": lane.device,
                "schedule": lane.schedule,
                "parameters": dict(lane.parameters),
            }
            for lane in lanes
        ]
    )


def _lanes_of(text: str) -> list[RunSettings]:
    """Return the lanes that were noted down.

    Raises
    ------
    InputError, ValueError
        If they are none.
    """
    found = json.loads(text)
    if not isinstance(found, list) or not all(isinstance(lane, dict) for lane in found):
        raise ValueError("lanes are a list of objects")
    return [
        changed_settings(
            RunSettings(),
            algorithm_key=str(lane["algorithm"]),
            connectivity=int(lane["connectivity"]),
            device=str(lane["device"]),
            schedule=str(lane["schedule"]),
            parameters=lane["parameters"],
        )
        for lane in found
        if {"algorithm", "connectivity", "device", "schedule", "parameters"} <= lane.keys()
    ]


_FOLDED = {None: (), True: ("folded",), False: ("unfolded",)}


def _text_of_view(view: View) -> str:
    shown = [name for name in ("difference", "table") if getattr(view, name)]
    return " ".join([view.sync, f"{view.seconds:g}", *shown, *_FOLDED[view.folded]])


def _view_of(text: str) -> View:
    """Return how comparisons were looked at.

    Raises
    ------
    ValueError
        If the text does not say it.
    """
    words = text.split()
    folded = next((choice for choice, names in _FOLDED.items() if {*names} & {*words}), None)
    view = View(difference="difference" in words, table="table" in words, folded=folded)
    if len(words) < 2 or float(words[1]) not in SECONDS:
        raise ValueError(f"{text!r} is no view of a comparison")
    return replace(view, sync=Sync(words[0]), seconds=float(words[1]))
