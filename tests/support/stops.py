"""Work that asks whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ccl_viewer.errors import CancelledError
from ccl_viewer.support.cancellation import CancelToken, Check


def stops_whenever_asked(work: Callable[[Check], object]) -> int:
    """Stop work at each of the times at which it asks, and return how many these are."""
    asked = 0

    def count() -> None:
        nonlocal asked
        asked += 1

    work(count)
    for last in range(asked):
        token, left = CancelToken(), iter(range(last))

        def check(token: CancelToken = token, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                token.cancel()
            token.check()

        with pytest.raises(CancelledError):
            work(check)
    return asked
