"""The one job that a session has in progress, and the message that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ccl_viewer.errors import CancelledError, CCLViewerError, MistakeError, message
from ccl_viewer.session.jobs.details import failure_details
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.work import Work
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Message, MessageKind


def _never() -> bool:
    return False


class Jobs:
    """Starts jobs, one at a time: a new one overtakes the one in progress, of which nothing counts.

    Parameters
    ----------
    runner : Runner
        Runs them.
    abandoned : callable
        Called when the job in progress was overtaken, cancelled, or failed.
    kept : callable
        Returns a sentence: what is on display after that.
    facts : callable
        Returns what is worth knowing of a failure, by name.
    """

    def __init__(
        self,
        runner: Runner,
        abandoned: Callable[[], object],
        kept: Callable[[], str] = str,
        facts: Callable[[], Mapping[str, object]] = dict,
    ) -> None:
        self.busy_changed = Signal()
        self.message_changed = Signal()
        self._runner = runner
        self._abandoned = abandoned
        self._kept = kept
        self._facts = facts
        self._job: Job | None = None
        self._message: Message | None = None
        self._writing = False
        self._broken_off = ""
        self._waiting: tuple[str, Callable[[], object]] | None = None

    @property
    def job(self) -> Job | None:
        """The job in progress."""
        return self._job

    @property
    def message(self) -> Message | None:
        """The sentence on display."""
        return self._message

    def start(
        self,
        title: str,
        work: Work,
        done: Callable[[], object],
        *,
        writing: bool = False,
        shows: Callable[[], bool] = _never,
    ) -> Job:
        """Do work away from this thread, instead of any in progress.

        Parameters
        ----------
        title : str
            What is being done, for the user.
        work : Work
            The work.
        done : callable
            Called on this thread once the work is done, unless other work overtook it.
        writing : bool
            Whether it writes a file, so that it is said if other work overtakes it.
        shows : callable
            Whether what is on display says by itself that the work was stopped; asked then.

        Returns
        -------
        Job
            The job, which may have ended.
        """
        self.clear()
        job = Job(
            title,
            work.perform,
            done=lambda: self._ended(job, None, done, shows),
            failed=lambda error: self._ended(job, error, done, shows),
        )
        self._job, self._writing = job, writing
        self.dismiss()
        if self._broken_off:
            title, self._broken_off = self._broken_off, ""
            self.say(MessageKind.WARNING, f"{title}: stopped, because other work began.")
        self._runner.start(job)
        self.busy_changed.emit()
        return job

    def cancel(self) -> None:
        """Ask the job in progress to stop."""
        if self._job is not None:
            self._job.cancel.cancel()
            self._job.detail = "Stopping"
            self.busy_changed.emit()

    def clear(self) -> None:
        """Ask the job in progress to stop, and take nothing over from it."""
        if self._job is not None:
            self._job.cancel.cancel()
            waiting, self._waiting = self._waiting, None
            self._broken_off = self._job.title if self._writing else ""
            if waiting is not None:
                self._broken_off = waiting[0]
            self._job = None
            self._abandoned()

    def when_idle(self, title: str, act: Callable[[], object]) -> None:
        """Do something once no work is in progress; not if that is stopped or overtaken.

        Parameters
        ----------
        title : str
            What is to be done, for the user, who is told if other work began instead.
        act : callable
            Does it.
        """
        self._waiting = title, act
        self._go_on()

    def say(self, kind: MessageKind, text: str, details: str = "") -> None:
        """Show a sentence, with what someone who is to help needs to know.

        Parameters
        ----------
        kind : MessageKind
            How grave it is.
        text : str
            The sentence.
        details : str
            What is behind it, to be copied into a report; empty if there is nothing.
        """
        self._message = Message(kind, message(text), details)
        self.message_changed.emit()

    def blame(self, title: str, fault: BaseException) -> None:
        """Show why something failed, with what someone who is to help needs to know."""
        error = fault if isinstance(fault, CCLViewerError) else MistakeError(fault)
        self.say(MessageKind.ERROR, str(error), failure_details(title, error, self._facts()))

    def dismiss(self) -> None:
        """Take the sentence away."""
        if self._message is not None:
            self._message = None
            self.message_changed.emit()

    def _ended(
        self,
        job: Job,
        error: CCLViewerError | None,
        done: Callable[[], object],
        shows: Callable[[], bool],
    ) -> None:
        if job is not self._job:
            return
        self._job = None
        if error is None:
            done()
        else:
            self._abandoned()
            if isinstance(error, CancelledError):
                self._waiting = None
                if not shows():
                    self.say(MessageKind.INFO, f"{job.title}: stopped. {self._kept()}".rstrip())
            else:
                self.blame(job.title, error)
        self.busy_changed.emit()
        self._go_on()

    def _go_on(self) -> None:
        if self._job is None and self._waiting is not None:
            (_, act), self._waiting = self._waiting, None
            act()
