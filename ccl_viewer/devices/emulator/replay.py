"""Reconstruct the memory at any moment of a launch from its events."""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import SHARED, EventKind, LaunchEvents, make_fresh_shared

_SNAPSHOT_EVERY: Final = 2**16
"""Writes between two snapshots; replaying them takes a few milliseconds."""

_MAX_SNAPSHOT_BYTES: Final = 32 * 2**20
"""Most bytes of snapshots of one memory; a larger one has only its contents before the launch."""


class MemoryReplay:
    """One memory of a launch: a buffer, or the shared memory of a block.

    Any moment can be read, in any order and from any thread. A read replays the writes since the
    last one or since a snapshot.

    Parameters
    ----------
    events : LaunchEvents
        The events of the launch.
    buffer_index : int
        Index of the buffer, or :data:`~.events.SHARED`.
    block : int or None
        Linear index of the block, for shared memory.
    """

    def __init__(self, events: LaunchEvents, buffer_index: int, block: int | None = None) -> None:
        log = events.events
        kind = log["kind"]
        writes = (log["buffer"] == buffer_index) & (
            (kind == EventKind.STORE) | (kind == EventKind.ATOMIC)
        )
        if buffer_index == SHARED:
            writes &= log["block"] == block
            before = make_fresh_shared(events.shared_bytes)
        else:
            before = np.frombuffer(events.buffers[buffer_index].before.tobytes(), np.uint8)
        self._when = np.flatnonzero(writes)
        """Indices of the writes in the log, ascending."""
        self._writes = log[self._when][["offset", "bytes", "value"]]
        self._lock = threading.Lock()
        self._snapshots: dict[int, npt.NDArray[np.uint8]] = {0: before}
        self._most = max(1, _MAX_SNAPSHOT_BYTES // max(before.size, 1))
        self._now, self._bytes = 0, before.copy()

    def replay_to(self, moment: int) -> npt.NDArray[np.uint8]:
        """Return the contents before an event.

        Parameters
        ----------
        moment : int
            Index of the event; the number of events for the final contents.

        Returns
        -------
        ndarray of uint8
            All bytes, a copy.
        """
        target = int(np.searchsorted(self._when, moment))
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

    def find_written(self, moment: int) -> npt.NDArray[np.bool_]:
        """Return for each byte whether a write to it began before an event."""
        written = np.zeros(self._bytes.size, np.bool_)
        written[self._writes["offset"][: np.searchsorted(self._when, moment)]] = True
        return written


def _play(memory: npt.NDArray[np.uint8], writes: npt.NDArray[np.void]) -> None:
    """Apply writes in order; if several write the same byte, NumPy keeps the last."""
    widths, offsets = writes["bytes"], writes["offset"]
    width = int(widths[0])
    if (widths == width).all() and not ((offsets % width).any() or memory.size % width):
        unit = np.dtype(f"u{width}")
        memory.view(unit)[offsets // width] = writes["value"].astype(unit)
        return
    within = np.arange(8) < writes["bytes"][:, None]
    places = writes["offset"].astype(np.int64)[:, None] + np.arange(8)
    values = np.ascontiguousarray(writes["value"]).view(np.uint8).reshape(-1, 8)
    memory[places[within]] = values[within]
