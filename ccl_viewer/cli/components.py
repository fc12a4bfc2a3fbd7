"""``ccl-viewer components``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from ccl_viewer import api
from ccl_viewer.algorithms.copies import is_copy
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.cli.runs import check_output, read_run
from ccl_viewer.cli.terminal import ProgressLine, aligned, run_cancellable
from ccl_viewer.errors import InputError, cut
from ccl_viewer.export.component_table import (
    Table,
    check_table_name,
    largest_first,
    save_components,
)
from ccl_viewer.units import counted

_SHOWN: Final = 20
_HEADINGS: Final = ("number", "area", "perimeter", "box", "x", "y", "xx", "yx", "yy")


def show(arguments: argparse.Namespace) -> int:
    """List an image's components: the largest on the terminal, all of them in a file.

    Raises
    ------
    InputError
        If the input or the output's name cannot be used.
    """
    output = None if arguments.output is None else Path(arguments.output)
    if output is not None:
        check_table_name(output)
        check_output(output, [arguments.image], arguments)
    if arguments.algorithm is not None and is_copy(arguments.algorithm):
        raise InputError(
            "The table is the same whichever algorithm labels, and copies of kernels are not used "
            "for it: leave out -a."
        )
    streamed = arguments.workers is not None or ".zarr" in arguments.image.lower()
    table, run = (_stream if streamed else _find)(arguments)
    kept = table[table["area"] >= arguments.minimum_area]
    if output is not None:
        save_components(output, kept, run)
    found = counted(table.size, "component")
    which = f", {kept.size:,} of {arguments.minimum_area:,} cells or more"
    name = "" if output is None else f"{cut(output)}: "
    which = which if kept.size < table.size else ""
    print(f"{name}{found}, {run['connectivity']}-connected{which}.")
    _print(kept, "" if output is not None else "; -o table.csv has all")
    return 0


def _find(arguments: argparse.Namespace) -> tuple[Table, dict[str, Any]]:
    """Read and label the whole image."""
    run = read_run(arguments, arguments.image)

    def work(cancel: CancelToken, line: ProgressLine) -> Table:
        line(f"Labelling {run.loaded.source}")
        table = api.components(
            run.loaded.grid,
            run.connectivity,
            arguments.device,
            run.algorithm.key,
            multivalued=run.multivalued,
            schedule=arguments.schedule,
            cancel=cancel,
            progress=line,
        )
        cancel.check()  # before the table is written, which may take as long
        return table

    table = run_cancellable(work)
    return table, _described(arguments, run.loaded.grid.shape, run.connectivity)


def _stream(arguments: argparse.Namespace) -> tuple[Table, dict[str, Any]]:
    """Label a file a block at a time, so that it need not fit into memory."""
    from ccl_viewer import streaming

    streaming.check_installed()
    if not streaming.can_stream(arguments.image):
        raise InputError("Workers read a Zarr array (.zarr) or a TIFF (.tif): leave out --workers.")
    if arguments.multivalued and arguments.invert:
        raise InputError("Multi-valued input has no two sides: leave out --invert.")
    source = streaming.open_source(Path(arguments.image))
    connectivity, workers = arguments.connectivity or 4, arguments.workers or 2

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
            connectivity,
            arguments.device,
            arguments.algorithm,
            multivalued=arguments.multivalued,
            schedule=arguments.schedule,
        )
        line(f"Labelling {source.path}")
        return streaming.compute_in_threads(table, workers, cancel)

    return run_cancellable(work), _described(arguments, source.shape, connectivity)


def _described(
    arguments: argparse.Namespace, shape: tuple[int, ...], connectivity: int
) -> dict[str, Any]:
    return {
        "source": arguments.image,
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
