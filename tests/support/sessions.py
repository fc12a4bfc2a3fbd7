"""Sessions for tests, whose long work is done when the test says so."""

from __future__ import annotations

from ccl_viewer.session import Cell, Job, Session
from ccl_viewer.session.editing.tools import Tools


class HeldRunner:
    """Keeps jobs until the test runs them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def start(self, job: Job) -> None:
        self.jobs.append(job)

    def work(self, job: Job) -> None:
        self.jobs.remove(job)
        job.execute()
        job.deliver()

    def work_all(self) -> None:
        while self.jobs:
            self.work(self.jobs[0])


def draw(tools: Tools, cell: Cell) -> None:
    """Draw one cell with the tool in use."""
    tools.press(cell)
    tools.release()


def is_stale(session: Session) -> bool:
    return session.stale


def is_playing(session: Session) -> bool:
    return session.playback.playing
