"""A token to stop work in another thread."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TypeAlias

from ccl_viewer.errors import CancelledError

Check: TypeAlias = Callable[[], object]
"""Called regularly by long work; raises when the work is cancelled."""


def never_cancel() -> None:
    """Never cancel."""


class CancelToken:
    """Asks running work to stop at the next launch, block or loop iteration.

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
        """Address of the flag, an ``int32`` that becomes non-zero; valid as long as the token."""
        return ctypes.addressof(self._flag)

    def cancel(self) -> None:
        """Ask the work to stop; may be called from any thread and repeatedly."""
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
