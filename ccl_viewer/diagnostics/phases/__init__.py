"""The inside of one launch, phase by phase: barriers, warp operations, rounds.

:func:`trace_launch` runs a recorded algorithm again on the emulator, up to a step, and logs what
the threads of that launch do. The result is a :class:`LaunchTrace`. It is divided into phases
(:meth:`LaunchTrace.phases`), and a :class:`PhaseView` shows any of them, in any order: labels,
shared memory, threads, and the lanes of a warp.

>>> import ccl_viewer as ccl
>>> from ccl_viewer.diagnostics.phases import PhaseBoundary, PhaseView, trace_launch
>>> recording = ccl.record("pattern:spiral?size=15", "ha4", device="emulator")
>>> trace = trace_launch(recording, 0)
>>> first, *_ = trace.phases(PhaseBoundary.WARP, block=(0, 0, 0), warp=1)
>>> first.title
'Warp 1 of block (0, 0): __ballot_sync'
>>> f"{PhaseView(trace, first).operation.gets[0]:015b}"
'100000000000000'
"""

from __future__ import annotations

from ccl_viewer.diagnostics.phases.model import (
    Access,
    Phase,
    PhaseBoundary,
    SharedArray,
    ThreadState,
    WarpLane,
    WarpOperation,
    distances_from_run_start,
    distances_to_run_end,
)
from ccl_viewer.diagnostics.phases.rerun import default_block, trace_launch
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.diagnostics.phases.view import PhaseView

__all__ = [
    "Access",
    "LaunchTrace",
    "Phase",
    "PhaseBoundary",
    "PhaseView",
    "SharedArray",
    "ThreadState",
    "WarpLane",
    "WarpOperation",
    "default_block",
    "distances_from_run_start",
    "distances_to_run_end",
    "trace_launch",
]
