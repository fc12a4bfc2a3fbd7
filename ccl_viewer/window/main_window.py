"""The window: puts the parts together, and keeps actions and look up to date."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Final

from PySide6.QtCore import QByteArray, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.window.actions import Actions, KeyGuard
from ccl_viewer.window.canvas.header import QtCanvasHeader
from ccl_viewer.window.compare.widget import QtComparison
from ccl_viewer.window.core.appearance import Appearance
from ccl_viewer.window.core.messages import MessageKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.core.tasks import EXPORT
from ccl_viewer.window.drawing.widget import QtToolBar
from ccl_viewer.window.messages.widget import QtMessageBar, QtStatusBar
from ccl_viewer.window.opening.clipboard import DropTarget, QtClipboard
from ccl_viewer.window.opening.files import QtFiles
from ccl_viewer.window.opening.start_page import QtStartPage
from ccl_viewer.window.presentation.widget import QtPresentation, projected_scale
from ccl_viewer.window.run_settings.widget import QtSettingsBar
from ccl_viewer.window.side_panel import PanelSplitter, QtGuideColumn, QtSidePanel
from ccl_viewer.window.source.widget import source_panel
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.widgets import RefreshTimer, hbox, holding, native_keys, vbox

# With a title bar it fits a screen of 960 x 600.
MIN_SIZE: Final = QSize(940, 560)
FIRST_SIZE: Final = QSize(1440, 900)
_MENU: Final = (
    *("pin_cell", "pin_component", "next_change_of_cell", "copy_label"),
    *("next_change", "next_wrong", "fit", "copy_picture"),
)
"""Actions in the menus of canvases."""


class Poster(QObject):
    """Calls functions on the thread that made it: a :data:`~ccl_viewer.window.core.tasks.Post`."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], None]) -> None:
        """Have a function called by the event loop, soon; may be called from any thread."""
        if not self._closed:
            self._posted.emit(function)

    def close(self) -> None:
        """Call nothing more, not even what was posted before."""
        self._closed = True

    def _call(self, function: Callable[[], None]) -> None:
        if not self._closed:
            function()


