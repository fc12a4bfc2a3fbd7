"""Messages of a command that fails, and the signals that stop it."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from ccl_viewer.errors import escape_invisible

STOPPED: Final = 130
"""Exit code after Ctrl+C."""


@contextmanager
def stop_signals_as_interrupts() -> Iterator[list[int]]:
    """Answer the signals by which a system ends a program as Ctrl+C; yield a list of those noted.

    Batch systems send SIGTERM, and a terminal that is closed sends SIGHUP. A signal that is
    ignored, as under nohup, stays ignored.
    """
    noted: list[int] = []

    def answer(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):  # a shell's background jobs ignore Ctrl+C
            handler = signal.default_int_handler
        handler(number, frame)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    replaced = [each for each in numbers if signal.getsignal(each) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, answer)
    try:
        yield noted
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


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


def print_lines(*lines: object) -> None:
    """Print lines on standard output; control characters in them, as in names, are escaped."""
    for line in lines:
        print(escape_invisible(str(line)), flush=True)


def print_text(text: str) -> None:
    """Print a text of several lines, as :func:`print_lines` does."""
    print_lines(*text.split("\n"))


def print_error(sentence: str) -> None:
    """Print an error on standard error."""
    with suppress(OSError):  # standard error is closed
        print(f"ccl-viewer: {escape_invisible(sentence)}", file=sys.stderr, flush=True)
