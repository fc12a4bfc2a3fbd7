"""The command line: ``ccl-viewer`` and its commands.

Nothing heavy is imported until a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from ccl_viewer.cli.parser import parse
from ccl_viewer.errors import CCLViewerError


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
    arguments = parse(sys.argv[1:] if argv is None else argv)
    try:
        code: int = arguments.command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where it is answered that the reader went away
    except CCLViewerError as error:
        print(f"ccl-viewer: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("ccl-viewer: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _drop_output()
        return 0
    return code


def _drop_output() -> None:
    """Send what is left of the output nowhere; Python tries to write it once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
