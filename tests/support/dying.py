"""Workers of a Dask cluster that die of their work."""

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
class Dying:
    """Calls a function; the first process that does so for the n-th time dies of it.

    Parameters
    ----------
    call : callable
        The function.
    mark : str
        A file that is made when a process dies; no other one dies then.
    turn : int
        Which call of a process is its last one.
    """

    call: Callable[..., Any]
    mark: str
    turn: int = 2

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; what it did is done if the process dies, and nobody knows of it."""
        done = self.call(*arguments)
        _calls[self.mark] += 1
        if _calls[self.mark] == self.turn:
            with suppress(FileExistsError):
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
        return done
