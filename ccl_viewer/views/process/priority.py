"""Lets the window's thread go first, where other threads of the program compute."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from typing import Final

SWITCH_SECONDS: Final = 0.0001
"""How long a thread may keep Python's lock while another waits for it.

The window's thread lets go of the lock in most calls of Qt, some dozens of times while a frame is
made, and waits this long each time for a worker that runs Python code: with Python's own 5 ms, a
frame that takes 2 ms to compute took 60 (measured on two cores). Workers lose nothing that could
be measured, as they mostly compute without the lock.
"""

_NICENESS: Final = 10
"""By how much workers are nicer than the window's thread."""


def share_evenly() -> None:
    """Make Python's threads take turns often enough for the window to answer."""
    sys.setswitchinterval(SWITCH_SECONDS)


def keep_what_lasts() -> None:
    """Take all objects that there are for lasting: garbage is looked for among later ones.

    To look through all, of which modules and the window are nearly everything, holds all threads
    up for 20 to 60 ms (measured on two cores).
    """
    gc.freeze()


def stand_back() -> None:
    """Let the calling thread, and those that it starts, compute when the window's does not.

    Elsewhere than on Linux a thread has no priority of its own that Python could set: nothing
    changes there, nor where the system refuses it, as in some containers.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):  # work that does not stand back is better than none
            before = os.getpriority(os.PRIO_PROCESS, thread)
            # The window may have been started with low priority; Linux ends at 19 by itself.
            os.setpriority(os.PRIO_PROCESS, thread, before + _NICENESS)
