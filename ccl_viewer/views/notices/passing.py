"""Takes sentences away that ask for nothing, once there was time to read them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from ccl_viewer.session import MessageKind, Session
from ccl_viewer.session.state import Message

_AT_LEAST = 4000
_A_LETTER = 60
_GLIMPSE = 2000
"""Milliseconds for which a sentence stays although steps are gone through."""


def reading_time(text: str) -> int:
    """Return for how many milliseconds a text is on display, to be noticed and read."""
    return _AT_LEAST + _A_LETTER * len(text)


class Passing(QObject):
    """Takes news away after some seconds, or sooner with the next step.

    A run takes it away in any case, and edits bring runs. Warnings and errors stay until they
    are dismissed, and so does news that the mouse or the focus is on.

    Parameters
    ----------
    session : Session
        Whose message.
    notice : QWidget
        What shows it.
    """

    def __init__(self, session: Session, notice: QWidget) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._news: Message | None = None
        # A coarse timer can have more time left than it was given.
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._end)
        session.message_changed.connect(self._begin)
        session.playback.position_changed.connect(self._overtake)

    def _begin(self) -> None:
        message = self._session.message
        self._news = message if message and message.kind is MessageKind.INFO else None
        if self._news is None:
            self._timer.stop()
        else:
            self._timer.start(reading_time(self._news.text))

    def _overtake(self) -> None:
        seen = self._timer.interval() - self._timer.remainingTime()
        if self._timer.isActive() and seen >= _GLIMPSE:
            self._end()

    def _end(self) -> None:
        if self._in_use:
            self._timer.start()
        elif self._news is not None and self._session.message is self._news:
            self._session.dismiss()

    @property
    def _in_use(self) -> bool:
        focused = QApplication.focusWidget()
        return self._notice.underMouse() or (
            focused is not None and self._notice.isAncestorOf(focused)
        )
