"""Remembers what was made from files for as long as the files stay as they were."""

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
"""Nanoseconds after which a file that is written again is sure to have another time."""


@dataclass(frozen=True)
class _Known(Generic[Value]):
    paths: tuple[str, ...]
    stamp: _Stamp
    value: Value


class FileCache(Generic[Key, Value]):
    """What was made from files, by key; made again once one of its files has changed.

    What is made from a file that was written a moment ago is not remembered: file systems tell
    times so coarsely that its next change might not show.
    """

    def __init__(self) -> None:
        self._known: dict[Key, _Known[Value]] = {}

    def get(self, key: Key, make: Callable[[], tuple[Value, Iterable[Path]]]) -> Value:
        """Return what was made before, or make it.

        Parameters
        ----------
        key : hashable
            Names what is wanted.
        make : callable
            Makes it, and tells from which files.
        """
        known = self._known.get(key)
        if known is not None and known.stamp == _stamp(known.paths):
            return known.value
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
            return None  # gone: whoever reads it will say so
        entries.append((status.st_mtime_ns, status.st_size))
    return tuple(entries)


def _is_settled(stamp: _Stamp) -> bool:
    return max((when for when, _ in stamp), default=0) < time.time_ns() - _SETTLED
