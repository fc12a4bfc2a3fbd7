"""The child process that runs the Python of an algorithm of the user's own, and tells its row."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ccl_viewer.algorithms.own import described
from ccl_viewer.user_kernels.loading import OwnCode
from ccl_viewer.user_kernels.process import JOB, ROW, write_report
from ccl_viewer.user_kernels.worker import own_pipe


def work(shared: Path) -> None:
    """Run the module that the job names; write its row, and a report.

    Parameters
    ----------
    shared : Path
        Where the job lies, and where the results go.
    """
    own = OwnCode(json.loads((shared / JOB).read_text("utf-8"))["own"])
    error: Exception | None = None
    try:
        row = own.load()
        told = {"folder": str(own.folder.path), "name": own.folder.name, "row": described(row)}
        (shared / ROW).write_text(json.dumps(told), "utf-8")
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = own.explain(caught)
    write_report(shared, error)


if __name__ == "__main__":
    parent = own_pipe()  # as long as it is open, the parent waits
    work(Path(sys.argv[1]))
    os._exit(0)  # whatever the module left running, there is nothing more to do
