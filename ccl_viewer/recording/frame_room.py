"""The memory of a device for the frames of all recordings."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from ccl_viewer.devices.emulator.workers import core_count
from ccl_viewer.execution.device import Stream

if TYPE_CHECKING:
    from ccl_viewer.recording.history import History

_EARLY = 0.75
"""Filled share of the room above which frames are packed in the background."""


class FrameRoom:
    """The room for frames in a device's memory.

    Frames stay there until the room is three quarters full. From then on, the history with the most
    frames packs its earliest ones in the background. A caller that exceeds the room packs some
    first.

    Parameters
    ----------
    nbytes : int
        Size of the room.
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._histories: WeakSet[History] = WeakSet()
        self._lock = threading.Lock()
        self._background: Future[None] | None = None

    @staticmethod
    def of(stream: Stream) -> FrameRoom:
        """Return the room of a stream's device, always the same object."""
        with _FIRST:
            if stream not in _rooms:
                _rooms[stream] = FrameRoom(stream.room)
            return _rooms[stream]

    def watch(self, history: History) -> None:
        """Register a history, until it is garbage-collected."""
        with self._lock:
            self._histories.add(history)

    @property
    def taken(self) -> int:
        """Bytes that frames currently take."""
        return sum(history.whole_nbytes for history in self._all())

    def make(self) -> None:
        """Pack frames if they take too much of the room."""
        while (taken := self.taken) > self.nbytes:
            if not self._pack_some():
                return
        with self._lock:
            idle = self._background is None or self._background.done()
            if taken > _EARLY * self.nbytes and idle:
                self._background = packers_in_turn().submit(self._make_early)

    def clear(self) -> None:
        """Pack all frames, for example when the device has no memory left."""
        for history in self._all():
            history.pack_whole()

    def _make_early(self) -> None:
        while self.taken > _EARLY * self.nbytes and self._pack_some():
            pass

    def _pack_some(self) -> bool:
        """Pack the earliest frames of the history with the most; return whether there were any."""
        histories = self._all()
        largest = max(histories, key=lambda one: one.whole_nbytes, default=None)
        if largest is None or not largest.whole_nbytes:
            return False
        largest.pack_whole(core_count())
        return True

    def _all(self) -> list[History]:
        with self._lock:
            return list(self._histories)


_FIRST = threading.Lock()
_rooms: WeakKeyDictionary[Stream, FrameRoom] = WeakKeyDictionary()


@cache
def packers() -> ThreadPoolExecutor:
    """Return the threads that pack frames, one per core, since compressors release the lock."""
    return ThreadPoolExecutor(core_count(), thread_name_prefix="packing")


@cache
def packers_in_turn() -> ThreadPoolExecutor:
    """Return the thread that starts packing in the background."""
    return ThreadPoolExecutor(1, thread_name_prefix="frames")
