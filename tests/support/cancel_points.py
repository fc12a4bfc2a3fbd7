"""Cancels work at each of its checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ccl_viewer.errors import CancelledError
from ccl_viewer.support.cancellation import CancelToken, Check


def cancel_at_each_check(work: Callable[[Check], object]) -> int:
    """Cancel work at each of its checks in turn, and return their number."""
    checks = 0

    def count() -> None:
        nonlocal checks
        checks += 1

    work(count)
    for last in range(checks):
        token, left = CancelToken(), iter(range(last))

        def check(token: CancelToken = token, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                token.cancel()
            token.check()

        with pytest.raises(CancelledError):
            work(check)
    return checks
