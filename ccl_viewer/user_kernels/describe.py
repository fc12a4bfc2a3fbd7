"""The child process that runs the Python of a user algorithm, and reports its row."""

from __future__ import annotations

import json

from ccl_viewer.algorithms.own import algorithm_to_json
from ccl_viewer.user_kernels.process import ROW, write_report
from ccl_viewer.user_kernels.worker import ChildJob, serve


def describe_algorithm(child: ChildJob) -> None:
    """Run the module that the job names; write its row, and a report.

    Parameters
    ----------
    child : ChildJob
        The job.
    """
    own = child.own
    error: Exception | None = None
    try:
        child.load()
        if own is not None and own.row is not None:
            place = {"folder": str(own.folder.path), "name": own.folder.name}
            told = {**place, "row": algorithm_to_json(own.row)}
            (child.folder / ROW).write_text(json.dumps(told), "utf-8")
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = child.explain_error(caught, "")
    write_report(child.folder, error)


if __name__ == "__main__":
    serve(describe_algorithm)
