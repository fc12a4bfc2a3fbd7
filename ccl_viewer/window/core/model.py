"""The base class of all models, and how views follow several of their fields."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MethodType
from weakref import WeakMethod

from psygnal import Signal, SignalInstance


class Model:
    """An object that views follow.

    A field is a public attribute or property with a signal, ``FIELD_changed``. The signal carries
    no value: its followers read the model. Related changes are announced together, at the end of a
    :meth:`transaction`: first to followers of single fields, then to those who :func:`watch`
    several. All models belong to the window's thread.
    """

    changed = Signal(frozenset)  # the signals of the fields that changed together

    def __init__(self) -> None:
        self._depth = 0
        self._pending: dict[SignalInstance, None] = {}  # in order

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Announce the changes of the block once, at its end."""
        self._depth += 1
        try:
            yield
        finally:
            try:
                while self._depth == 1 and self._pending:  # followers may change more
                    signals, self._pending = self._pending, {}
                    for signal in signals:
                        emit(signal)
                    emit(self.changed, frozenset(signals))
            finally:
                self._depth -= 1

    def close(self) -> None:
        """Forget all followers."""
        for value in vars(self).values():
            if isinstance(value, SignalInstance):
                value.disconnect()

    def _set(self, signal: SignalInstance, value: object) -> bool:
        """Set the field of a signal; announce and return whether that changes it."""
        name = signal.name.removesuffix("_changed")
        changed: bool = getattr(self, name) != value
        setattr(self, name, value)
        if changed:
            self._announce(signal)
        return changed

    def _announce(self, *signals: SignalInstance) -> None:
        with self.transaction():
            self._pending |= dict.fromkeys(signals)


def emit(signal: SignalInstance, *values: object) -> None:
    """Call the followers of a signal; as in Qt, an error in one is reported and stops nobody."""
    for follower in tuple(signal._slots):  # noqa: SLF001  (psygnal's own loop ends at an error)
        if follower.dereference() is not None:
            try:
                follower.cb(values)
            except Exception:  # noqa: BLE001  (reported)
                sys.excepthook(*sys.exc_info())


def watch(call: Callable[[], object], *signals: SignalInstance) -> None:
    """Call a function when fields change, once for all that a model announces together.

    A method is forgotten together with its object, as by a signal's ``connect``.
    """
    find = WeakMethod(call) if isinstance(call, MethodType) else lambda: call

    def follow(changed: frozenset[SignalInstance]) -> None:
        callback = None if changed.isdisjoint(signals) else find()
        if callback is not None:
            callback()

    for model in {signal.instance for signal in signals}:
        model.changed.connect(follow)
