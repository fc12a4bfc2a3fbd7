"""The child process that runs the Python of a user algorithm, and reports its row."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO

from ccl_viewer.algorithms.own import row_as_json
from ccl_viewer.user_kernels.process import ROW, write_report
from ccl_viewer.user_kernels.worker import Child, take_parent_pipe


def work(folder: Path, parent: IO[str]) -> None:
    """Run the module that the job names; write its row, and a report.

    Parameters
    ----------
    folder : Path
        Where the job lies, and where the results go.
    parent : text stream
        Where to say what is done, a line of JSON each.
    """
    child = Child(parent, folder)
    own = child.own
    error: Exception | None = None
    try:
        child.load()
        if own is not None and own.row is not None:
            place = {"folder": str(own.folder.path), "name": own.folder.name}
            (folder / ROW).write_text(json.dumps({**place, "row": row_as_json(own.row)}), "utf-8")
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = child.explain(caught, "")
    write_report(folder, error)


if __name__ == "__main__":
    work(Path(sys.argv[1]), take_parent_pipe())
    os._exit(0)  # without waiting for threads that the module started
