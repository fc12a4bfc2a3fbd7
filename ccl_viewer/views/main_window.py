"""The main window: puts the panels together and connects them to one session."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QInputDialog,
    QMainWindow,
    QMenu,
    QMenuBar,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.devices.base import DeviceReport
from ccl_viewer.devices.registry import device_reports
from ccl_viewer.errors import InputError
from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.session import Job, Runner, Session
from ccl_viewer.views import theme as themes
from ccl_viewer.views.actions import GROUPS, Actions
from ccl_viewer.views.canvas_panel import CanvasPanel
from ccl_viewer.views.file_dialogs import FileDialogs
from ccl_viewer.views.icons import icon, program_icon, write_colored
from ccl_viewer.views.key_guard import KeyGuard
from ccl_viewer.views.keys_dialog import KeysDialog
from ccl_viewer.views.pattern_dialog import PatternDialog, thumbnail
from ccl_viewer.views.settings import read_switch, read_text
from ccl_viewer.views.source_bar import SourceBar
from ccl_viewer.views.source_pane import SourcePane
from ccl_viewer.views.stage_list import StageList
from ccl_viewer.views.status import Status
from ccl_viewer.views.step_panel import StepPanel
from ccl_viewer.views.tab_order import set_tab_order
from ccl_viewer.views.text import DASH
from ccl_viewer.views.worker import JobThread

_ZOOM = 1.25
_LAYOUT_VERSION = 1


class MainWindow(QMainWindow):
    """One window on one session.

    Parameters
    ----------
    settings : QSettings
        What is remembered.
    make_runner : callable or None
        Given the function to call when there is news, makes what runs long work; None for a
        :class:`JobThread`.
    """

    def __init__(
        self,
        settings: QSettings,
        make_runner: Callable[[Callable[[], object]], Runner] | None = None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._thread: JobThread | None = None
        if make_runner is None:
            self._thread = JobThread(lambda: self.session.poll(), self)  # noqa: PLW0108
            runner: Runner = self._thread
        else:
            runner = make_runner(lambda: self.session.poll())  # noqa: PLW0108
        self.session = Session(runner)
        self._icon_folder = tempfile.TemporaryDirectory(prefix="ccl-viewer-")
        self.dialogs = FileDialogs(self, self.session)
        self.actions_table = Actions(self, self._handlers())
        self._restore_session()
        self._build()
        self._play_timer = QTimer(self)
        self._play_timer.timeout.connect(self.session.playback.tick)
        self._guard = KeyGuard(self)
        self._settle_keys()
        self._subscribe()
        self.set_theme(read_text(settings, "view/theme", themes.DARK.name))
        self._restore_layout()
        self.setAcceptDrops(True)
        self.canvas_panel.canvas.setFocus()

    @property
    def theme(self) -> themes.Theme:
        """The theme in use."""
        return self._theme

    def set_theme(self, name: str) -> None:
        """Use a theme: ``"dark"`` or ``"light"``; another name means dark."""
        self._theme = themes.THEMES.get(name, themes.DARK)
        folder = Path(self._icon_folder.name)
        arrows = (
            write_colored("arrow-up", self._theme.dim, folder),
            write_colored("arrow-down", self._theme.dim, folder),
        )
        application = QApplication.instance()
        if isinstance(application, QApplication):
            themes.apply(application, self._theme, arrows)
        self.actions_table.set_theme(self._theme)
        self.source_bar.pattern_button.setIcon(icon("pattern", self._theme.text))
        for part in (self.canvas_panel, self.step_panel, self.source_pane):
            part.set_theme(self._theme)
        for action in self._pattern_menu.actions():
            if action.data():
                action.setIcon(thumbnail(action.data(), self._theme))
        self._follow()

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

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first file that was dropped."""
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.session.open(files[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember layout and choices; cancel the work in progress and wait for its end."""
        self._remember()
        self._play_timer.stop()
        self.session.close()
        if self._thread is not None:
            self._thread.close()
        self._icon_folder.cleanup()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Repaint the canvas when the screen's scale changes."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self.canvas_panel.canvas.refresh()
        super().changeEvent(event)

    def _build(self) -> None:
        self.setWindowTitle("CCL Viewer")
        self.setWindowIcon(program_icon())
        self.setMinimumSize(QSize(1100, 640))
        session, actions = self.session, self.actions_table.by_name
        self._pattern_menu = self._make_pattern_menu()
        self.source_bar = SourceBar(session, actions["open"], actions["run"], self._pattern_menu)
        self.canvas_panel = CanvasPanel(session, actions)
        self.step_panel = StepPanel(session, actions)
        self.stage_list = StageList(session)
        self.source_pane = SourcePane(session)
        self.setStatusBar(Status(session))
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(8, 0, 2, 8)
        column.setSpacing(8)
        column.addWidget(self.canvas_panel, 1)
        column.addWidget(self.step_panel)
        self.setCentralWidget(middle)
        self._make_menus()
        self.setMenuWidget(self._top())
        self._docks = {
            "Steps": self._dock("Steps", self.stage_list),
            "Source": self._dock("Source", self.source_pane),
        }
        for dock in self._docks.values():
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
            self._view_menu.addAction(dock.toggleViewAction())

    def _top(self) -> QWidget:
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._menu_bar)
        column.addWidget(self.source_bar)
        return top

    def _make_menus(self) -> None:
        self._menu_bar = QMenuBar()
        self.menus: list[QMenu] = []
        for title, specs in GROUPS:
            menu = self._menu_bar.addMenu(f"&{title}")
            self.menus.append(menu)
            for spec in specs:
                if spec.name in {"save", "quit", "slower", "numbers", "previous_group"}:
                    menu.addSeparator()
                menu.addAction(self.actions_table[spec.name])
            if title == "View":
                menu.addSeparator()
                self._view_menu = menu

    def _make_pattern_menu(self) -> QMenu:
        menu = QMenu("Pattern", self)
        for pattern in PATTERNS.values():
            action = menu.addAction(pattern.title)
            action.setData(pattern.key)
            action.setToolTip(pattern.summary)
            spec = f"pattern:{pattern.key}"
            action.triggered.connect(lambda _checked=False, spec=spec: self.session.open(spec))
        menu.setToolTipsVisible(True)
        menu.addSeparator()
        menu.addAction(self.actions_table["pattern"])
        return menu

    def _dock(self, title: str, content: QWidget) -> QDockWidget:
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(0, 0, 8, 4)
        layout.addWidget(content)
        dock = QDockWidget(title, self)
        dock.setObjectName(title)
        dock.setWidget(holder)
        return dock

    def _handlers(self) -> dict[str, Callable[..., object]]:
        session, playback, drawing = self.session, self.session.playback, self.session.drawing
        return {
            "open": self.dialogs.open,
            "pattern": self._choose_pattern,
            "save": self.dialogs.save_recording,
            "save_grid": self.dialogs.save_grid,
            "export": lambda: self.dialogs.export(self._theme.name),
            "quit": self.close,
            "undo": drawing.undo,
            "redo": drawing.redo,
            "clear": drawing.clear,
            "invert": drawing.invert,
            "run": session.run,
            "cancel": lambda: session.cancel() if session.busy else session.dismiss(),
            "play": playback.toggle,
            "back": playback.back,
            "forward": playback.forward,
            "first": playback.first,
            "last": playback.last,
            "previous_group": playback.previous_group,
            "next_group": playback.next_group,
            "go_to": self._go_to,
            "slower": playback.slower,
            "faster": playback.faster,
            "normal_speed": lambda: playback.set_speed(1.0),
            "fit": lambda: self.canvas_panel.canvas.fit(),  # noqa: PLW0108
            "zoom_in": lambda: self.canvas_panel.canvas.zoom(_ZOOM),
            "zoom_out": lambda: self.canvas_panel.canvas.zoom(1 / _ZOOM),
            "numbers": lambda on: session.show_layers(numbers=on),
            "lines": lambda on: session.show_layers(lines=on),
            "changed": lambda on: session.show_layers(changed=on),
            "light": lambda on: self.set_theme("light" if on else "dark"),
            "keys": lambda: KeysDialog(self).exec(),
        }

    def _go_to(self) -> None:
        playback = self.session.playback
        number, chosen = QInputDialog.getInt(
            self, "Go to step", "Step", playback.position + 1, 1, playback.count
        )
        if chosen:
            playback.pause()
            playback.go_to(number - 1)

    def _choose_pattern(self) -> None:
        dialog = PatternDialog(self._theme, self)
        if dialog.exec():
            self.session.open(dialog.spec)
        dialog.deleteLater()

    def _subscribe(self) -> None:
        session = self.session
        for signal in (
            session.grid_changed,
            session.recording_changed,
            session.steps_changed,
            session.busy_changed,
            session.layers_changed,
            session.playback.position_changed,
            session.playback.playing_changed,
        ):
            signal.connect(self._follow)
        session.settings_changed.connect(self._settle_keys)
        session.grid_changed.connect(self._show_title)
        session.playback.playing_changed.connect(self._play)
        session.playback.speed_changed.connect(self._play)

    def _settle_keys(self) -> None:
        """Take the fields of the algorithm's parameters into account, which come and go."""
        self._guard.protect(self)
        set_tab_order(
            (
                self.source_bar,
                self.canvas_panel,
                self.step_panel,
                self.stage_list,
                self.source_pane,
            )
        )

    def _follow(self) -> None:
        self.actions_table.follow(self.session, self._theme)
        playing = self.session.playback.playing
        self.actions_table["play"].setIcon(
            icon("pause" if playing else "play", self._theme.on_accent, self._theme.dim)
        )

    def _show_title(self) -> None:
        self.setWindowTitle(f"{self.session.title} {DASH} CCL Viewer")

    def _play(self) -> None:
        if self.session.playback.playing:
            self._play_timer.start(self.session.playback.interval)
        else:
            self._play_timer.stop()

    def _restore_session(self) -> None:
        remembered, session = self._settings, self.session
        try:
            session.configure(
                algorithm_key=read_text(remembered, "run/algorithm", session.settings.algorithm),
                connectivity=int(read_text(remembered, "run/connectivity", "4")),
            )
        except (InputError, ValueError):
            remembered.remove("run")
        session.show_layers(
            numbers=read_switch(remembered, "view/numbers", otherwise=True),
            lines=read_switch(remembered, "view/lines", otherwise=True),
            changed=read_switch(remembered, "view/changed", otherwise=True),
        )

    def _restore_layout(self) -> None:
        geometry = self._settings.value("window/geometry")
        state = self._settings.value("window/state")
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            self.resize(1280, 720)
        if not (isinstance(state, QByteArray) and self.restoreState(state, _LAYOUT_VERSION)):
            docks = list(self._docks.values())
            self.resizeDocks(docks, [300, 320], Qt.Orientation.Vertical)
            self.resizeDocks(docks, [520, 520], Qt.Orientation.Horizontal)

    def _remember(self) -> None:
        session, settings = self.session, self._settings
        settings.setValue("window/geometry", self.saveGeometry())
        settings.setValue("window/state", self.saveState(_LAYOUT_VERSION))
        settings.setValue("view/theme", self._theme.name)
        for name in ("numbers", "lines", "changed"):
            settings.setValue(f"view/{name}", str(getattr(session.layers, name)).lower())
        settings.setValue("run/algorithm", session.settings.algorithm)
        settings.setValue("run/connectivity", str(session.settings.connectivity))
        settings.sync()
