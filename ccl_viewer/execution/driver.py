"""The driver: plays a plan on a device.

Recording, timing, labelling and tests all use it; they differ only in the observer.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from typing import Protocol, TypeVar

from ccl_viewer.errors import KernelFaultError
from ccl_viewer.execution.device import DeviceRun, Elapsed
from ccl_viewer.execution.plan import (
    Buffer,
    Dim3,
    Fill,
    Launch,
    NumberingRequests,
    NumberPlan,
    Read,
    Reply,
    Request,
    StartRead,
)
from ccl_viewer.support.cancellation import CancelToken

Result = TypeVar("Result")

MAX_BLOCKS_DOWN = 65_535
"""CUDA's limit on a grid's y; no launch reaches those on x and z."""

_SPARE_ROUNDS = 64


class Observer(Protocol):
    """Is called after every launch."""

    def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun, /) -> None:
        """Handle a launch that was started.

        Parameters
        ----------
        launch : Launch
            The launch.
        elapsed : callable
            Returns the launch's time in milliseconds.
        run : DeviceRun
            Lets the observer read buffers; its work is not part of the timed launches.
        """


def execute(
    plan: Generator[Request, Reply, Result],
    run: DeviceRun,
    *,
    observer: Observer | None = None,
    cancel: CancelToken | None = None,
) -> Result:
    """Play a plan to its end.

    Parameters
    ----------
    plan : generator
        The plan; it is closed on an error.
    run : DeviceRun
        The run to play it on.
    observer : Observer or None
        Called after every launch.
    cancel : CancelToken or None
        Checked before every request.

    Returns
    -------
    object
        What the plan returned; an :class:`~ccl_viewer.execution.plan.Outcome` for an algorithm's
        plan.

    Raises
    ------
    CancelledError
        If the token was cancelled.
    KernelFaultError
        If a convergence loop takes more rounds than any grid needs.
    CCLViewerError
        Any error of the device.
    """
    reply: Reply = None
    cells = 0
    try:
        while True:
            if cancel is not None:
                cancel.check()
            try:
                request = plan.send(reply)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            if isinstance(request, Buffer):
                cells = max(cells, math.prod(request.shape))
            elif isinstance(request, Launch):
                _check_round(request, cells)
            reply = _serve(request, run, observer)
    finally:
        plan.close()


def _serve(request: Request, run: DeviceRun, observer: Observer | None) -> Reply:
    match request:
        case Buffer():
            run.allocate(request)
        case Fill():
            run.fill(request.buffer, request.value)
        case StartRead():
            run.start_read(request.buffer)
        case Read():
            return run.read(request.buffer).copy()
        case Launch():
            launch = _fold_launch(request)
            try:
                elapsed = run.launch(launch)
            except KernelFaultError as error:
                error.launch = launch
                raise
            if observer is not None:
                observer.launched(launch, elapsed, run)
    return None


def _check_round(launch: Launch, cells: int) -> None:
    """Stop a loop that does not converge: each round must settle at least one cell."""
    if launch.iteration is not None and launch.iteration > 2 * cells + _SPARE_ROUNDS:
        raise KernelFaultError(
            f"The labels do not converge: {launch.iteration - 1:,} rounds of "
            f"{launch.kernel.name} are more than the grid has cells, and something still changes: "
            "check what raises the flag, and for a race that undoes what other threads do.",
            kind="endless loop",
            file=launch.kernel.file,
            kernel=launch.kernel.name,
        )


def collect_requests(plan: NumberPlan, image: Buffer) -> NumberingRequests:
    """Play a plan that reads nothing without a device, and keep its requests.

    Parameters
    ----------
    plan : generator
        The plan; its buffers have no initial fill.
    image : Buffer
        The buffer of the grid in the plan.

    Returns
    -------
    NumberingRequests
        The plan's buffers and launches.

    Raises
    ------
    TypeError
        If the plan yields any other request.
    """
    buffers: list[Buffer] = []
    launches: list[Launch] = []
    try:
        while True:
            match plan.send(None):
                case Buffer(fill=None) as buffer:
                    buffers.append(buffer)
                case Launch() as launch:
                    launches.append(_fold_launch(launch))
                case request:
                    raise TypeError(f"{request} cannot be kept to be launched again")
    except StopIteration as stop:
        numbers, count = stop.value
        return NumberingRequests(image, numbers, count, tuple(buffers), tuple(launches))


def _fold_launch(launch: Launch) -> Launch:
    """Fold a launch that has too many rows of blocks for CUDA; kernels call block_row()."""
    if launch.grid[1] <= MAX_BLOCKS_DOWN:
        return launch
    return replace(launch, grid=fold_grid(launch.grid, MAX_BLOCKS_DOWN))


def fold_grid(grid: Dim3, most: int) -> Dim3:
    """Fold the rows of a grid of blocks into as few and as equal layers as possible.

    Parameters
    ----------
    grid : tuple of three int
        Blocks in x and y; one layer.
    most : int
        Most rows of a layer.

    Returns
    -------
    tuple of three int
        Blocks in x, y and z. Fewer rows than there are layers are unused, at the end of the last
        layer.

    Raises
    ------
    ValueError
        If the grid has several layers already.
    """
    across, down, layers = grid
    if layers != 1:
        raise ValueError(f"a grid of {layers} layers cannot be folded")
    layers = -(-down // most)
    return (across, -(-down // layers), layers)
