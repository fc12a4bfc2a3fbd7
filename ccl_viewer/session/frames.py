"""The label frames that a window looks at, decoded ahead of the next step."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording

Labels = npt.NDArray[np.int32]

AHEAD_CELLS = 1 << 18
"""Grids with fewer cells are decoded so quickly that nothing is gained by doing it ahead."""


class Frames:
    """Keeps the frame on display and its neighbours, for one thread.

    Once a step was asked for, the one after it is decoded on a thread of its own (the one before
    it, if the last step was backwards), so that playing and stepping find it ready.
    """

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._index = 0
        self._kept: dict[int, Labels] = {}
        self._ahead: tuple[int, Future[Labels]] | None = None
        self._executor: ThreadPoolExecutor | None = None

    def at(self, recording: Recording, index: int) -> Labels:
        """Return the labels of the step on display, and begin with the next.

        Parameters
        ----------
        recording : Recording
            The run on display.
        index : int
            The step on display, from 0.

        Returns
        -------
        ndarray of int32, shape (height, width)
            Raw labels, read-only.
        """
        if recording is not self._recording:
            self._forget(recording)
        elif index == self._index and index in self._kept:
            return self._kept[index]
        direction = -1 if index == self._index - 1 and index > 0 else 1
        before, self._index = self._index, index
        frame = self._get(index)
        self._kept = {i: kept for i, kept in self._kept.items() if i in {index, before}}
        self._begin(index + direction)
        return frame

    def beside(self, recording: Recording, index: int) -> Labels:
        """Return the labels of a step that is only compared with the one on display."""
        if recording is not self._recording:
            return recording.labels(index)
        return self._get(index)

    def close(self) -> None:
        """Let go of all frames, and wait for the one that is being decoded."""
        self._forget(None)
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _forget(self, recording: Recording | None) -> None:
        self._recording, self._index = recording, 0
        self._kept.clear()
        if self._ahead is not None:
            self._ahead[1].cancel()
            self._ahead = None

    def _get(self, index: int) -> Labels:
        if index not in self._kept:
            self._kept[index] = self._decoded(index)
        return self._kept[index]

    def _decoded(self, index: int) -> Labels:
        if self._recording is None:
            raise ValueError("no recording is on display")
        # What has not begun yet is done sooner here than behind other work.
        if self._ahead is not None and self._ahead[0] == index and not self._ahead[1].cancel():
            return self._ahead[1].result()
        return self._recording.labels(index)

    def _begin(self, index: int) -> None:
        recording = self._recording
        if recording is None or recording.image.size < AHEAD_CELLS:
            return
        if index in self._kept or not 0 <= index < len(recording):
            return
        if self._ahead is not None:
            if self._ahead[0] == index and not self._ahead[1].cancelled():
                return
            self._ahead[1].cancel()
        if self._executor is None:
            self._executor = ThreadPoolExecutor(1, thread_name_prefix="ccl-viewer-ahead")
        self._ahead = (index, self._executor.submit(recording.labels, index))
