"""The label frames that a window looks at, decoded ahead of the next step."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen

Labels: TypeAlias = npt.NDArray[np.int32]
Known: TypeAlias = tuple[int, Labels] | None
"""A step and its labels, from which others are reached."""

Decode: TypeAlias = Callable[[int, Known], Labels]

Lookup: TypeAlias = Callable[[npt.NDArray[np.int64]], Labels]
"""Gives the raw labels of cells, by their linear indices."""

AHEAD_CELLS = 1 << 18
"""Grids with fewer cells are decoded so quickly that nothing is gained by doing it ahead."""

_KEPT: Final = 3
_SAMPLES_KEPT: Final = 8
_CARRIED: Final = 0.1


class Frames:
    """Keeps the frame on display and its neighbours, for one thread.

    Of large grids, only the labels of the cells in sight are decoded, unless all are asked for.
    Once a step was asked for, those beside it are decoded on a thread of its own, first the one in
    the direction of the last step, so that playing and stepping find them ready.
    """

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._chosen: Chosen | None = None
        self._whole = _Ahead(_KEPT)
        self._seen = _Ahead(_SAMPLES_KEPT)

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
        self._show(recording)
        return self._whole.at(
            index, _whole_of(recording), len(recording) if is_large(recording) else 0
        )

    def beside(self, recording: Recording, index: int) -> Labels:
        """Return the labels of a step that is only compared with the one on display."""
        if recording is not self._recording:
            return recording.labels(index)
        return self._whole.get(index, _whole_of(recording))

    def begun(self, recording: Recording, index: int) -> Callable[[], Labels] | None:
        """Return what decodes a step's labels, on any thread; None if they are there already.

        What it returns is for :meth:`keep`.
        """
        self._show(recording)
        if not is_large(recording) or self._whole.kept(index) is not None:
            return None
        return self._whole.decoder(index, _whole_of(recording))

    def keep(self, recording: Recording, index: int, labels: Labels) -> None:
        """Keep labels that were decoded elsewhere, unless another run is on display."""
        if recording is self._recording:
            self._whole.keep(index, labels)

    def begun_to_see(
        self, recording: Recording, index: int, chosen: Chosen
    ) -> Callable[[], Labels] | None:
        """Return what decodes some cells of a step, on any thread; None if that need not wait.

        The first look at a large run may have to decode many steps; from then on there is always
        one near by. What it returns is for :meth:`keep_seen`.
        """
        self._show(recording)
        if not is_large(recording) or self._chosen is not None or recording.holds(index):
            return None
        return lambda: recording.peek(index, chosen)

    def keep_seen(self, recording: Recording, index: int, chosen: Chosen, labels: Labels) -> None:
        """Keep labels of some cells, unless another run is on display or was looked at since."""
        if recording is self._recording and self._chosen is None:
            self._chosen = chosen
            self._seen.keep(index, labels)

    def seen(self, recording: Recording, index: int, chosen: Chosen, *, beside: bool) -> Labels:
        """Return the labels of some cells of the step on display, and begin with its neighbours.

        Parameters
        ----------
        recording : Recording
            The run on display.
        index : int
            The step, from 0.
        chosen : Chosen
            The cells; as long as they are the same object, what was decoded is kept.
        beside : bool
            Whether the step is only compared with the one on display.

        Returns
        -------
        ndarray of int32, of the shape of the cells
            Raw labels.
        """
        if not is_large(recording):
            whole = self.beside(recording, index) if beside else self.at(recording, index)
            return whole.reshape(-1)[chosen.cells]
        self._show(recording)
        if chosen is not self._chosen:
            carried = self._carried(recording, index, chosen)
            self._seen.forget()
            self._chosen = chosen
            if carried is not None:
                self._seen.keep(index, carried)
        decode = _part_of(recording, chosen)
        if beside:
            return self._seen.get(index, decode)
        return self._seen.at(index, decode, len(recording))

    def lookup(self, recording: Recording, index: int) -> Lookup:
        """Return what gives the labels of any few cells of a step, by their linear indices."""
        if is_large(recording) and self._whole.kept(index) is None:
            return lambda cells: recording.peek(index, Chosen.of(cells))
        flat = self.beside(recording, index).reshape(-1)
        return lambda cells: flat[cells]

    def close(self) -> None:
        """Let go of all frames, and wait for those that are being decoded."""
        self._show(None)
        self._whole.close()
        self._seen.close()

    def _carried(self, recording: Recording, index: int, chosen: Chosen) -> Labels | None:
        """Return the labels of cells most of which were in sight before, as while drawing."""
        old, kept = self._chosen, self._seen.kept(index)
        if old is None or kept is None or old.cells.shape != chosen.cells.shape:
            return None
        new = old.cells != chosen.cells
        if np.count_nonzero(new) > new.size * _CARRIED:
            return None
        labels = kept.copy()
        labels[new] = recording.peek(index, Chosen.of(chosen.cells[new]))
        return labels

    def _show(self, recording: Recording | None) -> None:
        if recording is not self._recording:
            self._recording, self._chosen = recording, None
            self._whole.forget()
            self._seen.forget()


def is_large(recording: Recording) -> bool:
    """Return whether a recording is of a grid that is worth decoding ahead, and in part."""
    return recording.image.size >= AHEAD_CELLS


def _whole_of(recording: Recording) -> Decode:
    return lambda index, _known: recording.labels(index)


def _part_of(recording: Recording, chosen: Chosen) -> Decode:
    return lambda index, known: recording.peek(index, chosen, known)


class _Ahead:
    """Decodes what is asked for, or takes it from the thread that decoded it ahead."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[int, Labels] = OrderedDict()
        self._begun: dict[int, Future[Labels]] = {}
        self._index = 0
        self._executor: ThreadPoolExecutor | None = None

    def at(self, index: int, decode: Decode, count: int) -> Labels:
        """Return a step's labels, and begin with those of the steps beside it below `count`."""
        backwards = index == self._index - 1 and index > 0
        self._index = index
        found = self.get(index, decode)
        order = (index - 1, index + 1) if backwards else (index + 1, index - 1)
        self._begin([step for step in order if 0 <= step < count], decode)
        return found

    def get(self, index: int, decode: Decode) -> Labels:
        """Return a step's labels."""
        found = self._kept.get(index)
        if found is None:
            begun = self._begun.pop(index, None)
            # What has not begun yet is done sooner here than behind other work.
            if begun is not None and not begun.cancel():
                found = begun.result()
            else:
                found = decode(index, self._nearest(index))
        self.keep(index, found)
        return found

    def decoder(self, index: int, decode: Decode) -> Callable[[], Labels]:
        """Return what decodes a step, or waits for the thread that is at it."""
        begun = self._begun.get(index)
        if begun is not None and (begun.running() or begun.done()):
            return begun.result
        nearest = self._nearest(index)
        return lambda: decode(index, nearest)

    def kept(self, index: int) -> Labels | None:
        """Return a step's labels if they are there already."""
        return self._kept.get(index)

    def keep(self, index: int, labels: Labels) -> None:
        """Keep a step's labels, and let go of those that were wanted longest ago."""
        self._kept[index] = labels
        self._kept.move_to_end(index)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def forget(self) -> None:
        """Let go of everything."""
        for begun in self._begun.values():
            begun.cancel()
        self._begun.clear()
        self._kept.clear()
        self._index = 0

    def close(self) -> None:
        """Wait for what is being decoded."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _nearest(self, index: int) -> Known:
        return min(self._kept.items(), key=lambda kept: abs(kept[0] - index), default=None)

    def _begin(self, order: list[int], decode: Decode) -> None:
        for index in tuple(self._begun):
            if index not in order:
                self._begun.pop(index).cancel()
        for index in order:
            if index in self._kept or index in self._begun:
                continue
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, thread_name_prefix="ccl-viewer-ahead")
            self._begun[index] = self._executor.submit(decode, index, self._nearest(index))
