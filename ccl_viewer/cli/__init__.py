"""The command line: ``ccl-viewer`` and its commands.

Nothing heavy is imported until a command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

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
    arguments = parse(sys.argv[1:] if argv is None else argv)
    try:
        code: int = arguments.command(arguments)
    except CCLViewerError as error:
        print(f"ccl-viewer: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("ccl-viewer: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
        return 0
    return code
