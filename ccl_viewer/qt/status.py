"""The status bar: the cell under the mouse at the left, the status of the run at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from ccl_viewer.counted import counted, duration
from ccl_viewer.models.state import Cell, Standing
from ccl_viewer.qt.style import DOT, TIMES, set_role
from ccl_viewer.qt.widgets import ElidedLabel
from ccl_viewer.render.forest import NO_CELL, Lookup, parents_of

if TYPE_CHECKING:
    from ccl_viewer.models.session import Session
    from ccl_viewer.plan import LabelLayout

_ROLES: Final = {Standing.OK: "ok", Standing.WARNING: "warning", Standing.ERROR: "error"}
_SIGNS: Final = {Standing.OK: "✓ ", Standing.WARNING: "⚠ ", Standing.ERROR: "✗ "}
_LONGEST_CHAIN: Final = 300
_RUN_SHARE: Final = 0.6  # of the width, that the run may take


class QtStatusBar(QStatusBar):
    """Describes a cell and the run.

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
        self.setSizeGripEnabled(False)
        self.cell = ElidedLabel()
        self.cell.setAccessibleName("Cell under the mouse")
        self.run = ElidedLabel()
        self.run.setProperty("role", "dim")
        self.verdict = QLabel()
        self.verdict.setAccessibleName("Result of the run")
        self.addWidget(self.cell, 1)
        self.addPermanentWidget(self.run)
        self.addPermanentWidget(self.verdict)
        self.setContentsMargins(8, 0, 8, 0)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.refresh)
        for model in (
            session.view,
            session.display,
            session.runs,
            session.document,
            session.tools,
            session.analysis,
            session.playback,
            session.predictor,
            session.lessons,
        ):
            model.changed.connect(self._on_model_changed)
        session.labels.ready.connect(self._soon.start)
        self.refresh()

    def refresh(self) -> None:
        """Describe the cell and the run as they are now."""
        cell = self._session.view.inspected
        self.cell.setText(self._hint() if cell is None else describe_cell(self._session, cell))
        self._show_run()

    def _on_model_changed(self, _fields: frozenset[str]) -> None:
        self._soon.start()

    def _hint(self) -> str:
        return self._session.tools.hint if self._session.view.mode == "draw" else _EXPLORE_HINT

    def _show_run(self) -> None:
        display = self._session.display
        status, recording = display.status, display.recording
        hidden = answer_is_hidden(self._session) or display.stale
        set_role(self.verdict, _ROLES.get(status.standing, "dim"))
        text = (status.brief or status.text).rstrip(".")
        self.verdict.setText("" if hidden else _SIGNS.get(status.standing, "") + text)
        self.verdict.setToolTip("" if hidden else status.text)
        facts = "" if recording is None else DOT.join(self._facts())
        self.run.setText(facts)
        room = self.width() * _RUN_SHARE - self.verdict.sizeHint().width()
        wanted = self.run.fontMetrics().horizontalAdvance(facts) + 12
        self.run.setFixedWidth(wanted if wanted <= room else 0)

    def _facts(self) -> list[str]:
        recording = self._session.display.recording
        if recording is None:
            return []
        timing = self._session.analysis.timing
        took = duration(recording.milliseconds if timing is None else timing.total.median)
        emulated = "" if recording.device == "cuda" else " on the emulator"
        facts = [recording.device_title, recording.schedule, f"{took}{emulated}" if took else ""]
        return [fact for fact in facts if fact]


_EXPLORE_HINT: Final = (
    "Drag to move, wheel to zoom, click to pin a cell, double click to pin a component"
)


def answer_is_hidden(session: Session) -> bool:
    """Return whether the number of components answers a question that is open."""
    return session.predictor.hides_count


def describe_cell(session: Session, cell: Cell) -> str:
    """Return what there is to know of a cell at the step on display, in a line."""
    x, y = cell
    facts = [f"x {x}, y {y}"]
    grid, display = session.document.grid, session.display
    if grid is None or not (0 <= y < grid.shape[0] and 0 <= x < grid.shape[1]):
        return facts[0]
    value, recording = int(grid[y, x]), display.recording
    if value > 1:
        facts.append(f"value {value}")
    if recording is None or recording.image.shape != grid.shape:
        return DOT.join([*facts, *(["foreground" if value else "background"] * (value <= 1))])
    facts += _label_facts(session, cell)
    if display.components is not None and not answer_is_hidden(session):
        component = display.components.at(cell)
        if component is not None:
            left, top, right, bottom = component.box
            box = f"{right - left:,} {TIMES} {bottom - top:,} at ({left}, {top})"
            area = counted(component.area, "cell")
            facts.append(f"component {component.number:,}: {area}, box {box}")
    return DOT.join(facts)


def _label_facts(session: Session, cell: Cell) -> list[str]:
    """Return the label, and where it leads."""
    recording = session.display.recording
    if recording is None:
        return []
    lookup = session.labels.lookup(recording, session.display.index)
    index = cell[1] * recording.image.shape[1] + cell[0]
    label = int(lookup(np.array([index]))[0])
    facts = [f"label {label}"]
    chain = _chain(lookup, recording.layout, index)
    if not chain:
        return facts
    width = recording.image.shape[1]
    parent, root = (f"({end % width}, {end // width})" for end in (chain[0], chain[-1]))
    if chain[-1] == index:
        return [*facts, "a root"]
    if len(chain) == 1:
        return [*facts, f"parent and root {root}"]
    more = "over " if len(chain) >= _LONGEST_CHAIN else ""
    return [*facts, f"parent {parent}", f"root {root}", f"depth {more}{len(chain)}"]


def _chain(lookup: Lookup, layout: LabelLayout, cell: int) -> list[int]:
    """Return the cells from a cell's parent to its root; none if it has no parent."""
    chain: list[int] = []
    while len(chain) < _LONGEST_CHAIN:
        parent = int(parents_of(lookup, layout, np.array([cell]))[0])
        if parent == NO_CELL or parent in chain:
            break
        chain.append(parent)
        if parent == cell:
            break
        cell = parent
    return chain
