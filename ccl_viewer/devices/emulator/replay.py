"""Reconstruct the memory at any moment of a launch from its events."""

from __future__ import annotations

import threading
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import SHARED, EventKind, LaunchEvents, make_fresh_shared
from ccl_viewer.support.arrays import Indices

Moment: TypeAlias = int | npt.NDArray[np.bool_]
"""The number of events that have happened, from the begin; or for each event whether it has."""

_SNAPSHOT_EVERY: Final = 2**16
"""Writes between two snapshots; replaying them takes a few milliseconds."""

_MAX_SNAPSHOT_BYTES: Final = 32 * 2**20
"""Most bytes of snapshots of one memory; a larger one has only its contents before the launch."""


class MemoryReplay:
    """One memory of a launch: a buffer, or the shared memory of a block.

    Any moment can be read, in any order and from any thread. A read replays the writes since the
    last one or since a snapshot; or, if they are not the first of the log, all that have happened,
    in the log's order.

    Parameters
    ----------
    events : LaunchEvents
        The events of the launch.
    buffer_index : int
        Index of the buffer, or :data:`~.events.SHARED`.
    among : ndarray of int64 or None
        Indices of the events of the block, for shared memory.
    """

    def __init__(
        self, events: LaunchEvents, buffer_index: int, among: Indices | None = None
    ) -> None:
        log = events.events if among is None else events.events[among]
        kind = log["kind"]
        writes = np.flatnonzero(
            (log["buffer"] == buffer_index)
            & ((kind == EventKind.STORE) | (kind == EventKind.ATOMIC))
        )
        if buffer_index == SHARED:
            before = make_fresh_shared(events.shared_bytes)
        else:
            before = np.frombuffer(events.buffers[buffer_index].before.tobytes(), np.uint8)
        self._when = writes if among is None else among[writes]
        """Indices of the writes in the log, ascending."""
        self._writes = log[writes][["offset", "bytes", "value"]]
        self._lock = threading.Lock()
        self._snapshots: dict[int, npt.NDArray[np.uint8]] = {0: before}
        self._most = max(1, _MAX_SNAPSHOT_BYTES // max(before.size, 1))
        self._now, self._bytes = 0, before.copy()

    def replay_to(self, moment: Moment) -> npt.NDArray[np.uint8]:
        """Return the contents at a moment.

        Returns
        -------
        ndarray of uint8
            All bytes, a copy.
        """
        done = self._find_done(moment)
        if not isinstance(done, slice):
            contents = self._snapshots[0].copy()
            _play(contents, self._writes[done])
            return contents
        target = done.stop
        with self._lock:
            if target < self._now:
                self._now = max(count for count in self._snapshots if count <= target)
                self._bytes = self._snapshots[self._now].copy()
            while self._now < target:
                until = min(target, self._now - self._now % _SNAPSHOT_EVERY + _SNAPSHOT_EVERY)
                _play(self._bytes, self._writes[self._now : until])
                self._now = until
                if until % _SNAPSHOT_EVERY == 0 and len(self._snapshots) < self._most:
                    self._snapshots.setdefault(until, self._bytes.copy())
            return self._bytes.copy()

    def find_written(self, moment: Moment) -> npt.NDArray[np.bool_]:
        """Return for each byte whether a write to it has begun."""
        written = np.zeros(self._bytes.size, np.bool_)
        written[self._writes["offset"][self._find_done(moment)]] = True
        return written

    def _find_done(self, moment: Moment) -> slice | npt.NDArray[np.bool_]:
        """Return which of the writes have happened."""
        if isinstance(moment, np.ndarray):
            return moment[self._when]
        return slice(0, int(np.searchsorted(self._when, moment)))


def _play(memory: npt.NDArray[np.uint8], writes: npt.NDArray[np.void]) -> None:
    """Apply writes in order; if several write the same byte, NumPy keeps the last."""
    widths, offsets = writes["bytes"], writes["offset"]
    width = int(widths[0]) if writes.size else 1
    if (widths == width).all() and not ((offsets % width).any() or memory.size % width):
        unit = np.dtype(f"u{width}")
        memory.view(unit)[offsets // width] = writes["value"].astype(unit)
        return
    within = np.arange(8) < writes["bytes"][:, None]
    places = writes["offset"].astype(np.int64)[:, None] + np.arange(8)
    values = np.ascontiguousarray(writes["value"]).view(np.uint8).reshape(-1, 8)
    memory[places[within]] = values[within]
