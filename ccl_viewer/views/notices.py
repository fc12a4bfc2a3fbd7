"""What the window says: work, messages and the state of the run over the canvas; the status bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QProgressBar,
    QPushButton,
    QStatusBar,
    QWidget,
)

from ccl_viewer.render.step_view import Cell
from ccl_viewer.session.analysis import Conceal
from ccl_viewer.session.cell_info import inspect_cell
from ccl_viewer.session.display import StatusKind
from ccl_viewer.session.messages import MessageKind
from ccl_viewer.session.tools import Tool
from ccl_viewer.session.view_state import Mode
from ccl_viewer.units import duration
from ccl_viewer.views.style import DOT, icon, scaled, set_role, text_on, theme
from ccl_viewer.views.widgets import (
    ElidedLabel,
    RefreshTimer,
    hbox,
    icon_button,
    labelled,
    text_button,
    vbox,
)

if TYPE_CHECKING:
    from ccl_viewer.recording import Recording
    from ccl_viewer.session.appearance import Appearance
    from ccl_viewer.session.session import Session
    from ccl_viewer.session.tools import ToolController

_BUSY_DELAY: Final = 150  # ms for which work shows nothing, so that quick work does not flicker
_STALE_DELAY: Final = 400  # ms after which a run is said to be out of date: most run again sooner
_READ_AT_LEAST: Final = 4000  # ms
_READ_A_LETTER: Final = 60  # ms
_GLIMPSE: Final = 2000  # ms for which news stays although steps are gone through
_FINE: Final = 1000
_COUNT_ASKED: Final = "Its components are not the right ones; how many there are is the question."
_WIDEST: Final = 760  # pixels at the usual size of text
_GAP: Final = 8
_MARGINS: Final = (12, 3, 4, 3)


@dataclass(frozen=True)
class Banner:
    """The state of a run that needs attention, in a few words and in a sentence.

    Its kind is ``"warning"`` or ``"wrong"``; its remedies are names of actions.
    """

    kind: str
    title: str
    text: str
    remedies: tuple[str, ...] = ()


def banner_of(session: Session) -> Banner | None:
    """Return what is the matter with the run on display; None if nothing is."""
    display = session.display
    recording = display.recording
    if recording is None or display.growing or session.document.grid is None:
        return None
    random = recording.schedule.startswith("random")
    check = ("check",) if random else ()
    if display.stale:
        text = "The grid or the settings changed after this run."
        return Banner("warning", "Out of date", text, ("run",))
    if display.fault is not None:
        title = "Race" if random else "The kernel failed"
        return Banner("wrong", title, display.fault.text, ("go_fault", *check))
    if recording.verdict is None:
        reason = recording.failure or "The run was stopped."
        return Banner("warning", "Not finished", reason, ("run",))
    if not recording.converged:
        return Banner("warning", "Did not converge", recording.sentence)
    if display.status.kind is StatusKind.ERROR:
        title = "Race: wrong result" if random else "Wrong result"
        text = _COUNT_ASKED if answer_is_hidden(session) else recording.verdict.finding
        return Banner("wrong", title, text, ("go_first_wrong", *check))
    return None


class _Delay(QTimer):
    """Lets something be shown only once it has been wanted for a while."""

    def __init__(self, milliseconds: int, parent: QObject) -> None:
        super().__init__(parent, singleShot=True, interval=milliseconds)
        self._passed = False
        self.timeout.connect(self._pass)

    def passed(self, wanted: bool) -> bool:
        """Return whether it has been wanted for long enough."""
        if not wanted:
            self.stop()
            self._passed = False
        elif not self._passed and not self.isActive():
            self.start()
        return self._passed

    def _pass(self) -> None:
        self._passed = True


class QtBusyNotice(QFrame):
    """Shows the work that the user waits for, with a button that cancels it."""

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self._session, self._appearance = session, appearance
        self.setProperty("message", "busy")
        self.setAccessibleName("Work in progress")
        self.title = ElidedLabel("", "title")
        self.detail = ElidedLabel("", "dim")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedWidth(96)
        self.cancel = text_button("Cancel", self._cancel, "Stop (Esc)")
        parts = ((self.title, 3), (self.detail, 2), self.bar, self.cancel)
        self.setLayout(hbox(*parts, margins=_MARGINS))
        self.delay = _Delay(_BUSY_DELAY, self)
        self.hide()

    def refresh(self) -> None:
        task = self._session.tasks.current
        if task is None:
            return
        self.title.setText(task.title)
        self.detail.setText(task.detail)
        self.cancel.setEnabled(not task.cancelled)
        fraction = task.fraction
        # A bar without an end moves to and fro.
        self.bar.setHidden(fraction is None and self._appearance.reduced_motion)
        self.bar.setRange(0, 0 if fraction is None else _FINE)
        self.bar.setValue(round((fraction or 0.0) * _FINE))

    def _cancel(self) -> None:
        self._session.tasks.cancel()


class QtMessageNotice(QFrame):
    """Shows a sentence; news goes away once there was time to read it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setAccessibleName("Message")
        self.symbol = QLabel()
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.action = text_button("", self._act)
        self.copy = text_button("", self._copy, "Copy details for a bug report")
        self.dismiss = icon_button("close", "Dismiss (Esc)", session.messages.dismiss)
        parts = (self.symbol, (self.text, 1), self.action, self.copy, self.dismiss)
        self.setLayout(hbox(*parts, margins=_MARGINS))
        self._fade = QTimer(self, singleShot=True)
        self._fade.timeout.connect(self._end)
        session.messages.changed.connect(self._on_message_changed)
        session.playback.changed.connect(self._on_playback_changed)
        self.hide()

    def refresh(self) -> None:
        message = self._session.messages.message
        if message is None:
            return
        roles = {MessageKind.ERROR: "error", MessageKind.WARNING: "warning"}
        side = scaled(18)
        role = roles.get(message.kind, "accent")
        self.symbol.setPixmap(icon(str(message.kind), role).pixmap(side, side))
        self.text.setText(message.text)
        self.action.setVisible(message.action is not None)
        self.action.setText("" if message.action is None else message.action.text)
        self.copy.setVisible(bool(message.details))
        self.copy.setText("Copy details")
        set_role(self, str(message.kind), "message")

    def _on_message_changed(self, _fields: frozenset[str]) -> None:
        message = self._session.messages.message
        if message is not None and message.kind is MessageKind.INFO:
            self._fade.start(_READ_AT_LEAST + _READ_A_LETTER * len(message.text))
        else:
            self._fade.stop()

    def _on_playback_changed(self, fields: frozenset[str]) -> None:
        seen = self._fade.interval() - self._fade.remainingTime()
        if "position" in fields and self._fade.isActive() and seen >= _GLIMPSE:
            self._end()

    def _end(self) -> None:
        focused = QApplication.focusWidget()
        if self.underMouse() or (focused is not None and self.isAncestorOf(focused)):
            self._fade.start()
        else:
            self._session.messages.dismiss()

    def _act(self) -> None:
        message = self._session.messages.message
        if message is not None and message.action is not None:
            self._session.messages.dismiss()
            message.action.run()

    def _copy(self) -> None:
        message = self._session.messages.message
        if message is not None:
            QApplication.clipboard().setText(message.details)
            self.copy.setText("Copied")


