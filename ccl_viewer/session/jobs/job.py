"""Work done away from the window: one job, what it reports, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.errors import CancelledError, CCLViewerError, MistakeError

Wake = Callable[[], None]


@dataclass(eq=False)
class Job:
    """A piece of work that runs on a thread of its own.

    `work` runs on the worker's thread and may call :meth:`report`; `done` and `failed` run on the
    session's thread, through :meth:`deliver`, so that they may change the session.

    Parameters
    ----------
    title : str
        What is being done, for the user: "Running Label Equivalence".
    work : callable
        Is given the job; does the work.
    done : callable
        Called when the work ended well.
    failed : callable
        Called with the error when the work did not.
    cancel : CancelToken
        Stops the work.
    detail : str
        What takes long just now, for the user.
    fraction : float or None
        Share of the work that is done, 0 to 1; None if it is not known.
    wake : callable
        Called after each report, on the worker's thread.
    """

    title: str
    work: Callable[[Job], None]
    done: Callable[[], None]
    failed: Callable[[CCLViewerError], None]
    cancel: CancelToken = field(default_factory=CancelToken)
    detail: str = ""
    fraction: float | None = None
    wake: Wake = field(default=lambda: None)
    _error: CCLViewerError | None = None
    _delivered: bool = False

    @property
    def awaited(self) -> bool:
        """Whether it may end well still: it has not ended, and nobody stopped it."""
        return not self._delivered and not self.cancel.cancelled

    def report(self, detail: str, fraction: float | None = None) -> None:
        """Say how far the work is; called on the worker's thread.

        Parameters
        ----------
        detail : str
            What takes long just now.
        fraction : float or None
            Share of the work that is done, 0 to 1; None if it is not known.
        """
        if not self.cancel.cancelled:  # of which was said that it stops
            self.detail = detail
            self.fraction = fraction
        self.wake()

    def execute(self) -> None:
        """Do the work, keeping the program's own errors for :meth:`deliver`."""
        try:
            self.cancel.check()
            self.work(self)
        except CCLViewerError as error:
            self._error = error

    def deliver(self, crash: BaseException | None = None) -> None:
        """Tell the session how the work ended; called on the session's thread.

        Parameters
        ----------
        crash : BaseException or None
            An error that :meth:`execute` let through: a fault of the program, not of the input.
        """
        self._delivered = True
        error = self._error
        if crash is not None:
            error = MistakeError(crash)
        elif error is None and self.cancel.cancelled:
            error = CancelledError()
        if error is None:
            self.done()
        else:
            self.failed(error)


class Runner(Protocol):
    """Runs jobs, one after the other, away from the session's thread."""

    def start(self, job: Job) -> None:
        """Run ``job.execute()``, then ``job.deliver()`` on the session's thread.

        While it runs, ``session.poll()`` is called on the session's thread after reports.
        """
