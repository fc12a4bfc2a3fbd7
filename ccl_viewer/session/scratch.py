"""A folder for files that are only passed on: gone at the end, whatever happens."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from ccl_viewer.errors import InputError
from ccl_viewer.temporaries import beside, noted


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a new, empty folder; if the process is killed, it is deleted at the next start.

    Raises
    ------
    InputError
        If there is no room for it.
    """
    folder = beside(Path(tempfile.gettempdir()) / "ccl-viewer")
    with noted(folder):
        try:
            folder.mkdir(mode=0o700)
            yield folder
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(
                f"Nothing can be written to {folder.parent} ({reason}): make room there."
            ) from error
        finally:
            rmtree(folder, ignore_errors=True)
