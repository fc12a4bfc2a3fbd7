"""Says in words what a kernel did wrong."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ccl_viewer.devices.emulator.library import FaultRecord
from ccl_viewer.plan import Dim3, Launch


class FaultKind(IntEnum):
    """As in ``runtime/request.h``."""

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


_OPERATIONS = (
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
_FIRST_WITH_MASK, _LAST_WITH_MASK = 5, 13
_RETURNED = 15
_SHARED_LIMIT = 49_152


def describe_fault(
    record: FaultRecord, launch: Launch, buffers: Sequence[tuple[str, int]], turn_limit: int
) -> str:
    """Return one sentence for a fault.

    Parameters
    ----------
    record : FaultRecord
        What the module reported.
    launch : Launch
        The launch that it belongs to.
    buffers : sequence of (str, int)
        Name and bytes of each buffer that the launch was given.
    turn_limit : int
        Loop turns that a thread was allowed.
    """
    thread = _position(record.thread, launch.block)
    block = _position(record.block, launch.grid)
    who = f"thread {thread} of block {block}"
    what, advice = _what(record, launch, buffers, turn_limit)
    return f"The kernel {launch.kernel.name} stopped: {who} {what}: {advice}."


def describe_stray(launch: Launch, name: str, nbytes: int, offset: int) -> str:
    """Return one sentence for a write beyond a buffer that was found after the launch."""
    return (
        f"The kernel {launch.kernel.name} wrote {_beyond(name, nbytes, offset)}: check its "
        "indices; the synchronous schedule says which thread it is."
    )


def _what(
    record: FaultRecord, launch: Launch, buffers: Sequence[tuple[str, int]], turn_limit: int
) -> tuple[str, str]:
    match FaultKind(record.kind):
        case FaultKind.LANE_NOT_IN_MASK:
            return (
                f"calls {_operation(record)}, whose mask does not name it",
                "name every lane that takes part",
            )
        case FaultKind.LANE_MISSING | FaultKind.BARRIER_MISSING:
            return (
                f"waits at {_operation(record)} for {_missing(record, launch)}",
                "let every thread that is waited for reach the operation",
            )
        case FaultKind.BARRIER_MIXED:
            return (
                f"reached {_operation(record)} while others of its block wait at "
                f"{_OPERATIONS[record.other_state]}",
                "let the whole block reach the same barrier",
            )
        case FaultKind.DEADLOCK:
            return (
                f"waits at {_operation(record)} for {_missing(record, launch)}, and nothing else "
                "can run",
                "let every thread that is waited for reach the operation",
            )
        case FaultKind.RUNAWAY:
            return (
                f"never ends, after {turn_limit:,} loop turns or more",
                "check the conditions of its loops",
            )
        case FaultKind.STACK_OVERFLOW:
            return "overflows its stack", "use smaller local arrays and no deep recursion"
        case FaultKind.SHARED_OVERFLOW:
            return (
                f"needs {record.bytes:,} bytes of static shared memory, and a block has "
                f"{_SHARED_LIMIT:,}",
                "use smaller shared arrays",
            )
        case FaultKind.ASSERTION:
            return _assertion(record), "the kernel asks for what does not hold"
        case _:
            return _access(record, buffers), "check its indices"


def _access(record: FaultRecord, buffers: Sequence[tuple[str, int]]) -> str:
    verb = "writes" if record.stores else "reads"
    touched = f"{verb} {record.bytes} bytes"
    match FaultKind(record.kind):
        case FaultKind.STRAY_ACCESS:
            name, nbytes = buffers[record.buffer]
            return f"{touched} {_beyond(name, nbytes, record.offset)}"
        case FaultKind.STRAY_SHARED_ACCESS:
            return f"{touched} outside the shared memory of its block, at offset {record.offset}"
        case _:
            return f"{touched} through a null pointer"


def _assertion(record: FaultRecord) -> str:
    text = (record.text or b"").decode(errors="replace")
    file = (record.file or b"").decode(errors="replace").replace("\\", "/").rsplit("/", 1)[-1]
    return f"fails the assertion {text} ({file}:{record.line})"


def _beyond(name: str, nbytes: int, offset: int) -> str:
    if offset < 0:
        return f"{-offset} bytes before the start of {name}"
    past = offset - nbytes
    return f"{past} bytes past the end of {name}" if past >= 0 else f"across the end of {name}"


def _operation(record: FaultRecord) -> str:
    name = _OPERATIONS[record.operation]
    if _FIRST_WITH_MASK <= record.operation <= _LAST_WITH_MASK:
        return f"{name}(0x{record.mask:08x})"
    return name


def _missing(record: FaultRecord, launch: Launch) -> str:
    if record.missing == 0:
        return "others"
    other = _position(record.other, launch.block)
    more = f" and {record.missing - 1} more" if record.missing > 1 else ""
    if record.other_state == _RETURNED:
        state = "has returned"
    elif record.other_state:
        state = f"waits at {_OPERATIONS[record.other_state]}"
    else:
        state = "has not come"
    return f"thread {other}{more}, which {state}" if not more else f"thread {other} ({state}){more}"


def _position(linear: int, size: Dim3) -> str:
    x, y, _ = size
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"
