"""Helpers of commands that run an algorithm: they turn arguments into grids, rows and runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ccl_viewer.algorithms import Algorithm, choose_algorithm, parse_algorithm
from ccl_viewer.cli.terminal import ProgressLine, run_abandonable
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.grids import Loaded
from ccl_viewer.grids.grid import DEFAULT_PIXELS, MAX_PIXELS
from ccl_viewer.grids.specs import open_grid, open_segments
from ccl_viewer.recording import Recording, Step
from ccl_viewer.render.layers import COUNTED
from ccl_viewer.storage.files import (
    check_is_another_file,
    check_new_folder,
    check_writable,
    is_zarr_folder,
)
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.process import Limits
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

_OF_RUNS = {
    "algorithm": "-a",
    "connectivity": "-c",
    "device": "-d",
    "schedule": "-s",
    "parameter": "-p",
    "threshold": "--threshold",
    "invert": "--invert",
    "large": "--large",
    "index": "--index",
    "channel": "--channel",
    "multivalued": "--multivalued",
    "consecutive": "--consecutive",
    "ledger": "--ledger",
}
"""Arguments that only apply to runs, and how they are written."""

_DEFAULT = {"device": "auto", "schedule": "auto", "threshold": "otsu"}


@dataclass(frozen=True)
class RequestedRun:
    """A run as requested on the command line.

    Parameters
    ----------
    loaded : Loaded
        The grid and where it came from.
    algorithm : Algorithm
        The algorithm.
    connectivity : int
        4 or 8: as requested, or else as :func:`~ccl_viewer.algorithms.choose_algorithm` chooses.
    parameters : dict
        Parameters of the algorithm, as given.
    multivalued : bool
        Whether only cells of equal value connect.
    """

    loaded: Loaded
    algorithm: Algorithm
    connectivity: int
    parameters: dict[str, ParameterValue]
    multivalued: bool


def replace_algorithm(arguments: argparse.Namespace, text: str) -> argparse.Namespace:
    """Return the arguments for one of several runs, ``KEY`` or ``KEY:NAME=VALUE``.

    Raises
    ------
    InputError
        If it has another form.
    """
    key, settings = parse_algorithm(text)
    parameters = [*arguments.parameter, *settings.items()]
    return argparse.Namespace(**vars(arguments) | {"algorithm": key, "parameter": parameters})


def read_algorithm(
    arguments: argparse.Namespace, *, many_threads: bool = False
) -> tuple[Algorithm, int]:
    """Return the algorithm and the connectivity: as requested, or by default.

    The device's number of threads affects the choice of the algorithm, but not the connectivity.

    Raises
    ------
    InputError
        If there is no such algorithm, or it does not support the options.
    """
    algorithm, connectivity = choose_algorithm(
        arguments.algorithm,
        arguments.connectivity,
        multivalued=arguments.multivalued,
        many_threads=many_threads,
    )
    if arguments.multivalued and arguments.invert:
        raise InputError("Multi-valued input has no two sides: leave out --invert.")
    algorithm.complete(dict(getattr(arguments, "parameter", ())))
    return algorithm, connectivity


def read_run(
    arguments: argparse.Namespace,
    source: str,
    cancel: CancelToken | None = None,
    loaded: Loaded | None = None,
) -> RequestedRun:
    """Open the grid and look up the algorithm; a command without ``-p`` gives no parameters.

    A grid already `loaded` is not opened again.

    Raises
    ------
    InputError
        If either is invalid.
    """
    many_threads = False
    if arguments.algorithm is None:
        many_threads = open_device(arguments.device, arguments.schedule, cells=1).many_threads
    algorithm, connectivity = read_algorithm(arguments, many_threads=many_threads)
    parameters: dict[str, ParameterValue] = dict(getattr(arguments, "parameter", ()))
    if loaded is None:
        loaded = run_abandonable(partial(read_grid, arguments, source), cancel)
    return RequestedRun(loaded, algorithm, connectivity, parameters, arguments.multivalued)


def read_grid(arguments: argparse.Namespace, source: str) -> Loaded:
    """Read a grid with the options for reading images.

    Raises
    ------
    InputError
        If it cannot be read with these.
    """
    most = MAX_PIXELS if arguments.large else DEFAULT_PIXELS
    which = {"index": arguments.index, "channel": arguments.channel}
    if arguments.multivalued:
        return open_segments(source, most, **which)
    return open_grid(source, arguments.threshold, invert=arguments.invert, max_pixels=most, **which)


def check_output(output: Path, sources: Iterable[str], arguments: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, or that would replace the input.

    Raises
    ------
    InputError
        If it cannot be written, or is a source and ``--force`` is missing.
    """
    check_writable(output)
    if not arguments.force:
        check_is_another_file(output, sources)


