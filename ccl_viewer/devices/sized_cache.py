"""A cache with a limit in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class HasSize(Protocol):
    """An object that takes memory."""

    @property
    def nbytes(self) -> int:
        """Size in bytes."""


Item = TypeVar("Item", bound=HasSize)


class SizedCache(Generic[Item]):
    """Items by key; the least recently used are dropped when they take too much memory.

    All methods are thread-safe.

    Parameters
    ----------
    most_bytes : int
        Most bytes of all items together. A larger item is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._lock = threading.Lock()
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all items together."""
        return self._nbytes

    def get(self, key: Hashable) -> Item | None:
        """Return the item with a key, or None."""
        with self._lock:
            item = self._items.get(key)
            if item is not None:
                self._items.move_to_end(key)
        return item

    def get_or_make(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the item with a key; make and keep it if it is missing.

        If several threads need the same item, one makes it while the rest wait.
        """
        with self._lock:
            item = self._items.get(key)
            if item is None:
                item = make()
                if item.nbytes > self.most_bytes:
                    return item
                self._items[key] = item
                self._nbytes += item.nbytes
                while self._nbytes > self.most_bytes:
                    self._nbytes -= self._items.popitem(last=False)[1].nbytes
            else:
                self._items.move_to_end(key)
        return item

    def clear(self) -> None:
        """Drop all items."""
        with self._lock:
            self._items.clear()
            self._nbytes = 0