class QtBanner(QFrame):
    """Says that the run on display is wrong, out of date or not finished, and what to do."""

    def __init__(self, trigger: Callable[[str], object], label: Callable[[str], str]) -> None:
        super().__init__()
        self._trigger, self._label = trigger, label
        self.banner: Banner | None = None
        self._look: tuple[object, ...] = ()
        self.setAccessibleName("State of the run")
        self.symbol = QLabel()
        self.title = labelled("", "title")
        self.text = ElidedLabel()
        self.buttons: list[QPushButton] = []
        self._layout = hbox(self.symbol, self.title, (self.text, 1), margins=_MARGINS)
        self.setLayout(self._layout)
        self.delay = _Delay(_STALE_DELAY, self)
        self.hide()

    def show_banner(self, banner: Banner) -> None:
        look = banner, theme(), scaled(18)
        if look == self._look:
            return  # it would be styled again at each step
        self.banner, self._look = banner, look
        wrong = banner.kind == "wrong"
        symbol = icon("error", text_on(theme().error)) if wrong else icon("warning", "warning")
        self.symbol.setPixmap(symbol.pixmap(scaled(18), scaled(18)))
        self.title.setText(banner.title)
        self.text.setText(banner.text)
        if tuple(button.objectName() for button in self.buttons) != banner.remedies:
            self._make_buttons(banner.remedies)
        set_role(self, banner.kind, "message")
        for part in (self.title, self.text, *self.buttons):
            part.style().unpolish(part)
            part.style().polish(part)

    def _make_buttons(self, remedies: tuple[str, ...]) -> None:
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = []
        for name in remedies:
            button = text_button(self._label(name), partial(self._trigger, name))
            button.setObjectName(name)
            self._layout.addWidget(button)
            self.buttons.append(button)


