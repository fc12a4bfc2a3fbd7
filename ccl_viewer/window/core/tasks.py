"""Background work: one pool, progress, cancellation; a newer task replaces an older one."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from psygnal import Signal, SignalInstance

from ccl_viewer.errors import CancelledError, CCLViewerError, as_viewer_error
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.window.core.model import Model

_T = TypeVar("_T")
Post = Callable[[Callable[[], None]], None]
"""Calls a function on the window's thread, soon; may be called from any thread."""

FRONT: Final = "front"
"""The group of the work that the window waits for and shows, with a button to cancel it."""
RUN: Final = "run"
"""The group of runs; shown like :data:`FRONT` when nothing else is."""
EXPORT: Final = "export"
"""The group of exports; shown when nothing else is, so that other work can go on."""
_SHOWN: Final = (FRONT, RUN, EXPORT)
_REPORT_SECONDS: Final = 0.2
_PAUSE_FACTOR: Final = 3  # the next report waits this many times as long as followers took


class BackgroundTask:
    """A piece of work on the pool.

    The title names the work: "Running Label Equivalence". `wake` is called on the worker's thread
    after a report.
    """

    def __init__(self, title: str, group: str, wake: Callable[[], None]) -> None:
        self.title = title
        self.group = group
        self.detail = ""
        self.fraction: float | None = None
        self.token = CancelToken()
        self._wake = wake
        self._reported = 0.0
        self.pause = _REPORT_SECONDS  # between two reports

    def check(self) -> None:
        self.token.check()

    def report(
        self, detail: str = "", fraction: float | None = None, *, at_once: bool = False
    ) -> None:
        """Report what takes long now, and the finished share of the work, if known.

        Followers are notified at intervals, or immediately with `at_once`.
        """
        self.detail, self.fraction = detail, fraction
        now = time.monotonic()
        if at_once or now - self._reported >= self.pause:
            self._reported = now
            self._wake()