class ErrorReporter:
    """Takes the place of :data:`sys.excepthook`, to which Qt brings errors of its slots.

    An error is reported once per source line: one in painting comes back with every frame.
    """

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        self._report = report
        self._reported: set[tuple[type[BaseException], str, int | None]] = set()

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Print an error as Python does, and report it."""
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        last = traceback.extract_tb(trace)[-1:]
        place = (kind, last[0].filename, last[0].lineno) if last else (kind, "", None)
        if place not in self._reported:
            self._reported.add(place)
            traceback.print_exception(kind, error, trace)
            self._report(error)


class MainWindow(QMainWindow):
    """One window on one session, with its look, and with its actions by name."""

    actions: Actions  # type: ignore[assignment]  # by name, in place of QWidget.actions()
    canvas: QtCanvas
    settings_bar: QtSettingsBar
    side_panel: QtSidePanel
    transport: QtTransport

    def __init__(self, settings: Settings | None = None) -> None:
        settings = Settings() if settings is None else settings
        appearance = Appearance(settings)
        # Qt does not give the application's font to a window that is there and not shown yet.
        _style_application(appearance, sheet=False)
        super().__init__()
        self._poster = Poster(self)
        self.session: Session = Session(self._poster, settings)
        self.appearance = appearance
        self._before_full_screen: tuple[Qt.WindowState, QRect, list[QWidget]] | None = None
        self._at_start = False  # whether the start page covers a grid
        self._left = False
        self._closed = False
        self.files: QtFiles = QtFiles(self.session, self)
        self.clipboard: QtClipboard = QtClipboard(self.session, self.files, self)
        self.actions = Actions(self)
        self._soon = RefreshTimer(
            self.actions.follow, self, self.session.playback, self.session.models
        )
        self._build()
        _style_application(self.appearance)
        self._guard = KeyGuard(self)
        self._connect()
        self._restore()
        self.actions.follow()

    def follow_soon(self) -> None:
        """Enable and tick actions in the next turn of the event loop."""
        self._soon.request()

    def report_mistake(self, error: BaseException) -> None:
        """Report an error that nobody expected, in a later turn of the event loop."""
        self._poster(partial(self.session.messages.show_error, "CCL Viewer", error))

    # Full screen

    @property
    def is_full_screen(self) -> bool:
        """Whether canvas, sentence and transport alone are shown, in large type."""
        return self._before_full_screen is not None

    def set_full_screen(self, *, on: bool) -> None:
        """Show canvas, sentence and transport alone on the full screen, or all as it was."""
        if on == self.is_full_screen:
            return
        if on:
            hidden = [part for part in self._aside() if not part.isHidden()]
            self._before_full_screen = self.windowState(), self.geometry(), hidden
            for part in hidden:
                part.hide()
            self.presentation.show()
            self._project()
            self.setWindowState(self.windowState() | Qt.WindowState.WindowFullScreen)
            self.canvas.setFocus()
        elif self._before_full_screen is not None:
            state, geometry, hidden = self._before_full_screen
            self._before_full_screen = None
            self.presentation.hide()
            self._project()
            self.setWindowState(state)
            if not state & Qt.WindowState.WindowMaximized:
                self.setGeometry(geometry)  # which restoreGeometry would fit to the screen
            for part in hidden:
                part.show()
            self.side_panel.fit()
        self.follow_soon()

    def _project(self) -> None:
        """Give text the size for full screen, or for the window."""
        size, lesson = self.screen().size(), self.session.lessons.is_open
        scale = projected_scale((size.width(), size.height()), lesson=lesson)
        self.appearance.project(scale if self.is_full_screen else None)

    def _aside(self) -> tuple[QWidget, ...]:
        """Return the parts that a projector has no use for."""
        return (
            self.menuBar(),
            self.settings_bar,
            self.side_panel,
            self.canvas_header,
            self.tool_bar,
        )

    # Closing

    def close_without_asking(self) -> None:
        """Close without a question, and offer a drawing at the next start again."""
        self._left = True
        self.close()

    def focusInEvent(self, _event: QFocusEvent) -> None:
        """Pass the focus on to the canvas."""
        self.canvas.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus on; from a part that was hidden, to the canvas: no field gets its keys."""
        left = self.focusWidget()
        if left is None or left.isVisible():
            return super().focusNextPrevChild(forward)
        self.canvas.setFocus()
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about an export, and a drawing that is in no file; remember choices, and end work."""
        if self._closed:
            return
        if self.session.tasks.busy(EXPORT) and not self._left:
            event.ignore()
            self.files.before_export_ends(self.close)
            return
        if self.session.document.dirty and not self._left:
            event.ignore()
            self.files.before_closing(self.close)
            return
        self._closed = True
        self.set_full_screen(on=False)
        self.session.lessons.close_lesson()
        self._save()
        self.transport.stop()
        self.files.close()
        self.session.close()
        self._poster.close()
        for timer in self.findChildren(QTimer):
            timer.stop()
        self.appearance.close()
        super().closeEvent(event)

    # Building

    def _build(self) -> None:
        session = self.session
        self.setWindowTitle("CCL Viewer")
        self.setMinimumSize(MIN_SIZE)
        self.actions.fill(self.menuBar())
        self.settings_bar = QtSettingsBar(session, self.actions["run"], self.actions["live"])
        self.splitter = PanelSplitter()
        self.splitter.addWidget(self._make_centre())
        self.side_panel = QtSidePanel(session, self.splitter, self.actions)
        self.side_panel.used_width = self._used_width
        self.guide = QtGuideColumn(session, self.actions, self.side_panel)
        self.splitter.insertWidget(1, self.guide)
        self.splitter.setStretchFactor(0, 1)
        self.start_page = QtStartPage(session, self.actions, self.files)
        self.start_page.left.connect(lambda: self.show_start_page(on=False))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.start_page)
        self.pages.addWidget(self.splitter)
        self._drop_target = DropTarget(self.pages, self.clipboard)
        self.message_bar = QtMessageBar(session, self.appearance, self.actions)
        keys = native_keys(self.actions.specs["projector"].keys)
        self.presentation = QtPresentation(session, keys)
        parts = (self.presentation, self.settings_bar, self.message_bar, (self.pages, 1))
        self.setCentralWidget(holding(vbox(*parts, spacing=0)))
        self.start_page.patterns.setFocus()
        self.status = QtStatusBar(session, self.appearance)
        self.setStatusBar(self.status)

    def _make_centre(self) -> QWidget:
        session = self.session
        self.canvas = QtCanvas(session)
        self.canvas.menu_actions = tuple(self.actions[name] for name in _MENU)
        self.canvas_header = QtCanvasHeader(session, self.canvas, self.actions)
        self.tool_bar = QtToolBar(session, self.actions)
        self.comparison = QtComparison(session, self.canvas, self.actions)
        self.transport = QtTransport(session, self.actions)
        middle = hbox(self.tool_bar, (self.comparison, 1), spacing=0)
        parts = (self.canvas_header, (middle, 1), self.transport)
        return holding(vbox(*parts, spacing=0))

    def _connect(self) -> None:
        self.session.document.watch("grid shape source", self._show_grid)
        self.session.document.watch("shape", self.side_panel.fit)
        self.session.document.watch("dirty source shape", self._show_title)
        self.session.display.watch("recording", self._show_page)
        self.session.lessons.watch("lesson", self._project)
        self.side_panel.changed.connect(self.follow_soon)
        self.splitter.resized.connect(self._give_lanes_room)
        self.session.comparison.watch("open lanes", self._give_lanes_room)
        self.session.comparison.watch("open", self.side_panel.fit)
        self.session.view.line_chosen.connect(self._show_source_line)
        self.appearance.changed.connect(self._on_appearance_changed)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_theme_changed)
        self._on_system_theme_changed(hints.colorScheme())

    # Following the session

    def show_start_page(self, *, on: bool) -> None:
        """Show the start page over the grid, or the grid again."""
        self.session.playback.pause()
        self._at_start = on
        self._show_page()
        self.follow_soon()

    def _show_grid(self) -> None:
        self._at_start = False
        self._show_page()

    def _show_page(self) -> None:
        empty = self._at_start or self.session.document.grid is None
        if self.pages.currentIndex() != (0 if empty else 1):
            self.pages.setCurrentIndex(0 if empty else 1)
            (self.start_page.patterns if empty else self.canvas).setFocus()

    def _show_title(self) -> None:
        document = self.session.document
        name = document.title
        self.setWindowTitle(f"{name}[*]" if name else "CCL Viewer")
        # While a lesson shows a grid of its own, the user's drawing is out of sight.
        self.setWindowModified(document.dirty and not self.session.lessons.is_open)

    def _used_width(self) -> int:
        """Return the width that the grid and the tools need; 0 if they take all of it."""
        if self.session.comparison.open or not self.guide.isHidden():
            return 0
        return self.canvas.used_width + self.tool_bar.width() * self.tool_bar.isVisible()

    def _give_lanes_room(self) -> None:
        panel = self.side_panel
        if self.is_full_screen:
            return
        now = 0 if panel.isHidden() else panel.width()
        panel.give_way(self.comparison, self.comparison.is_crowded(now - panel.wanted_width))

    # The look

    def _on_appearance_changed(self, fields: frozenset[str]) -> None:
        if fields & {"theme", "text_scale"}:
            _style_application(self.appearance)
            self._give_lanes_room()
        self._follow_motion()
        self.follow_soon()

    def _follow_motion(self) -> None:
        moves = not self.appearance.reduced_motion
        self.session.lessons.plays = moves
        QApplication.setEffectEnabled(Qt.UIEffect.UI_General, moves)

    def _on_system_theme_changed(self, scheme: Qt.ColorScheme) -> None:
        light = scheme is Qt.ColorScheme.Light
        self.appearance.set_system_theme("light" if light else "dark")

    # What is remembered

    def _restore(self) -> None:
        settings, session = self.session.settings, self.session
        geometry = QByteArray.fromBase64(settings.text("window/geometry").encode("ascii", "ignore"))
        if not self.restoreGeometry(geometry):
            room = self.screen().availableSize()
            self.resize(FIRST_SIZE.boundedTo(room * 0.9).expandedTo(MIN_SIZE))
        width = settings.value("window/panel-width")
        self.side_panel.restore(
            settings.text("window/panel"),
            width if isinstance(width, int) else 0,
            collapsed=settings.value("window/panel-collapsed") is True,
        )
        for restore in (self._restore_layers, self._restore_run):
            with suppress(CCLViewerError, TypeError, ValueError):
                restore()
        session.runs.set_live(settings.value("run/live") is True)
        session.runs.set_counting(settings.value("run/counting") is not False)
        session.tools.set_filled(settings.value("tools/filled") is True)
        session.comparison.restore(settings.value("compare"))
        session.lessons.restore_bookmarks(settings.value("lessons/left"))
        self._follow_motion()
        session.lessons.set_notes(settings.value("lessons/notes") is True)
        if settings.problem:
            session.messages.show(MessageKind.WARNING, settings.problem)

    def _show_source_line(self, file: str, line: int) -> None:
        source_panel(self).show_line(file, line)

    def _restore_layers(self) -> None:
        saved = self.session.settings.value("view/layers")
        if isinstance(saved, dict):
            layers = self.session.view.layers.recalled(saved)
            self.session.view.show_layers(**layers.to_values())

    def _restore_run(self) -> None:
        settings = self.session.settings
        connectivity = settings.value("run/connectivity")
        self.session.runs.configure(
            algorithm=settings.text("run/algorithm") or None,
            connectivity=connectivity if connectivity in {4, 8} else None,
        )

    def _save(self) -> None:
        settings, session = self.session.settings, self.session
        remembered: dict[str, Any] = {
            "window/geometry": bytes(self.saveGeometry().toBase64().data()).decode(),
            "window/panel": self.side_panel.current,
            "window/panel-width": self.side_panel.expanded_width,
            "window/panel-collapsed": self.side_panel.collapsed_by_hand,
            "view/layers": session.view.layers.to_values(),
            "run/algorithm": session.runs.settings.algorithm,
            "run/connectivity": session.runs.settings.chosen,
            "run/live": session.runs.live,
            "run/counting": session.runs.counting,
            "tools/filled": session.tools.filled,
            "compare": session.comparison.state(),
            "lessons/left": session.lessons.bookmarks,
            "lessons/notes": session.lessons.notes,
        }
        for name, value in remembered.items():
            settings.set_value(name, value)
        try:
            settings.save()
        except InputError as error:
            if sys.stderr is not None:
                with suppress(OSError):
                    sys.stderr.write(f"ccl-viewer: Nothing was remembered: {error}\n")


def _style_application(appearance: Appearance, *, sheet: bool = True) -> None:
    application = QApplication.instance()
    if isinstance(application, QApplication):
        theme = style.THEMES[appearance.theme]
        style.apply(application, theme, appearance.text_scale, sheet=sheet)
