"""The child process that runs the Python of a user algorithm, and reports its algorithm."""

from __future__ import annotations

import json

from ccl_viewer.algorithms.own import algorithm_to_json
from ccl_viewer.user_kernels.process import ROW, write_report
from ccl_viewer.user_kernels.worker import ChildJob, serve


def describe_algorithm(child: ChildJob) -> None:
    """Run the module that the job names; write its algorithm, and a report.

    Parameters
    ----------
    child : ChildJob
        The job.
    """
    code = child.own
    error: Exception | None = None
    try:
        child.load()
        if code is not None and code.algorithm is not None:
            location = {"folder": str(code.folder.path), "name": code.folder.name}
            answer = {**location, "row": algorithm_to_json(code.algorithm)}
            (child.folder / ROW).write_text(json.dumps(answer), "utf-8")
    except Exception as caught:  # noqa: BLE001  (the report says it)
        error = child.explain_error(caught, "")
    write_report(child.folder, error)


if __name__ == "__main__":
    serve(describe_algorithm)
