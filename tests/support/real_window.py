"""The window on a real X server, and the hands of a person: mouse and keys, by xdotool."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ccl_viewer.render.step_view import Cell
from ccl_viewer.window.app import WindowOptions, make_application, open_window
from ccl_viewer.window.main_window import MainWindow

Turn: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
"""What is done, and what is then waited for."""

_PATIENCE = 90_000

_XDOTOOL = shutil.which("xdotool")


class Hands:
    """A window, and what a person does with it.

    Parameters
    ----------
    folder : Path
        Where its settings and files lie.
    options : WindowOptions
        How it begins.
    """

    def __init__(self, folder: Path, options: WindowOptions) -> None:
        self.folder = folder
        self._options = options
        self._application = make_application()
        assert self._application.platformName() == "xcb", self._application.platformName()
        self.window: MainWindow
        self.open()

    def open(self) -> None:
        """Open the window, as at the start of the program."""
        self._application.setQuitOnLastWindowClosed(False)
        self.window = open_window(self._options, self.folder / "settings.json")
        self.window.show()

    @property
    def idle(self) -> bool:
        """Whether there is a run, and no work in progress."""
        session = self.window.session
        return session.tasks.current is None and session.display.recording is not None

    def point(self, widget: QWidget, x: float, y: float) -> None:
        """Put the mouse on a place of a widget."""
        where = widget.mapToGlobal(QPoint(round(x), round(y)))
        xdotool("mousemove", where.x(), where.y())

    def move(self, cell: Cell) -> None:
        """Put the mouse on a cell."""
        where = self.window.canvas.centre_of(cell)
        self.point(self.window.canvas, where.x(), where.y())

    def stroke(self, first: Cell, last: Cell, button: int = 1) -> None:
        """Draw with a button from one cell to another."""
        self.move(first)
        xdotool("mousedown", button)
        self.move(last)
        xdotool("mouseup", button)

    def click(self, widget: QWidget) -> None:
        """Click a widget in its middle."""
        self.point(widget, widget.width() / 2, widget.height() / 2)
        xdotool("click", 1)

    def key(self, name: str) -> None:
        """Press a key."""
        xdotool("key", name)

    def key_here(self, name: str) -> None:
        """Give the window the focus, and press a key."""
        self.focus()
        self.key(name)

    def dialog(self, kind: str) -> QWidget | None:
        """Return the window of a kind that is open."""
        for widget in self._application.topLevelWidgets():
            if type(widget).__name__ == kind and widget.isVisible():
                return widget
        return None

    def focus(self, widget: QWidget | None = None) -> None:
        """Give a window the focus; there is no window manager to do so."""
        xdotool("windowfocus", "--sync", int((widget or self.window).winId()))

    def type_name(self, name: str) -> None:
        """Answer a question for a file."""
        self.focus(self.dialog(QFileDialog.__name__))
        xdotool("type", str(self.folder / name))
        self.key("Return")

    def play(self, script: Sequence[Turn]) -> int:
        """Do one thing after another, and return 0 if all that was waited for came."""
        self._player = _Player(self._application, script)  # as long as it plays
        return self._application.exec()


class _Player:
    """Goes through a script in turns of the event loop."""

    def __init__(self, application: QApplication, script: Sequence[Turn]) -> None:
        self._application = application
        self._script = script
        self._step = -1
        self._timer = QTimer(application, interval=20)
        self._timer.timeout.connect(self._advance)
        self._timer.start()
        QTimer.singleShot(_PATIENCE, application, self._give_up)

    def _advance(self) -> None:
        if self._step >= 0 and not self._script[self._step][1]():
            return
        self._step += 1
        if self._step == len(self._script):
            self._timer.stop()
            self._application.exit(0)
        else:
            _say(f"step {self._step}")
            self._script[self._step][0]()

    def _give_up(self) -> None:
        widgets = self._application.topLevelWidgets()
        _say(f"open: {[type(w).__name__ for w in widgets if w.isVisible()]}")
        self._application.exit(9)


def xdotool(*words: object) -> None:
    """Do something with mouse or keys."""
    subprocess.run([str(_XDOTOOL), *map(str, words)], check=True)


def _say(what: str) -> None:
    """Tell the test, which shows it if it fails."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def at_once() -> bool:
    """Return that there is nothing to wait for."""
    return True


def folder_named() -> Path:
    """Return the folder that the command line names."""
    return Path(sys.argv[1])
