"""The command line: ``ccl-viewer`` and its commands.

Heavy modules are imported only when a command runs, so that ``--help`` answers immediately.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from ccl_viewer.cli.reporting import (
    STOPPED,
    defer_interrupts,
    print_error,
    stop_signals_as_interrupts,
)
from ccl_viewer.errors import CCLViewerError, as_viewer_error


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str or None
        The arguments, without the program's name; None means the process's.

    Returns
    -------
    int
        Exit code: 0 done, 1 a run failed, 2 bad arguments or input, 130 stopped by the user, 143
        stopped by SIGTERM.
    """
    with stop_signals_as_interrupts() as noted:
        code = _answer(argv)
    return 128 + noted[-1] if noted and code == STOPPED else code


def _answer(argv: Sequence[str] | None) -> int:
    """Run the command line, and print its error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file name may have characters that the terminal's encoding lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _run_command(sys.argv[1:] if argv is None else argv)
    except CCLViewerError as error:
        print_error(str(error))
        return error.exit_code
    except MemoryError as error:
        print_error(str(as_viewer_error(error)))
        return 1
    except KeyboardInterrupt:
        print_error("stopped.")
        return STOPPED
    except BrokenPipeError:  # the reader of our output has exited, as `head` does
        _drop_output()
        return 0
    except OSError as error:
        if not _output_is_stuck():
            raise
        _drop_output()
        reason = error.strerror or str(error)
        print_error(f"the output cannot be written ({reason}): redirect it elsewhere.")
        return 1


def _run_command(argv: Sequence[str]) -> int:
    """Run the command of the arguments, and flush all output."""
    try:
        # Imported late, so that Ctrl+C is handled from here on.
        with defer_interrupts():
            from ccl_viewer.cli.parser import parse
            from ccl_viewer.storage.temporaries import clear_unfinished

        arguments = parse(argv)
        clear_unfinished()
        code: int = arguments.command(arguments)
    finally:
        # Here, so that a reader that has exited is handled, also after --help.
        if sys.stdout is not None:
            sys.stdout.flush()
    return code


def _output_is_stuck() -> bool:
    """Return whether standard output cannot be written, instead of some other file."""
    try:
        print(flush=True)  # unbuffered, so that flushing cannot fail later
    except OSError:
        return True
    return False


def _drop_output() -> None:
    """Discard the rest of the output, which Python tries to write again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
