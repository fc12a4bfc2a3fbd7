"""The view of a phase: labels, shared memory, threads and lanes at its end."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import (
    SHARED,
    EventKind,
    LoggedBuffer,
    SharedVariable,
    operation_name,
)
from ccl_viewer.diagnostics.phases.model import (
    Phase,
    PhaseBoundary,
    SharedArray,
    ThreadState,
    WarpLane,
    WarpOperation,
)
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.execution.plan import WARP, Array, Dim3
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.recording.recorder import cell_of_thread
from ccl_viewer.support.arrays import Indices

_FIRST_BARRIER, _LAST_BARRIER = 1, 4  # indices of operations
_SHUFFLES: Final = range(9, 13)


class PhaseView:
    """The state at the end of a phase, and the changes in it.

    Each block or warp of the phase is shown at the end of its own stretch. Memory has what they
    wrote until then, and what all other threads wrote until the last of these stretches ended;
    where several threads wrote, the last write of the log counts. So a phase of one block shows the
    memory at one moment of the launch.

    Methods that take a block show the phase's block unless another is given, or the first if the
    phase has all blocks.

    Everything is computed on demand and cached. Treat all arrays as read-only: change a copy.

    Parameters
    ----------
    trace : LaunchTrace
        The launch.
    phase : Phase
        One of its phases.
    """

    def __init__(self, trace: LaunchTrace, phase: Phase) -> None:
        self.trace = trace
        self.phase = phase
        division = trace.division(phase.by, phase.block, phase.warp)
        self._numbers = division.numbers
        self._begin, self._end = division.moment(phase.index - 1), division.moment(phase.index)

    @cached_property
    def labels_before(self) -> npt.NDArray[np.int32]:
        """The labels before the phase, of the grid's shape."""
        return self.trace.labels_at(self._begin)

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """The labels at the end of the phase, of the grid's shape, as in the recording."""
        return self.trace.labels_at(self._end)

    @cached_property
    def changed_cells(self) -> Indices:
        """Cells with labels that differ from those before the phase, changed by any thread.

        They are linear indices ``y * width + x``, ascending.
        """
        return np.flatnonzero(self.labels_before != self.labels)

    @cached_property
    def own_changed_cells(self) -> Indices:
        """Cells of :attr:`changed_cells` that the threads of :attr:`active_thread_count` wrote."""
        written = self.trace.written_cells_mask(self.trace.events.events[self.phase.events])
        return self.changed_cells[written.flat[self.changed_cells]]

    @cached_property
    def active_thread_count(self) -> int:
        """Number of active threads of the phase's blocks or warps."""
        log = self.trace.events.events[self.phase.events]
        return int(np.unique(log["block"].astype(np.uint64) << 16 | log["thread"]).size)

    def thread_states(self, block: Dim3 | None = None) -> tuple[ThreadState, ...]:
        """Return the state of each thread of a block at the end of the phase, by linear index."""
        return tuple(state for state, _ in self._collect_states(self.choose_block(block)))

    def thread_cells(self, block: Dim3 | None = None) -> Indices:
        """Return the cell that each thread of a block works on, by the thread's linear index.

        Returns
        -------
        ndarray of int64, shape (threads,)
            Linear indices ``y * width + x``: the thread's own cell if the launch has one thread per
            cell, otherwise the one of the pixel or label that it accessed last; -1 if there is
            none.
        """
        block = self.choose_block(block)
        trace = self.trace
        width = trace.shape[1]
        cells = np.full(trace.thread_count, -1, np.int64)
        own_cells = [
            cell_of_thread(block, trace.events.unravel_thread(thread), trace.launch, trace.shape)
            for thread in range(trace.thread_count)
        ]
        if any(cell is not None for cell in own_cells):
            for thread, cell in enumerate(own_cells):
                if cell is not None:
                    cells[thread] = cell[1] * width + cell[0]
            return cells
        log = trace.events.events[self._past_events(block)]
        log = log[log["kind"] <= EventKind.ATOMIC]
        for index in reversed(_pixels_first(trace.events.buffers, trace.label_buffer_index)):
            accesses = log[log["buffer"] == index]
            item = trace.events.buffers[index].buffer.dtype.itemsize
            last = np.full(trace.thread_count, -1, np.int64)
            last[accesses["thread"]] = accesses["offset"] // item
            for thread in np.flatnonzero(last >= 0).tolist():
                cell = trace.cell_of_element(index, int(last[thread]))
                if cell is not None:
                    cells[thread] = cell[1] * width + cell[0]
        return cells

    def thread_at(self, cell: Cell, block: Dim3 | None = None) -> int | None:
        """Return the thread of a block that works on a cell.

        This is the thread that has it in :meth:`thread_cells`, otherwise the first that wrote its
        label or read its pixel.

        Parameters
        ----------
        cell : tuple of int
            Column and row.
        block : tuple of three int or None
            None for the phase's block.

        Returns
        -------
        int or None
            The thread's linear index; None if no thread of the block works on the cell.
        """
        block = self.choose_block(block)
        x, y = cell
        threads = np.flatnonzero(self.thread_cells(block) == y * self.trace.shape[1] + x)
        if not threads.size:
            threads = self._threads_accessing(cell, block)
        return int(threads[0]) if threads.size else None

    def _threads_accessing(self, cell: Cell, block: Dim3) -> Indices:
        """Return the threads of a block that write a cell's label or, if none, access its pixel."""
        trace = self.trace
        log = trace.events.events[self._past_events(block)]
        pixels = _pixels_first(trace.events.buffers, None)
        labels = [] if trace.label_buffer_index is None else [trace.label_buffer_index]
        writes, accesses = (EventKind.STORE, EventKind.ATOMIC), tuple(range(EventKind.ATOMIC + 1))
        for buffers, kinds in ((labels, writes), (pixels, accesses), (labels, accesses)):
            for index in buffers:
                byte = trace.byte_of_cell(index, cell)
                if byte is None:
                    continue
                first = log["offset"].astype(np.int64)
                matching = (log["buffer"] == index) & np.isin(log["kind"], kinds)
                matching &= (first <= byte) & (byte < first + log["bytes"])
                if matching.any():
                    threads: npt.NDArray[np.int64] = log["thread"][matching].astype(np.int64)
                    return threads
        return np.zeros(0, np.int64)

    def source_locations(self, block: Dim3 | None = None) -> dict[SourceLocation, tuple[int, ...]]:
        """Return the lines at which threads of a block are, with the threads' linear indices.

        A thread is at its last access, barrier or warp operation. Threads that have not begun, have
        ended or are at an unknown place are left out.
        """
        block = self.choose_block(block)
        log = self.trace.events.events[self._past_events(block)]
        log = log[(log["site"] != 0) | (log["kind"] == EventKind.END)]
        last = np.full(self.trace.thread_count, 0, np.int64)
        last[log["thread"]] = log["site"]
        locations: dict[SourceLocation, tuple[int, ...]] = {}
        for site in dict.fromkeys(last[last != 0].tolist()):
            location = self.trace.events.locate(site)
            if location is not None:
                threads = tuple(np.flatnonzero(last == site).tolist())
                locations[location] = tuple(sorted((*locations.get(location, ()), *threads)))
        return locations

    def shared_arrays(self, block: Dim3 | None = None) -> tuple[SharedArray, ...]:
        """Return the shared variables of a block; empty if the kernel has none."""
        events = self.trace.events
        if not events.shared:
            return ()
        replay = self.trace.memory_replay(SHARED, self.choose_block(block))
        before, after = replay.replay_to(self._begin), replay.replay_to(self._end)
        written = replay.find_written(self._end)
        return tuple(self._make_shared_array(one, before, after, written) for one in events.shared)

    def lanes(self, block: Dim3 | None = None, warp: int | None = None) -> tuple[WarpLane, ...]:
        """Return the threads of a warp, from lane 0; the last warp may have fewer than 32.

        Parameters
        ----------
        block : tuple of three int or None
            None for the phase's block, or the first.
        warp : int or None
            Its warp, from 0; None for the phase's warp, or otherwise the first.

        Raises
        ------
        InputError
            If there is no such block or warp.
        """
        block = self.choose_block(block)
        warp = self._warp(block, warp)
        states = self._collect_states(block)
        first = warp * WARP
        cells = self.thread_cells(block).tolist()
        return tuple(
            self._make_lane(block, thread, cells[thread], *states[thread])
            for thread in range(first, min(first + WARP, self.trace.thread_count))
        )

    @property
    def operation(self) -> WarpOperation | None:
        """The last operation of the phase's warp; see :meth:`last_warp_operation`."""
        return self.last_warp_operation()

    def last_warp_operation(
        self, block: Dim3 | None = None, warp: int | None = None
    ) -> WarpOperation | None:
        """Return the last warp operation of a warp in the phase, or None."""
        block = self.choose_block(block)
        warp = self._warp(block, warp)
        log, mine = self.trace.events.events, self._past_events(block)
        mine = mine[self._numbers[mine] == self.phase.index]
        lanes = mine[(log["kind"][mine] == EventKind.LANE) & (log["thread"][mine] // WARP == warp)]
        if not lanes.size:
            return None
        first = np.flatnonzero(np.append(True, np.diff(lanes) > 1))[-1]
        return _warp_operation(log[lanes[first:]], int(lanes[-1]))

    def choose_block(self, block: Dim3 | None = None) -> Dim3:
        """Return a block that can be shown: for None the phase's block, or the first.

        Raises
        ------
        InputError
            If there is no such block, or it was not logged.
        """
        return self.trace.resolve_block(block or self.phase.block) or self.trace.blocks[0]

    def choose_warps(self, warp: int | None = None) -> tuple[int, ...]:
        """Return the warps of a block whose lanes are shown: for None the phase's warp, or all.

        There are none if phases do not end at warp operations and no warp is chosen.
        """
        warp = self.phase.warp if warp is None else warp
        if warp is not None:
            return (warp,)
        return tuple(range(self.trace.warp_count)) * (self.phase.by is PhaseBoundary.WARP)

    # -----------------------------------------------------------------------------------------

    def _past_events(self, block: Dim3) -> Indices:
        """Return the events of a block up to the end of the phase."""
        events = self.trace.block_events(block)
        return events[self._numbers[events] <= self.phase.index]

    def _warp(self, block: Dim3, warp: int | None) -> int:
        if warp is None:
            warp = self.phase.warp if self.phase.warp is not None else 0
        self.trace.check_warp(block, warp)
        return warp

    def _collect_states(self, block: Dim3) -> list[tuple[ThreadState, str]]:
        """Return each thread's state and the operation that it waits in."""
        log, past = self.trace.events.events, self._past_events(block)
        past = past[log["kind"][past] != EventKind.BARRIER]
        last = np.full(self.trace.thread_count, -1, np.int64)
        last[log["thread"][past]] = past
        passed = self._passed_barriers(block)
        return [_state(log, *pair) for pair in zip(last.tolist(), passed.tolist(), strict=True)]

    def _passed_barriers(self, block: Dim3) -> Indices:
        """Return for each thread of a block the last barrier that it has passed; -1 if none."""
        log, events = self.trace.events.events, self.trace.block_events(block)
        alone = self.phase.by is not PhaseBoundary.WARP or self.phase.warp is not None
        group = np.zeros(self.trace.thread_count, np.int64)  # threads that stand at one moment
        if not alone:
            group += np.arange(group.size) // WARP
        later = events[self._numbers[events] > self.phase.index]
        ends = np.full(group[-1] + 1, log.size)
        np.minimum.at(ends, group[log["thread"][later]], later)
        barriers = events[log["kind"][events] == EventKind.BARRIER]
        passed: Indices = np.append(-1, barriers)[np.searchsorted(barriers, ends)]
        return passed[group]

    def _make_lane(
        self, block: Dim3, thread: int, at: int, state: ThreadState, operation: str
    ) -> WarpLane:
        trace, log = self.trace, self.trace.events.events
        mine = trace.thread_events(block, thread)
        first, end = np.searchsorted(self._numbers[mine], (self.phase.index, self.phase.index + 1))
        begin = int(mine[first]) if first < end else None
        mine = mine[:end]
        kinds = log["kind"][mine]
        reads = mine[kinds == EventKind.LOAD]
        writes = mine[(kinds == EventKind.STORE) | (kinds == EventKind.ATOMIC)]
        sites = mine[log["site"][mine] != 0]
        return WarpLane(
            lane=thread % WARP,
            thread=trace.events.unravel_thread(thread),
            cell=None if at < 0 else (at % trace.shape[1], at // trace.shape[1]),
            state=state,
            operation=operation,
            begin=begin,
            read=trace.access_at(int(reads[-1])) if reads.size else None,
            write=trace.access_at(int(writes[-1])) if writes.size else None,
            location=trace.events.locate(int(log["site"][sites[-1]])) if sites.size else None,
        )

    def _make_shared_array(
        self,
        variable: SharedVariable,
        before: npt.NDArray[np.uint8],
        after: npt.NDArray[np.uint8],
        written: npt.NDArray[np.bool_],
    ) -> SharedArray:
        part = slice(variable.offset, variable.offset + variable.nbytes)
        old, new = before[part].view(variable.dtype), after[part].view(variable.dtype)
        new.flags.writeable = False
        elements_written: npt.NDArray[np.bool_] = written[part].reshape(new.size, -1).max(axis=1)
        return SharedArray(
            name=variable.name,
            values=new,
            written=elements_written,
            changed=np.flatnonzero(_as_bits(old) != _as_bits(new)),
            columns=_columns(new.size, self.trace.launch.block),
            hex_digits=self.trace.hex_digits(variable),
        )


def _pixels_first(buffers: tuple[LoggedBuffer, ...], labels: int | None) -> list[int]:
    """Return the indices of the buffers that show the cell of a thread."""
    pixels = [index for index, one in enumerate(buffers) if one.buffer.name == "image"]
    return pixels if labels is None else [*pixels, labels]


def _state(log: npt.NDArray[np.void], last: int, last_barrier: int) -> tuple[ThreadState, str]:
    if last < 0:
        return ThreadState.NOT_BEGUN, ""
    kind, operation = int(log["kind"][last]), int(log["operation"][last])
    if kind == EventKind.END:
        return ThreadState.ENDED, ""
    at_barrier = _FIRST_BARRIER <= operation <= _LAST_BARRIER
    if kind == EventKind.ARRIVAL and not (at_barrier and last < last_barrier):
        return ThreadState.WAITING, operation_name(operation)
    return ThreadState.RUNNING, ""


def _warp_operation(lanes: npt.NDArray[np.void], moment: int) -> WarpOperation:
    number = int(lanes["operation"][0])
    shuffles = number in _SHUFFLES
    brings: list[int | None] = [None] * WARP
    gets: list[int | None] = [None] * WARP
    sources: list[int | None] = [None] * WARP
    took_part = 0
    for event in lanes:
        lane = int(event["thread"]) % WARP
        took_part |= 1 << lane
        brings[lane] = _as_signed(int(event["before"])) if shuffles else int(event["before"])
        gets[lane] = _as_signed(int(event["value"])) if shuffles else int(event["value"])
        sources[lane] = int(event["source"])
    return WarpOperation(
        name=operation_name(number),
        mask=int(lanes["offset"][0]),
        lanes=took_part,
        brings=tuple(brings),
        gets=tuple(gets),
        sources=tuple(sources) if shuffles else (),
        moment=moment,
    )


def _as_signed(bits: int) -> int:
    """Return a value as a signed number, which it most likely is."""
    for width in (32, 64):
        if bits < 1 << width:
            return bits - (1 << width) if bits >> (width - 1) else bits
    return bits


def _as_bits(values: Array) -> Array:
    """Return values as integers, so that different values never compare equal."""
    return values.view(f"u{values.dtype.itemsize}")


def _columns(size: int, block: Dim3) -> int:
    """Return the best width for a picture of a shared array: the block's, or two more."""
    x, y, _ = block
    for border in (0, 2):
        if y > 1 and size == (x + border) * (y + border):
            return x + border
    return size
