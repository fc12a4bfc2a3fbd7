"""The frames of a recording: what changed is kept, and every frame is reached quickly."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.cancellation import Check, unchecked
from ccl_viewer.recording.delta import Delta, Frame, apply, changed_cells, encode
from ccl_viewer.recording.packing import Packed, pack, unpack
from ccl_viewer.recording.partial_frames import ChosenCells, OpenDelta

# Work is counted in changed cells that take as long. A key frame is due once going back to the
# last one costs about four whole frames, or 64 steps in which nearly nothing changes.
_STEP_WORK = 2_000
_MASK_WORK = 1 / 16
_KEY_FRAMES = 4
_KEY_STEPS = 64
_DECODED = 2
_OPEN = 4

FrameType: TypeAlias = np.dtype[np.int32] | np.dtype[np.int64]
LABELS: FrameType = np.dtype(np.int32)
"""Type of labels, and of layers that need no more."""


@dataclass(frozen=True)
class _Anchor:
    position: int
    frame: Frame | Packed | None
    """None is the background."""


class History:
    """Frames of labels, or of a layer, in the order in which they were appended.

    Each frame is kept as its difference to the one before, which can be applied in both
    directions, and some of them whole as well. A frame is decoded from whatever is nearest: a
    whole frame, the last one appended, or one decoded a moment ago, so that stepping forwards or
    backwards costs one difference.

    One thread may append while any number of others read.

    Parameters
    ----------
    height, width : int
        Size of the frames.
    background : int
        Value of every cell before the first frame.
    dtype : numpy dtype
        Type of the frames, ``int32`` or ``int64``.
    """

    def __init__(
        self,
        height: int,
        width: int,
        background: int,
        dtype: FrameType = LABELS,
    ) -> None:
        self._shape = (height, width)
        self._dtype = dtype
        self._lock = threading.Lock()
        # Position p is the frame after p steps: position 0 is the background, frame i is i + 1.
        self._background = background
        self._last: Frame = self._blank()
        self._deltas: list[Delta] = []
        self._work: list[float] = [0.0]
        self._key_positions: list[int] = [0]
        self._keys: list[Packed | None] = [None]
        self._changed_since_key = False
        self._packed_bytes = 0
        self._decoded: OrderedDict[int, Frame] = OrderedDict()
        self._open: OrderedDict[int, OpenDelta] = OrderedDict()

    def __len__(self) -> int:
        return len(self._deltas)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the frames."""
        return self._shape

    @property
    def dtype(self) -> FrameType:
        """Type of the frames."""
        return self._dtype

    @property
    def background(self) -> int:
        """Value of every cell before the first frame."""
        return self._background

    @property
    def last(self) -> Frame:
        """The frame appended last, read-only; all background before the first."""
        return self._last

    @property
    def nbytes(self) -> int:
        """Bytes held for the frames, those kept uncompressed included."""
        with self._lock:
            return self._packed_bytes + (1 + len(self._decoded)) * self._last.nbytes

    def append(self, labels: Frame) -> int:
        """Append a frame.

        Parameters
        ----------
        labels : ndarray of the history's type, shape (height, width)
            The frame. It is kept, not copied, and made read-only.

        Returns
        -------
        int
            Cells that differ from the frame before.

        Raises
        ------
        ValueError
            If shape or type differ.
        """
        if labels.shape != self._shape or labels.dtype != self._dtype:
            raise ValueError(f"a frame must be {self._dtype} of shape {self._shape}")
        delta = encode(self._last, labels)
        frame = np.ascontiguousarray(labels)
        frame.flags.writeable = False
        self._add(delta, frame)
        return delta.changed

    def extend(self, deltas: Iterable[Delta], check: Check = unchecked) -> None:
        """Append frames given by what changed, before anybody else knows the history.

        All become one array in turn: a copy of each would make steps that change nothing dear.

        Parameters
        ----------
        deltas : iterable of Delta
            Differences to the frame before, as :meth:`delta` returned them.
        check : callable
            Called every few milliseconds; what it raises ends the work.

        Raises
        ------
        ValueError
            If one does not fit, which only a damaged file brings about.
        """
        frame = self._last.copy() if self._deltas else self._last
        for delta in deltas:
            check()
            apply(delta, frame, forwards=True, check=check)
            self._add(delta, frame, check)
        frame.flags.writeable = False

    def delta(self, index: int) -> Delta:
        """Return the difference between a frame and the one before, for saving."""
        return self._deltas[index]

    def frame(self, index: int) -> Frame:
        """Return a frame.

        Parameters
        ----------
        index : int
            From 0 to ``len(self) - 1``.

        Returns
        -------
        ndarray of the history's type, shape (height, width)
            The frame, read-only; the same array may be returned again.

        Raises
        ------
        IndexError
            If there is no such frame.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        position = index + 1
        with self._lock:
            anchor = self._nearest(position)
        frame = self._whole(anchor.frame)
        if anchor.position != position:
            frame = self._play(frame, anchor.position, position)
        frame.flags.writeable = False
        with self._lock:
            self._decoded[position] = frame
            self._decoded.move_to_end(position)
            while len(self._decoded) > _DECODED:
                self._decoded.popitem(last=False)
        return frame

    def changed_cells(self, index: int) -> npt.NDArray[np.int64]:
        """Return the linear indices of the cells in which a frame differs from the one before."""
        return changed_cells(self._deltas[index], self._last.size)

    def holds(self, index: int) -> bool:
        """Return whether a frame is there as a whole, so that its cells need no decoding."""
        with self._lock:
            return index + 1 == len(self._deltas) or index + 1 in self._decoded

    def sampled(
        self, index: int, chosen: ChosenCells, known: tuple[int, Frame] | None = None
    ) -> Frame:
        """Return some cells of a frame, which takes a fraction of the time of all.

        Parameters
        ----------
        index : int
            From 0 to ``len(self) - 1``.
        chosen : ChosenCells
            Which cells.
        known : tuple of int and ndarray, or None
            Another frame, and the values of these cells in it, from which to go on.

        Returns
        -------
        ndarray of the history's type, of the shape of the cells
            Their values, read-only.

        Raises
        ------
        IndexError
            If there is no such frame.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        end = index + 1
        with self._lock:
            anchor = self._nearest(end)
        if known is not None and (
            self._distance(known[0] + 1, end) <= self._distance(anchor.position, end)
        ):
            start, values = known[0] + 1, known[1].copy()
        elif anchor.position == 0:
            start, values = 0, np.full(chosen.cells.shape, self._background, self._dtype)
        else:
            start = anchor.position
            seen = self._whole(anchor.frame).reshape(-1)[chosen.cells]
            values = np.ascontiguousarray(seen)  # which has the order of the cells in memory
        for step in _steps(start, end):
            self._opened(step).change(chosen, values, forwards=end > start)
        values.flags.writeable = False
        return values

    def _opened(self, step: int) -> OpenDelta:
        with self._lock:
            found = self._open.get(step)
        if found is None:
            found = OpenDelta(self._deltas[step], self._last.size, self._dtype)
        with self._lock:
            self._open[step] = found
            self._open.move_to_end(step)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
        return found

    def _add(self, delta: Delta, frame: Frame, check: Check = unchecked) -> None:
        work = self._work[-1] + delta.changed + frame.size * _MASK_WORK + _STEP_WORK
        limit = _KEY_FRAMES * frame.size + _KEY_STEPS * _STEP_WORK
        self._changed_since_key |= delta.changed > 0
        due = work - self._work[self._key_positions[-1]] > limit
        fresh = pack(frame, check) if due and self._changed_since_key else None
        with self._lock:
            self._last = frame
            self._work.append(work)
            if due:
                self._key_positions.append(len(self._work) - 1)
                self._keys.append(fresh or self._keys[-1])
                self._changed_since_key = False
            self._packed_bytes += delta.nbytes + (0 if fresh is None else len(fresh.payload))
            self._deltas.append(delta)  # last: the length says what may be read

    def _nearest(self, position: int) -> _Anchor:
        whole: list[tuple[int, Frame]] = [(len(self._deltas), self._last), *self._decoded.items()]
        nearest, frame = min(whole, key=lambda entry: self._distance(entry[0], position))
        best = self._distance(nearest, position)
        anchor = _Anchor(nearest, frame)
        after = bisect_right(self._key_positions, position)
        for slot in range(after - 1, min(after + 1, len(self._keys))):
            start, key = self._key_positions[slot], self._keys[slot]
            # Unpacking a key frame costs about as much as changing half its cells.
            work = self._distance(start, position) + self._last.size / 2
            if work < best:
                best = work
                anchor = _Anchor(start, key)
        return anchor

    def _distance(self, start: int, end: int) -> float:
        return abs(self._work[end] - self._work[start])

    def _blank(self) -> Frame:
        return np.full(self._shape, self._background, self._dtype)

    def _whole(self, frame: Frame | Packed | None) -> Frame:
        if frame is None:
            return self._blank()
        if isinstance(frame, Packed):
            return unpack(frame, self._dtype).reshape(self._shape)
        return frame

    def _play(self, frame: Frame, start: int, end: int) -> Frame:
        frame = frame.copy()
        for step in _steps(start, end):
            apply(self._deltas[step], frame, forwards=end > start)
        return frame


def _steps(start: int, end: int) -> range:
    """Return the steps that lead from one position to another, forwards or backwards."""
    return range(start, end) if end > start else range(start - 1, end - 1, -1)
