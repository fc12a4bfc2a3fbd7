"""Writes what a session shows to files: the run, the grid, an animation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ccl_viewer.grids import Grid
from ccl_viewer.recording import Recording
from ccl_viewer.session.desk import Desk
from ccl_viewer.session.state import MessageKind
from ccl_viewer.session.work import RECORDING_SUFFIX, ExportingWork, SavingWork


class Output:
    """Saves and exports, on the worker's thread.

    Parameters
    ----------
    desk : Desk
        Where work is done.
    grid, recording : callable
        Return what is on display; None if there is none.
    """

    def __init__(
        self,
        desk: Desk,
        grid: Callable[[], Grid | None],
        recording: Callable[[], Recording | None],
    ) -> None:
        self._desk = desk
        self._grid = grid
        self._recording = recording

    def save(self, path: Path) -> None:
        """Write the run to a ``.cclrec`` file, or the grid to one of another suffix."""
        what = self._recording() if path.suffix.lower() == RECORDING_SUFFIX else self._grid()
        if what is None:
            self._say("There is nothing to save yet: open a picture and run it.")
            return
        self._desk.start(
            f"Saving {path.name}",
            SavingWork(path, what if isinstance(what, Recording) else what.copy()),
            lambda: self._say(f"Saved {path}."),
            writing=True,
        )

    def export(self, path: Path, theme: str, fps: float) -> None:
        """Write the run as an animation or as pictures.

        Parameters
        ----------
        path : Path
            Its suffix chooses the format; without one, a folder of pictures.
        theme : str
            ``"dark"`` or ``"light"``.
        fps : float
            Steps a second.
        """
        recording = self._recording()
        if recording is None:
            self._say("There is no run to export yet: run an algorithm first.")
            return
        self._desk.start(
            f"Exporting {path.name}",
            ExportingWork(recording, path, theme, fps),
            lambda: self._say(f"Exported {path}."),
            writing=True,
        )

    def _say(self, sentence: str) -> None:
        self._desk.say(MessageKind.INFO, sentence)
