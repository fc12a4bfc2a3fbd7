"""The window: assembles the features, and keeps actions and look up to date."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Final, TypeVar

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QStatusBar, QWidget

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.window.actions import ActionTable, KeyGuard
from ccl_viewer.window.command_palette import CommandPalette, action_entries
from ccl_viewer.window.core.appearance import Appearance
from ccl_viewer.window.core.messages import MessageKind
from ccl_viewer.window.core.model import Model, watch
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.core.tasks import EXPORT
from ccl_viewer.window.features import build_features
from ccl_viewer.window.full_screen_mode import FullScreen, full_screen_action
from ccl_viewer.window.side_panel import PanelSplitter, QtGuideColumn, QtSidePanel, panel_actions
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.feature import Area, Context, PanelSpec
from ccl_viewer.window.widgets.files import QtFiles
from ccl_viewer.window.widgets.layouts import hbox, make_container, vbox
from ccl_viewer.window.widgets.panel import RefreshTimer
from ccl_viewer.window.widgets.question import QtQuestion

# With a title bar it fits on a screen of 960 x 600.
MIN_SIZE: Final = QSize(940, 560)
FIRST_SIZE: Final = QSize(1440, 900)
_Kind = TypeVar("_Kind", bound=Model)


class Poster(QObject):
    """Calls functions on its own thread; a :data:`~ccl_viewer.window.core.tasks.Post`."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], None]) -> None:
        """Call a function from the event loop, soon; may be called from any thread."""
        if not self._closed:
            self._posted.emit(function)

    def close(self) -> None:
        """Call no more functions, including those already posted."""
        self._closed = True

    def _call(self, function: Callable[[], None]) -> None:
        if not self._closed:
            function()


