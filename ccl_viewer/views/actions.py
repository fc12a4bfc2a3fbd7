"""Every action of the window in one table: its text, keys, icon and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from ccl_viewer.session import Session
from ccl_viewer.views.icons import icon
from ccl_viewer.views.theme import Theme, mixed


@dataclass(frozen=True)
class Spec:
    """One row of the table.

    Parameters
    ----------
    name : str
        Name in code.
    text : str
        Text in menus, with its mnemonic.
    help : str
        What it does, for the tooltip and the list of keys.
    keys : tuple of str
        Key sequences; the first is the one that menus show.
    icon : str or None
        Stem of the icon's file.
    checkable : bool
        Whether it is a switch.
    """

    name: str
    text: str
    help: str
    keys: tuple[str, ...] = ()
    icon: str | None = None
    checkable: bool = False


GROUPS: tuple[tuple[str, tuple[Spec, ...]], ...] = (
    (
        "File",
        (
            Spec("open", "&Open…", "Open a picture, grid or recording", ("Ctrl+O",), "open"),
            Spec("pattern", "&New pattern…", "Begin with a computed grid", ("Ctrl+N",), "pattern"),
            Spec("save", "&Save recording…", "Save the run to a file", ("Ctrl+S",), "save"),
            Spec(
                "save_grid", "Save &grid…", "Save the grid as a picture or text", ("Ctrl+Shift+S",)
            ),
            Spec("export", "&Export…", "Export as GIF or pictures", ("Ctrl+E",), "export"),
            Spec("quit", "&Quit", "Close the window", ("Ctrl+Q",)),
        ),
    ),
    (
        "Edit",
        (
            Spec("undo", "&Undo", "Take back the last edit", ("Ctrl+Z",), "undo"),
            Spec("redo", "&Redo", "Make the edit again", ("Ctrl+Y", "Ctrl+Shift+Z"), "redo"),
            Spec("clear", "&Clear", "Make all cells background", ("Ctrl+Delete",), "clear"),
            Spec("invert", "&Invert", "Exchange foreground and background", ("Ctrl+I",)),
        ),
    ),
    (
        "Run",
        (
            Spec("run", "&Run", "Run the algorithm on the grid", ("F5",), "run"),
            Spec("cancel", "&Cancel", "Stop the work, or dismiss the message", ("Esc",), "stop"),
        ),
    ),
    (
        "Playback",
        (
            Spec("play", "&Play", "Play or pause", ("Space",), "play"),
            Spec("back", "Step &back", "Step back", ("Left", ","), "back"),
            Spec("forward", "Step &forward", "Step forward", ("Right", "."), "forward"),
            Spec("first", "F&irst step", "First step", ("Home",), "first"),
            Spec("last", "&Last step", "Last step", ("End",), "last"),
            Spec("previous_group", "Pre&vious iteration", "Previous iteration", ("PgUp",)),
            Spec("next_group", "&Next iteration", "Next iteration", ("PgDown",)),
            Spec("go_to", "&Go to step…", "Go to a step by its number", ("Alt+G",)),
            Spec("slower", "Slo&wer", "Play slower", ("[",)),
            Spec("faster", "F&aster", "Play faster", ("]",)),
            Spec("normal_speed", "Normal &speed", "Play at normal speed", ("Backspace",)),
        ),
    ),
    (
        "View",
        (
            Spec("fit", "&Fit grid", "Show the whole grid", ("Ctrl+R",), "fit"),
            Spec("zoom_in", "Zoom &in", "Larger cells (wheel)", ("Ctrl++", "Ctrl+="), "zoom-in"),
            Spec("zoom_out", "Zoom &out", "Smaller cells (wheel)", ("Ctrl+-",), "zoom-out"),
            Spec("numbers", "&Numbers", "Labels as numbers in the cells", ("N",), "numbers", True),
            Spec("lines", "&Grid lines", "Lines between cells", ("G",), "grid", True),
            Spec(
                "changed",
                "&Changed cells",
                "Mark cells that the step changed",
                ("C",),
                "changed",
                True,
            ),
            Spec("light", "&Light theme", "Light instead of dark", ("Ctrl+L",), "theme", True),
        ),
    ),
    ("Help", (Spec("keys", "&Keys…", "Show all keys", ("?", "F1"), "help"),)),
)
"""Groups of actions, as menus and the list of keys show them."""


class Actions:
    """The window's actions.

    Parameters
    ----------
    parent : QObject
        The window: their keys work while it has the focus.
    handlers : dict of str to callable
        What each action does; a switch is given its state.
    """

    def __init__(self, parent: QObject, handlers: dict[str, Callable[..., object]]) -> None:
        self.by_name: dict[str, QAction] = {}
        for _, specs in GROUPS:
            for spec in specs:
                self.by_name[spec.name] = _make(spec, parent, handlers[spec.name])

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the colours of a theme."""
        faint = mixed(theme.dim, theme.surface, 0.55)
        for _, specs in GROUPS:
            for spec in specs:
                if spec.icon is not None:
                    self[spec.name].setIcon(icon(spec.icon, theme.text, faint))
        self["run"].setIcon(icon("run", theme.on_accent, faint))

    def follow(self, session: Session, theme: Theme) -> None:
        """Enable what can be done now, and show the state of the switches."""
        has_run, has_grid = session.recording is not None, session.grid is not None
        playback, drawing = session.playback, session.drawing
        enabled = {
            "save": has_run and not session.busy,
            "save_grid": has_grid and not session.busy,
            "export": has_run and not session.busy,
            "undo": drawing.can_undo,
            "redo": drawing.can_redo,
            "clear": has_grid,
            "invert": has_grid,
            "run": has_grid,
            "fit": has_grid,
            "zoom_in": has_grid,
            "zoom_out": has_grid,
            "first": has_run and playback.position > 0,
            "back": has_run and playback.position > 0,
            "forward": has_run and not playback.at_end,
            "last": has_run and not playback.at_end,
            "previous_group": has_run,
            "next_group": has_run,
            "go_to": has_run,
            "play": has_run,
        }
        for name, state in enabled.items():
            self[name].setEnabled(state)
        for name in ("numbers", "lines", "changed"):
            self[name].setChecked(getattr(session.layers, name))
        self["light"].setChecked(theme.name == "light")


def with_keys(help_text: str, keys: tuple[str, ...]) -> str:
    """Return a tooltip that names the keys."""
    shown = [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys]
    return f"{help_text} ({', '.join(shown)})" if shown else help_text


def _make(spec: Spec, parent: QObject, handler: Callable[..., object]) -> QAction:
    action = QAction(spec.text, parent)
    action.setObjectName(spec.name)
    action.setShortcuts([QKeySequence(key) for key in spec.keys])
    action.setToolTip(with_keys(spec.help, spec.keys))
    action.setStatusTip("")
    action.setCheckable(spec.checkable)
    if spec.checkable:
        action.triggered.connect(handler)
    else:
        action.triggered.connect(lambda _checked=False: handler())
    return action
