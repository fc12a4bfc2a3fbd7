"""Lets Ctrl+C in the terminal, and whoever ends the program, close the window in good order."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QSocketNotifier

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""Ctrl+C, the request to end, and the end of the terminal; the last is not known to Windows."""


class StopSignals:
    """Takes note of signals that ask to end, and lets Qt's event loop answer them.

    Python answers signals between two of its own instructions. While Qt waits there are none, so
    the signal's number comes through a socket, which Qt watches. While Qt is imported, or calls
    back, an exception in between would leave it half made, and bring the program down: so signals
    are noted from the moment on that this is made, which imports no Qt.
    """

    def __init__(self) -> None:
        self._came = False
        self._stop: Callable[[bool], object] = lambda _again: None
        self._again = False
        self._notifier: QSocketNotifier | None = None
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        # Whoever started the program and wants a signal ignored, as nohup does, is obeyed.
        self._before = {
            number: signal.signal(number, self._note)
            for number in numbers
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def came(self) -> bool:
        """Return whether a signal came so far."""
        return self._came

    def answer(self, stop: Callable[[bool], object]) -> None:
        """Call a function in the turn of the event loop after a signal, also after one that came.

        Parameters
        ----------
        stop : callable
            Given whether this is not the first signal.
        """
        from PySide6.QtCore import QSocketNotifier

        self._stop = stop
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._answer)

    def close(self) -> None:
        """Let signals do what they did before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        self._ours.close()
        self._theirs.close()

    def _answer(self) -> None:
        # Every signal that Python answers comes through here, such as those of child processes.
        if not set(self._ours.recv(1024)) & self._before.keys():
            return
        again, self._again = self._again, True
        self._stop(again)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        """Take the place of what would end the program at once; the socket tells of the signal."""
        self._came = True
