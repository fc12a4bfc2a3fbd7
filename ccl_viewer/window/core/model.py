"""The base class of all models, which tells followers the fields that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MethodType
from weakref import WeakMethod

from psygnal import Signal


class Model:
    """An object that views follow.

    A field is a public attribute or property. Related changes are announced together, at the end of
    a :meth:`transaction`. All models belong to the window's thread.
    """

    changed = Signal(frozenset)  # the names of the fields that changed

    def __init__(self) -> None:
        self._depth = 0
        self._pending: set[str] = set()

    def watch(self, fields: str, call: Callable[[], object]) -> None:
        """Call a function when any of some fields changes; their names are separated by spaces.

        As with :attr:`changed`, a method is forgotten together with its object.
        """
        wanted = frozenset(fields.split())
        find = WeakMethod(call) if isinstance(call, MethodType) else lambda: call

        def follow(changed: frozenset[str]) -> None:
            found = find() if changed & wanted else None
            if found is not None:
                found()

        self.changed.connect(follow)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Announce the changes of the block once, at its end."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth and self._pending:
                fields, self._pending = frozenset(self._pending), set()
                self.changed.emit(fields)

    def close(self) -> None:
        """Forget all followers."""
        self.changed.disconnect()

    def _set(self, **values: object) -> bool:
        """Set fields, and announce those that change; return whether any did."""
        changed = [name for name, value in values.items() if getattr(self, name) != value]
        vars(self).update(values)
        if changed:
            self._announce(*changed)
        return bool(changed)

    def _announce(self, *fields: str) -> None:
        with self.transaction():
            self._pending.update(fields)