class ErrorReporter:
    """Replaces :data:`sys.excepthook`, to which Qt passes errors of its slots.

    An error is reported once per source line: an error in painting recurs with every frame. Those
    of :mod:`ccl_viewer.errors` need no traceback.
    """

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        self._report = report
        self._reported: set[tuple[type[BaseException], str, int | None]] = set()

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Print an unexpected error as Python does, and report it."""
        if not issubclass(kind, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        last = traceback.extract_tb(trace)[-1:]
        location = (kind, last[0].filename, last[0].lineno) if last else (kind, "", None)
        if location not in self._reported:
            self._reported.add(location)
            if not isinstance(error, CCLViewerError):
                traceback.print_exception(kind, error, trace)
            self._report(error)


class MainWindow(QMainWindow):
    """One window on one session: the features, laid out around a canvas."""

    def __init__(self, settings: Settings | None = None) -> None:
        settings = Settings() if settings is None else settings
        appearance = Appearance(settings)
        # Qt does not give the application's font to a window that exists but is not shown yet.
        _style_application(appearance, sheet=False)
        super().__init__()
        self._poster = Poster(self)
        self.session: Session = Session(self._poster, settings)
        self.appearance = appearance
        self._at_start = False  # whether the start page covers a grid
        self._asks = True  # before it closes
        self._closed = False
        self.files: QtFiles = QtFiles(
            self.session.files, self.session.document, self.session.tasks, self
        )
        self.canvas: QtCanvas = QtCanvas(self.session)
        self.canvas.setObjectName("canvas")
        document = self.session.document
        self.actions_by_name = ActionTable(self, lambda: document.user_grid_aside, self.follow_soon)
        self.features = build_features(self._context())
        self.panels: tuple[PanelSpec, ...] = tuple(
            panel for feature in self.features for panel in feature.panels
        )
        for feature in self.features:
            self.actions_by_name.add(feature.actions)
        self.actions_by_name.add(panel_actions(self.panels, lambda: self.side_panel))
        self.actions_by_name.add(self._own_actions())
        models = tuple(model for feature in self.features for model in feature.models)
        self._soon = RefreshTimer(
            self.actions_by_name.refresh,
            self,
            self.session.playback,
            (*models[::-1], *self.session.models),
        )
        self._build()
        _style_application(self.appearance)
        self._guard = KeyGuard(self)
        self._connect()
        self._restore()
        self.actions_by_name.refresh()

    def _context(self) -> Context:
        return Context(
            session=self.session,
            appearance=self.appearance,
            parent=self,
            canvas=self.canvas,
            files=self.files,
            actions=self.actions_by_name,
            specs=self.actions_by_name.specs,
            show_panel=self._show_panel,
            show_start_page=lambda: self.show_start_page(on=True),
            leave_start_page=lambda: self.show_start_page(on=False),
            leave_full_screen=lambda: self.full_screen.leave(),  # noqa: PLW0108  (made later)
        )

    def _show_panel(self, key: str) -> None:
        """Bring a panel forward, if there is one of that name."""
        if any(panel.key == key for panel in self.panels):
            self.side_panel.show_panel(key)

    def find_model(self, kind: type[_Kind]) -> _Kind:
        """Return a feature's model, by its class."""
        models = (model for feature in self.features for model in feature.models)
        return next(model for model in models if isinstance(model, kind))

    @property
    def pending(self) -> bool:
        """Whether a feature will show more soon."""
        return any(feature.is_pending() for feature in self.features)

    def follow_soon(self) -> None:
        """Update the actions in the next turn of the event loop."""
        self._soon.request()

    def report_error(self, error: BaseException) -> None:
        """Report an unexpected error, in a later turn of the event loop."""
        self._poster(partial(self.session.messages.show_error, "CCL Viewer", error))

    # The window's actions

    def _own_actions(self) -> tuple[ActionSpec, ...]:
        session = self.session

        def asks() -> bool:
            return session.question is not None and session.question.pending

        return (
            ActionSpec("quit", "&Quit", "File", self.close, keys=("Ctrl+Q",), group=9),
            ActionSpec(
                "cancel",
                "&Cancel",
                "Run",
                self._escape,
                keys=("Esc",),
                icon="stop",
                tip="Stop what is in progress, or leave what is open",
            ),
            ActionSpec(
                "answer",
                "Ans&wer",
                "Lessons",
                self._answer,
                enabled=asks,
                group=2,
                tip="Check the answer, or go to its field",
            ),
            full_screen_action(lambda: self.full_screen),
            ActionSpec(
                "palette",
                "&Find…",
                "Help",
                self._open_palette,
                keys=("Ctrl+Shift+P",),
                icon="find",
                palette=False,
                tip="Search actions, algorithms, patterns and colours by a few letters",
            ),
        )

    def _escape(self) -> None:
        """Cancel what is in progress: a shape, work, full screen, a message, a selection, a pin.

        An export goes on in the background: a separate button stops it.
        """
        session = self.session
        task = session.tasks.current
        if session.tools.busy:
            session.tools.cancel()
        elif task is not None and task.group != EXPORT:
            session.tasks.cancel()
        elif session.comparison.running:
            session.comparison.cancel()
        elif self._at_start and session.document.grid is not None:
            self.show_start_page(on=False)
        elif self.full_screen.on:
            self.full_screen.leave()
        elif session.messages.message is not None:
            session.messages.dismiss()
        elif session.phases.shown is not None:
            session.phases.leave()
        elif not session.tools.cancel():
            session.view.unpin()

    def _answer(self) -> None:
        """Check the answer; if no number was typed yet, go to its field."""
        question = self.session.question
        if question is not None and question.has_answer:
            question.check()
        else:
            for panel in self.findChildren(QtQuestion):
                if panel.isVisible() and panel.begin_to_answer():
                    return

    def _open_palette(self) -> None:
        actions = self.actions_by_name
        actions.refresh()
        feature_entries = (entry for feature in self.features for entry in feature.find())
        entries = (*action_entries(actions), *feature_entries)
        CommandPalette(entries, actions["palette"], self).open_palette()

    # Closing

    def close_without_asking(self) -> None:
        """Close without a question; the next start offers the drawing again."""
        self._asks = False
        self.close()

    def focusInEvent(self, _event: QFocusEvent) -> None:
        """Pass the focus on to the canvas."""
        self.canvas.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus on; from a hidden part to the canvas, so that no field gets its keys."""
        left = self.focusWidget()
        if left is None or left.isVisible():
            return super().focusNextPrevChild(forward)
        self.canvas.setFocus()
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about an export and an unsaved drawing; remember choices, and end work."""
        if self._closed:
            return
        if self.session.tasks.busy(EXPORT) and self._asks:
            event.ignore()
            self.files.confirm_ending_export(self.close)
            return
        if self.session.document.dirty and self._asks:
            event.ignore()
            self.files.confirm_closing(self.close)
            return
        self._closed = True
        self.full_screen.leave()
        for feature in self.features:
            feature.close()
        self._save()
        self.files.close()
        for feature in self.features:
            for model in feature.models:
                model.close()
        self.session.close()
        self._poster.close()
        for timer in self.findChildren(QTimer):
            timer.stop()
        self.appearance.close()
        super().closeEvent(event)

    # Building

    def _build(self) -> None:
        self.setWindowTitle("CCL Viewer")
        self.setMinimumSize(MIN_SIZE)
        submenus = (submenu for feature in self.features for submenu in feature.submenus)
        self.actions_by_name.fill_menu_bar(self.menuBar(), submenus)
        self.menuBar().setObjectName("menu_bar")
        widgets = {
            area: make() for feature in self.features for area, make in feature.widgets.items()
        }
        self._parts: dict[Area, QWidget] = widgets
        self.splitter = PanelSplitter()
        self.splitter.addWidget(self._make_centre())
        comparison, actions = self.session.comparison, self.actions_by_name
        self.side_panel = QtSidePanel(comparison, self.splitter, self.panels, actions)
        self.side_panel.used_width = self._used_width
        guides = [guide for feature in self.features for guide in feature.guides]
        self.guide = QtGuideColumn(guides, self.side_panel)
        self.splitter.insertWidget(1, self.guide)
        self.splitter.setStretchFactor(0, 1)
        self.pages = QStackedWidget()
        start = widgets.get(Area.START, QWidget())
        self.pages.addWidget(start)
        self.pages.addWidget(self.splitter)
        self._overlays = [
            make(self.pages) for feature in self.features for make in feature.overlays
        ]
        above = (Area.FULL_SCREEN, Area.TOP, Area.MESSAGES)
        parts = [widgets[area] for area in above if area in widgets]
        self.setCentralWidget(make_container(vbox(*parts, (self.pages, 1), spacing=0)))
        start.setFocus()
        asides = (Area.TOP, Area.HEADER, Area.TOOLS)
        self.full_screen = FullScreen(
            self,
            self.appearance,
            self.session.document,
            hides=(
                self.menuBar(),
                self.side_panel,
                *(widgets[area] for area in asides if area in widgets),
            ),
            line=widgets.get(Area.FULL_SCREEN),
            changed=self._on_full_screen_changed,
        )
        status = widgets.get(Area.STATUS)
        if isinstance(status, QStatusBar):
            self.setStatusBar(status)

    def _make_centre(self) -> QWidget:
        parts = self._parts
        tools = [parts[Area.TOOLS]] if Area.TOOLS in parts else []
        middle = hbox(*tools, (parts.get(Area.PANES, self.canvas), 1), spacing=0)
        above = [parts[Area.HEADER]] if Area.HEADER in parts else []
        below = [parts[Area.BELOW]] if Area.BELOW in parts else []
        return make_container(vbox(*above, (middle, 1), *below, spacing=0))

    def _connect(self) -> None:
        watch(
            self._leave_start_page,
            self.session.document.grid_changed,
            self.session.document.shape_changed,
            self.session.document.source_changed,
        )
        self.session.document.shape_changed.connect(self.side_panel.fit)
        watch(
            self._show_title,
            self.session.document.dirty_changed,
            self.session.document.source_changed,
            self.session.document.shape_changed,
        )
        self.session.files.replacing.connect(self._leave_start_page)
        self.session.display.recording_changed.connect(self._show_page)
        self.side_panel.changed.connect(self.follow_soon)
        self.splitter.resized.connect(self._give_panes_room)
        watch(
            self._give_panes_room,
            self.session.comparison.open_changed,
            self.session.comparison.panes_changed,
        )
        self.session.comparison.open_changed.connect(self.side_panel.fit)
        look = self.appearance
        watch(self._show_look, look.theme_changed, look.text_scale_changed)
        look.reduced_motion_changed.connect(self._follow_motion)
        look.changed.connect(self.follow_soon)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_theme_changed)
        self._on_system_theme_changed(hints.colorScheme())

    # Followers of the session

    def show_start_page(self, *, on: bool) -> None:
        """Show the start page over the grid, or hide it."""
        self.session.playback.pause()
        self._at_start = on
        self._show_page()
        self.follow_soon()

    def _on_full_screen_changed(self) -> None:
        if self.full_screen.on:
            self.canvas.setFocus()
        else:
            self.side_panel.fit()
        self.follow_soon()

    def _leave_start_page(self) -> None:
        """Show the grid, also one that is like the last and announces no change."""
        self._at_start = False
        self._show_page()

    def _show_page(self) -> None:
        empty = self._at_start or self.session.document.grid is None
        if self.pages.currentIndex() != (0 if empty else 1):
            self.pages.setCurrentIndex(0 if empty else 1)
            page = self.pages.currentWidget() if empty else self.canvas
            if page is not None:
                page.setFocus()

    def _show_title(self) -> None:
        document = self.session.document
        name = document.title
        self.setWindowTitle(f"{name}[*]" if name else "CCL Viewer")
        # While a lesson shows another grid, the user's drawing is out of sight.
        self.setWindowModified(document.dirty and not document.user_grid_aside)

    def _used_width(self) -> int:
        """Return the width that grid and tools need; 0 if they use all of it."""
        if self.session.comparison.open or not self.guide.isHidden():
            return 0
        tools = self._parts.get(Area.TOOLS)
        beside = tools.width() if tools is not None and tools.isVisible() else 0
        return self.canvas.needed_width + beside

    def _give_panes_room(self) -> None:
        panel = self.side_panel
        if self.full_screen.on:
            return
        now = 0 if panel.isHidden() else panel.width()
        room = now - panel.wanted_width
        crowded = any(feature.is_crowded(room) for feature in self.features)
        panel.collapse_for(self._give_panes_room, crowded)

    # The look

    def _show_look(self) -> None:
        _style_application(self.appearance)
        self._give_panes_room()
        self._follow_motion()

    def _follow_motion(self) -> None:
        moves = not self.appearance.reduced_motion
        QApplication.setEffectEnabled(Qt.UIEffect.UI_General, moves)

    def _on_system_theme_changed(self, scheme: Qt.ColorScheme) -> None:
        light = scheme is Qt.ColorScheme.Light
        self.appearance.set_system_theme("light" if light else "dark")

    # Settings

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
        for feature in self.features:
            with suppress(CCLViewerError, TypeError, ValueError):
                feature.restore()
        self._follow_motion()
        if settings.problem:
            session.messages.show(MessageKind.WARNING, settings.problem)

    def _save(self) -> None:
        settings = self.session.settings
        remembered: dict[str, Any] = {
            "window/geometry": bytes(self.saveGeometry().toBase64().data()).decode(),
            "window/panel": self.side_panel.current,
            "window/panel-width": self.side_panel.expanded_width,
            "window/panel-collapsed": self.side_panel.collapsed_by_hand,
        }
        for feature in self.features:
            remembered.update(feature.save())
        for name, value in remembered.items():
            settings.set_value(name, value)
        try:
            settings.save()
        except InputError as error:
            if sys.stderr is not None:
                with suppress(OSError):
                    sys.stderr.write(f"ccl-viewer: The settings were not saved: {error}\n")


def _style_application(appearance: Appearance, *, sheet: bool = True) -> None:
    application = QApplication.instance()
    if isinstance(application, QApplication):
        theme = style.THEMES[appearance.theme]
        style.apply(application, theme, appearance.text_scale, sheet=sheet)
