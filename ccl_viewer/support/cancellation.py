"""A token with which one thread asks the work of another to stop."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TypeAlias

from ccl_viewer.errors import CancelledError

Check: TypeAlias = Callable[[], object]
"""Called again and again by work that takes long; raises once nobody wants it any more."""


def unchecked() -> None:
    """Let work come to its end."""


class CancelToken:
    """Asks running work to stop, at the next launch, block or loop turn.

    The flag is a C integer so that emulated kernels, which run outside Python, can poll it.
    """

    def __init__(self) -> None:
        self._flag = ctypes.c_int32(0)

    @property
    def cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""
        return self._flag.value != 0

    @property
    def address(self) -> int:
        """Address of the flag, an ``int32`` that is not 0 once cancelled; lives as long as this."""
        return ctypes.addressof(self._flag)

    def cancel(self) -> None:
        """Ask the work to stop; may be called from any thread, any number of times."""
        self._flag.value = 1

    def check(self) -> None:
        """Raise if the work was cancelled.

        Raises
        ------
        CancelledError
            If :meth:`cancel` was called before.
        """
        if self.cancelled:
            raise CancelledError
