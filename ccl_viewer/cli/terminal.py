"""Long work on a terminal: a line of progress, and a clean stop on Ctrl-C."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import FrameType
from typing import Final, TypeVar

from ccl_viewer.errors import CancelledError, CCLViewerError, escape_invisible
from ccl_viewer.support.cancellation import CancelToken

Result = TypeVar("Result")

_FEWEST: Final = 10
_COUNTED: Final = re.compile(r"(\d[\d,]*) of (\d[\d,]*)")

_REPEAT_SECONDS: Final = 0.5  # seconds; a wrapper may pass a signal on twice


class ProgressLine:
    """One line on standard error that is overwritten.

    Without a terminal, it prints a line for each tenth of the work.

    Parameters
    ----------
    quiet : bool
        Whether to write nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        # There is no stream if it was closed before the start.
        self._silent = quiet or sys.stderr is None
        self._shown = not self._silent and sys.stderr.isatty()
        self._count = ProgressParser()
        # Ctrl-C's handler writes too, and may interrupt the thread that is writing.
        self._lock = threading.RLock()
        self._dirty = False

    def __call__(self, text: str) -> None:
        """Show the current work."""
        if not self._shown:
            self._report(text)
            return
        room = shutil.get_terminal_size().columns - 1
        with self._lock:
            sys.stderr.write("\r\x1b[K" + escape_invisible(text)[:room])
            sys.stderr.flush()
            self._dirty = True

    def _report(self, text: str) -> None:
        share = None if self._silent else self._count.next_tenth(text)
        if share is not None:
            with self._lock:
                sys.stderr.write(f"{escape_invisible(text)} ({share} %)\n")
                sys.stderr.flush()

    def clear(self) -> None:
        """Leave an empty line for further output."""
        with self._lock:
            if self._dirty:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
                self._dirty = False


class ProgressParser:
    """Reads progress from texts with counts, such as "block 3 of 64"."""

    def __init__(self) -> None:
        self._done = self._total = self._tenths = 0

    def next_tenth(self, text: str) -> int | None:
        """Return the share done, in percent, if a text reaches a new tenth.

        Nested counts and small counts are ignored.
        """
        match = _COUNTED.search(text)
        if match is None:
            return None
        done, total = (int(number.replace(",", "")) for number in match.groups())
        if total < _FEWEST:
            return None
        if total != self._total or done < self._done:
            if self._done < self._total and total != self._total:
                return None
            self._total, self._tenths = total, 0
        self._done = done
        tenths = 10 * done // max(total, 1)
        if tenths <= self._tenths:
            return None
        self._tenths = tenths
        return 100 * done // total


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of a table as lines; the first column is left-aligned, the rest right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if index else text.ljust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def run_abandonable(work: Callable[[], Result], cancel: CancelToken | None = None) -> Result:
    """Do work that can be abandoned at any moment: reading, and writing a temporary file.

    A library decodes or encodes a picture in one call, which nothing can stop. It therefore runs in
    a thread that is abandoned after Ctrl-C.

    Parameters
    ----------
    work : callable
        Does the work.
    cancel : CancelToken or None
        Stops it if the caller is not the main thread, because only that receives Ctrl-C.

    Returns
    -------
    object
        The result of the work.

    Raises
    ------
    KeyboardInterrupt, CancelledError
        If it was abandoned.
    """
    future: Future[Result] = Future()

    def perform() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  (it is passed on)
            future.set_exception(error)

    threading.Thread(target=perform, name="reading", daemon=True).start()
    while not wait([future], timeout=0.1).done:
        if cancel is not None:
            cancel.check()
    return future.result()


def run_cancellable(
    work: Callable[[CancelToken, ProgressLine], Result], *, quiet: bool = False
) -> Result:
    """Do long work so that Ctrl-C stops it cleanly, and a second Ctrl-C immediately.

    The work runs in another thread: a kernel on the emulator is one call out of Python, and only an
    idle main thread receives the signal meanwhile.

    Parameters
    ----------
    work : callable
        Takes a token to poll and a line for progress.
    quiet : bool
        Whether to show no progress.

    Returns
    -------
    object
        The result of the work.

    Raises
    ------
    CancelledError
        If the user pressed Ctrl-C and the work did not end well.
    """
    token = CancelToken()
    line = ProgressLine(quiet=quiet)
    request_times: list[float] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        if request_times and time.monotonic() - request_times[0] > _REPEAT_SECONDS:
            line.clear()
            os._exit(128 + number)  # a copy's kernel may loop so that nothing else stops it
        request_times.append(time.monotonic())
        line("Stopping ... (Ctrl+C again ends immediately)")
        token.cancel()

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if in_main else None
    try:
        with ThreadPoolExecutor(1, thread_name_prefix="work") as pool:
            future = pool.submit(work, token, line)
            while True:
                try:
                    return future.result(timeout=0.1)
                except TimeoutError:
                    if future.done():
                        raise
                except CCLViewerError as error:
                    if token.cancelled:  # the same signal may have ended a child process
                        raise CancelledError from error
                    raise
    finally:
        line.clear()
        if in_main:
            signal.signal(signal.SIGINT, before)
