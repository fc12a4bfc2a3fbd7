"""The status bar: the cell under the mouse, and how the run stands."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QMargins, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from ccl_viewer.counted import counted, duration
from ccl_viewer.session import Cell, Session, Standing
from ccl_viewer.session.editing.hand import Hand, Tool
from ccl_viewer.session.lessons.asking import hides_count
from ccl_viewer.session.showing.inspect import CellInfo
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.text import DOT, TIMES
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.lazy_refresh import LazyRefresh

_DEEDS = {
    Tool.PENCIL: "",
    Tool.ERASER: "",
    Tool.LINE: "Drag a line, straight with Shift",
    Tool.RECTANGLE: "Drag a rectangle, square with Shift",
    Tool.ELLIPSE: "Drag an ellipse, round with Shift",
    Tool.FILL: "Click to fill",
    Tool.PICK: "Click to take a cell's value",
    Tool.SELECT: "Drag to select, then drag the selection",
}
_SPANNING = (Tool.LINE, Tool.RECTANGLE, Tool.ELLIPSE, Tool.SELECT)
"""With these, Shift does not pan."""

_RUN_SHARE = 0.62
"""Share of the width that device, time and verdict may take."""

_PADDING = 60
_BESIDE = QMargins(14, 0, 0, 0)
_ON_A_GROUND = QMargins(8, 1, 8, 1)
"""Margins of the verdict on a ground of its own: they take the place of the style's padding."""

_ROLES = {Standing.OK: "ok", Standing.WARNING: "warning", Standing.ERROR: "error"}
_SIGNS = {Standing.OK: "✓ ", Standing.WARNING: "⚠ ", Standing.ERROR: "✗ "}


class Status(QStatusBar):
    """Shows details of a cell at the left, and of the run at the right.

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
        self.verdict = QLabel()
        self.verdict.setAccessibleName("Verdict")
        self.run = QLabel()
        self.run.setProperty("role", "dim")
        self.addWidget(self.cell, 1)
        self.verdict.setContentsMargins(_BESIDE)
        self.addPermanentWidget(self.run)
        self.addPermanentWidget(self.verdict)
        self.setContentsMargins(10, 2, 10, 2)
        self._verdict_text = ""
        self._put_off = False
        self._soon = LazyRefresh(self, self._follow)
        for signal in (session.look.hover_changed, session.look.pin_changed, session.tools.changed):
            signal.connect(self._show_cell)
        for signal in (
            session.grid_changed,
            session.recording_changed,
            session.steps_changed,
            session.playback.position_changed,
            session.step_labels.arrived,
        ):
            signal.connect(self._soon.follow_soon)  # the label may have to be decoded
        for signal in (
            session.recording_changed,
            session.steps_changed,
            session.busy_changed,
            session.measuring.changed,
        ):
            signal.connect(self._show_run)
        for signal in (session.lesson.changed, session.predictor.changed):
            signal.connect(self._show_run)
            signal.connect(self._show_cell)
        self._show_cell()
        self._show_run()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the verdict into the new width."""
        super().resizeEvent(event)
        self._fit_verdict()

    def _follow(self) -> None:
        """Tell of the cell at another step, unless its labels are being decoded by others."""
        labels = self._session.step_labels
        if labels.unseen and not self._put_off:
            self._put_off = True  # the canvas looks first, and lets others decode
            self._soon.follow_soon()
        elif not labels.coming:
            self._put_off = False
            self._show_cell()

    def _show_cell(self) -> None:
        cell = self._session.look.inspected
        hand = self._session.tools.hand
        told = hint_of(hand) if cell is None else describe_cell(self._info(cell))
        self.cell.setText(told)
        self.cell.setToolTip(told)

    def _info(self, cell: Cell) -> CellInfo:
        """Return what may be told of a cell: components are numbered, which tells how many."""
        info = self._session.inspect(cell)
        return replace(info, component=None) if hides_count(self._session.quiz) else info

    def _show_run(self) -> None:
        recording = self._session.recording
        verdict = self._session.verdict
        stale = self._session.stale and verdict.standing is not Standing.BUSY
        concealed = hides_count(self._session.quiz)
        self.verdict.setVisible(bool(verdict.text) and not stale and not concealed)
        sign = _SIGNS.get(verdict.standing, "")
        self._verdict_text = sign + (verdict.brief or verdict.text).rstrip(".")
        wrong = verdict.standing is Standing.ERROR
        self.verdict.setContentsMargins(_ON_A_GROUND if wrong else _BESIDE)
        restyle(self.verdict, "role", _ROLES.get(verdict.standing, "dim"))
        if recording is None:
            self.run.clear()
            self._fit_verdict()
            return
        timing = self._session.measuring.timing
        took = recording.milliseconds if timing is None else timing.total.median
        facts = [recording.device_title, recording.schedule, duration(took)]
        self.run.setText(DOT.join(fact for fact in facts if fact))
        self.verdict.setToolTip(f"{verdict.text}\n{self.run.text()}")
        self._fit_verdict()

    def _fit_verdict(self) -> None:
        """Leave the cell under the mouse some room: go without the facts, then cut the verdict."""
        room = int(self.width() * _RUN_SHARE) - _PADDING
        metrics = self.verdict.fontMetrics()
        facts = self.run.sizeHint().width()
        self.run.setVisible(metrics.horizontalAdvance(self._verdict_text) + facts <= room)
        left = room if self.run.isHidden() else room - facts
        self.verdict.setText(
            metrics.elidedText(self._verdict_text, Qt.TextElideMode.ElideRight, max(left, 0))
        )


def hint_of(hand: Hand) -> str:
    """Return what the mouse does with the tool in hand, in a line."""
    parts = [_DEEDS[hand.tool]]
    if hand.tool not in {Tool.PICK, Tool.SELECT}:
        left, right = hand.value_of(second=False), hand.value_of(second=True)
        parts.append(f"left {_verb(left)}, right {_verb(right)}")
    parts.append("wheel zooms")
    parts.append("middle pans" if hand.tool in _SPANNING else "middle or Shift + left pans")
    text = ", ".join(part for part in parts if part)
    return text[0].upper() + text[1:]


def _verb(value: int) -> str:
    if value == 0:
        return "erases"
    return "draws" if value == 1 else f"draws {value}"


def describe_cell(info: CellInfo) -> str:
    """Return what there is to know of a cell, in a line."""
    x, y = info.cell
    facts = [f"x {x}, y {y}"]
    if info.value > 1:
        facts.append(f"value {info.value}")
    elif not info.value or info.label is None:
        facts.append("foreground" if info.value else "background")
    if info.label is not None:
        facts.append(f"label {info.label}")
    facts += _way_facts(info)
    if info.component is not None:
        left, top, right, bottom = info.component.box
        box = f"{right - left:,} {TIMES} {bottom - top:,} at {_place((left, top))}"
        area = counted(info.component.area, "cell")
        facts.append(f"component {info.component.number:,}: {area}, box {box}")
    return DOT.join(facts)


def _way_facts(info: CellInfo) -> list[str]:
    """Return where the way leads that is drawn, and along which array if not along the labels."""
    if info.root is None or info.parent is None:
        return []
    along = f"by {info.along}: " if info.along else ""
    if info.root == info.cell:
        return [f"{along}a root"]
    if info.root == info.parent:
        return [f"{along}parent and root {_place(info.root)}"]
    ends = [f"{along}parent {_place(info.parent)}", f"root {_place(info.root)}"]
    return [*ends, f"depth {len(info.drawn)}"]


def _place(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"
