"""A minimal signal: views subscribe to the session without either knowing Qt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator


class Signal:
    """Calls its subscribers, in the order in which they subscribed.

    One that fails keeps neither the others from being told nor the session from going on: as with
    the slots of Qt, its error goes to :data:`sys.excepthook`.
    """

    def __init__(self) -> None:
        self._subscribers: list[Callable[[], object]] = []

    def connect(self, subscriber: Callable[[], object]) -> None:
        """Call `subscriber` at every later :meth:`emit`."""
        self._subscribers.append(subscriber)

    def emit(self) -> None:
        """Call every subscriber."""
        for subscriber in tuple(self._subscribers):
            try:
                subscriber()
            except Exception as error:  # noqa: BLE001  (it is passed on)
                sys.excepthook(type(error), error, error.__traceback__)

    def clear(self) -> None:
        """Forget all subscribers, as when the window closes."""
        self._subscribers.clear()


def signals_of(*owners: object) -> Iterator[Signal]:
    """Return the signals that objects have as attributes."""
    for owner in owners:
        yield from (value for value in vars(owner).values() if isinstance(value, Signal))
