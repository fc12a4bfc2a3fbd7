"""Runs a session's jobs on one thread, and brings their news to the window's thread."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from ccl_viewer.session import Job
from ccl_viewer.views.process.priority import stand_back

_NEWS_INTERVAL = 33


class JobThread(QObject):
    """Runs one job after the other, where the window leaves time for it.

    News of a job is gathered, and passed on at most some thirty times a second, so that thousands
    of steps a second do not drown the window.

    Parameters
    ----------
    poll : callable
        Called on the window's thread when there is news of the job in progress.
    parent : QObject or None
        Parent.
    interval : int
        Milliseconds between news that are passed on.
    """

    _news = Signal()
    _ended = Signal(object, object)

    def __init__(
        self,
        poll: Callable[[], object],
        parent: QObject | None = None,
        interval: int = _NEWS_INTERVAL,
    ) -> None:
        super().__init__(parent)
        self._poll = poll
        self._executor = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="ccl-viewer-job", initializer=stand_back
        )
        self._closed = False
        self._told = False
        self._timer = QTimer(self, singleShot=True, interval=interval)
        self._timer.timeout.connect(self._pass_on)
        self._news.connect(self._gather, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(self, job: Job) -> None:
        """Run a job after those that were started before; none once it was closed."""
        if self._closed:
            return
        job.wake = self._wake
        future = self._executor.submit(job.execute)
        future.add_done_callback(lambda done: self._emit_ended(job, done))

    def close(self) -> None:
        """Wait for the job in progress, which should have been cancelled; deliver nothing more."""
        self._closed = True
        self._timer.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _wake(self) -> None:
        if not self._closed and not self._told:
            self._told = True
            self._news.emit()

    def _emit_ended(self, job: Job, future: Future[None]) -> None:
        if not self._closed and not future.cancelled():
            self._ended.emit(job, future.exception())

    def _gather(self) -> None:
        if not self._closed and not self._timer.isActive():
            self._timer.start()

    def _pass_on(self) -> None:
        self._told = False
        if not self._closed:
            self._poll()

    def _deliver(self, job: Job, crash: BaseException | None) -> None:
        if not self._closed:
            if crash is not None:
                traceback.print_exception(crash)
            job.deliver(crash)
