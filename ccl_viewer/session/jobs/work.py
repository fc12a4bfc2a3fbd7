"""What the worker's thread is given to do."""

from __future__ import annotations

from typing import Protocol

from ccl_viewer.session.jobs.job import Job


class Work(Protocol):
    """Something that takes long; its results are read once it is done."""

    def perform(self, job: Job, /) -> None:
        """Do it; called on the worker's thread."""
