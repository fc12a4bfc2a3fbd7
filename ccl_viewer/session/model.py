"""The base of all models: whoever follows one is told which of its fields changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psygnal import Signal


class Model:
    """Something that views follow.

    A field is a public attribute or property. Several changes that belong together are announced
    once, at the end of a :meth:`transaction`. All models belong to the window's thread.
    """

    changed = Signal(frozenset)  # the names of the fields that changed

    def __init__(self) -> None:
        self._depth = 0
        self._pending: set[str] = set()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Announce what changes within the block once, at its end."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth and self._pending:
                fields, self._pending = frozenset(self._pending), set()
                self.changed.emit(fields)

    def close(self) -> None:
        """Forget who follows."""
        self.changed.disconnect()

    def _set(self, **values: object) -> bool:
        """Give fields values, and announce those that change; return whether any did."""
        changed = [name for name, value in values.items() if getattr(self, name) != value]
        vars(self).update(values)
        if changed:
            self._announce(*changed)
        return bool(changed)

    def _announce(self, *fields: str) -> None:
        with self.transaction():
            self._pending.update(fields)
