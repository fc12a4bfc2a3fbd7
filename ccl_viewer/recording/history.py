"""The frames of a recording, stored as differences with quick access to every frame."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.recording.delta import Delta, Frame, apply, changed_cells, diff_frames, make_delta
from ccl_viewer.recording.grid_kernels import DeviceArray, GridKernels
from ccl_viewer.recording.packing import Packed, pack, unpack
from ccl_viewer.recording.partial_frames import ChosenCells, OpenDelta
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.cores import core_count

# The unit of work is one changed cell. A key frame is due when going back to the last one costs
# about four whole frames, or 64 steps with hardly any changes.
_STEP_WORK = 2_000
_MASK_WORK = 1 / 16
_KEY_FRAMES = 4
_KEY_STEPS = 64
_DECODED = 2
_OPEN = 4
_PACKED_AT_ONCE = 8  # frames packed on all cores before their memory is freed

FrameType: TypeAlias = np.dtype[np.int32] | np.dtype[np.int64]
LABELS: FrameType = np.dtype(np.int32)
"""Type of labels, and of layers that fit into it."""


@dataclass(frozen=True)
class _Anchor:
    position: int
    frame: Frame | Packed | None
    """None means background."""


class History:
    """Frames of labels, or of a layer, in order.

    The first frames are packed: the host stores each as its difference to the previous frame, which
    can be applied in both directions, and some of them whole as well. A frame is decoded from the
    nearest known one: a whole frame, the last packed one, or one decoded recently, so that a step
    forwards or backwards costs one difference.

    Frames from a device first stay whole, in the device's memory. They are packed, the earliest
    first, when they exceed the :class:`FrameBudget`, or when they are saved. Readers only notice a
    difference in time.

    One thread may append while any number of others read.

    Parameters
    ----------
    height, width : int
        Size of the frames.
    background : int
        Value of every cell before the first frame.
    dtype : numpy dtype
        Type of the frames, ``int32`` or ``int64``.
    kernels : GridKernels or None
        Kernels for frames on a device; without them, frames are packed immediately.
    """

    def __init__(
        self,
        height: int,
        width: int,
        background: int,
        dtype: FrameType = LABELS,
        kernels: GridKernels | None = None,
    ) -> None:
        self._kernels = kernels
        self._whole_frames: list[DeviceArray] = []  # frames after the packed ones
        self._whole_bytes = 0
        self._before_whole: DeviceArray | None = None  # last packed frame, if any are whole
        self._packing = threading.Lock()
        self._budget = None if kernels is None else FrameBudget.of(kernels.backend)
        if self._budget is not None:
            self._budget.watch(self)
        self._shape = (height, width)
        self._dtype = dtype
        self._lock = threading.Lock()
        # Position p is the frame after p steps: position 0 is the background, frame i is i + 1.
        self._background = background
        self._last_packed: Frame | None = None  # the background before the first
        self._size = height * width
        self._deltas: list[Delta] = []
        self._work: list[float] = [0.0]
        self._key_positions: list[int] = [0]
        self._keys: list[Packed | None] = [None]
        self._changed_since_key = False
        self._packed_bytes = 0
        self._decoded: OrderedDict[int, Frame] = OrderedDict()
        self._open: OrderedDict[int, OpenDelta] = OrderedDict()

    def __len__(self) -> int:
        with self._lock:
            return len(self._deltas) + len(self._whole_frames)

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
        """The last frame, read-only; background before the first."""
        return self.frame(len(self) - 1) if self._whole_frames else self._last

    @property
    def _last(self) -> Frame:
        """The last packed frame."""
        return self._make_blank() if self._last_packed is None else self._last_packed

    @property
    def nbytes(self) -> int:
        """Bytes of all frames, including uncompressed ones and those on a device."""
        with self._lock:
            frames = len(self._decoded) + (self._last_packed is not None)
            packed = self._packed_bytes + frames * self._size * self._dtype.itemsize
        return packed + self.device_nbytes

    @property
    def device_nbytes(self) -> int:
        """Bytes of the device's memory that frames take."""
        return self._whole_bytes

    def append_device_frame(self, frame: DeviceArray) -> None:
        """Append a whole frame on the device, which must not be written to any more.

        Parameters
        ----------
        frame : array of the device, of the history's type, shape (height, width)
            The frame; the same array as the previous frame if nothing changed.
        """
        if self._budget is None:
            raise TypeError("this history has no device")
        with self._lock:
            if not (self._whole_frames and self._whole_frames[-1] is frame):
                self._whole_bytes += frame.nbytes
            self._whole_frames.append(frame)
        self._budget.enforce()

    def append_same(self, count: int) -> None:
        """Append the last frame `count` times."""
        if self._kernels is None:
            for _ in range(count):
                self.append(self.last)
        elif count:
            last = self.device_frame(len(self) - 1)
            if last is None:
                last = self._kernels.backend.empty(self._shape, self._dtype, self._background)
            for _ in range(count):
                self.append_device_frame(last)

    def device_frame(self, index: int) -> DeviceArray | None:
        """Return a frame on the device, or None for the background before the first.

        A packed frame is copied there.
        """
        if index < 0:
            return None
        frame = self._find_device_frame(index)
        if frame is not None or self._kernels is None:
            return frame
        return self._kernels.backend.to_device(self.frame(index))

    def _find_device_frame(self, index: int) -> DeviceArray | None:
        with self._lock:
            offset = index - len(self._deltas)
            return self._whole_frames[offset] if offset >= 0 else None

    def pack_device_frames(self, count: int | None = None) -> None:
        """Pack the earliest whole frames, on all cores.

        Parameters
        ----------
        count : int or None
            Number of frames; None for all.
        """
        with self._packing:
            left = len(self._whole_frames) if count is None else count
            while left > 0 and self._whole_frames:
                part = self._whole_frames[: min(left, _PACKED_AT_ONCE)]
                left -= len(part)
                self._pack_first(part)

    def _pack_first(self, frames: list[DeviceArray]) -> None:
        """Pack the given frames, which are the first whole ones."""
        before = [self._find_frame_before(), *frames[:-1]]
        deltas = list(get_packers().map(self._encode, before, frames))
        for delta, frame in zip(deltas, frames, strict=True):
            self._add(delta, self._to_host(frame), was_whole=True)
        self._before_whole = frames[-1] if self._whole_frames else None

    def _find_frame_before(self) -> DeviceArray:
        """Return the frame before the first whole one, on the device."""
        assert self._kernels is not None  # noqa: S101  (there are whole frames)
        if self._before_whole is not None:
            return self._before_whole
        return self._kernels.backend.to_device(self._last)

    def _encode(self, before: DeviceArray, after: DeviceArray) -> Delta:
        assert self._kernels is not None  # noqa: S101  (there are whole frames)
        if before is after:
            return diff_frames(np.empty(0, self._dtype), np.empty(0, self._dtype))
        return make_delta(*self._kernels.find_changes(before, after), self._size)

    def _to_host(self, frame: DeviceArray) -> Frame:
        assert self._kernels is not None  # noqa: S101  (there are whole frames)
        host = self._kernels.backend.to_host(frame)
        host = host.view()
        host.flags.writeable = False
        return host

    def append(self, labels: Frame) -> int:
        """Append a frame.

        Parameters
        ----------
        labels : ndarray of the history's type, shape (height, width)
            The frame. It is not copied, and becomes read-only.

        Returns
        -------
        int
            Cells that differ from the previous frame.

        Raises
        ------
        ValueError
            If shape or type differ.
        """
        if labels.shape != self._shape or labels.dtype != self._dtype:
            raise ValueError(f"a frame must be {self._dtype} of shape {self._shape}")
        if self._whole_frames:
            raise TypeError("frames on a device follow each other")
        delta = diff_frames(self._last, labels)
        frame = np.ascontiguousarray(labels)
        frame.flags.writeable = False
        self._add(delta, frame)
        return delta.changed

    def extend(self, deltas: Iterable[Delta], check: Check = never_cancel) -> None:
        """Append frames by their differences, before other threads use the history.

        One array is updated in place: without copies, unchanged steps stay cheap.

        Parameters
        ----------
        deltas : iterable of Delta
            Differences to the previous frame, as :meth:`deltas` returns them.
        check : callable
            Called every few milliseconds; may raise to stop the work.

        Raises
        ------
        ValueError
            If one does not fit, which only happens with a damaged file.
        """
        frame = self._last.copy() if self._deltas else self._last
        for delta in deltas:
            check()
            apply(delta, frame, forwards=True, check=check)
            self._add(delta, frame, check)
        frame.flags.writeable = False

    def deltas(self, indices: range) -> list[Delta]:
        """Return the differences of frames to their predecessors, for saving.

        Whole frames stay whole: their differences are packed on all cores, and not kept.

        Parameters
        ----------
        indices : range
            Indices of the frames, ascending, with step 1.
        """
        with self._packing:  # so that no other thread packs the whole frames
            packed = len(self._deltas)
            first, end = max(indices.start, packed), indices.stop
            deltas = self._deltas[indices.start : min(packed, end)]
            if first >= end:
                return deltas
            frames = self._whole_frames[first - packed : end - packed]
            earlier = self._find_frame_before() if first == packed else self.device_frame(first - 1)
            return deltas + list(get_packers().map(self._encode, [earlier, *frames[:-1]], frames))

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
            if position in self._decoded:
                return self._decoded[position]
        device_frame = self._find_device_frame(index)
        if device_frame is not None:
            return self._keep_decoded(position, self._to_host(device_frame))
        with self._lock:
            anchor = self._find_anchor(position)
        frame = self._decode_whole(anchor.frame)
        if anchor.position != position:
            frame = self._play(frame, anchor.position, position)
        frame.flags.writeable = False
        return self._keep_decoded(position, frame)

    def _keep_decoded(self, position: int, frame: Frame) -> Frame:
        with self._lock:
            self._decoded[position] = frame
            self._decoded.move_to_end(position)
            while len(self._decoded) > _DECODED:
                self._decoded.popitem(last=False)
        return frame

    def changed_cells(self, index: int) -> npt.NDArray[np.int64]:
        """Return the linear indices of the cells in which a frame differs from the previous one."""
        after = self._find_device_frame(index)
        before = self._find_device_frame(index - 1) if index else None
        if after is None or self._kernels is None:
            return changed_cells(self._deltas[index], self._size)
        if before is after:
            return np.empty(0, np.int64)
        if before is None:
            return np.flatnonzero(self._read_frame_before(index) != self._to_host(after))
        bits, _values = self._kernels.find_changes(before, after)
        return np.flatnonzero(np.unpackbits(bits, count=self._size))

    def _read_frame_before(self, index: int) -> Frame:
        return self.frame(index - 1) if index else self._make_blank()

    def is_decoded(self, index: int) -> bool:
        """Return whether a frame is whole, so that its cells need no decoding."""
        with self._lock:
            return index + 1 >= len(self._deltas) or index + 1 in self._decoded

    def read_cells(
        self, index: int, chosen: ChosenCells, known: tuple[int, Frame] | None = None
    ) -> Frame:
        """Return some cells of a frame, which is much faster than decoding all.

        Parameters
        ----------
        index : int
            From 0 to ``len(self) - 1``.
        chosen : ChosenCells
            The cells.
        known : tuple of int and ndarray, or None
            Another frame and the cells' values in it, from which to start.

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
        device_frame = self._find_device_frame(index)
        if device_frame is not None and self._kernels is not None:
            cells = self._kernels.read_cells(device_frame, chosen)
            cells.flags.writeable = False
            return cells
        end = index + 1
        with self._lock:
            anchor = self._find_anchor(end)
        if known is not None and known[0] >= len(self._deltas):
            known = None  # packed frames cannot start from a whole one
        if known is not None and (
            self._measure_distance(known[0] + 1, end)
            <= self._measure_distance(anchor.position, end)
        ):
            start, values = known[0] + 1, known[1].copy()
        elif anchor.position == 0:
            start, values = 0, np.full(chosen.cells.shape, self._background, self._dtype)
        else:
            start = anchor.position
            anchor_values = self._decode_whole(anchor.frame).reshape(-1)[chosen.cells]
            values = np.ascontiguousarray(anchor_values)  # in the order of the cells in memory
        for step in _steps(start, end):
            self._open_delta(step).change(chosen, values, forwards=end > start)
        values.flags.writeable = False
        return values

    def _open_delta(self, step: int) -> OpenDelta:
        with self._lock:
            delta = self._open.get(step)
        if delta is None:
            delta = OpenDelta(self._deltas[step], self._size, self._dtype)
        with self._lock:
            self._open[step] = delta
            self._open.move_to_end(step)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
        return delta

    def _add(
        self, delta: Delta, frame: Frame, check: Check = never_cancel, *, was_whole: bool = False
    ) -> None:
        """Add a packed frame; with `was_whole`, it was the first whole frame."""
        work = self._work[-1] + delta.changed + frame.size * _MASK_WORK + _STEP_WORK
        limit = _KEY_FRAMES * frame.size + _KEY_STEPS * _STEP_WORK
        self._changed_since_key |= delta.changed > 0
        due = work - self._work[self._key_positions[-1]] > limit
        fresh = pack(frame, check) if due and self._changed_since_key else None
        with self._lock:
            self._last_packed = frame
            self._work.append(work)
            if due:
                self._key_positions.append(len(self._work) - 1)
                self._keys.append(fresh or self._keys[-1])
                self._changed_since_key = False
            self._packed_bytes += delta.nbytes + (0 if fresh is None else len(fresh.payload))
            if was_whole:
                removed = self._whole_frames.pop(0)
                if not (self._whole_frames and self._whole_frames[0] is removed):
                    self._whole_bytes -= removed.nbytes
            self._deltas.append(delta)  # last, since readers rely on the length

    def _find_anchor(self, position: int) -> _Anchor:
        packed = len(self._deltas)
        decoded = [entry for entry in self._decoded.items() if entry[0] < packed]
        candidates: list[tuple[int, Frame]] = [(packed, self._last), *decoded]
        nearest, frame = min(
            candidates, key=lambda entry: self._measure_distance(entry[0], position)
        )
        best = self._measure_distance(nearest, position)
        anchor = _Anchor(nearest, frame)
        after = bisect_right(self._key_positions, position)
        for slot in range(after - 1, min(after + 1, len(self._keys))):
            start, key = self._key_positions[slot], self._keys[slot]
            # Unpacking a key frame costs about as much as changing half of its cells.
            work = self._measure_distance(start, position) + self._size / 2
            if work < best:
                best = work
                anchor = _Anchor(start, key)
        return anchor

    def _measure_distance(self, start: int, end: int) -> float:
        return abs(self._work[end] - self._work[start])

    def _make_blank(self) -> Frame:
        return np.full(self._shape, self._background, self._dtype)

    def _decode_whole(self, frame: Frame | Packed | None) -> Frame:
        if frame is None:
            return self._make_blank()
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


_EARLY = 0.75
"""Share of the budget above which frames are packed in the background."""


class FrameBudget:
    """The memory that frames may take on a device.

    Frames stay there until they take three quarters of it. From then on, the history with the most
    frames packs its earliest ones in the background. A caller that exceeds the budget packs some
    first.

    Parameters
    ----------
    nbytes : int
        Size of the budget.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._histories: WeakSet[History] = WeakSet()
        self._lock = threading.Lock()
        self._background: Future[None] | None = None

    @staticmethod
    def of(backend: ArrayBackend) -> FrameBudget:
        """Return the budget of a backend's device, always the same object."""
        with _FIRST:
            if backend not in _budgets:
                _budgets[backend] = FrameBudget(backend.memory_budget)
            return _budgets[backend]

    def watch(self, history: History) -> None:
        """Register a history, until it is garbage-collected."""
        with self._lock:
            self._histories.add(history)

    @property
    def taken(self) -> int:
        """Bytes that frames currently take."""
        return sum(history.device_nbytes for history in self._list_histories())

    def enforce(self) -> None:
        """Pack frames if they take too much."""
        while (used := self.taken) > self.nbytes:
            if not self._pack_some():
                return
        with self._lock:
            idle = self._background is None or self._background.done()
            if used > _EARLY * self.nbytes and idle:
                self._background = get_background_packer().submit(self._pack_early)

    def clear(self) -> None:
        """Pack all frames, for example when the device has no memory left."""
        for history in self._list_histories():
            history.pack_device_frames()

    def _pack_early(self) -> None:
        while self.taken > _EARLY * self.nbytes and self._pack_some():
            pass

    def _pack_some(self) -> bool:
        """Pack the earliest frames of the history with the most; return whether there were any."""
        histories = self._list_histories()
        largest = max(histories, key=lambda one: one.device_nbytes, default=None)
        if largest is None or not largest.device_nbytes:
            return False
        largest.pack_device_frames(core_count())
        return True

    def _list_histories(self) -> list[History]:
        with self._lock:
            return list(self._histories)


_FIRST = threading.Lock()


_budgets: WeakKeyDictionary[ArrayBackend, FrameBudget] = WeakKeyDictionary()


@cache
def get_packers() -> ThreadPoolExecutor:
    """Return the threads that pack frames, one per core, since compressors release the lock."""
    return ThreadPoolExecutor(core_count(), thread_name_prefix="packing")


@cache
def get_background_packer() -> ThreadPoolExecutor:
    """Return the thread that starts packing in the background."""
    return ThreadPoolExecutor(1, thread_name_prefix="frames")
