"""Actions during which the window must go on answering, for ``bench_window.py``: each by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Self

from ccl_viewer.session.editing.hand import Tool
from PySide6.QtCore import QTimer
from window_data import data_actions

from ccl_viewer.export import ExportOptions
from ccl_viewer.lessons import names
from ccl_viewer.session import CellColours

if TYPE_CHECKING:
    from ccl_viewer.views.main_window import MainWindow

Action = tuple[str, Callable[[], object]]

DIALOG_MS = 1_500
"""Milliseconds for which a dialog is looked at."""


class Pauses:
    """Notes the longest pauses between two turns of the event loop.

    Attributes
    ----------
    passed, computed : float
        Milliseconds of the longest: that passed, and that the window's thread computed. Only the
        second means anything on a machine that others use.
    """

    def __init__(self) -> None:
        self.passed = self.computed = 0.0
        self._last = (0.0, 0.0)
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)

    def __enter__(self) -> Self:
        self._last = perf_counter(), thread_time()
        self._timer.start(1)
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.stop()
        self._beat()

    def _beat(self) -> None:
        now = perf_counter(), thread_time()
        self.passed = max(self.passed, (now[0] - self._last[0]) * 1000)
        self.computed = max(self.computed, (now[1] - self._last[1]) * 1000)
        self._last = now


def stolen() -> float:
    """Milliseconds that the host of a virtual machine kept to itself so far; 0 if it is silent."""
    try:
        figures = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
    except OSError:
        return 0.0
    return int(figures[8]) * 1000 / os.sysconf("SC_CLK_TCK")


def actions(window: MainWindow, source: str, folder: Path) -> Iterator[Action]:
    """Return what is done, one after the other, in a window on a run of a large grid.

    Parameters
    ----------
    window : MainWindow
        The window.
    source : str
        The grid.
    folder : Path
        Where files are written.
    """
    session, commands = window.session, window.actions_table.by_name
    yield "open", lambda: session.open(source)
    yield "run", session.run
    yield "save", lambda: session.save(folder / "run.cclrec")
    yield "save grid", lambda: session.save(folder / "grid.png")
    yield "open recording", lambda: session.open(str(folder / "run.cclrec"))
    yield "export", lambda: session.output.export(folder / "run.gif", ExportOptions())
    yield "export dialog", lambda: _for_a_while(window, window.exports.ask)
    for colours in CellColours:
        yield f"colours: {colours}", partial(session.look.show, colours=colours)
    yield "first step by depth", session.playback.first
    yield "colours: label", lambda: session.look.show(colours=CellColours.LABEL)
    for name in ("tree", "plots", "source", "steps"):
        yield f"panel: {name}", partial(window.docks.show, name, on=True)
    yield "panel: tree", lambda: window.docks.show("tree", on=True)
    yield "pin", lambda: session.look.pin((9, 9), component=True)
    yield "last step with the tree", session.playback.last
    yield "compare", commands["compare"].trigger
    yield "stop comparing", commands["compare_close"].trigger
    yield "lesson", lambda: session.lesson.open(names()[0])
    yield "next scene", session.lesson.next
    yield "close lesson", session.lesson.close
    for name in ("invert", "flip_across", "rotate_right", "undo", "redo", "clear"):
        yield name.replace("_", " "), commands[name].trigger
    yield "flood fill", lambda: _fill(window)
    yield "undo", commands["undo"].trigger
    yield "random fill", lambda: session.edits.random_fill(0.5, 1)
    yield "switch algorithm", lambda: session.configure(algorithm_key="komura")
    yield "run", session.run
    yield "measure", commands["measure"].trigger
    yield from data_actions(window, folder)
    yield "theme", commands["swap_theme"].trigger
    yield "larger text", commands["larger_text"].trigger


def _for_a_while(window: MainWindow, ask: Callable[[], object]) -> None:
    """Open a dialog, and close it again."""

    def close() -> None:
        if window.intake.dialog is not None:
            window.intake.dialog.reject()

    QTimer.singleShot(DIALOG_MS, window, close)
    ask()


def _fill(window: MainWindow) -> None:
    tools = window.session.tools
    tools.take(Tool.FILL)
    tools.press((3, 3))
    tools.release()
