"""Runners for tests of the session: without threads."""

from __future__ import annotations

from ccl_viewer.session import Job


class AtOnce:
    """Runs each job when it is started."""

    def start(self, job: Job) -> None:
        job.execute()
        job.deliver()


class Later:
    """Runs jobs when it is told to."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def start(self, job: Job) -> None:
        self.jobs.append(job)

    def work(self) -> None:
        waiting, self.jobs = self.jobs, []
        for job in waiting:
            job.execute()
            job.deliver()
