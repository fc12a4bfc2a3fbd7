"""Descriptions of kernels' faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from ccl_viewer.devices.emulator.library import FaultRecord
from ccl_viewer.devices.emulator.memory import Allocation
from ccl_viewer.errors import CancelledError, KernelFaultError
from ccl_viewer.execution.device import AccessKind
from ccl_viewer.execution.plan import Launch, cell_of_element, unravel_index
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.support.units import counted


class FaultKind(IntEnum):
    """Kinds of faults, as in ``runtime/request.h``."""

    NONE = 0
    LANE_NOT_IN_MASK = 1
    LANE_MISSING = 2
    BARRIER_MISSING = 3
    BARRIER_MIXED = 4
    DEADLOCK = 5
    RUNAWAY = 6
    STACK_OVERFLOW = 7
    SHARED_OVERFLOW = 8
    STRAY_ACCESS = 9
    STRAY_SHARED_ACCESS = 10
    NULL_ACCESS = 11
    ASSERTION = 12
    WILD_ACCESS = 13
    MISALIGNED_ACCESS = 14
    GLOBAL_STORE = 15
    DIVISION_BY_ZERO = 16


OPERATIONS: Final = (
    "",
    "__syncthreads()",
    "__syncthreads_or()",
    "__syncthreads_and()",
    "__syncthreads_count()",
    "__syncwarp",
    "__ballot_sync",
    "__any_sync",
    "__all_sync",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__match_any_sync",
    "__activemask()",
)
"""Names of barriers and warp operations, in the order of ``runtime/request.h``."""

_FIRST_WITH_MASK, _LAST_WITH_MASK = 5, 13
_MISSING_THREADS: Final = "let every missing thread reach the operation"
_INDICES: Final = "check its indices"
_ADVICE: Final[Mapping[FaultKind, str]] = MappingProxyType(
    {
        FaultKind.LANE_NOT_IN_MASK: "name every lane that takes part",
        FaultKind.LANE_MISSING: _MISSING_THREADS,
        FaultKind.BARRIER_MISSING: _MISSING_THREADS,
        FaultKind.BARRIER_MIXED: "let the whole block reach the same barrier",
        FaultKind.DEADLOCK: _MISSING_THREADS,
        FaultKind.RUNAWAY: "check the conditions of its loops",
        FaultKind.STACK_OVERFLOW: "use smaller local arrays and no deep recursion",
        FaultKind.SHARED_OVERFLOW: "use smaller shared arrays",
        FaultKind.STRAY_ACCESS: _INDICES,
        FaultKind.STRAY_SHARED_ACCESS: _INDICES,
        FaultKind.NULL_ACCESS: _INDICES,
        FaultKind.WILD_ACCESS: _INDICES,
        FaultKind.MISALIGNED_ACCESS: "a GPU would stop here, too",
        FaultKind.ASSERTION: "correct the kernel or the assertion",
        FaultKind.GLOBAL_STORE: "use a Buffer of the plan instead",
        FaultKind.DIVISION_BY_ZERO: "check the divisor first",
    }
)
_VERBS = (AccessKind.LOAD.verb, AccessKind.STORE.verb, "accesses")
_PAGE = 4096
_UNKNOWN = 2**64 - 1
_MAX_REACH = 2**36  # bytes, beyond the reach of any 32-bit index
_RETURNED = 15
_SHARED_LIMIT = 49_152


def fault_error(
    record: FaultRecord,
    launch: Launch,
    allocations: Sequence[Allocation],
    turn_limit: int,
    location: SourceLocation | None = None,
) -> KernelFaultError:
    """Return the error for a fault: a sentence, the thread, and the place in the source if known.

    Parameters
    ----------
    record : FaultRecord
        The module's report.
    launch : Launch
        The launch.
    allocations : sequence of Allocation
        The launch's buffers.
    turn_limit : int
        Loop iterations that a thread was allowed.
    location : SourceLocation or None
        The thread's place in the source, if known.
    """
    if record.kind == FaultKind.ASSERTION:  # its message contains the place
        location = None
    buffers = [(allocation.name, allocation.nbytes) for allocation in allocations]
    in_buffer = record.kind in {FaultKind.STRAY_ACCESS, FaultKind.MISALIGNED_ACCESS}
    stray = allocations[record.buffer] if in_buffer and record.buffer < len(allocations) else None
    thread = unravel_index(record.thread, launch.block)
    block = unravel_index(record.block, launch.grid)
    subject = f"thread {thread} of block {block}"
    action = _what(record, launch, buffers, turn_limit)
    where = "" if location is None else f" at {location}"
    advice = _ADVICE[FaultKind(record.kind)]
    return KernelFaultError(
        f"The kernel {launch.kernel.name} stopped{where}: {subject} {action}: {advice}.",
        block=block,
        thread=thread,
        file=location.file if location is not None else _file(record),
        line=location.line if location is not None else _line(record),
        cell=_touched_cell(record, allocations),
        kind=_kind(record),
        memory=stray.name if stray is not None else "",
        index=None if stray is None else record.offset // stray.array.itemsize,
    )


def cancelled_error(
    record: FaultRecord, launch: Launch, location: SourceLocation | None
) -> CancelledError:
    """Return the error of a cancelled launch, with the place of a thread.

    Parameters
    ----------
    record : FaultRecord
        The module's report.
    launch : Launch
        The launch.
    location : SourceLocation or None
        The thread's place in the source, if known.
    """
    error = CancelledError()
    if location is not None:
        error.file, error.line = location.file, location.line
        error.block = unravel_index(record.block, launch.grid)
        error.thread = unravel_index(record.thread, launch.block)
    return error


def describe_stray(launch: Launch, name: str, nbytes: int, offset: int) -> str:
    """Return the sentence for a write out of bounds that was found after the launch.

    Parameters
    ----------
    launch : Launch
        The launch.
    name : str
        Name of the buffer.
    nbytes : int
        Its size in bytes.
    offset : int
        Place of the write, in bytes from the buffer's start.
    """
    return (
        f"The kernel {launch.kernel.name} wrote {_beyond(name, nbytes, offset)}: check its "
        "indices; the synchronous schedule names the thread."
    )


def _what(
    record: FaultRecord, launch: Launch, buffers: Sequence[tuple[str, int]], turn_limit: int
) -> str:
    match FaultKind(record.kind):
        case FaultKind.LANE_NOT_IN_MASK:
            return f"calls {_operation(record)} with a mask that does not include it"
        case FaultKind.LANE_MISSING | FaultKind.BARRIER_MISSING:
            return f"waits at {_operation(record)} for {_missing(record, launch)}"
        case FaultKind.BARRIER_MIXED:
            others = OPERATIONS[record.other_state]
            return f"reached {_operation(record)} while others of its block wait at {others}"
        case FaultKind.DEADLOCK:
            waited = _missing(record, launch)
            return f"waits at {_operation(record)} for {waited}, and nothing else can run"
        case FaultKind.RUNAWAY:
            return f"never ends, after {turn_limit:,} loop iterations or more"
        case FaultKind.STACK_OVERFLOW:
            return "overflows its stack"
        case FaultKind.SHARED_OVERFLOW:
            needed = f"needs {record.bytes:,} bytes of static shared memory"
            return f"{needed}, and a block has {_SHARED_LIMIT:,}"
        case FaultKind.ASSERTION:
            return _assertion(record)
        case FaultKind.GLOBAL_STORE:
            return "writes a variable of the kernel's file, and the emulator has no such variables"
        case FaultKind.DIVISION_BY_ZERO:
            return "divides by zero"
        case _:
            return _access(record, buffers)


def _access(record: FaultRecord, buffers: Sequence[tuple[str, int]]) -> str:
    verb = _VERBS[record.stores]
    touched = f"{verb} {counted(record.bytes, 'byte')}" if record.bytes else f"{verb} memory"
    match FaultKind(record.kind):
        case FaultKind.WILD_ACCESS if record.address < _PAGE:
            return f"{touched} through a null pointer"
        case FaultKind.WILD_ACCESS:
            return f"{touched} {_wild(record, buffers)}"
        case FaultKind.STRAY_ACCESS:
            name, nbytes = buffers[record.buffer]
            # The thread may have meant another buffer next to this one.
            nearest = ", the nearest" if _is_far(nbytes, record.offset) else ""
            return f"{touched}, {_beyond(name, nbytes, record.offset)}{nearest}"
        case FaultKind.MISALIGNED_ACCESS:
            inside = record.buffer < len(buffers)
            memory = buffers[record.buffer][0] if inside else "the shared memory of its block"
            return (
                f"{touched} at byte {record.offset} of {memory}, not a multiple of {record.bytes}"
            )
        case FaultKind.STRAY_SHARED_ACCESS:
            return f"{touched} outside the shared memory of its block, at offset {record.offset}"
        case _:
            return f"{touched} through a null pointer"


def _wild(record: FaultRecord, buffers: Sequence[tuple[str, int]]) -> str:
    if record.address == _UNKNOWN:
        return "at an impossible address"
    where = f"at the address {record.address:#x}, which is in no buffer"
    if record.buffer >= len(buffers) or abs(record.offset) > _MAX_REACH:
        return where
    name, nbytes = buffers[record.buffer]
    return f"{where}: {_beyond(name, nbytes, record.offset)}, the nearest"


def _assertion(record: FaultRecord) -> str:
    text = (record.text or b"").decode(errors="replace")
    return f"fails the assertion {text} ({_file(record)}:{record.line})"


def _file(record: FaultRecord) -> str:
    """Return the name of the source file, without its folder; empty if unknown.

    Only a failed assertion sets it, and the record may still hold the one of an earlier assertion.
    """
    if record.kind != FaultKind.ASSERTION:
        return ""
    return (record.file or b"").decode(errors="replace").replace("\\", "/").rsplit("/", 1)[-1]


def _kind(record: FaultRecord) -> str:
    match FaultKind(record.kind):
        case FaultKind.LANE_NOT_IN_MASK | FaultKind.LANE_MISSING:
            return "missing lane"
        case FaultKind.BARRIER_MISSING | FaultKind.BARRIER_MIXED:
            return "divergent barrier"
        case FaultKind.DEADLOCK:
            at_barrier = record.operation < _FIRST_WITH_MASK
            return "divergent barrier" if at_barrier else "missing lane"
        case FaultKind.RUNAWAY:
            return "endless loop"
        case FaultKind.ASSERTION:
            return "failed assertion"
        case (
            FaultKind.STRAY_ACCESS
            | FaultKind.STRAY_SHARED_ACCESS
            | FaultKind.NULL_ACCESS
            | FaultKind.WILD_ACCESS
        ):
            return "out of bounds"
        case FaultKind.MISALIGNED_ACCESS:
            return "misaligned access"
        case _:
            return "fault"


def _line(record: FaultRecord) -> int | None:
    return int(record.line) if record.kind == FaultKind.ASSERTION else None


def _touched_cell(record: FaultRecord, allocations: Sequence[Allocation]) -> tuple[int, int] | None:
    """Return the cell that the thread accessed last, if it was in a buffer of cells."""
    if record.touched_buffer >= len(allocations):
        return None
    allocation = allocations[record.touched_buffer]
    return cell_of_element(allocation.buffer, record.touched_offset // allocation.array.itemsize)


def _is_far(nbytes: int, offset: int) -> bool:
    return max(-offset, offset - nbytes) >= _PAGE


def _beyond(name: str, nbytes: int, offset: int) -> str:
    if offset < 0:
        return f"{counted(-offset, 'byte')} before the start of {name}"
    past = offset - nbytes
    if past == 0:
        return f"just past the end of {name}"
    return (
        f"{counted(past, 'byte')} past the end of {name}"
        if past > 0
        else f"across the end of {name}"
    )


def _operation(record: FaultRecord) -> str:
    name = OPERATIONS[record.operation]
    if _FIRST_WITH_MASK <= record.operation <= _LAST_WITH_MASK:
        return f"{name}(0x{record.mask:08x})"
    return name


def _missing(record: FaultRecord, launch: Launch) -> str:
    if record.missing == 0:
        return "others"
    other = unravel_index(record.other, launch.block)
    more = f" and {record.missing - 1} more" if record.missing > 1 else ""
    if record.other_state == _RETURNED:
        state = "ended without this call, by an if around it or a return before it"
    elif record.other_state:
        state = f"waits at {OPERATIONS[record.other_state]}"
    else:
        state = "has not come"
    return f"thread {other}{more}, which {state}" if not more else f"thread {other} ({state}){more}"
