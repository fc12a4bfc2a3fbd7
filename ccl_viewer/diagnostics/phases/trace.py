"""The trace of a launch: what its threads did, and the memory at any moment."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.devices.emulator.events import SHARED, EventKind, LaunchEvents, SharedVariable
from ccl_viewer.devices.emulator.replay import MemoryReplay, Moment
from ccl_viewer.diagnostics.phases.cutting import Division, block_name
from ccl_viewer.diagnostics.phases.model import Access, Phase, PhaseBoundary
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import (
    WARP,
    Buffer,
    Dim3,
    LabelLayout,
    Launch,
    cell_of_element,
    linear_index,
)
from ccl_viewer.execution.schedule import Order, Schedule
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.recording import Step
from ccl_viewer.recording.recorder import find_label_buffer
from ccl_viewer.support.arrays import Indices
from ccl_viewer.support.units import counted


class LaunchTrace:
    """The trace of one launch.

    It is thread-safe.

    Parameters
    ----------
    events : LaunchEvents
        The events of its threads.
    shape : tuple of int
        Rows and columns of the grid.
    step : Step
        The recorded step.
    schedule : Schedule
        Order of the threads.
    labels_before : ndarray of int32, shape (height, width)
        The labels before the launch, without padding.
    note : str
        Note for the user, for example that this is the emulator's run of a GPU's recording, that
        its labels differ from the recorded ones, or that events are missing; may be empty.
    """

    def __init__(
        self,
        events: LaunchEvents,
        shape: tuple[int, int],
        step: Step,
        schedule: Schedule,
        labels_before: npt.NDArray[np.int32],
        note: str = "",
    ) -> None:
        self.events = events
        self.shape = shape
        self.step = step
        self.schedule = schedule
        self.note = note
        self._labels_before = labels_before
        self._divisions: dict[tuple[PhaseBoundary, Dim3 | None, int | None], Division] = {}
        self._replays: dict[tuple[int, Dim3 | None], MemoryReplay] = {}

    def __repr__(self) -> str:
        return f"<LaunchTrace of {self.launch.kernel.name}: {counted(len(self), 'event')}>"

    def __len__(self) -> int:
        return len(self.events.events)

    @property
    def launch(self) -> Launch:
        """The launch: kernel, grid, block, arguments, caption."""
        return self.events.launch

    @property
    def fault(self) -> str:
        """The sentence of the fault that stopped the launch; empty if it finished."""
        return self.events.fault

    @property
    def truncated(self) -> bool:
        """Whether events at the end are missing because they did not fit."""
        return self.events.lost > 0

    @cached_property
    def blocks(self) -> tuple[Dim3, ...]:
        """The blocks that can be shown: the logged one, or all active ones; at least one."""
        if self.events.block is not None:
            return (self.events.block,)
        active = np.unique(self._log["block"]).tolist()
        return tuple(map(self.events.unravel_block, active or [0]))

    @property
    def warp_count(self) -> int:
        """Number of warps of a block."""
        return -(-self.thread_count // WARP)

    @cached_property
    def phase_boundaries(self) -> tuple[PhaseBoundary, ...]:
        """Possible divisions of the launch, the most informative first."""
        kinds = self._log["kind"]
        boundaries = []
        if (kinds == EventKind.LANE).any():
            boundaries.append(PhaseBoundary.WARP)
        boundaries.append(PhaseBoundary.BARRIER)
        if self.schedule.order is Order.SYNCHRONOUS:
            boundaries.append(PhaseBoundary.ROUND)
        if not (kinds == EventKind.BARRIER).any():  # rounds then show more
            boundaries.sort(key=lambda by: by is PhaseBoundary.BARRIER)
        return tuple(boundaries)

    def phases(
        self, by: PhaseBoundary | None = None, block: Dim3 | None = None, warp: int | None = None
    ) -> tuple[Phase, ...]:
        """Divide the launch into phases.

        Parameters
        ----------
        by : PhaseBoundary or None
            Events that end a phase; None for the first of :attr:`phase_boundaries`.
        block : tuple of three int or None
            The block to divide. None for the logged block or all blocks, beside each other.
        warp : int or None
            The warp of the block to divide, if phases end at warp operations; None for all.

        Returns
        -------
        tuple of Phase
            At least one phase, in order; together they have all events of the blocks or warps.

        Raises
        ------
        InputError
            If there is no such block or warp, or there are no rounds.
        """
        by = self.phase_boundaries[0] if by is None else by
        block = self.resolve_block(block)
        self.check_warp(block, warp)
        if by is PhaseBoundary.ROUND and PhaseBoundary.ROUND not in self.phase_boundaries:
            raise InputError(
                f"The schedule {self.schedule} has no rounds: choose barrier or warp, or run the "
                "algorithm with the synchronous schedule."
            )
        if by is PhaseBoundary.WARP and block is not None and self.warp_count == 1:
            warp = 0
        return self.division(by, block, warp).phases

    def division(self, by: PhaseBoundary, block: Dim3 | None, warp: int | None) -> Division:
        """Return the division of a phase."""
        division = self._divisions.get((by, block, warp))
        if division is None:
            division = Division(self.events, by, block, warp)
            self._divisions[by, block, warp] = division
        return division

    @cached_property
    def thread_count(self) -> int:
        """Number of threads of a block."""
        x, y, z = self.launch.block
        return x * y * z

    def resolve_block(self, block: Dim3 | None) -> Dim3 | None:
        """Return a block if it can be shown; for None, the only such block, or None.

        Raises
        ------
        InputError
            If there is no such block, or it was not logged.
        """
        if block is None:
            only = self.blocks
            return only[0] if len(only) == 1 else None
        size = self.launch.grid
        if not all(0 <= i < n for i, n in zip(block, size, strict=True)):
            raise InputError(f"There is no block {block}: the launch has {size[0]} x {size[1]}.")
        if self.events.block not in (None, block):
            logged = block_name(self.blocks[0])
            raise InputError(f"Only {logged} was logged: trace the launch again for {block}.")
        return block

    def check_warp(self, block: Dim3 | None, warp: int | None) -> None:
        """Raise if a block does not have a warp.

        Raises
        ------
        InputError
            If there is no such warp, or a warp is given without a block.
        """
        if warp is None:
            return
        if block is None:
            raise InputError("A warp belongs to a block: choose the block, too.")
        if not 0 <= warp < self.warp_count:
            raise InputError(
                f"There is no warp {warp}: the block has warps 0 to {self.warp_count - 1}."
            )

    @property
    def _log(self) -> npt.NDArray[np.void]:
        return self.events.events

    # -----------------------------------------------------------------------------------------
    # Memory

    def memory_replay(self, buffer_index: int, block: Dim3 | None = None) -> MemoryReplay:
        """Return the replay of a buffer by its index, or of a block's shared memory."""
        replay = self._replays.get((buffer_index, block))
        if replay is None:
            among = None if block is None else self.block_events(block)
            replay = MemoryReplay(self.events, buffer_index, among)
            replay = self._replays.setdefault((buffer_index, block), replay)
        return replay

    @cached_property
    def label_buffer_index(self) -> int | None:
        """Index of the label buffer among the launch's buffers; None if it has none."""
        labels = find_label_buffer(self.launch)
        for index, logged in enumerate(self.events.buffers):
            if logged.buffer is labels:
                return index
        return None

    def labels_at(self, moment: Moment) -> npt.NDArray[np.int32]:
        """Return the labels at a moment, int32 of the grid's shape, without padding."""
        if self.label_buffer_index is None:
            return self._labels_before
        buffer = self.events.buffers[self.label_buffer_index].buffer
        raw = self.memory_replay(self.label_buffer_index).replay_to(moment).view(buffer.dtype)
        return require_layout(buffer).crop(raw)

    def written_cells_mask(self, log: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
        """Return for each cell of the grid whether one of these events writes its label."""
        if self.label_buffer_index is None:
            return np.zeros(self.shape, np.bool_)
        buffer = self.events.buffers[self.label_buffer_index].buffer
        writes = log[np.isin(log["kind"], (EventKind.STORE, EventKind.ATOMIC))]
        writes = writes[writes["buffer"] == self.label_buffer_index]
        first = writes["offset"].astype(np.int64)
        raw = np.zeros(buffer.shape, np.bool_)
        for byte in (first, first + writes["bytes"] - 1):  # a store may write two labels
            raw.flat[byte // buffer.dtype.itemsize] = True
        return require_layout(buffer).crop(raw).astype(np.bool_)

    def cell_of_element(self, buffer_index: int, index: int) -> Cell | None:
        """Return column and row of a buffer's element; None if it does not map to the grid."""
        buffer = self.events.buffers[buffer_index].buffer
        lies_over = buffer.layout is not None or buffer.shape == self.shape
        return cell_of_element(buffer, index) if lies_over else None

    def byte_of_cell(self, buffer_index: int, cell: Cell) -> int | None:
        """Return the first byte of a cell's element in a buffer; None without such an element.

        It is the inverse of :meth:`cell_of_element`, times the size of an element.
        """
        buffer, (x, y) = self.events.buffers[buffer_index].buffer, cell
        layout = buffer.layout
        if layout is not None:
            element = (y + layout.margin) * layout.pitch + x + layout.margin
        elif buffer.shape == self.shape:
            element = y * buffer.shape[1] + x
        else:
            return None
        return element * buffer.dtype.itemsize

    # -----------------------------------------------------------------------------------------
    # Threads

    @cached_property
    def _by_block(self) -> tuple[Indices, npt.NDArray[np.uint32]]:
        """The events ordered by block, and the linear index of each event's block."""
        order = np.argsort(self._log["block"], kind="stable")
        return order, self._log["block"][order]

    def block_events(self, block: Dim3) -> Indices:
        """Return the indices of a block's events, in order."""
        order, blocks = self._by_block
        number = linear_index(block, self.launch.grid)
        first, last = np.searchsorted(blocks, (number, number + 1))
        return order[first:last]

    def thread_events(self, block: Dim3, thread: int) -> Indices:
        """Return the indices of the events of a thread, by its linear index, in order."""
        events = self.block_events(block)
        mine: Indices = events[self._log["thread"][events] == thread]
        return mine

    def thread_accesses(self, block: Dim3, thread: int) -> tuple[Access, ...]:
        """Return the accesses of a thread, by its linear index, in order."""
        mine = self.thread_events(block, thread)
        mine = mine[self._log["kind"][mine] <= EventKind.ATOMIC]
        return tuple(self.access_at(moment) for moment in mine.tolist())

    def access_at(self, moment: int) -> Access:
        """Return the access of an event, which must be an access."""
        event = self._log[moment]
        buffer_index, offset = int(event["buffer"]), int(event["offset"])
        cell: Cell | None = None
        hex_digits = 0
        if buffer_index == SHARED:
            variable = self._variable_at(offset)
            hex_digits = self.hex_digits(variable)
            name, dtype, offset = variable.name, variable.dtype, offset - variable.offset
        else:
            buffer = self.events.buffers[buffer_index].buffer
            name, dtype = buffer.name, buffer.dtype
            cell = self.cell_of_element(buffer_index, offset // dtype.itemsize)
        nbytes = int(event["bytes"])
        return Access(
            kind=AccessKind(int(event["kind"])),
            memory=name,
            shared=buffer_index == SHARED,
            index=offset // dtype.itemsize,
            cell=cell,
            before=_decode_element(event["before"], dtype, nbytes),
            value=_decode_element(event["value"], dtype, nbytes),
            moment=moment,
            hex_digits=hex_digits,
        )

    def hex_digits(self, variable: SharedVariable) -> int:
        """Return the digits of the masks in a shared variable; 0 if it holds numbers."""
        return 2 * variable.dtype.itemsize if variable.name in self._masks else 0

    @cached_property
    def _masks(self) -> frozenset[str]:
        """Names of the shared variables with a word that is too large for a label or a count.

        Words of equal bytes do not count: they are uninitialised, or mean "nothing".
        """
        sizes = [math.prod(logged.buffer.shape) for logged in self.events.buffers]
        most = max(math.prod(self.shape), *sizes)
        log = self._log[(self._log["kind"] <= EventKind.ATOMIC) & (self._log["buffer"] == SHARED)]
        names = set()
        for variable in self.events.shared:
            end, bits = variable.offset + variable.nbytes, 8 * variable.dtype.itemsize
            values = log[(variable.offset <= log["offset"]) & (log["offset"] < end)]["value"]
            telling = values[values % ((2**bits - 1) // 255) != 0]
            if variable.dtype.kind == "u" and (telling > most).any():
                names.add(variable.name)
        return frozenset(names)

    def _variable_at(self, offset: int) -> SharedVariable:
        for variable in reversed(self.events.shared):
            if variable.offset <= offset:
                return variable
        return SharedVariable("shared", np.dtype(np.uint32), 0, self.events.shared_bytes)


def require_layout(buffer: Buffer) -> LabelLayout:
    """Return the layout of a label buffer."""
    if buffer.layout is None:
        raise TypeError(f"the buffer {buffer.name} holds labels and has no layout")
    return buffer.layout


def _decode_element(value: Any, dtype: np.dtype[Any], nbytes: int) -> int | float:
    """Return the element in some bytes; for a part of an element, the bytes as a number."""
    if nbytes < dtype.itemsize:
        return int(value)
    raw = np.array([value], np.uint64).view(np.uint8)[: dtype.itemsize]
    element: int | float = raw.view(dtype)[0].item()
    return element
