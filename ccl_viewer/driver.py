"""The one driver: plays a plan on a device.

Recording, timing, labelling and testing all come through here; they differ only in the observer.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol, TypeVar

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.devices.base import DeviceRun, Elapsed
from ccl_viewer.errors import InputError
from ccl_viewer.plan import Buffer, Fill, Launch, Read, Reply, Request

Result = TypeVar("Result")

_MOST_BLOCKS_DOWN = 65_535  # CUDA's limit on a grid's y and z; that on x is never reached


class Observer(Protocol):
    """Is told of every launch, after it was started."""

    def launched(self, launch: Launch, elapsed: Elapsed, run: DeviceRun) -> None:
        """Take note of a launch.

        Parameters
        ----------
        launch : Launch
            What was launched.
        elapsed : callable
            Returns the launch's time in milliseconds.
        run : DeviceRun
            Lets the observer read buffers; what it does lies outside the timed launches.
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
        The plan; it is closed when anything goes wrong.
    run : DeviceRun
        Where to play it.
    observer : Observer or None
        Told of every launch.
    cancel : CancelToken or None
        Checked before every request.

    Returns
    -------
    object
        What the plan returned; an :class:`~ccl_viewer.plan.Outcome` for an algorithm's plan.

    Raises
    ------
    CancelledError
        If the token was cancelled.
    InputError
        If the grid is too tall for a launch.
    CCLViewerError
        Whatever the device raises.
    """
    reply: Reply = None
    try:
        while True:
            if cancel is not None:
                cancel.check()
            try:
                request = plan.send(reply)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            reply = _serve(request, run, observer)
    finally:
        plan.close()


def _serve(request: Request, run: DeviceRun, observer: Observer | None) -> Reply:
    match request:
        case Buffer():
            run.allocate(request)
        case Fill():
            run.fill(request.buffer, request.value)
        case Read():
            return run.read(request.buffer).copy()
        case Launch():
            _check_grid(request)
            elapsed = run.launch(request)
            if observer is not None:
                observer.launched(request, elapsed, run)
    return None


def _check_grid(launch: Launch) -> None:
    most = max(launch.grid[1:])
    if most > _MOST_BLOCKS_DOWN:
        raise InputError(
            f"The grid is too tall: {launch.kernel.name} would need {most} rows of blocks, and "
            f"CUDA allows {_MOST_BLOCKS_DOWN}: turn the grid on its side, or choose "
            "label_equivalence, which counts cells without rows."
        )
