"""A cache of values made from files, valid as long as the files do not change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_Stamp: TypeAlias = tuple[tuple[int, int], ...]

_SETTLED = 2 * 10**9
"""Nanoseconds after which rewriting a file is certain to change its time."""


@dataclass(frozen=True)
class _Known(Generic[Value]):
    paths: tuple[str, ...]
    stamp: _Stamp
    value: Value


class FileCache(Generic[Key, Value]):
    """Values made from files, by key; made again when one of its files has changed.

    Values from recently written files are not cached: file times are so coarse that another change
    might not show.
    """

    def __init__(self) -> None:
        self._known: dict[Key, _Known[Value]] = {}

    def get(self, key: Key, make: Callable[[], tuple[Value, Iterable[Path]]]) -> Value:
        """Return a cached value, or make it.

        Parameters
        ----------
        key : hashable
            Identifies the value.
        make : callable
            Makes the value, and returns it with its files.
        """
        entry = self._known.get(key)
        if entry is not None and entry.stamp == _stamp(entry.paths):
            return entry.value
        value, files = make()
        paths = tuple(str(path) for path in files)
        stamp = _stamp(paths)
        if stamp is not None and _is_settled(stamp):
            self._known[key] = _Known(paths, stamp, value)
        return value


def _stamp(paths: Iterable[str]) -> _Stamp | None:
    entries = []
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116  (a tenth of Path.stat's time, at every launch)
        except OSError:
            return None  # missing: reading it raises an error
        entries.append((status.st_mtime_ns, status.st_size))
    return tuple(entries)


def _is_settled(stamp: _Stamp) -> bool:
    return max((when for when, _ in stamp), default=0) < time.time_ns() - _SETTLED
