"""The command line: ``ccl-viewer`` and its commands.

Nothing heavy is imported until a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ccl_viewer.errors import CCLViewerError, known_error


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str or None
        The arguments, without the program's name; None takes those of the process.

    Returns
    -------
    int
        Exit code: 0 done, 1 a run failed, 2 bad arguments or input, 130 stopped by the user.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file's name may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _answer(sys.argv[1:] if argv is None else argv)
    except CCLViewerError as error:
        complain(str(error))
        return error.exit_code
    except MemoryError as error:
        complain(str(known_error(error)))
        return 1
    except KeyboardInterrupt:
        complain("stopped.")
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _drop_output()
        return 0
    except OSError as error:
        if not _output_is_stuck():
            raise
        _drop_output()
        reason = error.strerror or str(error)
        complain(f"the output cannot be written ({reason}): send it elsewhere.")
        return 1


def _answer(argv: Sequence[str]) -> int:
    """Do what the arguments ask for; all output has left before this returns."""
    try:
        # Imported late: from here on Ctrl+C is handled.
        with importing():
            from ccl_viewer.cli.parser import parse
            from ccl_viewer.storage.temporaries import clear_unfinished

        arguments = parse(argv)
        clear_unfinished()
        code: int = arguments.command(arguments)
    finally:
        # Here, where it is answered that the reader went away, as after --help as well.
        if sys.stdout is not None:
            sys.stdout.flush()
    return code


@contextmanager
def importing() -> Iterator[None]:
    """Hold Ctrl+C back until modules are imported.

    Python calls back from its import locks and from destructors meanwhile. An exception that begins
    in there is printed and dropped, and the program would go on.

    Raises
    ------
    KeyboardInterrupt
        At the end, if Ctrl+C came.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def complain(sentence: str) -> None:
    """Tell on standard error what went wrong."""
    with suppress(OSError):  # there is nobody left to tell
        print(f"ccl-viewer: {sentence}", file=sys.stderr, flush=True)


def _output_is_stuck() -> bool:
    """Return whether what was printed cannot be written, rather than some other file."""
    try:
        print(flush=True)  # without a buffer, nothing is left that flushing could fail to write
    except OSError:
        return True
    return False


def _drop_output() -> None:
    """Send what is left of the output nowhere; Python tries to write it once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
