"""``ccl-viewer label``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from ccl_viewer import api
from ccl_viewer.algorithms import algorithm, check_multivalued
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output, read_run
from ccl_viewer.cli.terminal import ProgressLine, run_abandonable, run_cancellable
from ccl_viewer.errors import InputError, cut
from ccl_viewer.export.formats import label_format, save_labels
from ccl_viewer.files import check_new_folder
from ccl_viewer.units import counted


def label(arguments: argparse.Namespace) -> int:
    """Label an image's components and save the labels.

    Raises
    ------
    InputError
        If the input or the output's name cannot be used.
    """
    output = Path(arguments.output)
    if output.suffix.lower() == ".zarr":
        return _stream(arguments, output)
    if arguments.workers is not None or arguments.scheduler is not None:
        raise InputError("Workers write a Zarr array: name an output that ends in .zarr.")
    label_format(output)
    check_output(output, [arguments.image], arguments)
    run = read_run(arguments, arguments.image)
    own: dict[str, Any] = run.parameters

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
            **own,
        )
        run_abandonable(partial(save_labels, output, labels, count), cancel)
        return int(count)

    count = run_cancellable(work)
    components = counted(count, "component")
    print(f"{cut(output)}: {components}, {run.connectivity}-connected, by {run.algorithm.title}.")
    return 0


def _stream(arguments: argparse.Namespace, output: Path) -> int:
    """Label a file a block at a time, so that neither it nor the labels need fit into memory."""
    from ccl_viewer import streaming

    streaming.check_installed()
    if not streaming.can_stream(arguments.image):
        raise InputError(
            "Labels are written as a Zarr array from a Zarr array (.zarr) or a TIFF (.tif): name "
            "one of these, or an output that ends in .npy, .png or .tif."
        )
    multivalued = arguments.multivalued
    if multivalued and arguments.invert:
        raise InputError("Multi-valued input has no two sides: leave out --invert.")
    if arguments.algorithm is None:  # whoever labels a block takes what is fast there
        connectivity, by = arguments.connectivity or 4, ""
    else:
        row = algorithm(arguments.algorithm)
        check_multivalued(row, multivalued)
        row.complete(dict(arguments.parameter))
        asked = arguments.connectivity
        connectivity = row.connectivities[0] if asked is None else row.check_connectivity(asked)
        by = f", by {row.title}"
    check_new_folder(output)
    source = streaming.open_source(Path(arguments.image))
    label_chunk = partial(
        api.label,
        algorithm=arguments.algorithm,
        connectivity=connectivity,
        device=arguments.device,
        multivalued=multivalued,
        schedule=arguments.schedule,
        **dict(arguments.parameter),
    )

    def work(cancel: CancelToken, line: ProgressLine) -> int:
        def label_file(run: streaming.Run, label_chunk: partial[tuple[Any, int]]) -> int:
            return streaming.label_file(
                source,
                output,
                label_chunk,
                connectivity,
                run,
                threshold=arguments.threshold,
                invert=arguments.invert,
                multivalued=multivalued,
            )

        workers = arguments.workers
        if arguments.scheduler is not None:
            with streaming.run_on_cluster(arguments.scheduler, cancel, line) as run:
                return label_file(run, label_chunk)
        if workers is not None and arguments.device == "cuda":
            with (
                streaming.gpu_cluster(workers) as cluster,
                streaming.run_on_cluster(cluster, cancel, line) as run,
            ):
                return label_file(run, label_chunk)
        run = streaming.run_in_threads(workers or 2, cancel, line)
        return label_file(run, partial(label_chunk, cancel=cancel))

    count = run_cancellable(work)
    components = counted(count, "component")
    print(f"{cut(output)}: {components}, {connectivity}-connected{by}.")
    return 0
