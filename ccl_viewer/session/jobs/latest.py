"""Work of which only the newest counts, as behind a preview."""

from __future__ import annotations

from collections.abc import Callable

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.work import Work


class Latest:
    """Starts jobs; a new one cancels the one before it, of which nothing is heard any more.

    Parameters
    ----------
    runner : Runner
        Runs them.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._job: Job | None = None

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""
        return self._job is not None

    def start(
        self,
        title: str,
        work: Work,
        done: Callable[[], object],
        failed: Callable[[CCLViewerError], object],
        cancel: CancelToken | None = None,
    ) -> None:
        """Do work instead of any in progress.

        Parameters
        ----------
        title : str
            What is being done, for the user.
        work : Work
            The work.
        done, failed : callable
            Called on this thread once the work is done or was given up, unless newer work or
            :meth:`stop` came before.
        cancel : CancelToken or None
            Stops the work; None for a usual one.
        """
        self.stop()
        job = Job(
            title,
            work.perform,
            done=lambda: self._ended(job, done),
            failed=lambda error: self._ended(job, lambda: failed(error)),
            cancel=CancelToken() if cancel is None else cancel,
        )
        self._job = job
        self._runner.start(job)

    def stop(self) -> None:
        """Ask the work in progress to stop, and hear nothing more of it."""
        if self._job is not None:
            self._job.cancel.cancel()
            self._job = None

    def _ended(self, job: Job, tell: Callable[[], object]) -> None:
        if job is self._job:
            self._job = None
            tell()
