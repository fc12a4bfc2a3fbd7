"""Lets Ctrl+C in the terminal, and whoever ends the program, close the window in good order."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""Ctrl+C, the request to end, and the end of the terminal; the last is not known to Windows."""


class StopSignals(QObject):
    """Calls a function in the turn of the event loop after a signal that asks to end.

    Python answers signals between two of its own instructions, and while Qt waits there are none:
    the signal's number comes through a socket instead, which Qt watches.

    Parameters
    ----------
    stop : callable
        Given whether this is not the first signal.
    parent : QObject or None
        Parent.
    """

    def __init__(self, stop: Callable[[bool], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = stop
        self._again = False
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._answer)
        self._wakeup = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        # Whoever started the program and wants a signal ignored, as nohup does, is obeyed.
        self._before = {
            number: signal.signal(number, _noted)
            for number in numbers
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def close(self) -> None:
        """Let signals do what they did before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._ours.close()
        self._theirs.close()

    def _answer(self) -> None:
        # Every signal that Python answers comes through here, such as those of child processes.
        if not set(self._ours.recv(1024)) & self._before.keys():
            return
        again, self._again = self._again, True
        self._stop(again)


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Take the place of what would end the program at once; the socket tells of the signal."""
