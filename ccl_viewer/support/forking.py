"""Locks in forked processes, which get a copy of each lock but only one thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Final

_STARTED: Final = os.getpid()


def hold_while_forking(lock: threading.Lock, in_child: Callable[[], object] = bool) -> None:
    """Make forks wait until a lock is free, and release it in both processes.

    Otherwise a child that is forked while another thread holds the lock would wait for it forever,
    since that thread does not exist in the child. This also keeps the guarded data consistent.

    Parameters
    ----------
    lock : threading.Lock
        A lock that lives as long as the process.
    in_child : callable
        Called in the child before the lock is released, to forget the state of other threads.
    """

    def release_in_child() -> None:
        in_child()
        lock.release()

    if hasattr(os, "register_at_fork"):  # Windows does not fork
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=release_in_child
        )


def is_forked() -> bool:
    """Return whether this process was forked after the package was loaded."""
    return os.getpid() != _STARTED
