"""The window's actions: collected from all areas, made into QActions, menus and tips."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)

from ccl_viewer.window.command_palette import CommandPalette
from ccl_viewer.window.core.appearance import TEXT_SIZES
from ccl_viewer.window.core.tasks import EXPORT
from ccl_viewer.window.help.widget import AboutDialog, Tour, glossary_dialog, keys_dialog
from ccl_viewer.window.opening.files import RecentMenu
from ccl_viewer.window.side_panel import PANELS, PanelSpec
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.style import icon
from ccl_viewer.window.widgets.widgets import ARROW_KEYS, native_keys

if TYPE_CHECKING:
    from ccl_viewer.window.core.appearance import Appearance
    from ccl_viewer.window.main_window import MainWindow

MENUS: Final = (
    *("&File", "&Edit", "&Tools", "&Run", "&Playback"),
    *("&Compare", "&View", "&Lessons", "&Help"),
)

_MODULES: Final = (
    *("drawing.dialogs", "opening.files", "opening.clipboard", "drawing.widget", "canvas.actions"),
    *("transport.widget", "inside.widget", "source.widget", "compare.widget", "lessons.widget"),
    *("exercises.widget", "export.widget"),
)
"""Modules of features with a tuple ``ACTIONS``, in the order of their rows in the menus."""


def collect(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Return the rows of all areas and of the window itself."""
    modules = (import_module(f"ccl_viewer.window.{name}") for name in _MODULES)
    rows = (row for module in modules for row in module.ACTIONS)
    return (*rows, *_RUN, *_window_rows(window))


