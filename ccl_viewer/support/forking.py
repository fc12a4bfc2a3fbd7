"""What a forked process has to know: it has a copy of each lock, and only one thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final

_STARTED: Final = os.getpid()


def hold_while_forking(lock: threading.Lock, in_child: Callable[[], object] = bool) -> None:
    """Let forks wait until a lock is free, and leave it free in both processes.

    Otherwise a child that is forked while another thread holds the lock waits for it forever: that
    thread is not there to release it. What the lock guards is not half changed in the child either.

    Parameters
    ----------
    lock : threading.Lock
        A lock that lives as long as the process.
    in_child : callable
        Called in the child before the lock is released: forgets what ended with the other threads.
    """

    def release_in_child() -> None:
        in_child()
        lock.release()

    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=release_in_child
        )


def is_forked() -> bool:
    """Return whether this process was forked from one that had loaded this package."""
    return os.getpid() != _STARTED
