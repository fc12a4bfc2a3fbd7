"""Frames of a run, decoded on a thread of its own before they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitedLongEnough
from typing import Any, Final, TypeAlias

import numpy.typing as npt

Values: TypeAlias = npt.NDArray[Any]
"""Labels, or the values of an array beside them."""

Known: TypeAlias = tuple[int, Values] | None
"""A step and its values, from which others are reached."""

Decode: TypeAlias = Callable[[int, Known], Values]

_PATIENCE: Final = 0.008
"""Seconds to wait for the thread, which may have no processor while others record and count."""


class Ahead:
    """Decodes what is asked for, or takes it from the thread that decoded it ahead.

    Parameters
    ----------
    limit : int
        How many steps are kept.
    behind : int
        How many steps before the one that was asked for are decoded ahead: 2 where each step is
        looked at together with the one before it.
    """

    def __init__(self, limit: int, behind: int = 1) -> None:
        self._limit = limit
        self._behind = behind
        self._kept: OrderedDict[int, Values] = OrderedDict()
        self._begun: dict[int, Future[Values]] = {}
        self._index = 0
        self._executor: ThreadPoolExecutor | None = None

    def at(self, index: int, decode: Decode, count: int) -> Values:
        """Return a step's values, and begin with those of the steps beside it below `count`.

        Parameters
        ----------
        index : int
            The step, from 0.
        decode : callable
            Decodes a step, going on from one that is known.
        count : int
            How many steps there are.
        """
        backwards = index == self._index - 1 and index > 0
        self._index = index
        found = self.get(index, decode)
        before = tuple(index - step for step in range(1, self._behind + 1))
        order = (*before, index + 1) if backwards else (index + 1, *before)
        self._begin([step for step in order if 0 <= step < count], decode)
        return found

    def get(self, index: int, decode: Decode) -> Values:
        """Return a step's values."""
        found = self._kept.get(index)
        if found is None:
            begun = self._begun.pop(index, None)
            # What has not begun yet is done sooner here than behind other work.
            if begun is not None and not begun.cancel():
                found = _result_soon(begun)
            if found is None:
                found = decode(index, self._nearest(index))
        self.keep(index, found)
        return found

    def decoder(self, index: int, decode: Decode) -> Callable[[], Values]:
        """Return what decodes a step, or waits for the thread that is at it."""
        begun = self._begun.get(index)
        if begun is not None and (begun.running() or begun.done()):
            return begun.result
        nearest = self._nearest(index)
        return lambda: decode(index, nearest)

    def kept(self, index: int) -> Values | None:
        """Return a step's values if they are there already."""
        return self._kept.get(index)

    def keep(self, index: int, labels: Values) -> None:
        """Keep a step's values, and let go of those that were wanted longest ago."""
        self._kept[index] = labels
        self._kept.move_to_end(index)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def forget(self) -> None:
        """Let go of everything."""
        for begun in self._begun.values():
            begun.cancel()
        self._begun.clear()
        self._kept.clear()
        self._index = 0

    def close(self) -> None:
        """Wait for what is being decoded."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _nearest(self, index: int) -> Known:
        return min(self._kept.items(), key=lambda kept: abs(kept[0] - index), default=None)

    def _begin(self, order: list[int], decode: Decode) -> None:
        for index in tuple(self._begun):
            if index not in order:
                self._begun.pop(index).cancel()
        for index in order:
            if index in self._kept or index in self._begun:
                continue
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, thread_name_prefix="ccl-viewer-ahead")
            self._begun[index] = self._executor.submit(decode, index, self._nearest(index))


def _result_soon(begun: Future[Values]) -> Values | None:
    try:
        return begun.result(_PATIENCE)
    except WaitedLongEnough:
        return None
