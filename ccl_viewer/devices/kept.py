"""What is kept to be used again, within a bound in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """Takes memory."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""


Item = TypeVar("Item", bound=Sized)


class Kept(Generic[Item]):
    """Items by key, of which the least recently used go when they take too much memory.

    Calls from several threads are safe.

    Parameters
    ----------
    most_bytes : int
        How much the items may take together. A larger item is not kept.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._lock = threading.Lock()
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes that the items take together."""
        return self._nbytes

    def get(self, key: Hashable) -> Item | None:
        """Return the item with a key, or None."""
        with self._lock:
            item = self._items.get(key)
            if item is not None:
                self._items.move_to_end(key)
        return item

    def get_or_make(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the item with a key; if there is none, make it and keep it.

        Of threads that ask for the same key, one makes the item and the others wait.
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
        """Let go of all items."""
        with self._lock:
            self._items.clear()
            self._nbytes = 0
