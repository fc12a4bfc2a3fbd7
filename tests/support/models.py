"""Sessions for tests of models: with work done synchronously, or with a real pool."""

from __future__ import annotations

import queue
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.export.model import Exporter

_posted: dict[int, queue.SimpleQueue[Callable[[], None]]] = {}


class InlineExecutor(Executor):
    """Does work as soon as it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing: there is no thread."""


class HeldExecutor(InlineExecutor):
    """Does work when the test calls for it; while it does not hold, immediately."""

    def __init__(self, *, holds: bool = True) -> None:
        self.holds = holds
        self.waiting: list[Callable[[], Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.holds:
            return super().submit(fn, *args, **kwargs)
        self.waiting.append(lambda: fn(*args, **kwargs))
        return Future()

    def work(self) -> None:
        """Do all waiting work."""
        while self.waiting:
            self.waiting.pop(0)()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Discard all waiting work."""
        self.waiting.clear()


def temporary_settings() -> Settings:
    """Return settings in a separate file."""
    return Settings(Path(tempfile.mkdtemp()) / "settings.json")


def inline_session(executor: Executor | None = None) -> Session:
    """Return a session that does all work synchronously, on the calling thread."""
    return Session(lambda act: act(), temporary_settings(), executor or InlineExecutor())


def threaded_session() -> Session:
    """Return a session with a real pool; :func:`pump` brings results to the calling thread."""
    posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    session = Session(posted.put, temporary_settings())
    _posted[id(session)] = posted
    return session


def pump(session: Session, until: Callable[[], object], seconds: float = 120.0) -> None:
    """Call what was posted to a session's thread until a condition holds."""
    deadline = time.monotonic() + seconds
    while not until():
        left = deadline - time.monotonic()
        assert left > 0, "what was waited for did not happen"
        try:
            _posted[id(session)].get(timeout=min(left, 0.5))()
        except queue.Empty:
            continue


def exporter_for(session: Session) -> Exporter:
    """Return an exporter of the run on display."""
    return Exporter(
        session.workspace,
        files=session.files,
        tasks=session.tasks,
        messages=session.messages,
        settings=session.settings,
    )
