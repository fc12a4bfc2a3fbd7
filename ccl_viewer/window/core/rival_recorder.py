"""Records the runs beside the session's, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.window.core.run_display import RunDisplay, ShownRun
from ccl_viewer.window.core.runs import record_until_error

if TYPE_CHECKING:
    from ccl_viewer.recording import Recording
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.panes import Pane
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue

STOPPED: Final = "Stopped."

_PANES: Final = "panes"


class RivalRecorder:
    """Records each run of a comparison that is not of the grid, once the session's has ended.

    `ended` is called with a pane, its run, and why there is none.
    """

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        document: Document,
        runs: RunController,
        display: RunDisplay,
        ended: Callable[[Pane, ShownRun | None, str], object],
    ) -> None:
        self._tasks, self._document, self._runs = tasks, document, runs
        self._display, self._ended = display, ended
        self._image: Grid | None = None
        self.recorded_now: Pane | None = None

    def follow(self, rivals: Sequence[Pane]) -> None:
        """Mark runs that are not of the grid as stale, and record the next one."""
        image = self._grid_to_run()
        for pane in rivals:
            run = pane.display.recording
            pane.display.set_stale(run is not None and not self._is_of(run, image))
        if image is None:
            self.stop()
            return
        another = not _same(image, self._image)
        self._image = image
        for pane in rivals:
            if another or pane.ready:
                pane.failure = ""
        if self.recorded_now is None:
            waiting = (pane for pane in rivals if not pane.ready and not pane.failure)
            self.recorded_now = next(waiting, None)
            if self.recorded_now is not None:
                self._record(self.recorded_now, image)

    def stop(self) -> None:
        self._tasks.abandon(_PANES)
        self.recorded_now = None

    def _grid_to_run(self) -> Grid | None:
        """Return the grid for the other runs; None until the session's run has ended."""
        own, grid = self._display.recording, self._document.grid
        if self._runs.running or grid is None:
            return None
        if own is not None:
            return own.image if _same(own.image, grid) else None
        return self._image if _same(self._image, grid) else grid.copy()

    def _is_of(self, run: Recording, image: Grid | None) -> bool:
        """Return whether a run is of a grid, with as many values as the settings say."""
        several = self._runs.settings.multivalued
        return run.multivalued == several and _same(run.image, image)

    def _record(self, pane: Pane, image: Grid) -> None:
        settings = replace(pane.settings, multivalued=self._runs.settings.multivalued)
        own, before = self._display, pane.display.colouring
        counts = self._runs.will_count(image.size) or bool(
            own.recording and own.recording.has_counts
        )
        beside = own.colouring

        def work(task: BackgroundTask) -> ShownRun:
            run = record_until_error(image, settings, task, counts=counts)
            return ShownRun.prepare(run, task.check, before=before, beside=beside)

        def done(run: ShownRun) -> None:
            self.recorded_now = None
            self._ended(pane, run, "")

        def failed(error: CCLViewerError) -> None:
            self.recorded_now = None
            self._ended(pane, None, STOPPED if isinstance(error, CancelledError) else str(error))

        self._tasks.start(f"Running {pane.title}", work, done, failed, group=_PANES)


def _same(one: Grid | None, other: Grid | None) -> bool:
    if one is None or other is None:
        return False
    return one is other or (one.shape == other.shape and np.array_equal(one, other))
