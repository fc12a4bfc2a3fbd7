"""Messages of a command that fails, and Ctrl+C while modules are imported."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Hold Ctrl+C back until modules are imported.

    During imports Python calls back from its import locks and from destructors. An exception
    raised there would be printed and dropped, and the program would continue.

    Raises
    ------
    KeyboardInterrupt
        At the end, if Ctrl+C was pressed.
    """
    signals: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, _frame: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if signals:
        raise KeyboardInterrupt


def print_error(sentence: str) -> None:
    """Print an error on standard error."""
    with suppress(OSError):  # standard error is closed
        print(f"ccl-viewer: {sentence}", file=sys.stderr, flush=True)
