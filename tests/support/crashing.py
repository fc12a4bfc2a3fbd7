"""Workers of a Dask cluster that crash in the middle of their work."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_calls: Counter[str] = Counter()


@dataclass(frozen=True)
class CrashingCall:
    """Calls a function; the first process that does so for the n-th time crashes.

    Parameters
    ----------
    call : callable
        The function.
    mark : str
        A file that is made when a process crashes; then no further process does.
    turn : int
        The number of the call after which a process crashes.
    """

    call: Callable[..., Any]
    mark: str
    turn: int = 2

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; if the process crashes, its work is done, but never reported."""
        done = self.call(*arguments)
        _calls[self.mark] += 1
        if _calls[self.mark] == self.turn:
            with suppress(FileExistsError):
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
        return done