def check_output_folder(path: Path, sources: Iterable[str], *, force: bool) -> None:
    """Refuse an output folder, such as a Zarr array, as :func:`check_output` does for a file.

    Raises
    ------
    InputError
        If it exists, except for a Zarr array with ``--force``; or a source is in it.
    """
    for source in sources:
        inside = False
        with suppress(OSError, ValueError):
            inside = path.resolve() in Path(source).resolve().parents
        if inside:
            raise InputError(
                f"{shorten(path)} contains the input {shorten(source)}: name another folder."
            )
    again = ", or add --force" if is_zarr_folder(path) else ""
    check_new_folder(path, f"name another folder{again}", replace=force)


def check_json_output(output: Path, sources: Iterable[str], arguments: argparse.Namespace) -> None:
    """Refuse an output for JSON as :func:`check_output` does, or with an unsuitable name.

    Raises
    ------
    InputError
        If it is not valid: a typing error must not replace a recording.
    """
    if output.suffix.lower() != ".json":
        raise InputError(
            f"{shorten(output)} is not a name for JSON: use a name that ends in .json, or -."
        )
    check_output(output, sources, arguments)


def check_results_folder(path: Path, *, force: bool) -> None:
    """Refuse an unusable folder for results; it may not exist yet.

    Raises
    ------
    InputError
        If nothing can be written there, or it is not empty and `force` is False.
    """
    if not force:
        check_new_folder(path, "name another folder, or add --force to write into it")
    first = path / "results"  # a file that would be written
    while not os.path.exists(first.parent):  # noqa: PTH110  (which raises for some names)
        first = first.parent
    check_writable(first)


def make_folder(path: Path) -> Path:
    """Return a folder, created if necessary.

    Raises
    ------
    InputError
        If it cannot be created.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"The folder {shorten(path)} cannot be created ({reason}): name another one."
        ) from error
    return path


def check_no_run_options(arguments: argparse.Namespace) -> None:
    """Refuse options for runs if a recording is given.

    Raises
    ------
    InputError
        If there are such options.
    """
    idle = [option for name, option in _OF_RUNS.items() if _is_chosen(arguments, name)]
    if idle:
        raise InputError(
            f"A recording is of a finished run: leave out {' and '.join(idle)}, or give an "
            "image or a pattern."
        )


def is_recording(source: str) -> bool:
    """Return whether the name of a source is that of a recording."""
    return Path(source).suffix.lower() == ".cclrec"


def _is_chosen(arguments: argparse.Namespace, name: str) -> bool:
    return getattr(arguments, name, None) not in (None, False, [], _DEFAULT.get(name))


def record_run(
    run: RequestedRun, arguments: argparse.Namespace, cancel: CancelToken, line: ProgressLine
) -> Recording:
    """Record a run, with progress on the terminal.

    Raises
    ------
    CCLViewerError
        Any error of the device.
    """

    def on_step(step: Step) -> None:
        iteration = "" if step.iteration is None else f", iteration {step.iteration}"
        line(f"Step {step.index + 1}: {step.stage}{iteration}, {step.changed:,} cells changed")

    options = vars(arguments)
    shown = options.get("colours") in COUNTED or options.get("sync") == "bytes"
    job = RecordJob(
        image=run.loaded.grid,
        algorithm=run.algorithm,
        connectivity=run.connectivity,
        parameters=run.parameters,
        device=arguments.device,
        schedule=arguments.schedule,
        multivalued=run.multivalued,
        consecutive=bool(options.get("consecutive")),
        ledger=bool(options.get("ledger")) or shown,
        limits=Limits(arguments.seconds),
    )
    return choose_recorder(job, cancel=cancel, progress=line, on_step=on_step).run()
