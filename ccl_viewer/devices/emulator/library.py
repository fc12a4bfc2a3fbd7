"""Load compiled kernel modules; their binary interface is in ``runtime/request.h``."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from ccl_viewer.execution.ledger import WALK_LENGTHS

_RUNTIME_VERSION = 12
_POINTER = 1 << 31

_U32 = ctypes.c_uint32
_U64 = ctypes.c_uint64


def function_address(function: ctypes._FuncPointer | ctypes._NamedFuncPointer) -> int:
    """Return the address of a function of the system."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class LaunchStatus(IntEnum):
    """Result of a native launch."""

    FINISHED = 0
    FAULTED = 1
    CANCELLED = 2


class FaultRecord(ctypes.Structure):
    """A module's report of a fault."""

    _fields_ = (
        ("kind", _U64),
        ("block", _U64),
        ("thread", _U64),
        ("operation", _U64),
        ("mask", _U64),
        ("other", _U64),
        ("other_state", _U64),
        ("missing", _U64),
        ("offset", ctypes.c_int64),
        ("bytes", _U64),
        ("buffer", _U64),
        ("stores", _U64),
        ("text", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("line", _U64),
        ("address", _U64),
        ("site", _U64),
        ("touched_buffer", _U64),
        ("touched_offset", _U64),
    )


class FindingRecord(ctypes.Structure):
    """A finding of the memory check at one place in a kernel's code."""

    _fields_ = (
        ("kind", _U64),
        ("block", _U64),
        ("thread", _U64),
        ("access", _U64),
        ("offset", ctypes.c_int64),
        ("bytes", _U64),
        ("size", _U64),
        ("buffer", _U64),
        ("other", _U64),
        ("other_access", _U64),
        ("site", _U64),
        ("times", _U64),
        ("variable", _U64),
        ("other_block", _U64),
        ("other_site", _U64),
        ("effects", _U64),
    )


class CheckRecord(ctypes.Structure):
    """Input and output of the memory check."""

    _fields_ = (
        ("findings", _U64),
        ("capacity", _U64),
        ("count", _U64),
        ("written", _U64),
        ("notes", _U64),
    )


class LedgerSiteRecord(ctypes.Structure):
    """Counts of the ledger at one place in a kernel's code."""

    _fields_ = (
        ("address", _U64),
        ("buffer", _U64),
        ("kind", _U64),
        ("bytes", _U64),
        ("requests", _U64),
        ("accesses", _U64),
        ("transactions", _U64),
        ("minimum_transactions", _U64),
        ("worst_transactions", _U64),
        ("address_conflicts", _U64),
        ("most_address_conflicts", _U64),
        ("walks", _U64),
        ("walk_steps", _U64),
        ("longest_walk", _U64),
        ("walk_lengths", _U64 * WALK_LENGTHS),
    )


class LedgerBufferRecord(ctypes.Structure):
    """Arrays in which the ledger counts by cell of a buffer."""

    _fields_ = (
        ("counts", _U64 * 3),
        ("rounds", _U64),
        ("in_round", _U64),
        ("most_in_round", _U64),
        ("item_bytes", _U64),
    )


class LedgerRecord(ctypes.Structure):
    """Input and output of the ledger."""

    _fields_ = (
        ("sites", _U64),
        ("site_count", _U64),
        ("buffers", _U64),
        ("logs", _U64),
        ("chunks", _U64),
        ("chunk_count", _U64),
        ("chunks_used", _U64),
        ("free_chunk", _U64),
        ("scratch", _U64),
        ("round", _U64),
        ("barriers", _U64),
        ("warp_operations", _U64),
        ("warp_lanes", _U64),
    )


MAX_EVENT_VARIABLES = 64


class EventVariableRecord(ctypes.Structure):
    """Place of a kernel's shared variable."""

    _fields_ = (("control", ctypes.c_int64), ("offset", _U64), ("bytes", _U64))


class EventLogRecord(ctypes.Structure):
    """Input and output of the event log."""

    _fields_ = (
        ("events", _U64),
        ("capacity", _U64),
        ("count", _U64),
        ("lost", _U64),
        ("block", _U64),
        ("origin", _U64),
        ("rounds", _U64),
        ("variable_count", _U64),
        ("variables", EventVariableRecord * MAX_EVENT_VARIABLES),
    )


class PrintRecord(ctypes.Structure):
    """Output of the kernels' printf."""

    _fields_ = (("words", _U64), ("capacity", _U64), ("used", _U64), ("lost", _U64))


class ProgressRecord(ctypes.Structure):
    """State shared by the workers of one launch."""

    _fields_ = (("next_block", _U64), ("stop", _U32), ("padding", _U32))


class SignalHost(ctypes.Structure):
    """Data for modules' signal handlers."""

    _fields_ = (
        ("stacks", _U64),
        ("stack_bytes", _U64),
        ("stack_count", _U64),
        ("sigaction", _U64),
        ("sigaltstack", _U64),
        ("raise_", _U64),
        ("previous", ctypes.c_uint8 * 160 * 2),
    )


class LaunchRequest(ctypes.Structure):
    """A launch, as requested from a module."""

    _fields_ = (
        ("kernel", _U64),
        ("arguments", _U64),
        ("shared_bytes", _U64),
        ("seed", _U64),
        ("turn_limit", _U64),
        ("blocks_at_once", _U64),
        ("workspace", _U64),
        ("stacks", _U64),
        ("fibers", _U64),
        ("cancel", _U64),
        ("progress", _U64),
        ("ranges", _U64),
        ("range_count", _U64),
        ("fault", _U64),
        ("grid", _U32 * 3),
        ("block", _U32 * 3),
        ("schedule", _U32),
        ("resident_blocks", _U32),
        ("atomics", _U64),
        ("clock", _U64),
        ("clock_id", _U64),
        ("elapsed", _U64),
        ("signals", _U64),
        ("signal_stack", _U64),
        ("check", _U64),
        ("ledger", _U64),
        ("events", _U64),
        ("output", _U64),
    )


@dataclass(frozen=True)
class NativeParameter:
    """A parameter of a kernel.

    Parameters
    ----------
    nbytes : int
        Its size in bytes.
    is_pointer : bool
        Whether it takes a buffer.
    """

    nbytes: int
    is_pointer: bool


class Library:
    """A compiled kernel module in this process.

    Parameters
    ----------
    path : Path
        The shared library.

    Raises
    ------
    OSError
        If it cannot be loaded, or has another version of the runtime.
    """

    def __init__(self, path: Path) -> None:
        native = ctypes.CDLL(str(path))
        try:
            self._check_version(native)
            self.launch = self._function(native, "ccl_launch", ctypes.c_void_p)
            self.launch_address = function_address(native.ccl_launch)
            self.workspace_bytes = self._function(
                native, "ccl_workspace_bytes", ctypes.c_void_p, result=_U64
            )
            self.catch_signals = self._function(
                native, "ccl_catch_signals", ctypes.c_void_p, result=None
            )
            self.release_signals = self._function(
                native, "ccl_release_signals", ctypes.c_void_p, result=None
            )
            self.kernels = self._read_table(native)
            self.stack_bytes = int(self._function(native, "ccl_stack_bytes", result=_U64)())
        except AttributeError as error:
            raise OSError(f"{path.name} is not a kernel module: {error}") from error

    @staticmethod
    def _function(native: ctypes.CDLL, name: str, *arguments: Any, result: Any = _U32) -> Any:
        function = getattr(native, name)
        function.argtypes = arguments
        function.restype = result
        return function

    def _check_version(self, native: ctypes.CDLL) -> None:
        version = self._function(native, "ccl_runtime_version")()
        if version != _RUNTIME_VERSION:
            raise OSError(f"the module's runtime has version {version}, not {_RUNTIME_VERSION}")

    def _read_table(
        self, native: ctypes.CDLL
    ) -> dict[str, tuple[int, tuple[NativeParameter, ...]]]:
        name = self._function(native, "ccl_kernel_name", _U32, result=ctypes.c_char_p)
        count = self._function(native, "ccl_parameter_count", _U32)
        parameter = self._function(native, "ccl_parameter", _U32, _U32)
        table = {}
        for index in range(self._function(native, "ccl_kernel_count")()):
            words = [parameter(index, i) for i in range(count(index))]
            table[name(index).decode()] = (
                index,
                tuple(NativeParameter(word & ~_POINTER, bool(word & _POINTER)) for word in words),
            )
        return table
