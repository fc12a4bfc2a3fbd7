"""The main window: puts the parts together and connects them to one session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from ccl_viewer.devices.base import DeviceReport
from ccl_viewer.devices.registry import device_reports
from ccl_viewer.session import Job, Runner, Session
from ccl_viewer.session.settings import Settings
from ccl_viewer.views.actions import Actions
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.canvas.menu import CanvasMenu
from ccl_viewer.views.canvas_panel import CanvasPanel
from ccl_viewer.views.clipboard.clipboard import can_read
from ccl_viewer.views.dialogs.questions import Questions
from ccl_viewer.views.docks.docks import Docks
from ccl_viewer.views.docks.projector import Projector, keep_away
from ccl_viewer.views.docks.title import DockTitle
from ccl_viewer.views.exporting.opening import Exports
from ccl_viewer.views.files.dialogs import FileDialogs
from ccl_viewer.views.files.intake import Intake
from ccl_viewer.views.files.recent import RecentList, RecentMenu
from ccl_viewer.views.files.unsaved import Unsaved
from ccl_viewer.views.key_guard import KeyGuard
from ccl_viewer.views.lasting import Lasting
from ccl_viewer.views.lessons.docks import LessonDocks
from ccl_viewer.views.lessons.menu import LessonList, LessonsButton
from ccl_viewer.views.looks.appearance import Appearance, the_application
from ccl_viewer.views.looks.icons import program_icon
from ccl_viewer.views.looks.text import DASH
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.menus import Menus
from ccl_viewer.views.notices.status import Status
from ccl_viewer.views.patterns.menu import PatternMenu
from ccl_viewer.views.process.turns import Act
from ccl_viewer.views.process.worker import JobThread
from ccl_viewer.views.setup.bar import SourceBar
from ccl_viewer.views.steps.player import Player
from ccl_viewer.views.steps.step_panel import StepPanel
from ccl_viewer.views.widgets.column import column
from ccl_viewer.views.widgets.late import Themed
from ccl_viewer.views.widgets.room import Room
from ccl_viewer.views.widgets.tab_order import go_round, lies_behind, set_tab_order

_P = TypeVar("_P", bound=QWidget)
_LEAST = QSize(1100, 640)
_ASIDE = 400
"""Milliseconds between news of what is counted aside: each redraws tables and curves."""


class MainWindow(QMainWindow):
    """One window on one session.

    Parameters
    ----------
    settings : Settings
        What is remembered.
    make_runner : callable or None
        Given the function to call when there is news, makes what runs long work; None for a
        :class:`JobThread`.
    """

    def __init__(
        self,
        settings: Settings,
        make_runner: Callable[[Callable[[], object]], Runner] | None = None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._thread: JobThread | None = None
        self._aside = JobThread(self._poll_insight, self, _ASIDE)
        if make_runner is None:
            self._thread = JobThread(self._poll, self)
            runner: Runner = self._thread
        else:
            runner = make_runner(self._poll)
        self._differ = JobThread(lambda: None, self)
        self.session = Session(runner, self._aside, self._differ)
        self.appearance = Appearance(self)
        self.questions = Questions(self, self)
        self.unsaved = Unsaved(self, self)
        self.intake = Intake(self, self, settings)
        self.dialogs = FileDialogs(self, self.session, self.intake.open)
        self.exports = Exports(self, self)
        self.actions_table = Actions(self, self)
        self._late: list[QWidget] = []
        self._left = False
        self._room = Room(self)
        self._fold_soon = QTimer(self, singleShot=True, interval=0)
        self._fold_soon.timeout.connect(self._fold_docks)
        self._tab_soon = QTimer(self, singleShot=True, interval=0)
        self._tab_soon.timeout.connect(self._settle_tab)
        self._build()
        self._player = Player(self.session.playback, self)
        self._guard = KeyGuard(the_application(), self)
        self._settle_tab()
        self._subscribe()
        self._lasting = Lasting(self, settings)
        self._recall()
        self._lasting.warn()
        self.setAcceptDrops(True)
        self.canvas.setFocus()

    @property
    def theme(self) -> Theme:
        """The theme in use."""
        return self.appearance.theme

    @property
    def canvas_panel(self) -> CanvasPanel:
        """The grid with the strip above it."""
        return self._canvas_panel

    @property
    def canvas(self) -> Canvas:
        """The grid."""
        return self.canvas_panel.canvas

    def set_theme(self, name: str) -> None:
        """Use a theme: ``"dark"``, ``"light"`` or ``"system"``."""
        self.appearance.set_theme(name)

    def panel(self, kind: type[_P]) -> _P:
        """Return the panel of a kind."""
        return self.docks.panel(kind)

    def show_devices(self, reports: tuple[DeviceReport, ...]) -> None:
        """Show which devices can be used."""
        self.source_bar.show_devices(reports)

    def ask_for_devices(self) -> None:
        """Find out on the worker's thread which devices can be used, and show it."""
        found: list[tuple[DeviceReport, ...]] = []
        job = Job(
            "Looking for devices",
            lambda _job: found.append(device_reports()),
            done=lambda: self.show_devices(found[0]),
            failed=lambda error: self.statusBar().showMessage(str(error)),
        )
        if self._thread is not None:
            self._thread.start(job)

    def welcome(self, part: QWidget) -> None:
        """Give a part that comes late all that the others have."""
        if part not in self._late:
            self._late.append(part)
        if isinstance(part, Themed):
            part.set_theme(self.theme)
        self.appearance.scale_icons(part)
        self.projector.take_in(part)
        self._tab_soon.start()

    def preparations(self) -> list[Act]:
        """Return what is drawn ahead, in turns of its own, before the window is painted at once."""
        return [self.step_panel.timeline.get_ready, *self.canvas_panel.compare.area.preparations()]

    def go_round(self, way: int) -> None:
        """Give the focus to the next of the window's parts, or with -1 to the one before."""
        first = (self.source_bar, self.canvas_panel.tools, self.canvas)
        go_round((*first, *self._parts()[2:]), self.focusWidget(), way)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files, pictures and text that is a grid."""
        if can_read(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        if self.intake.drop(event.mimeData()):
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about a drawing; remember choices, and wait for the end of the work in progress."""
        if self.session.keeping.at_risk:
            event.ignore()
            self.unsaved.before(self._give_up, "when the window closes")
            return
        self.unsaved.close()
        self.projector.show(on=False)
        self.appearance.settle()
        self.lesson_docks.close()
        self.docks.save(self._settings)
        self._lasting.remember((self.appearance, *self._remembering()))
        self._player.stop()
        self.session.close()
        self._aside.close()
        self._differ.close()
        self.session.autosave.close(leave=self._left)
        self.intake.close()
        for timer in self.findChildren(QTimer):
            timer.stop()
        if self._thread is not None:
            self._thread.close()
        self.docks.close()
        for part in self._late:
            if part.parent() is None:
                part.deleteLater()
        self.appearance.close()
        super().closeEvent(event)

    def leave(self) -> None:
        """Close without a question, and offer a drawing at the next start again."""
        self._left = True
        self._give_up()

    def _give_up(self) -> None:
        self.session.keeping.give_up()
        self.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go on to the next widget that can be seen, past panels that lie behind others."""
        if self._tab_soon.isActive():
            self._settle_tab()
        first = self.focusWidget()
        while super().focusNextPrevChild(forward):
            found = self.focusWidget()
            if found is None or found is first or not lies_behind(found):
                return True
        return False

    def changeEvent(self, event: QEvent) -> None:
        """Draw the cells anew when the screen's scale changes."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self.canvas.settle()
        super().changeEvent(event)

    # Putting the parts together

    def _build(self) -> None:
        self.setWindowTitle("CCL Viewer")
        self.setWindowIcon(program_icon())
        session, actions = self.session, self.actions_table.by_name
        self.pattern_menu = PatternMenu(self.intake.open_pattern, actions["pattern"], self)
        self.source_bar = SourceBar(session, actions["open"], actions["run"], self.pattern_menu)
        self._canvas_panel = CanvasPanel(session, actions)
        self.step_panel = StepPanel(session, actions)
        self.setStatusBar(Status(session))
        middle = column((self.canvas_panel, self.step_panel), (8, 0, 2, 8), 8)
        self.setCentralWidget(middle)
        self.menus = Menus(self.actions_table)
        files = self.menus.by_title["File"]
        recent = RecentMenu(self.intake.recent, self.intake.open_recent, files)
        files.insertMenu(self.actions_table["import"], recent)
        self.canvas_panel.empty.add(RecentList(self.intake.recent, self.intake.open_recent))
        top = column((self.menus.bar, self.source_bar))
        self.setMenuWidget(top)
        self.appearance.divide(top, middle, self.canvas_panel)
        for away in (top, self.statusBar(), self.canvas_panel.strip, self.canvas_panel.tools):
            keep_away(away)
        self.docks = Docks(self, self)
        self.projector = Projector(self, self)
        self.lesson_docks = LessonDocks(self, self, self.source_bar)
        lessons_menu = self.menus.by_title["Lessons"]
        self.lesson_list = LessonList(lessons_menu, session.lesson.open)
        self.lessons_button = LessonsButton(lessons_menu)
        self.canvas_panel.empty.add_choice(self.lessons_button)
        self._canvas_menu = CanvasMenu(session, actions, self._follow, self)
        self._watch_canvases()

    def _parts(self) -> tuple[QWidget, ...]:
        """All that is seen, in the order in which Tab goes through it."""
        return (
            self.source_bar,
            self.canvas_panel,
            self.step_panel,
            *self.lesson_docks.parts,
            *self.docks.panels.values(),
        )

    def _remembering(self) -> tuple[object, ...]:
        """All that may be as it was when the window was closed last."""
        return (self.actions_table, self.exports, self.lesson_docks, *self._parts())

    def _subscribe(self) -> None:
        session = self.session
        for signal in (
            session.grid_changed,
            session.recording_changed,
            session.steps_changed,
            session.insight.changed,
            session.busy_changed,
            session.look.layers_changed,
            session.settings_changed,
            session.tools.changed,
            session.tools.selection.changed,
            session.live.changed,
            session.lesson.changed,
            session.predictor.changed,
            session.comparison.changed,
            session.comparison.moved,
            session.playback.position_changed,
            session.playback.playing_changed,
            session.playback.section_changed,
            session.playback.way_changed,
            self.docks.changed,
            self.projector.changed,
        ):
            signal.connect(self._follow)
        session.settings_changed.connect(self._tab_soon.start)
        self.canvas_panel.compare.area.grown.connect(self._watch_canvases)
        for menu in self.menus.by_title.values():
            menu.aboutToShow.connect(self._follow)
        self._room.changed.connect(self._settle_room)
        for signal in (self.projector.changed, session.lesson.changed, session.predictor.changed):
            signal.connect(self._fold_soon.start)
        floating = session.tools.selection.changed
        for signal in (session.grid_changed, session.keeping.changed, floating):
            signal.connect(self._show_title)
        self.appearance.about_to_grow.connect(self._foresee_fold)
        self.appearance.changed.connect(self._show_theme)
        self.appearance.prepare(self.preparations)

    # Following the session

    def _settle_tab(self) -> None:
        """Let Tab go through the fields of the algorithm's parameters, which come and go."""
        self._tab_soon.stop()
        set_tab_order(self._parts())

    def _watch_canvases(self) -> None:
        for cell in self.canvas_panel.compare.area.cells:
            self._canvas_menu.watch(cell.canvas)

    def _poll(self) -> None:
        self.session.poll()

    def _poll_insight(self) -> None:
        self.session.insight.poll()

    def _follow(self) -> None:
        self.actions_table.follow(self.theme)

    def _show_theme(self) -> None:
        theme = self.theme
        self.actions_table.set_theme(theme)
        late = [part for part in self._late if part.parent() is not None]
        parts = [part for part in self._parts() if part not in late]
        others = self.pattern_menu, self.lessons_button, *self.findChildren(DockTitle)
        for part in (*others, *parts, *late):
            if isinstance(part, Themed):
                part.set_theme(theme)
        self.canvas_panel.notices.busy.still = self.appearance.reduced_motion
        self.appearance.scale_icons(self)
        self.setMinimumSize(_LEAST)
        self._room.settle()
        self._fold_soon.start()
        self._follow()

    def _settle_room(self) -> None:
        """Take as few lines as can be where the window is low for its text."""
        self.source_bar.set_low(self._room.low)
        self.step_panel.set_low(self._room.low)
        self.canvas_panel.set_low(self._room.low)
        self._fold_soon.start()

    def _fold_docks(self) -> None:
        """Let the panels share one place in a low window, unless others have theirs."""
        if self._panels_have_their_places():
            self.docks.fold(on=self._room.low)

    def _foresee_fold(self) -> None:
        if self._panels_have_their_places():
            self.docks.foresee_fold()

    def _panels_have_their_places(self) -> bool:
        session = self.session
        return not (self.projector.shown or session.lesson.is_open or session.predictor.active)

    def _show_title(self) -> None:
        name = self.session.title.replace("[*]", "[*][*]")
        self.setWindowTitle(f"{name}[*] {DASH} CCL Viewer")
        self.setWindowModified(self.session.keeping.at_risk)

    def _recall(self) -> None:
        """Be as the window was when it was closed last."""
        self._lasting.recall((self.appearance,))
        self.appearance.apply()
        self._lasting.recall(self._remembering())
        self._lasting.recall_place()
        self.docks.restore(self._settings)
        self.lesson_docks.settle()
        self._room.settle()
        self._fold_docks()
