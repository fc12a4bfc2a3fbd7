"""Waits until a window shows all of what it was asked for, for pictures of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from ccl_viewer.views.source.pane import SourcePane

if TYPE_CHECKING:
    from ccl_viewer.views.main_window import MainWindow

_LOOK_AGAIN = 10
"""Milliseconds."""


def at_rest(window: MainWindow) -> bool:
    """Return whether no run is under way, and all is decoded, counted, coloured and dressed."""
    session = window.session
    return not (
        session.busy
        or session.step_labels.coming
        or session.insight.working
        or window.panel(SourcePane).text.being_coloured
        or not window.appearance.settled
        or not window.lesson_docks.settled
    )


def wait_until_at_rest(window: MainWindow, stopped: Callable[[], bool] = lambda: False) -> None:
    """Let the window go on until it is at rest, and what it shows is laid out.

    Parameters
    ----------
    window : MainWindow
        A window that is shown.
    stopped : callable
        Whether to wait no longer.
    """
    loop, clock = QEventLoop(), QTimer(interval=_LOOK_AGAIN)
    clock.timeout.connect(lambda: loop.quit() if stopped() or at_rest(window) else None)
    # Panels follow the session in the next turn of the event loop, which may give them work.
    QCoreApplication.processEvents()
    clock.start()
    loop.exec()
    clock.stop()
    for get_ready in window.canvas_panel.compare.area.preparations():
        while not get_ready():
            pass
    QCoreApplication.processEvents()
