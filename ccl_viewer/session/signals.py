"""A minimal signal: views subscribe to the session without either knowing Qt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class Signal:
    """Calls its subscribers, in the order in which they subscribed.

    One that fails keeps neither the others from being told nor the session from going on: as with
    the slots of Qt, its error goes to :data:`sys.excepthook`.
    """

    def __init__(self) -> None:
        self._subscribers: list[Callable[[], object]] = []
        self._waiting: list[Signal] | None = None

    def connect(self, subscriber: Callable[[], object]) -> None:
        """Call `subscriber` at every later :meth:`emit`."""
        self._subscribers.append(subscriber)

    def emit(self) -> None:
        """Call every subscriber; while it is held, once it is let go."""
        if self._waiting is not None:
            if self not in self._waiting:
                self._waiting.append(self)
            return
        self._call(tuple(self._subscribers))

    def emit_before(self, others: Iterable[Signal]) -> None:
        """Call those subscribers that are not called by one of the others, which tell next."""
        later = {subscriber for other in others for subscriber in other._subscribers}  # noqa: SLF001
        self._call([subscriber for subscriber in self._subscribers if subscriber not in later])

    def hold(self, waiting: list[Signal] | None) -> bool:
        """Wait in a list instead of calling subscribers, or with None no more.

        Returns
        -------
        bool
            Whether that is new: one that is held is held by who was first.
        """
        new = (self._waiting is None) != (waiting is None)
        if new:
            self._waiting = waiting
        return new

    @staticmethod
    def _call(subscribers: Iterable[Callable[[], object]]) -> None:
        for subscriber in subscribers:
            try:
                subscriber()
            except Exception as error:  # noqa: BLE001  (it is passed on)
                sys.excepthook(type(error), error, error.__traceback__)

    def clear(self) -> None:
        """Forget all subscribers, as when the window closes."""
        self._subscribers.clear()


@contextmanager
def held(signals: Iterable[Signal]) -> Iterator[None]:
    """Let signals tell of a change only when all of it is made, so that nobody sees half of it.

    Each tells once, in the order in which they came up. Who subscribed to several is called once,
    by the last of them: parts of the window follow the grid, the run and the step, and would do
    all their work for each.

    Parameters
    ----------
    signals : iterable of Signal
        All that the change may touch.
    """
    waiting: list[Signal] = []
    taken = [signal for signal in signals if signal.hold(waiting)]
    try:
        yield
    finally:
        for signal in taken:
            signal.hold(None)
        for place, signal in enumerate(waiting, 1):
            signal.emit_before(waiting[place:])


def signals_of(*owners: object) -> Iterator[Signal]:
    """Return the signals that objects have as attributes."""
    for owner in owners:
        yield from (value for value in vars(owner).values() if isinstance(value, Signal))
