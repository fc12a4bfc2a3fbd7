"""The status bar: the cell under the mouse at the left, the status of the run at the right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from ccl_viewer.counted import duration
from ccl_viewer.session.analysis import Conceal
from ccl_viewer.session.cell_info import inspect_cell
from ccl_viewer.session.state import Cell, Standing
from ccl_viewer.session.tools import Tool
from ccl_viewer.session.view_state import Mode
from ccl_viewer.views.style import DOT, set_role
from ccl_viewer.views.widgets import ElidedLabel, RefreshTimer

if TYPE_CHECKING:
    from ccl_viewer.recording import Recording
    from ccl_viewer.session.session import Session
    from ccl_viewer.session.tools import ToolController

_ROLES: Final = {Standing.OK: "ok", Standing.WARNING: "warning", Standing.ERROR: "error"}
_SIGNS: Final = {Standing.OK: "✓ ", Standing.WARNING: "⚠ ", Standing.ERROR: "✗ "}
_RUN_SHARE: Final = 0.6  # of the width, that the run may take


class QtStatusBar(QStatusBar):
    """Describes a cell and the run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setSizeGripEnabled(False)
        self.cell = ElidedLabel()
        self.cell.setAccessibleName("Cell under the mouse")
        self.run = QLabel()
        self.run.setProperty("role", "dim")
        self.verdict = QLabel()
        self.verdict.setAccessibleName("Result of the run")
        self.addWidget(self.cell, 1)
        self.addPermanentWidget(self.run)
        self.addPermanentWidget(self.verdict)
        self.setContentsMargins(8, 0, 8, 0)
        self._soon = RefreshTimer(self.refresh, self, *session.models)
        session.labels.ready.connect(self._soon.request)
        self.refresh()

    def refresh(self) -> None:
        """Describe the cell and the run as they are now."""
        cell = self._session.view.inspected
        self.cell.setText(self._hint() if cell is None else describe_cell(self._session, cell))
        self._show_run()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the facts of the run into the new width."""
        super().resizeEvent(event)
        self._soon.start()

    def _hint(self) -> str:
        if self._session.document.grid is None:
            return ""
        drawing = self._session.view.mode is Mode.DRAW
        return tool_hint(self._session.tools) if drawing else _EXPLORE_HINT

    def _show_run(self) -> None:
        display = self._session.display
        status, recording = display.status, display.recording
        hidden = answer_is_hidden(self._session) or display.stale
        set_role(self.verdict, _ROLES.get(status.standing, "dim"))
        text = (status.brief or status.text).rstrip(".")
        self.verdict.setText("" if hidden else _SIGNS.get(status.standing, "") + text)
        self.verdict.setToolTip("" if hidden else status.text)
        self.run.setText("" if recording is None else DOT.join(self._facts(recording)))
        room = self.width() * _RUN_SHARE - self.verdict.sizeHint().width()
        self.run.setVisible(0 < self.run.sizeHint().width() <= room)

    def _facts(self, recording: Recording) -> list[str]:
        timing = self._session.analysis.timing
        took = duration(recording.milliseconds if timing is None else timing.total.median, "")
        emulated = "" if recording.device == "cuda" else " on the emulator"
        facts = [recording.device_title, recording.schedule, f"{took}{emulated}" if took else ""]
        return [fact for fact in facts if fact]


_EXPLORE_HINT: Final = (
    "Drag to move, wheel to zoom, click to pin a cell, double click to pin a component"
)


_TOOL_HINTS: Final = {
    Tool.LINE: "Drag a line, straight with Shift",
    Tool.RECTANGLE: "Drag a rectangle, square with Shift",
    Tool.ELLIPSE: "Drag an ellipse, round with Shift",
    Tool.FILL: "Click to fill",
    Tool.PICK: "Click to take a cell's value",
    Tool.SELECT: "Drag to select, then drag the selection",
}


def tool_hint(tools: ToolController) -> str:
    """Return what the mouse does with the tool in use, in a line."""
    parts = [_TOOL_HINTS.get(tools.tool, "")]
    if tools.tool not in {Tool.PICK, Tool.SELECT}:
        back = 0 if tools.tool is Tool.PENCIL else tools.back
        parts += [f"left {_verb(tools.front)}", f"right {_verb(back)}"]
    parts += ["wheel zooms", "middle button moves"]
    text = ", ".join(part for part in parts if part)
    return text[0].upper() + text[1:]


def _verb(value: int) -> str:
    if value == 0:
        return "erases"
    return "draws" if value == 1 else f"draws {value}"


def answer_is_hidden(session: Session) -> bool:
    """Return whether the number of components would answer a question that is open."""
    return Conceal.COUNTS in session.analysis.conceal


def describe_cell(session: Session, cell: Cell) -> str:
    """Return what there is to know of a cell at the step on display, in a line."""
    info = inspect_cell(
        cell, session.document.grid, session.display, session.labels, session.view.layers.numbers
    )
    # Components are numbered, which tells how many there are.
    return (replace(info, component=None) if answer_is_hidden(session) else info).text
