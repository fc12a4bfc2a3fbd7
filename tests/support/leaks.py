"""Leaks of a test: threads, running timers, windows."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from support.threads import left_since, threads


@dataclass(frozen=True)
class Snapshot:
    """Threads, timers and windows at one time, by identity."""

    threads: frozenset[threading.Thread]
    timers: frozenset[int]
    windows: frozenset[int]

    @classmethod
    def take(cls) -> Snapshot:
        """Return the present ones, after deferred deletions."""
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return cls(
            threads(),
            frozenset(_address(timer) for timer in _running_timers()),
            frozenset(_address(window) for window in QApplication.topLevelWidgets()),
        )

    def left_since(self) -> list[str]:
        """Return the new ones since then, in words."""
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        timers = [
            f"timer of {timer.parent()}"
            for timer in _running_timers()
            if _address(timer) not in self.timers
        ]
        windows = [
            f"window {window}"
            for window in QApplication.topLevelWidgets()
            if _address(window) not in self.windows
        ]
        return [*left_since(self.threads), *timers, *windows]


def _running_timers() -> list[QTimer]:
    wrapped = shiboken6.getAllValidWrappers()
    return [timer for timer in wrapped if isinstance(timer, QTimer) and timer.isActive()]


def _address(thing: QTimer | QWidget) -> int:
    return int(shiboken6.getCppPointer(thing)[0])
