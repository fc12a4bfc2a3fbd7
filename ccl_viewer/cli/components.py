"""``ccl-viewer components``."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any, Final

from ccl_viewer import api
from ccl_viewer.algorithms.copies import is_copy
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output, chosen_algorithm, read_run
from ccl_viewer.cli.streams import for_each_image, given_name
from ccl_viewer.cli.terminal import ProgressLine, aligned, run_cancellable
from ccl_viewer.errors import InputError, cut
from ccl_viewer.export.component_table import (
    Table,
    check_table_name,
    largest_first,
    save_components,
)
from ccl_viewer.grids.planes import Plane
from ccl_viewer.units import counted

_SHOWN: Final = 20
_HEADINGS: Final = ("number", "area", "perimeter", "box", "x", "y", "xx", "yx", "yy")


def show(arguments: argparse.Namespace) -> int:
    """List the components of images: the largest on the terminal, all of them in files.

    Raises
    ------
    InputError
        If the input or the output's name cannot be used.
    """
    if arguments.algorithm is not None and is_copy(arguments.algorithm):
        raise InputError(
            "The table is the same whichever algorithm labels, and copies of kernels are not used "
            "for it: leave out -a."
        )
    several = len(arguments.image) > 1
    return for_each_image(arguments, ".csv", partial(_show, several=several))


def _show(arguments: argparse.Namespace, *, several: bool) -> int:
    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_table_name(output)
        check_output(output, [arguments.image], arguments)
    streamed = arguments.workers is not None or ".zarr" in arguments.image.lower()
    table, run = (_stream if streamed else _find)(arguments)
    kept = table[table["area"] >= arguments.minimum_area]
    if output is not None:
        save_components(output, kept, run)
    found = counted(table.size, "component")
    which = f", {kept.size:,} of {arguments.minimum_area:,} cells or more"
    shown = arguments.shown_output
    if shown is None and several:
        shown = arguments.image
    name = "" if shown is None else f"{cut(shown)}: "
    which = which if kept.size < table.size else ""
    if output is None or not arguments.quiet:
        print(f"{name}{found}, {run['connectivity']}-connected{which}.")
        _print(kept, "" if output is not None else "; -o table.csv has all")
    return 0


def _find(arguments: argparse.Namespace) -> tuple[Table, dict[str, Any]]:
    """Read and label the whole image."""
    run = read_run(arguments, arguments.image)
    own: dict[str, Any] = run.parameters

    def work(cancel: CancelToken, line: ProgressLine) -> Table:
        line(f"Labelling {run.loaded.source}")
        table: Table = api.components(
            run.loaded.grid,
            run.algorithm.key,
            connectivity=run.connectivity,
            device=arguments.device,
            multivalued=run.multivalued,
            schedule=arguments.schedule,
            cancel=cancel,
            progress=line,
            **own,
        )
        return table

    table = run_cancellable(work, quiet=arguments.quiet)
    return table, _described(arguments, run.loaded.grid.shape, run.connectivity)


def _stream(arguments: argparse.Namespace) -> tuple[Table, dict[str, Any]]:
    """Label a file a block at a time, so that it need not fit into memory."""
    from ccl_viewer import streaming

    streaming.check_installed()
    if not streaming.can_stream(arguments.image):
        raise InputError("Workers read a Zarr array (.zarr) or a TIFF (.tif): leave out --workers.")
    _, connectivity = chosen_algorithm(arguments)
    source = streaming.open_source(
        Path(arguments.image), Plane.of(arguments.index, arguments.channel)
    )
    workers = arguments.workers or 2

    def work(cancel: CancelToken, line: ProgressLine) -> Table:
        image = streaming.lazy_image(
            source,
            streaming.run_in_threads(workers, cancel, line),
            threshold=arguments.threshold,
            invert=arguments.invert,
            multivalued=arguments.multivalued,
        )
        table: Any = api.components(
            image,
            arguments.algorithm,
            connectivity=connectivity,
            device=arguments.device,
            multivalued=arguments.multivalued,
            schedule=arguments.schedule,
            **dict(arguments.parameter),
        )
        line(f"Labelling {source.path}")
        return streaming.compute_in_threads(table, workers, cancel)

    table = run_cancellable(work, quiet=arguments.quiet)
    return table, _described(arguments, source.shape, connectivity)


def _described(
    arguments: argparse.Namespace, shape: tuple[int, ...], connectivity: int
) -> dict[str, Any]:
    return {
        "source": given_name(arguments, arguments.image),
        "height": shape[0],
        "width": shape[1],
        "connectivity": connectivity,
        "multivalued": arguments.multivalued,
        "minimum_area": arguments.minimum_area,
    }


def _print(table: Table, hint: str) -> None:
    """Print the largest components, and how many more there are."""
    if not table.size:
        return
    rows = [list(_HEADINGS)]
    for row in largest_first(table)[:_SHOWN]:
        width, height = row["x1"] - row["x0"], row["y1"] - row["y0"]
        box = f"{width} x {height} at {row['x0']},{row['y0']}"
        fractions = [f"{row[name]:.2f}" for name in ("x", "y", "xx", "yx", "yy")]
        whole = [f"{row[name]:,}" for name in ("label", "area", "perimeter")]
        rows.append([*whole, box, *fractions])
    print(aligned(rows))
    if table.size > _SHOWN:
        print(f"and {table.size - _SHOWN:,} that are not larger{hint}.")