class QtNotices(QWidget):
    """Lies over the top of the canvas; shows work, or a message, or the state of the run.

    Only one of them is shown, so that no more than a line of the canvas is covered; a long message
    takes more. They lie over one widget, and keep to the top of the canvas in it.
    """

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        over: QWidget,
        canvas: QWidget,
        trigger: Callable[[str], object],
        label: Callable[[str], str],
    ) -> None:
        super().__init__(over)
        self._session = session
        self._over, self._canvas = over, canvas
        self.busy = QtBusyNotice(session, appearance)
        self.message = QtMessageNotice(session)
        self.banner = QtBanner(trigger, label)
        self.setLayout(vbox(self.busy, self.message, self.banner, margins=(0, 0, 0, 0)))
        self._soon = RefreshTimer(self.refresh, self, *session.models, appearance)
        self.busy.delay.timeout.connect(self.refresh)
        self.banner.delay.timeout.connect(self.refresh)
        over.installEventFilter(self)
        canvas.installEventFilter(self)
        self.hide()

    @property
    def pending(self) -> bool:
        return self._soon.isActive() or self.banner.delay.isActive()

    def refresh(self) -> None:
        """Show what matters most: work, else a message, else the state of the run."""
        session = self._session
        busy = self.busy.delay.passed(session.tasks.current is not None)
        message = session.messages.message is not None
        banner = None if session.tasks.busy() else banner_of(session)
        stale = banner is not None and session.display.stale
        shown = self.banner.delay.passed(stale) or (banner is not None and not stale)
        self.busy.setVisible(busy)
        self.message.setVisible(message and not busy)
        self.banner.setVisible(shown and not busy and not message)
        self.busy.refresh()
        self.message.refresh()
        if banner is not None and shown:
            self.banner.show_banner(banner)
        self.setVisible(busy or message or shown)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.Resize, QEvent.Type.Move} and not self.isHidden():
            self._soon.start()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        layout = self.layout()
        if self.isHidden() or layout is None:
            return
        room = self._over.rect()
        if self._canvas.isVisible():
            room = QRect(self._canvas.mapTo(self._over, QPoint(0, 0)), self._canvas.size())
        width = max(min(scaled(_WIDEST), room.width() - 2 * _GAP), 100)
        height = layout.heightForWidth(width)
        if height <= 0:
            height = layout.sizeHint().height()
        left = room.left() + (room.width() - width) // 2
        self.setGeometry(left, room.top() + _GAP, width, height)
        self.raise_()


_ROLES: Final = {StatusKind.OK: "ok", StatusKind.WARNING: "warning", StatusKind.ERROR: "error"}
_SIGNS: Final = {StatusKind.OK: "✓ ", StatusKind.WARNING: "⚠ ", StatusKind.ERROR: "✗ "}
_RUN_SHARE: Final = 0.6  # of the width, that the run may take


class QtStatusBar(QStatusBar):
    """Describes a cell and the run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setSizeGripEnabled(False)
        self.cell = ElidedLabel()
        self.cell.setAccessibleName("Cell under the mouse")
        self.run = labelled("", "dim")
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
        cell = self._session.view.inspected
        self.cell.setText(self._hint() if cell is None else describe_cell(self._session, cell))
        self._show_run()

    def resizeEvent(self, event: QResizeEvent) -> None:
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
        set_role(self.verdict, _ROLES.get(status.kind, "dim"))
        text = (status.brief or status.text).rstrip(".")
        self.verdict.setText("" if hidden else _SIGNS.get(status.kind, "") + text)
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
