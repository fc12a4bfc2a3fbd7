"""The window on a real X server, with mouse and keys simulated by xdotool."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.window.app import WindowOptions, make_application, prepare_window
from ccl_viewer.window.main_window import MainWindow

Turn: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
"""An action, and a condition to wait for."""

_TIMEOUT_MS = 90_000

_XDOTOOL = shutil.which("xdotool")


class Hands:
    """A window, and actions of its user.

    Parameters
    ----------
    folder : Path
        Folder of its settings and files.
    options : WindowOptions
        Options of the start.
    """

    def __init__(self, folder: Path, options: WindowOptions) -> None:
        self.folder = folder
        self._options = options
        self._application = make_application()
        assert self._application.platformName() == "xcb", self._application.platformName()
        self.window: MainWindow
        self.open()

    def open(self) -> None:
        """Open the window, as the program does."""
        self._application.setQuitOnLastWindowClosed(False)
        self.window = prepare_window(self._options, self.folder / "settings.json")
        self.window.show()

    @property
    def idle(self) -> bool:
        """Whether there is a run, and no work in progress."""
        session = self.window.session
        return session.tasks.current is None and session.display.recording is not None

    def point(self, widget: QWidget, x: float, y: float) -> None:
        """Move the mouse to a place of a widget."""
        where = widget.mapToGlobal(QPoint(round(x), round(y)))
        xdotool("mousemove", where.x(), where.y())

    def move(self, cell: Cell) -> None:
        """Move the mouse to a cell."""
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
        xdotool("key", name)

    def key_here(self, name: str) -> None:
        """Give the window the focus, and press a key."""
        self.focus()
        self.key(name)

    def dialog(self, kind: str) -> QWidget | None:
        """Return the open window of a class."""
        for widget in self._application.topLevelWidgets():
            if type(widget).__name__ == kind and widget.isVisible():
                return widget
        return None

    def focus(self, widget: QWidget | None = None) -> None:
        """Focus a window; there is no window manager to do so."""
        xdotool("windowfocus", "--sync", int((widget or self.window).winId()))

    def type_name(self, name: str) -> None:
        """Answer a file dialog."""
        self.focus(self.dialog(QFileDialog.__name__))
        xdotool("type", str(self.folder / name))
        self.key("Return")

    def play(self, script: Sequence[Turn]) -> int:
        """Do all actions, and return 0 if all conditions came true."""
        self._player = _Player(self._application, script)  # kept alive while it plays
        return self._application.exec()


class _Player:
    """Executes a script in turns of the event loop."""

    def __init__(self, application: QApplication, script: Sequence[Turn]) -> None:
        self._application = application
        self._script = script
        self._step = -1
        self._timer = QTimer(application, interval=20)
        self._timer.timeout.connect(self._advance)
        self._timer.start()
        QTimer.singleShot(_TIMEOUT_MS, application, self._give_up)

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
    """Send mouse or key events."""
    subprocess.run([str(_XDOTOOL), *map(str, words)], check=True)


def _say(text: str) -> None:
    """Print for the test, which shows it on failure."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def at_once() -> bool:
    """Return a condition that is always true."""
    return True


def folder_named() -> Path:
    """Return the folder named on the command line."""
    return Path(sys.argv[1])