class TaskQueue(Model):
    """Runs tasks on one pool and brings their results to the window's thread.

    A task cancels the task before it in its group, which reports nothing any more. When a group is
    cancelled on the user's behalf (:meth:`cancel`), `failed` of its task is called with a
    :class:`~ccl_viewer.errors.CancelledError`. Errors of tasks without a `failed`, and those that
    `done` raises, go to `show_error` with the task's title.
    """

    current_changed = Signal()  # the task that the window waits for
    progress_changed = Signal()  # of that task

    def __init__(
        self,
        post: Post,
        executor: Executor | None = None,
        show_error: Callable[[str, CCLViewerError], object] = lambda *_: None,
    ) -> None:
        super().__init__()
        self._post, self._show_error = post, show_error
        self._executor = executor or ThreadPoolExecutor(3, thread_name_prefix="ccl-viewer")
        self._tasks: dict[str, BackgroundTask] = {}
        self._waiting: dict[str, Callable[[], object]] = {}  # by the group to wait for
        self._closed = False

    @property
    def current(self) -> BackgroundTask | None:
        """The task in progress of the group :data:`FRONT`, else the run, else the export."""
        return next((self._tasks[group] for group in _SHOWN if group in self._tasks), None)

    @property
    def idle(self) -> bool:
        return not self._tasks and not self._waiting

    def task_of(self, group: str) -> BackgroundTask | None:
        """Return the task of a group in progress."""
        return self._tasks.get(group)

    def busy(self, group: str = FRONT) -> bool:
        """Return whether a task of a group is in progress."""
        return group in self._tasks

    def start(
        self,
        title: str,
        work: Callable[[BackgroundTask], _T],
        done: Callable[[_T], object],
        failed: Callable[[CCLViewerError], object] | None = None,
        *,
        group: str = FRONT,
        progressed: Callable[[], object] | None = None,
    ) -> BackgroundTask:
        """Start a task; it replaces the one before it in its group.

        The work gets the task, and runs on a thread of the pool. Everything else is called on the
        window's thread: `done` with the result of the work, `failed` with the error if it failed,
        and `progressed` now and then while it reports.
        """
        self.abandon(group)
        task = BackgroundTask(
            title, group, lambda: self._post(lambda: self._progressed(task, progressed))
        )
        if self._closed:
            task.token.cancel()
            return task
        self._tasks[group] = task

        def run() -> None:
            try:
                task.check()
                result = work(task)
                task.check()
            except BaseException as error:  # noqa: BLE001  (reported as a fault of the program)
                viewer_error = as_viewer_error(error)
                self._post(lambda: self._fail(task, failed, viewer_error))
            else:
                self._post(lambda: self._finish(task, done, result))

        self._executor.submit(run)
        self._announce_front(task, self.current_changed, self.progress_changed)
        return task

    def call_when_idle(self, group: str, begin: Callable[[], object]) -> None:
        """Call a function on the window's thread when no task of a group is in progress.

        It replaces a function that is already waiting for the group.
        """
        self._waiting[group] = begin
        self._post(lambda: self._begin_waiting(group))

    def _begin_waiting(self, group: str) -> None:
        if group not in self._tasks and not self._closed:
            self._waiting.pop(group, lambda: None)()

    def _forget(self, group: str) -> None:
        """Remove the finished task of a group."""
        del self._tasks[group]
        if group in self._waiting:  # posted, because another task may start immediately
            self._post(lambda: self._begin_waiting(group))

    def abandon(self, group: str) -> None:
        """Cancel the task of a group; it reports nothing any more."""
        task = self._tasks.get(group)
        if task is not None:
            self._forget(group)
            task.token.cancel()
            self._announce_front(task, self.current_changed, self.progress_changed)

    def cancel(self, group: str | None = None) -> None:
        """Ask the task of a group, or :attr:`current`, to stop; its `failed` is called then."""
        task = self.current if group is None else self._tasks.get(group)
        if task is not None:
            task.token.cancel()
            task.detail = "Stopping"
            self._announce_front(task, self.progress_changed)

    def close(self) -> None:
        """Cancel everything, and wait until the pool has stopped."""
        self._closed = True
        self._waiting.clear()
        for group in tuple(self._tasks):
            self.abandon(group)
        self._executor.shutdown(wait=True, cancel_futures=True)
        super().close()

    def _is_newest(self, task: BackgroundTask) -> bool:
        return not self._closed and self._tasks.get(task.group) is task

    def _finish(self, task: BackgroundTask, done: Callable[[Any], object], result: object) -> None:
        if self._is_newest(task):
            self._forget(task.group)
            try:
                done(result)
            except CCLViewerError as error:
                self._show_error(task.title, error)
            finally:
                self._announce_front(task, self.current_changed, self.progress_changed)

    def _fail(
        self,
        task: BackgroundTask,
        failed: Callable[[CCLViewerError], object] | None,
        error: CCLViewerError,
    ) -> None:
        if self._is_newest(task):
            self._forget(task.group)
            shown = CancelledError() if task.token.cancelled else error
            try:
                if failed is not None:
                    failed(shown)
                else:
                    self._show_error(task.title, shown)
            finally:
                self._announce_front(task, self.current_changed, self.progress_changed)

    def _progressed(self, task: BackgroundTask, progressed: Callable[[], object] | None) -> None:
        if self._is_newest(task):
            start = time.monotonic()
            if progressed is not None:
                progressed()
            self._announce_front(task, self.progress_changed)
            task.pause = max(_REPORT_SECONDS, _PAUSE_FACTOR * (time.monotonic() - start))

    def _announce_front(self, task: BackgroundTask, *signals: SignalInstance) -> None:
        if task.group in _SHOWN:
            self._announce(*signals)


def ignore(_outcome: object) -> None:
    """Ignore the result or the error of low-priority work."""
