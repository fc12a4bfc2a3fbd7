"""``ccl-viewer label``."""

from __future__ import annotations

import argparse
from pathlib import Path

from ccl_viewer import api
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output, read_run
from ccl_viewer.cli.terminal import ProgressLine, run_cancellable
from ccl_viewer.counted import counted
from ccl_viewer.errors import cut
from ccl_viewer.export.labels import check_label_path, save_labels


def label(arguments: argparse.Namespace) -> int:
    """Label an image's components and save the labels.

    Raises
    ------
    InputError
        If the input or the output's name cannot be used.
    """
    output = Path(arguments.output)
    check_label_path(output)
    check_output(output, [arguments.image], arguments)
    run = read_run(arguments, arguments.image)

    def work(cancel: CancelToken, line: ProgressLine) -> int:
        line(f"Labelling {run.loaded.source}")
        labels, count = api.label(
            run.loaded.grid,
            run.algorithm.key,
            run.connectivity,
            arguments.device,
            multivalued=run.multivalued,
            schedule=arguments.schedule,
            cancel=cancel,
            progress=line,
        )
        save_labels(output, labels, count)
        return int(count)

    count = run_cancellable(work)
    components = counted(count, "component")
    print(f"{cut(output)}: {components}, {run.connectivity}-connected, by {run.algorithm.title}.")
    return 0
