"""Labels of all cells of the step on display, decoded away from the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.showing.frames import Labels
from ccl_viewer.session.signals import Signal


@dataclass(eq=False)
class DecodingWork:
    """Decodes one step.

    Parameters
    ----------
    recording : Recording
        The run.
    index : int
        The step, from 0.
    decode : callable
        Returns its labels, or those of some cells.
    keep : callable
        Given these on the session's thread, keeps them.
    """

    recording: Recording
    index: int
    decode: Callable[[], Labels]
    keep: Callable[[Labels], object]
    labels: Labels | None = None

    def perform(self, _job: Job, /) -> None:
        """Decode it."""
        self.labels = self.decode()


class Decoding:
    """Has steps decoded one at a time: who still needs another when one arrives asks again.

    So of all that was asked for in the meantime, only what is on display then is decoded.

    Parameters
    ----------
    runner : Runner
        Runs the decoding.

    Attributes
    ----------
    arrived : Signal
        A step was decoded, or could not be.
    """

    def __init__(self, runner: Runner) -> None:
        self.arrived = Signal()
        self._latest = Latest(runner)
        self._failed: tuple[Recording, int] | None = None

    @property
    def busy(self) -> bool:
        """Whether a step is being decoded."""
        return self._latest.busy

    def has_failed(self, recording: Recording, index: int) -> bool:
        """Whether a step was found not to be decodable."""
        failed = self._failed
        return failed is not None and failed[0] is recording and failed[1] == index

    def start(self, work: DecodingWork) -> None:
        """Decode a step, unless another is being decoded."""
        if self.busy:
            return
        self._latest.start(
            "Following labels",
            work,
            done=lambda: self._ended(work),
            failed=lambda error: self._ended(work, error),
        )

    def close(self) -> None:
        """Hear nothing more of what is being decoded."""
        self._latest.stop()

    def _ended(self, work: DecodingWork, error: CCLViewerError | None = None) -> None:
        if error is None:
            if work.labels is not None:
                work.keep(work.labels)
        else:
            self._failed = work.recording, work.index
        self.arrived.emit()