class Actions(dict[str, QAction]):
    """The window's actions, by name; `specs` are their rows, in order."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.specs = {spec.name: spec for spec in collect(window)}
        super().__init__((name, self._make(spec)) for name, spec in self.specs.items())
        window.addActions(list(self.values()))
        self.menus: dict[str, QMenu] = {}

    def follow(self) -> None:
        """Enable what can be done now, and tick what is on."""
        session = self._window.session
        for name, spec in self.specs.items():
            action = self[name]
            action.setEnabled(spec.enabled(session))
            if spec.lesson_keys is not None:
                self._set_keys(action, spec.lesson_keys if session.lessons.is_open else spec.keys)
            if spec.checked is not None:
                action.setChecked(spec.checked(session))
            if spec.about is not None:
                about = spec.about(session).replace("&", "&&")
                action.setText(f"{spec.text} {about}".strip())

    def fill(self, bar: QMenuBar) -> None:
        for text in MENUS:
            title = text.replace("&", "")
            menu = self.menus[title] = bar.addMenu(text)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(self.follow)
            rows = [spec for spec in self.specs.values() if spec.menu.split("/")[0] == title]
            group = attrgetter("group")
            for number, specs in groupby(sorted(rows, key=group), group):
                if number:
                    menu.addSeparator()
                for spec in specs:
                    self._menu_of(spec).addAction(self[spec.name])
        recent = RecentMenu(self._window.session, self._window.files, self.menus["File"])
        self.menus["File"].insertMenu(self["import_again"], recent)

    def _menu_of(self, spec: ActionSpec) -> QMenu:
        if spec.menu not in self.menus:
            title, _, inner = spec.menu.partition("/")
            self.menus[spec.menu] = self.menus[title].addMenu(inner)
            self.menus[spec.menu].setToolTipsVisible(True)
        return self.menus[spec.menu]

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.name)
        self._set_keys(action, spec.keys)
        action.setToolTip(tip_of(spec))
        action.setCheckable(spec.checked is not None)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.triggered.connect(partial(self._run, spec))
        return action

    @staticmethod
    def _set_keys(action: QAction, keys: tuple[str, ...]) -> None:
        wanted = [QKeySequence(key) for key in keys]
        if action.shortcuts() != wanted:
            action.setShortcuts(wanted)

    def _run(self, spec: ActionSpec, _on: bool = False) -> None:
        spec.run(self._window)
        self._window.follow_soon()  # also where no model changed: a switch shows its state


def tip_of(spec: ActionSpec) -> str:
    """Return the tooltip of an action: what it does, and its keys."""
    text = spec.tip or spec.title.rstrip("\N{HORIZONTAL ELLIPSIS}")
    return f"{text} ({native_keys(spec.keys)})" if spec.keys else text


def _go_fault(window: MainWindow) -> None:
    """Show the last step, and the cell and the source line of the fault.

    If it has neither, show the first step that went another way: beside the original of a copy,
    or with a wrong label.
    """
    session = window.session
    fault, display = session.display.fault, session.display
    session.playback.pause()
    session.playback.last()
    if fault is None:
        return
    if fault.cell is not None:
        session.view.pin_cell(fault.cell)
        session.view.reveal(fault.cell, flash=True)
    elif fault.line is None:
        marks = (one.step for one in session.analysis.milestones if one.name == "first wrong")
        step = session.copies.first_differing(display.recording)
        step = next(marks, None) if step is None else step
        if step is not None:
            display.go_to(step)
    window.side_panel.show_panel("source")


def _check(window: MainWindow) -> None:
    window.side_panel.show_panel("check")
    window.session.checker.start()


def _show_bench(window: MainWindow) -> object:
    from ccl_viewer.window.bench.widget import show_bench  # not needed by most

    return show_bench(window)


def _escape(window: MainWindow) -> None:
    """End what is under way: a shape, work, full screen, a message, a selection, a pin.

    An export goes on in the background: its own button ends it.
    """
    session = window.session
    task = session.tasks.current
    if session.tools.busy:
        session.tools.cancel()
    elif task is not None and task.group != EXPORT:
        session.tasks.cancel()
    elif session.comparison.working:
        session.comparison.cancel()
    elif window.start_page.isVisible() and session.document.grid is not None:
        window.show_start_page(on=False)
    elif window.is_full_screen:
        window.set_full_screen(on=False)
    elif session.messages.message is not None:
        session.messages.dismiss()
    elif session.phases.shown is not None:
        session.phases.leave()
    elif not session.tools.cancel():
        session.view.unpin()


# fmt: off
_RUN: Final = (
    ActionSpec(
        "run", "&Run", "Run", lambda window: window.session.comparison.run(), ("F5",),
        "run", lambda session: session.runs.can_run, tip="Run the algorithm on the grid",
    ),
    ActionSpec(
        "live", "&Live", "Run",
        lambda window: window.session.runs.set_live(not window.session.runs.live), (), "live",
        checked=lambda session: session.runs.live, tip="Label the grid again while you draw",
    ),
    ActionSpec(
        "cancel", "&Cancel", "Run", _escape, ("Esc",), "stop",
        tip="Stop the work; or drop the shape, leave full screen, dismiss, deselect, unpin",
    ),
    ActionSpec(
        "check", "Chec&k", "Run", _check, (), "check",
        lambda session: session.checker.can_start and not session.checker.running, group=1,
        tip="Look for memory errors, races, and labels that are wrong in random orders",
    ),
    ActionSpec(
        "bench", "&Benchmark…", "Run", _show_bench, (), "measure", group=1,
        tip="Measure the papers' tables, or algorithms on grids of your own",
    ),
    ActionSpec(
        "go_fault", "Show the &fault", "Run", _go_fault, (), "error",
        lambda session: session.display.fault is not None, group=1,
        tip="Show the step, the cell and the source line of what failed",
    ),
)


def _panel_row(window: MainWindow, number: int, panel: PanelSpec) -> ActionSpec:
    return ActionSpec(
        f"panel_{panel.key}", panel.menu_text or f"&{panel.title}", "View/&Panels",
        lambda _: window.side_panel.toggle_panel(panel.key), (f"Ctrl+{number}",), panel.icon,
        checked=lambda _: window.side_panel.is_shown(panel.key), tip=panel.tip, group=4,
    )


def _theme_row(look: Appearance, name: str, text: str) -> ActionSpec:
    return ActionSpec(
        f"theme_{name}", text, "View/The&me", lambda _: look.set_theme(name),
        checked=lambda _: look.choice == name, group=5,
    )


def _size_row(look: Appearance, size: int) -> ActionSpec:
    return ActionSpec(
        f"text_{size}", f"{size}%", "View/Te&xt size", lambda _: look.set_text_size(size),
        checked=lambda _: look.text_size == size, tip=f"Text at {size}% of its usual size",
        group=5,
    )


def _window_rows(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Return the rows that look at the window's own state."""
    look = window.appearance
    themes = {"system": "&Follow the system", "dark": "&Dark", "light": "&Light"}
    return (
        ActionSpec("quit", "&Quit", "File", lambda _: window.close(), ("Ctrl+Q",), group=9),
        *(_panel_row(window, number, panel) for number, panel in enumerate(PANELS, 1)),
        ActionSpec(
            "side_panel", "Si&de panel", "View/&Panels", lambda _: window.side_panel.toggle(),
            ("F9",), "panels", checked=lambda _: not window.side_panel.collapsed, group=4,
            tip="Collapse the side panel to its edge, or expand it",
        ),
        *(_theme_row(look, name, text) for name, text in themes.items()),
        ActionSpec(
            "swap_theme", "S&witch dark and light", "View/The&me", lambda _: look.swap_theme(), (),
            "theme", group=5,
        ),
        *(_size_row(look, size) for size in TEXT_SIZES),
        ActionSpec(
            "reduced_motion", "&Reduced motion", "View",
            lambda _: look.set_reduced_motion(not look.reduced_motion),
            checked=lambda _: look.reduced_motion, group=5,
            tip="Let nothing move or flash by itself",
        ),
        ActionSpec(
            "projector", "F&ull screen", "View",
            lambda _: window.set_full_screen(on=not window.is_full_screen), ("F11",), "fit",
            checked=lambda _: window.is_full_screen, group=6,
            tip="Canvas, sentence and transport in large type, as for a projector",
        ),
        ActionSpec(
            "palette", "&Find…", "Help",
            lambda _: CommandPalette(window).open_palette(), ("Ctrl+Shift+P",), "find",
            palette=False, tip="Search actions, algorithms, patterns and colours by a few letters",
        ),
        ActionSpec(
            "tour", "&Tour", "Help", lambda _: Tour(window).start(), (), "help", group=1,
            tip="The window in one minute",
        ),
        ActionSpec(
            "glossary", "&Glossary…", "Help", lambda _: glossary_dialog(window).open(), group=1,
            tip="The words that the window uses",
        ),
        ActionSpec(
            "keys", "&Keys…", "Help",
            lambda _: keys_dialog(window.actions.specs.values(), window).open(), ("F1", "?"),
            tip="All keys, and what the mouse does", group=1,
        ),
        ActionSpec(
            "about", "&About CCL Viewer…", "Help", lambda _: AboutDialog(window).open(), (),
            "info", tip="Version and papers", group=2,
        ),
    )
# fmt: on


_CHORD: Final = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
_PAGES: Final = {Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}


class KeyGuard(QObject):
    """Lets the widget with the focus have the keys that it uses, before they become shortcuts.

    Qt does so for letters in fields, but not for Space on a button or Page Up in a field.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        kinds = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QComboBox, QAbstractButton)
        if isinstance(new, kinds) and self._window.isAncestorOf(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim a key for the widget."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers() & _CHORD
            and event.key() in _keys_of(watched)
        ):
            event.accept()
            return True
        return False


def _keys_of(widget: QObject) -> set[Qt.Key]:
    if isinstance(widget, QAbstractButton):
        # Of buttons in a group, arrows choose another.
        return {Qt.Key.Key_Space, *(ARROW_KEYS if widget.group() is not None else ())}
    return _PAGES | {Qt.Key.Key_Space} if isinstance(widget, QComboBox) else _PAGES
