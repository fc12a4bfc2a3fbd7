"""The work in progress, and the sentence on display: what the session says of both."""

from __future__ import annotations

from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.state import Message, MessageKind


class Working:
    """Works on one job at a time, and tells what becomes of it.

    Parameters
    ----------
    jobs : Jobs
        Does the work.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self.busy_changed = jobs.busy_changed
        self.message_changed = jobs.message_changed

    @property
    def job(self) -> Job | None:
        """The work in progress."""
        return self._jobs.job

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""
        return self._jobs.job is not None

    @property
    def message(self) -> Message | None:
        """The sentence on display."""
        return self._jobs.message

    def say(self, kind: MessageKind, text: str) -> None:
        """Show a sentence."""
        self._jobs.say(kind, text)

    def confess(self, fault: BaseException) -> None:
        """Show that the program itself failed, at what it was doing for the views."""
        self._jobs.blame("Showing the window", fault)

    def dismiss(self) -> None:
        """Take the sentence away."""
        self._jobs.dismiss()
