"""The window's messages: problems above the grid; work, news and facts in the status bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QSizePolicy, QStatusBar, QWidget

from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.render.facts import run_totals
from ccl_viewer.window.core.cell_info import inspect_cell
from ccl_viewer.window.core.messages import Message, MessageKind
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.run_display import StatusKind, fault_text, has_race_condition, is_random
from ccl_viewer.window.core.tasks import BackgroundTask
from ccl_viewer.window.core.tools import TIPS
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.panel import RefreshTimer
from ccl_viewer.window.widgets.progress import TaskProgressBar
from ccl_viewer.window.widgets.style import DOT, icon, scaled, set_role, text_on, theme

if TYPE_CHECKING:
    from ccl_viewer.window.core.appearance import Appearance
    from ccl_viewer.window.core.session import Session

_BUSY_DELAY: Final = 150  # ms before work is shown, so that quick work does not flicker
_RUN_DELAY: Final = 400  # ms before a run replaces the notice: it may end like the last one
_READ_AT_LEAST: Final = 4000  # ms
_READ_PER_LETTER: Final = 60  # ms
_COUNT_ASKED: Final = "Its components are wrong. The count is hidden until you answer."
_COPY: Final = "Copy details"
_BUTTON_TEXTS: Final = {"run": "Run again (F5)", "go_first_wrong": "Show first wrong step"}
"""Texts of buttons that differ from those of their actions."""
_ICON_ROLES: Final = {"info": "accent", "warning": "warning", "error": "error"}


@dataclass(frozen=True)
class Notice:
    """A text about a task, a message, or the state of the run.

    Its kind is a role of the style sheet: that of a message, ``"busy"`` or ``"wrong"``.
    """

    about: object
    kind: str
    title: str = ""
    text: str = ""
    buttons: Mapping[str, Callable[[], object]] = field(default_factory=dict)  # by label

    @property
    def icon(self) -> QIcon:
        if self.kind == "wrong":
            return icon("error", text_on(theme().error))
        return QIcon() if self.kind == "busy" else icon(self.kind, _ICON_ROLES[self.kind])


class QtNotice(QFrame):
    """Shows a notice in a frame of its kind; a low frame has a single line, elided.

    Otherwise a message is shown whole, and other texts have a line, because they also appear
    elsewhere.
    """

    def __init__(self, notice: Notice, *, low: bool, still: bool) -> None:
        super().__init__()
        self.about, self._still = notice.about, still
        self.setProperty("message", notice.kind)
        self.setAccessibleName("Work in progress" if notice.kind == "busy" else "Message")
        symbol, side = QLabel(), scaled(14 if low else 18)
        symbol.setPixmap(notice.icon.pixmap(side, side))
        self.title = make_label(notice.title, "title")
        wraps = isinstance(notice.about, Message) and not low
        self.text = make_label("", wrap=True) if wraps else ElidedLabel()
        if wraps:
            self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = TaskProgressBar()
        self.bar.setFixedWidth(96)
        self.buttons = {text: make_text_button(text, does) for text, does in notice.buttons.items()}
        words = symbol, self.title, (self.text, 1), self.bar
        margins = (0, 0, 0, 0) if low else (12, 3, 4, 3)
        self.setLayout(hbox(*words, *self.buttons.values(), margins=margins))
        if _COPY in self.buttons:
            self.buttons[_COPY].clicked.connect(lambda: self.buttons[_COPY].setText("Copied"))
        self.update_notice(notice)

    def update_notice(self, notice: Notice) -> None:
        """Show the text, and the progress of a task."""
        self.text.setText(notice.text)
        task = notice.about if isinstance(notice.about, BackgroundTask) else None
        self.bar.show_task(task, still=self._still)


class QtNoticeArea(QWidget):
    """Shows the most important notice of its sort, or nothing."""

    changed = Signal()
    """A notice appeared or disappeared."""

    def __init__(self, session: Session, appearance: Appearance, *, low: bool) -> None:
        super().__init__()
        self._session, self._appearance, self._low = session, appearance, low
        self.notice: QtNotice | None = None
        self._column = vbox(margins=(0, 0, 0, 0) if low else (8, 0, 8, 4))
        self.setLayout(self._column)
        models = (*session.models, appearance)
        self._soon = RefreshTimer(self.refresh, self, session.playback, models)
        watch(self._drop, appearance.theme_changed, appearance.text_scale_changed)
        self.hide()

    @property
    def pending(self) -> bool:
        return self._soon.isActive()

    def refresh(self) -> None:
        """Show the most important notice."""
        notice = self._find()
        before = self.notice
        if notice is not None and before is not None and before.about == notice.about:
            before.update_notice(notice)
            return
        self._drop()
        if notice is not None:
            self.notice = QtNotice(notice, low=self._low, still=self._appearance.reduced_motion)
            self._column.addWidget(self.notice)
        self.setVisible(notice is not None)
        if before is not self.notice:
            self.changed.emit()

    def _find(self) -> Notice | None:
        raise NotImplementedError

    def _drop(self) -> None:
        if self.notice is not None:
            self.notice.hide()
            self.notice.deleteLater()
            self.notice = None


class QtActivity(QtNoticeArea):
    """Work and news in a line of fixed size, so that nothing moves.

    Quick work is not shown, and news disappears after the time needed to read it.
    """

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__(session, appearance, low=True)
        self._task: BackgroundTask | None = None
        self._delay = QTimer(self, singleShot=True, interval=_BUSY_DELAY)
        self._delay.timeout.connect(self.refresh)
        self._fade = QTimer(self, singleShot=True)
        self._fade.timeout.connect(self._end_news)

    @property
    def pending(self) -> bool:
        return super().pending or self._delay.isActive()

    def refresh(self) -> None:
        before = self.notice
        super().refresh()
        notice = self.notice
        if notice is None or notice.property("message") != MessageKind.INFO:
            self._fade.stop()
        elif notice is not before:
            self._fade.start(_READ_AT_LEAST + _READ_PER_LETTER * len(notice.text.text()))

    def _find(self) -> Notice | None:
        task, news = self._session.tasks.current, self._session.messages.news
        if task is not self._task:
            self._task = task
            self._delay.stop()
            if task is not None:
                self._delay.start()
        if task is not None and not self._delay.isActive():
            cancel = {"Cancel": partial(self._session.tasks.cancel, None)}
            return Notice(task, "busy", task.title, task.detail, cancel)
        return None if news is None else make_message_notice(news, self._session)

    def _end_news(self) -> None:
        """Dismiss news that has had its time, unless the user is about to use it."""
        focused, news = QApplication.focusWidget(), self._session.messages.news
        if self.underMouse() or (focused is not None and self.isAncestorOf(focused)):
            self._fade.start()
        elif news is not None:
            self._session.messages.dismiss(news)


class QtMessageBar(QtNoticeArea):
    """A line above the grid: what went wrong, else the state of the run."""

    def __init__(
        self, session: Session, appearance: Appearance, actions: Mapping[str, QAction]
    ) -> None:
        super().__init__(session, appearance, low=False)
        self._actions = actions
        self._wait = QTimer(self, singleShot=True, interval=_RUN_DELAY)
        self._wait.timeout.connect(super().refresh)

    def refresh(self) -> None:
        """Show the most important notice; a stroke or a short run does not move the grid."""
        if self._session.tools.busy:
            return
        if self._session.runs.running and self.notice is not None:
            if not self._wait.isActive():
                self._wait.start()
            return
        self._wait.stop()
        super().refresh()

    def _find(self) -> Notice | None:
        problem = self._session.messages.problem
        if problem is not None:
            return make_message_notice(problem, self._session)
        return make_run_notice(self._session, self._actions)


def make_run_notice(session: Session, actions: Mapping[str, QAction]) -> Notice | None:
    """Return the problem of the run on display; None if there is none."""
    display = session.display
    recording = display.recording
    if recording is None or display.growing or display.stale or session.document.grid is None:
        return None  # the status bar says that it is out of date

    def notice(kind: str, title: str, text: str, *remedies: str) -> Notice:
        buttons = {
            _BUTTON_TEXTS.get(name, actions[name].text().replace("&", "")): actions[name].trigger
            for name in remedies
            if name in actions
        }
        return Notice((kind, title, text, *remedies), kind, title, text, buttons)

    random, race = is_random(recording), has_race_condition(recording)
    check = ("check",) if random else ()
    doubt = " Check finds out whether it is a race." if random and not race else ""
    if display.fault is not None:
        copy, fault, text = session.copies.copy, display.fault, fault_text(display.fault, recording)
        edited = copy is not None and copy.key == recording.algorithm
        if edited and fault.line is not None:  # the editor has the details
            text = f"In {fault.kernel} at {fault.file}:{fault.line}."
        title = "Race" if race else "Fault"
        return notice("wrong", title, text + doubt, "go_fault", *check)
    if recording.verdict is None:
        return notice("warning", "Not finished", recording.failure or "The run was stopped.", "run")
    if not recording.converged:
        return notice("warning", "Did not converge", recording.sentence)
    if display.status.kind is StatusKind.ERROR:
        title = "Race: wrong result" if race else "Wrong result"
        text = _COUNT_ASKED if is_count_hidden(session) else recording.verdict.finding
        return notice("wrong", title, text + doubt, *_places_of_mistakes(session), *check)
    return None


def _places_of_mistakes(session: Session) -> tuple[str, ...]:
    """Return the actions that show where a run went wrong, as far as known."""
    analysis, shown = session.analysis, session.display.shown
    cells = ("next_wrong",) if shown is not None and shown.wrong is not None else ()
    followed = analysis.display is session.display
    steps = followed and any(one.name == "first wrong" for one in analysis.milestones)
    return (() if analysis.hidden_answers else cells) + (("go_first_wrong",) if steps else ())


def make_message_notice(message: Message, session: Session) -> Notice:
    """Return the notice of a message, with its actions."""
    buttons: dict[str, Callable[[], object]] = {}
    action, dismiss = message.action, partial(session.messages.dismiss, message)
    if action is not None:
        buttons[action.text] = lambda: (dismiss(), action.run())
    if message.details:
        buttons[_COPY] = lambda: QApplication.clipboard().setText(message.details)
    buttons["Dismiss"] = dismiss
    return Notice(message, str(message.kind), "", message.text, buttons)


_ROLES: Final = {StatusKind.OK: "ok", StatusKind.WARNING: "warning", StatusKind.ERROR: "error"}
_SIGNS: Final = {StatusKind.OK: "✓ ", StatusKind.WARNING: "⚠ ", StatusKind.ERROR: "✗ "}


class QtStatusBar(QStatusBar):
    """Describes a cell and the run; work and news replace the cell."""

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self._session = session
        self.activity = QtActivity(session, appearance)
        self.setSizeGripEnabled(False)
        self.cell = name_widget(ElidedLabel(), "Cell under the mouse")
        self.run = name_widget(ElidedLabel("", "dim"), "Device and schedule of the run")
        # It has its whole width before the cell's text, which is longer, has any.
        self.run.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.run.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.verdict = name_widget(QLabel(), "Result of the run")
        self.addWidget(self.cell, 3)
        self.addWidget(self.activity, 3)
        self.activity.hide()  # which addWidget shows
        self.totals = name_widget(QLabel(), "Totals of the run")
        self.totals.setContentsMargins(10, 0, 4, 0)
        self.totals.setToolTip("Iterations, launches and time of the whole run")
        self.addPermanentWidget(self.run)
        self.addPermanentWidget(self.totals)
        self.addPermanentWidget(self.verdict)
        self.activity.changed.connect(self._make_room)
        self.setContentsMargins(8, 0, 8, 0)
        self._soon = RefreshTimer(self.refresh, self, session.playback, session.models)
        session.labels.ready.connect(self._soon.request)
        self.refresh()

    def refresh(self) -> None:
        session, cell = self._session, self._session.view.inspected
        if cell is None or session.document.selection.floating_patch is not None:
            self.cell.setText(self._hint())
        else:
            numbers, hidden = session.view.layers.numbers, session.analysis.hidden_answers
            grid, display = session.document.grid, session.analysis.display
            info = inspect_cell(cell, grid, display, session.labels, numbers, hidden)
            self.cell.setText(info.text)
        self._show_run()

    def _make_room(self) -> None:
        busy = self.activity.notice is not None
        self.cell.setHidden(busy)
        self.run.setHidden(busy)
        self.totals.setHidden(busy)

    def _hint(self) -> str:
        if self._session.document.grid is None:
            return ""
        if self._session.document.selection.floating_patch is not None:
            return _PATCH_HINT
        if self._session.view.answering:
            return _PICK_HINT
        drawing = self._session.view.mode is Mode.DRAW
        return f"{TIPS[self._session.tools.tool]}; {_DRAW_HINT}" if drawing else _EXPLORE_HINT

    def _show_run(self) -> None:
        display = self._session.analysis.display
        status, recording = display.status, display.recording
        hidden = is_count_hidden(self._session) and not display.stale
        set_role(self.verdict, _ROLES.get(status.kind, "dim"))
        text = (status.brief or status.text).rstrip(".")
        self.verdict.setText("" if hidden else _SIGNS.get(status.kind, "") + text)
        self.verdict.setToolTip("" if hidden else status.text)
        facts = () if recording is None else (recording.device_title, recording.schedule)
        self.run.setText(DOT.join(filter(None, facts)))
        # The number of iterations may be the question.
        answers = self._session.analysis.hidden_answers
        hidden = bool({HiddenInformation.COURSE, HiddenInformation.TABLES} & answers)
        complete = recording is not None and not display.growing and not hidden
        timed = HiddenInformation.TIMES not in answers
        self.totals.setText(
            DOT.join(run_totals(recording, timed=timed)) if recording and complete else ""
        )


_PATCH_HINT: Final = "Drag the cells to their place; Enter places them, Esc drops them"
_PICK_HINT: Final = "Click the cell that is the answer; or use Shift and the arrows, and Enter"
_EXPLORE_HINT: Final = (
    "Drag to pan, wheel to zoom, click to pin a cell, double-click to pin a component"
)
_DRAW_HINT: Final = "the wheel zooms, the middle button pans"


def is_count_hidden(session: Session) -> bool:
    """Return whether the number of components would answer an open question."""
    return HiddenInformation.COUNTS in session.analysis.hidden_answers
