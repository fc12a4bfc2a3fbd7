"""``ccl-viewer label``."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from ccl_viewer import api
from ccl_viewer.algorithms import Algorithm
from ccl_viewer.cli.runs import check_output, check_output_folder, read_algorithm, read_run
from ccl_viewer.cli.streams import for_each_image, original_name, print_result
from ccl_viewer.cli.terminal import ProgressLine, run_abandonable, run_cancellable
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.export.formats import find_label_format, save_labels
from ccl_viewer.grids.picture_selector import PictureSelector
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted


def label(arguments: argparse.Namespace) -> int:
    """Label the components of images and save the labels.

    Raises
    ------
    InputError
        If the input or the output's name is invalid.
    """
    return for_each_image(arguments, ".npy", _label)


def _label(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output)
    if output.suffix.lower() == ".zarr":
        return _stream(arguments, output)
    if arguments.workers is not None or arguments.scheduler is not None:
        raise InputError("Workers write a Zarr array: name an output that ends in .zarr.")
    find_label_format(output)
    check_output(output, [arguments.image], arguments)
    run = read_run(arguments, arguments.image)
    parameters: dict[str, Any] = run.parameters

    def work(cancel: CancelToken, line: ProgressLine) -> int:
        line(f"Labelling {original_name(arguments, arguments.image)}")
        labels, count = api.label(
            run.loaded.grid,
            run.algorithm.key,
            connectivity=run.connectivity,
            device=arguments.device,
            multivalued=run.multivalued,
            schedule=arguments.schedule,
            cancel=cancel,
            progress=line,
            **parameters,
        )
        run_abandonable(partial(save_labels, output, labels, count), cancel)
        return int(count)

    count = run_cancellable(work, quiet=arguments.quiet)
    _print_result(arguments, count, run.loaded.grid.shape, run.connectivity, run.algorithm)
    return 0


def _print_result(
    arguments: argparse.Namespace,
    count: int,
    shape: tuple[int, ...],
    connectivity: int,
    algorithm: Algorithm | None,
) -> None:
    """Print the result; without an algorithm, each block used the fastest of its device."""
    if arguments.json:
        values = {
            "source": original_name(arguments, arguments.image),
            "output": str(arguments.shown_output),
            "height": shape[0],
            "width": shape[1],
            "components": count,
            "connectivity": connectivity,
            "multivalued": arguments.multivalued,
            "algorithm": None if algorithm is None else algorithm.key,
            "parameters": dict(arguments.parameter),
        }
        print(json.dumps(values))
        return
    by = "" if algorithm is None else f", by {algorithm.title}"
    components = counted(count, "component")
    print_result(
        arguments, f"{shorten(arguments.shown_output)}: {components}, {connectivity}-connected{by}."
    )


def _stream(arguments: argparse.Namespace, output: Path) -> int:
    """Label a file in blocks, so that neither it nor the labels have to fit into memory."""
    from ccl_viewer.large_images import streaming

    streaming.check_installed()
    if not streaming.can_stream(arguments.image):
        raise InputError(
            "Labels are written as a Zarr array from a Zarr array (.zarr) or a TIFF (.tif): name "
            "one of these, or an output that ends in .npy, .png or .tif."
        )
    multivalued = arguments.multivalued
    algorithm, connectivity = read_algorithm(arguments)
    check_output_folder(output, [arguments.image], force=arguments.force)
    source = streaming.open_source(
        Path(arguments.image), PictureSelector.of(arguments.index, arguments.channel)
    )
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
                replace=arguments.force,
            )

        workers = arguments.workers
        if arguments.scheduler is not None:
            with streaming.open_cluster_runner(arguments.scheduler, cancel, line) as run:
                return label_file(run, label_chunk)
        if workers is not None and arguments.device == "cuda":
            with (
                streaming.gpu_cluster(workers) as cluster,
                streaming.open_cluster_runner(cluster, cancel, line) as run,
            ):
                return label_file(run, label_chunk)
        run = streaming.make_thread_runner(workers or 2, cancel, line)
        return label_file(run, partial(label_chunk, cancel=cancel))

    count = run_cancellable(work, quiet=arguments.quiet)
    by = None if arguments.algorithm is None else algorithm
    _print_result(arguments, count, source.shape, connectivity, by)
    return 0
