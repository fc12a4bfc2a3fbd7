"""``ccl-viewer components``."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ccl_viewer import api
from ccl_viewer.algorithms.base import is_sandboxed
from ccl_viewer.algorithms.components import TABLE
from ccl_viewer.cli.reporting import print_lines, print_text
from ccl_viewer.cli.runs import check_output, read_algorithm, read_run
from ccl_viewer.cli.streams import for_each_image, original_name
from ccl_viewer.cli.terminal import ProgressLine, align_columns, run_cancellable
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.export.component_table import Table, check_table_name, save_components, sort_by_area
from ccl_viewer.grids.picture_selector import PictureSelector
from ccl_viewer.storage.temporaries import scratch_folder
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.units import counted

_SHOWN: Final = 20
_HEADINGS: Final = ("number", "area", "perimeter", "box", "x", "y", "xx", "yx", "yy")


def list_components(arguments: argparse.Namespace) -> int:
    """List the components of images: on the terminal the largest, in files all of them.

    Raises
    ------
    InputError
        If the input or the output's name is invalid.
    """
    if arguments.algorithm is not None and is_sandboxed(arguments.algorithm):
        raise InputError(
            "The table is the same whichever algorithm labels, and your own code is not used for "
            "it: leave out -a."
        )
    several = len(arguments.image) > 1
    return for_each_image(arguments, ".csv", partial(_show, several=several))


def _show(arguments: argparse.Namespace, *, several: bool) -> int:
    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_table_name(output)
        check_output(output, [arguments.image], arguments)
    streamed = arguments.workers is not None or ".zarr" in arguments.image.lower()
    result = (_stream if streamed else _find)(arguments, output)
    which = f", {result.kept:,} of {arguments.minimum_area:,} cells or more"
    shown = arguments.shown_output
    if shown is None and several:
        shown = arguments.image
    name = "" if shown is None else f"{shorten(shown)}: "
    which = which if result.kept < result.count else ""
    if output is None or not arguments.quiet:
        print_lines(
            f"{name}{counted(result.count, 'component')}, {result.connectivity}-connected{which}."
        )
        _print(result, "" if output is not None else "; -o table.csv has all")
    return 0


@dataclass(frozen=True)
class _Found:
    """The result: the number of components, how many are large enough, and the largest."""

    count: int
    kept: int
    largest: Table
    connectivity: int


def _find(arguments: argparse.Namespace, output: Path | None) -> _Found:
    """Read and label the whole image."""
    run = read_run(arguments, arguments.image)
    parameters: dict[str, Any] = run.parameters

    def work(cancel: CancelToken, line: ProgressLine) -> Table:
        line(f"Labelling {original_name(arguments, arguments.image)}")
        table: Table = api.components(
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
        cancel.check()  # before the table, which may take as long to write
        return table

    table = run_cancellable(work, quiet=arguments.quiet)
    large = table[table["area"] >= arguments.minimum_area]
    if output is not None:
        described = _as_json(arguments, run.loaded.grid.shape, run.connectivity)
        save_components(output, [large], described)
    return _Found(table.size, large.size, sort_by_area(large)[:_SHOWN], run.connectivity)


def _stream(arguments: argparse.Namespace, output: Path | None) -> _Found:
    """Label a file in blocks, so that neither it nor the table has to fit into memory."""
    from ccl_viewer.large_images import streaming

    streaming.check_installed()
    if not streaming.can_stream(arguments.image):
        raise InputError("Workers read a Zarr array (.zarr) or a TIFF (.tif): leave out --workers.")
    _, connectivity = read_algorithm(arguments)
    source = streaming.open_source(
        Path(arguments.image), PictureSelector.of(arguments.index, arguments.channel)
    )

    def work(cancel: CancelToken, line: ProgressLine) -> _Found:
        options: dict[str, Any] = {
            "connectivity": connectivity,
            "device": arguments.device,
            "multivalued": arguments.multivalued,
            "schedule": arguments.schedule,
            "cancel": cancel,
        }
        parameters: dict[str, Any] = dict(arguments.parameter)
        # Beside the table: if that fits there, so do its rows.
        with scratch_folder(None if output is None else output.absolute().parent) as folder:
            table = streaming.tabulate_file(
                source,
                folder,
                partial(api.label, **options),
                partial(api.components, algorithm=arguments.algorithm, **options, **parameters),
                connectivity,
                streaming.make_thread_runner(arguments.workers or 2, cancel, line),
                threshold=arguments.threshold,
                invert=arguments.invert,
                multivalued=arguments.multivalued,
                minimum_area=arguments.minimum_area,
                most=_SHOWN if output is None else None,
            )
            largest: list[Table] = []

            def watched() -> Iterator[Table]:
                written = 0
                for part in table.parts:
                    cancel.check()
                    yield part
                    written += part.size
                    line(f"Writing: {written:,} of {counted(table.found, 'component')}")
                    largest[:] = [sort_by_area(np.concatenate([*largest, part]))[:_SHOWN]]

            if output is None:
                deque(watched(), 0)
            else:
                save_components(output, watched(), _as_json(arguments, source.shape, connectivity))
            shown = largest[0] if largest else np.empty(0, TABLE)
            return _Found(table.count, table.found, shown, connectivity)

    return run_cancellable(work, quiet=arguments.quiet)


def _as_json(
    arguments: argparse.Namespace, shape: tuple[int, ...], connectivity: int
) -> dict[str, Any]:
    return {
        "source": original_name(arguments, arguments.image),
        "height": shape[0],
        "width": shape[1],
        "connectivity": connectivity,
        "multivalued": arguments.multivalued,
        "minimum_area": arguments.minimum_area,
    }


def _print(result: _Found, hint: str) -> None:
    """Print the largest components, and the number of the rest."""
    if not result.kept:
        return
    rows = [list(_HEADINGS)]
    for row in result.largest:
        width, height = row["x1"] - row["x0"], row["y1"] - row["y0"]
        box = f"{width} x {height} at {row['x0']},{row['y0']}"
        fractions = [f"{row[name]:.2f}" for name in ("x", "y", "xx", "yx", "yy")]
        integers = [f"{row[name]:,}" for name in ("label", "area", "perimeter")]
        rows.append([*integers, box, *fractions])
    print_text(align_columns(rows))
    if result.kept > _SHOWN:
        print_lines(f"and {result.kept - _SHOWN:,} that are not larger{hint}.")
